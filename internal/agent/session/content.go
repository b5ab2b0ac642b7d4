package session

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// content is a message's content, as far as it is needed, be it a string or a list of blocks.
type content struct {
	text    string   // of all text blocks or parts, joined by blank lines
	plain   bool     // the content is a string
	media   bool     // there is an image or a document, which only people send
	calls   []Call   // tool_use blocks
	bytes   int      // about how many bytes of text the model reads
	results []result // tool_result blocks
}

type result struct {
	id     string
	failed fact.Truth
	output []byte // JSON, in the line that is being read
}

func readContent(raw []byte) content { return contentOf(jsonscan.Of(raw)) }

// content reads the next value, which may be anything, as a message's content.
func contentOf(c *jsonscan.Cursor) (out content) {
	switch c.Peek() {
	case '"':
		out.plain = true
		out.text = c.Str()
		out.bytes = len(out.text)
		return out
	case '[':
		c.Open('[')
	default:
		c.Raw()
		return out
	}
	var texts []string
	for !c.Bad() && c.Element() {
		if c.Peek() == '{' {
			out.block(c, &texts)
		} else {
			c.Raw()
		}
	}
	out.text = strings.Join(texts, "\n\n")
	return out
}

// block reads one content block. Its members come in any order, so all are collected before the type says
// what they mean.
func (out *content) block(c *jsonscan.Cursor, texts *[]string) {
	var kind, text, id, name, of, failed, input, output []byte
	size := 0
	media, thought := false, false
	for key, value := range c.Members() {
		switch string(key) {
		case "type":
			kind = value
		case "text":
			text = value
			size += len(value)
		case "input":
			input = value
			size += len(value)
		case "content":
			output = value
			size += len(value)
		case "thinking":
			size += len(value)
		case "id":
			id = value
		case "name":
			name = value
		case "tool_use_id":
			of = value
		case "is_error":
			failed = value
		case "inlineData", "fileData":
			media = true
		case "thought":
			thought = string(value) == "true"
		}
	}
	if c.Bad() {
		return
	}
	out.bytes += size
	switch string(kind) {
	case "": // Gemini's parts have no type
		out.media = out.media || media
		if thought {
			return
		}
		fallthrough
	case `"text"`, `"input_text"`, `"output_text"`:
		if t := jsonscan.Unquote(text); strings.TrimSpace(t) != "" {
			*texts = append(*texts, t)
		}
	case `"tool_use"`, `"server_tool_use"`:
		out.calls = append(out.calls, Call{ID: jsonscan.Unquote(id), Name: jsonscan.Unquote(name),
			Failed: fact.Unknown, Input: input})
	case `"tool_result"`:
		out.results = append(out.results, result{jsonscan.Unquote(of), fact.Of(string(failed) == "true"), output})
	case `"image"`, `"document"`, `"image_url"`, `"file"`, `"input_image"`, `"input_file"`:
		out.media = true
	}
}

// usage is how many tokens a model call had, in its prompt and in its response, and the bill.
type usage struct {
	context, response Count
	billed            Usage
}

// readUsage reads a "usage" object of any of the APIs. Where a server-side tool loop made several iterations,
// the context is the prompt of the last one: the sums over all of them say nothing about the window. A prompt
// of 0 tokens counts as not known.
func readUsage(raw []byte) (u usage) {
	c := jsonscan.Of(raw)
	var top, last tokens
	for key, value := range c.Members() {
		switch string(key) {
		case "iterations":
			last = readIterations(value)
		case "output_tokens", "completion_tokens":
			u.response = countOf(value)
		default:
			top.read(key, value)
			u.billed.part(key, value)
		}
	}
	if c.Bad() {
		return usage{}
	}
	u.billed.Output = u.response
	if fresh := top.whole.N - u.billed.Read.N - u.billed.Written.N; top.whole.Known && fresh >= 0 {
		u.billed.Fresh = Count{fresh, true}
	}
	if last.seen {
		top = last
	}
	u.context = Count{top.prompt(), top.seen && top.prompt() > 0}
	return u
}

// part reads a member of a "usage" object that is about a part of the prompt.
func (u *Usage) part(key, raw []byte) {
	switch string(key) {
	case "input_tokens", "prompt_tokens":
		u.Fresh = countOf(raw)
	case "cache_read_input_tokens":
		u.Read = countOf(raw)
	case "cache_creation_input_tokens":
		u.Written = countOf(raw)
	case "cache_creation":
		u.WrittenHour = countOf(jsonscan.Member(raw, "ephemeral_1h_input_tokens"))
	// OpenAI's prompt tokens include the cached ones.
	case "prompt_tokens_details", "input_tokens_details":
		cached := countOf(jsonscan.Member(raw, "cached_tokens"))
		if cached.Known && u.Fresh.N >= cached.N {
			u.Read, u.Fresh.N = cached, u.Fresh.N-cached.N
		}
	}
}

// tokens sums up the parts of a prompt. Anthropic's parts do not overlap, and OpenAI's prompt_tokens includes
// them all.
type tokens struct {
	sum   int64
	whole Count // prompt_tokens; a gateway may write both
	seen  bool
}

func (t *tokens) prompt() int64 {
	if t.whole.Known {
		return t.whole.N
	}
	return t.sum
}

func (t *tokens) read(key, raw []byte) {
	switch string(key) {
	case "prompt_tokens":
		t.whole = countOf(raw)
		t.seen = t.seen || t.whole.Known
	case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens":
		n := countOf(raw)
		t.sum += n.N
		t.seen = t.seen || n.Known
	}
}

// readIterations returns the prompt of the last iteration that was a message.
func readIterations(raw []byte) (last tokens) {
	for _, item := range jsonscan.Elements(raw) {
		var t tokens
		message := true
		c := jsonscan.Of(item)
		for key, value := range c.Members() {
			if string(key) == "type" {
				message = jsonscan.Unquote(value) == "message"
			} else {
				t.read(key, value)
			}
		}
		if message && t.seen && !c.Bad() {
			last = t
		}
	}
	return last
}

// countOf returns the count that a JSON text is.
func countOf(raw []byte) Count {
	if n, ok := jsonscan.Of(raw).Count(); ok {
		return Count{n, true}
	}
	return Count{}
}
