package api

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/body"
)

// typedBlocks reads blocks that say their type: those of Anthropic, of both APIs of OpenAI and of the generic
// shape. Servers that speak one of them mostly take the blocks of the others.
type typedBlocks struct {
	texts []string // types of text blocks
	files bool     // files are known, and every string in them may hold a forged tag
}

func (t typedBlocks) read(r *body.Reader, b *body.Block) (isFile bool) {
	kind, said, failed, answers := "", false, false, false
	r.EachMember(func(name []byte) {
		switch n := string(name); {
		case n == "type":
			kind = r.Word()
		case n == "text" && r.Peek() == '"':
			b.Text, said = r.Text(body.OfBlock), true
			b.Said = b.Text
		case n == "content":
			b.Content = r.Around(func() { failed = readResult(r) || failed })
			b.Output = b.Content
		case n == "id":
			if id := r.Quoted(); !answers {
				b.ID = id
			}
		case n == "tool_use_id":
			b.ID, answers = r.Quoted(), true
		case r.OtherInFile():
		case n == "text", n == "refusal":
			b.Said = r.Quoted()
		case n == "name":
			b.Name = r.Quoted()
		case n == "input":
			b.Input = r.Span()
		case n == "is_error":
			failed = r.IsTrue()
		}
	})
	b.IsText = said && slices.Contains(t.texts, kind)
	b.Failed = fact.Unknown
	if setType(b, kind); b.IsResult() {
		b.Failed = fact.Of(failed)
	}
	switch kind {
	case "compaction":
		if c := b.Content; c.To-c.From > 2 && r.Body.Bytes[c.From] == '"' {
			r.Compacted(body.Span{From: c.From + 1, To: c.To - 1})
		}
	case "document", "search_result", "file", "input_file":
		return t.files
	}
	return false
}

// setType sets the kind of a block by its type.
func setType(b *body.Block, kind string) {
	switch kind {
	case "text", "input_text", "output_text", "refusal":
		return
	}
	switch b.Said = (body.Span{}); kind {
	case "tool_use":
		b.Kind = body.Called
	case "server_tool_use", "mcp_tool_use":
		b.Kind = body.ServerCalled
	case "tool_result":
		b.Kind = body.Answered
	case "thinking", "redacted_thinking":
		b.Thought = true
	case "reasoning", "compaction":
	default:
		if strings.HasSuffix(kind, "_tool_result") {
			b.Kind = body.ServerAnswered
		} else {
			b.Media = true
		}
	}
}

// readResult reads the content of what may be a tool result: a string, or blocks. It reports whether the
// content is the error of a tool of the server's, such as
// {"type":"web_search_tool_result_error","error_code":…}.
func readResult(r *body.Reader) (failed bool) {
	switch r.Peek() {
	case '"':
		r.Text(body.OfResult)
	case '[':
		r.ResultBlocks()
	default:
		r.EachMember(func(name []byte) {
			if string(name) == "type" {
				failed = strings.HasSuffix(r.Word(), "_tool_result_error")
			}
		})
	}
	return failed
}

// readNamedBlock reads a block whose type is the name of the member that it has, as those of Gemini and
// Converse. It reads the text by itself; member reads the value of any other member.
func readNamedBlock(r *body.Reader, b *body.Block, member func(name []byte)) {
	said := false
	b.Failed = fact.Unknown
	r.EachMember(func(name []byte) {
		switch {
		case string(name) != "text":
			member(name)
		case r.Peek() == '"':
			b.Text, said = r.Text(body.OfBlock), true
		default:
			said = false
		}
	})
	if b.IsText = said && b.Kind == body.NoCall; said {
		b.Said = b.Text
	}
}
