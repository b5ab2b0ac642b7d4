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
	if len(texts) == 1 {
		out.text = texts[0]
	} else {
		out.text = strings.Join(texts, "\n\n")
	}
	return out
}

// block reads one content block. Its members come in any order, so all are collected before the type says
// what they mean.
func (out *content) block(c *jsonscan.Cursor, texts *[]string) {
	var kind, text, id, name, of, failed []byte
	size := 0
	media, thought := false, false
	for key, value := range c.Members() {
		switch string(key) {
		case "type":
			kind = value
		case "text":
			text = value
			size += len(value)
		case "input", "content", "thinking":
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
			Failed: fact.Unknown})
	case `"tool_result"`:
		out.results = append(out.results, result{jsonscan.Unquote(of), fact.Of(string(failed) == "true")})
	case `"image"`, `"document"`, `"image_url"`, `"file"`, `"input_image"`, `"input_file"`:
		out.media = true
	}
}
