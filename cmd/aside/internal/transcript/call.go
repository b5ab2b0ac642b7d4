package transcript

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/aside-go/aside/internal/jsonscan"
)

// call is one call of a model in a log.
type call struct {
	path     string // "": not logged
	header   map[string][]string
	request  []byte    // the body
	response []byte    // the body, or the events of the stream; nil: not logged
	at       time.Time // zero: not logged

	shape shape
}

// shape is what a request's body has of the members by which the bodies of APIs, and conversations, are told
// apart.
type shape struct {
	messages, input, contents bool
	system, version, schemas  bool // only Anthropic's API has these
	roles                     bool // something that only OpenAI's Chat API has
	limits                    bool // something that a request has and a conversation has not
	id                        bool
	model                     string
}

func (s *shape) any() bool { return s.messages || s.input || s.contents }

// readCall reads a line of a log: a request's body, {"request","response","time"}, or a request with its path
// and headers. ok is false where the line is no object, is cut off, or holds no request to a model.
func readCall(line []byte) (out call, ok bool) {
	c := jsonscan.Of(line)
	var whole bool
	for key, value := range c.Members() {
		switch string(key) {
		case "request", "req":
			whole = true
			out.readRequest(value)
		case "body", "request_body":
			whole = true
			out.request = bodyOf(value)
		case "response", "response_body", "res":
			out.response = responseOf(value)
		case "path", "url":
			out.path = jsonscan.Unquote(value)
		case "headers":
			out.header = headersOf(value)
		case "time", "timestamp", "at", "t", "ts", "created_at", "started_at":
			if out.at.IsZero() {
				out.at = timeOf(value)
			}
		}
	}
	if c.Bad() {
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

// readRequest reads the value of "request": a body, or an object with the body, the path and the headers.
func (out *call) readRequest(raw []byte) {
	c := jsonscan.Of(raw)
	if c.Peek() != '{' {
		out.request = bodyOf(raw)
		return
	}
	out.request = raw
	for key, value := range c.Members() {
		switch string(key) {
		case "body", "json", "data":
			out.request = bodyOf(value)
		case "path", "url":
			out.path = jsonscan.Unquote(value)
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

// bodyOf returns a body that was logged as an object, or as a string that holds one.
func bodyOf(raw []byte) []byte {
	if len(raw) > 0 && raw[0] == '"' {
		return []byte(jsonscan.Unquote(raw))
	}
	return raw
}

// responseOf returns the body of a response, which may stand in an object with the status; nil where there is
// none.
func responseOf(raw []byte) []byte {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '{' {
		for _, name := range [...]string{"body", "json", "data"} {
			if body := jsonscan.Member(raw, name); len(body) > 0 && (body[0] == '{' || body[0] == '[' ||
				body[0] == '"') {
				return bodyOf(body)
			}
		}
	}
	return bodyOf(raw)
}

// headersOf reads headers: an object whose values are strings or lists of strings, or a list of pairs.
func headersOf(raw []byte) map[string][]string {
	out := map[string][]string{}
	c := jsonscan.Of(raw)
	switch c.Peek() {
	case '{':
		for key, value := range c.Members() {
			name := jsonscan.Unquote(append(append([]byte{'"'}, key...), '"'))
			if len(value) > 0 && value[0] == '"' {
				out[name] = append(out[name], jsonscan.Unquote(value))
			}
			for _, v := range jsonscan.Elements(value) {
				out[name] = append(out[name], jsonscan.Unquote(v))
			}
		}
	case '[':
		for _, pair := range jsonscan.Elements(raw) {
			var two []string
			for _, v := range jsonscan.Elements(pair) {
				two = append(two, jsonscan.Unquote(v))
			}
			if len(two) == 2 {
				out[two[0]] = append(out[two[0]], two[1])
			}
		}
	}
	return out
}

// timeOf reads a time of RFC 3339, or in seconds or milliseconds since 1970; the zero time for anything else.
func timeOf(raw []byte) time.Time {
	if at, ok := jsonscan.Time(raw); ok {
		return at
	}
	const latest = 1e14 // milliseconds
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

// shapeOf returns the shape of a body, zero where that is no whole object.
func shapeOf(body []byte) (s shape) {
	c := jsonscan.Of(body)
	if c.Peek() != '{' {
		return s
	}
	for key, value := range c.Members() {
		s.member(key, value)
	}
	if c.Bad() {
		return shape{}
	}
	return s
}

// member adds a member of a body to its shape.
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
		s.model = jsonscan.Unquote(value)
	}
}

// answered reports whether the last message of a body is the model's.
func answered(body []byte) (is bool) {
	for _, m := range jsonscan.Elements(jsonscan.Member(body, "messages")) {
		is = string(jsonscan.Member(m, "role")) == `"assistant"`
	}
	return is
}

// isRequest reports whether a line that is no session record is a single request, which is one turn, and not
// a whole conversation, in which each assistant message is a turn. A request says how it is to be answered;
// or it has no id, and its last message is not the model's.
func (out *call) isRequest(line []byte) bool {
	s := &out.shape
	return len(out.request) != len(line) || s.input || s.contents || s.limits || s.messages && !s.id &&
		!answered(line)
}
