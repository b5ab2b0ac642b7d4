package transcript

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// call is one call of a model as somebody has written it down.
type call struct {
	path     string
	header   map[string][]string
	request  []byte // its body
	response []byte // its body, or the events of its stream; nil if it was not written down
	at       time.Time

	shape shape
}

// shape is what tells the bodies of APIs apart.
type shape struct {
	messages, input, contents bool
	system, version, schemas  bool // members of Anthropic's alone
	roles                     bool // something of OpenAI Chat's alone
	limits                    bool // something that only a request has, not a conversation
	id                        bool
	model                     string
}

func (s *shape) any() bool { return s.messages || s.input || s.contents }

// readCall reads a line: a body, {"request","response","time"}, or the request with its path and headers. ok is false when the line
// is no object, or cut off, or holds no request to a model.
func readCall(line []byte) (out call, ok bool) {
	c := cursor{b: line}
	var whole bool
	for key, value := range c.members() {
		switch string(key) {
		case "request", "req":
			whole = true
			out.wrapped(value)
		case "body", "request_body":
			whole = true
			out.request = bodyOf(value)
		case "response", "response_body", "res":
			out.response = responseOf(value)
		case "path", "url":
			out.path = unquote(value)
		case "headers":
			out.header = headersOf(value)
		case "time", "timestamp", "at", "t", "ts", "created_at", "started_at":
			if out.at.IsZero() {
				out.at = timeOf(value)
			}
		}
	}
	if c.bad {
		return out, false
	}
	if !whole {
		out.request = line
	}
	if out.shape == (shape{}) {
		out.shape = shapeOf(out.request)
	}
	return out, out.shape.any()
}

// wrapped reads the value of "request": a body, or an object with the body and what came with it.
func (out *call) wrapped(raw []byte) {
	c := cursor{b: raw}
	if c.peek() != '{' {
		out.request = bodyOf(raw)
		return
	}
	out.request = raw
	for key, value := range c.members() {
		switch string(key) {
		case "body", "json", "data":
			out.request = bodyOf(value)
		case "path", "url":
			out.path = unquote(value)
		case "headers":
			out.header = headersOf(value)
		default:
			out.shape.member(key, value)
		}
	}
	if len(out.request) != len(raw) {
		out.shape = shape{}
	}
}

// bodyOf returns a body that was written down as an object, or as a string.
func bodyOf(raw []byte) []byte {
	if len(raw) > 0 && raw[0] == '"' {
		return []byte(unquote(raw))
	}
	return raw
}

// responseOf returns the body of a response, which may stand in an object with its status.
func responseOf(raw []byte) []byte {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '{' {
		for _, name := range [...]string{"body", "json", "data"} {
			if body := stringMember(raw, name); len(body) > 0 && (body[0] == '{' || body[0] == '[' || body[0] == '"') {
				return bodyOf(body)
			}
		}
	}
	return bodyOf(raw)
}

// headersOf reads an object of strings or lists, or a list of pairs.
func headersOf(raw []byte) map[string][]string {
	out := map[string][]string{}
	c := cursor{b: raw}
	switch c.peek() {
	case '{':
		for key, value := range c.members() {
			name := unquote(append(append([]byte{'"'}, key...), '"'))
			if len(value) > 0 && value[0] == '"' {
				out[name] = append(out[name], unquote(value))
			}
			for _, v := range elements(value) {
				out[name] = append(out[name], unquote(v))
			}
		}
	case '[':
		for _, pair := range elements(raw) {
			var two []string
			for _, v := range elements(pair) {
				two = append(two, unquote(v))
			}
			if len(two) == 2 {
				out[two[0]] = append(out[two[0]], two[1])
			}
		}
	}
	return out
}

// timeOf reads RFC 3339, or seconds or milliseconds since 1970.
func timeOf(raw []byte) time.Time {
	if at, ok := readTime(raw); ok {
		return at
	}
	const latest = 1e14 // in milliseconds; a larger number is none
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(n > 1e8 && n < latest) {
		return time.Time{}
	}
	if n > 1e11 {
		n /= 1000
	}
	whole, part := math.Modf(n)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

// shapeOf looks at the members of a body.
func shapeOf(body []byte) (s shape) {
	c := cursor{b: body}
	if c.peek() != '{' {
		return s
	}
	for key, value := range c.members() {
		s.member(key, value)
	}
	if c.bad {
		return shape{}
	}
	return s
}

// member looks at a member of a body.
func (s *shape) member(key, value []byte) {
	switch string(key) {
	case "messages":
		s.messages = len(value) > 0 && value[0] == '['
		s.roles = s.roles || bytes.Contains(value[:min(len(value), 64)], []byte(`"system"`))
	case "input":
		s.input = len(value) > 0 && (value[0] == '[' || value[0] == '"')
	case "contents":
		s.contents = len(value) > 0 && value[0] == '['
	case "system":
		s.system = true
	case "anthropic_version", "anthropic_beta", "thinking", "stop_sequences":
		s.version = true
	case "tools":
		s.schemas = bytes.Contains(value, []byte(`"input_schema"`))
		s.roles = s.roles || !s.schemas && bytes.Contains(value, []byte(`"function"`))
	case "stream", "max_tokens", "max_completion_tokens":
		s.limits = true
	case "id":
		s.id = true
	case "model":
		s.model = unquote(value)
	}
}

// answered reports whether the last message of a body is the model's.
func answered(body []byte) (is bool) {
	for _, m := range elements(stringMember(body, "messages")) {
		is = string(stringMember(m, "role")) == `"assistant"`
	}
	return is
}

// isRequest reports whether a line that is no session record is a request, and not a whole conversation of which each answer is a
// turn: it says how it is to be answered, or waits for an answer and has no name.
func (out *call) isRequest(line []byte) bool {
	s := &out.shape
	return len(out.request) != len(line) || s.input || s.contents || s.limits || s.messages && !s.id && !answered(line)
}
