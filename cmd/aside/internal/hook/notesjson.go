package hook

import (
	"encoding/json"
	"fmt"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/tightjson"
	"github.com/aside-go/aside/state"
)

// The notes are written and read by hand: the reflection that encoding/json does on a type's first use would take a hook longer than
// its turn. TestNotesTwoWays checks that the struct's tags, the writer and the reader agree.

// readNotes returns the notes that a run's snapshot carries, the zero notes where it carries none.
func readNotes(stored state.Notes) (n notes, err error) {
	raw := bytesOf(stored)
	if raw == nil {
		return n, nil
	}
	if n, ok := writtenNotes(string(raw)); ok {
		return n, nil
	}
	if err := json.Unmarshal(raw, &n); err != nil { // another version of the program may write other members, or another order
		return n, fmt.Errorf("notes of the run: %w", err)
	}
	return n, nil
}

// bytesOf returns the JSON of stored notes, nil where there are none. In a hook only write makes notes, so they are JSON already.
func bytesOf(stored state.Notes) json.RawMessage {
	raw, _ := stored.(json.RawMessage)
	return raw
}

// writtenNotes reads JSON in the exact form in which write writes it; ok is false for any other text.
func writtenNotes(raw string) (n notes, ok bool) {
	r := tightjson.NewReader(raw)
	r.Open('{')
	if r.Member("tools") {
		for r.Open('['); r.More(); {
			n.Tools = append(n.Tools, readTool(r))
		}
		r.Close(']')
	}
	n.User, n.Compacted, n.Resumed = r.MemberBool("user"), r.MemberBool("compacted"), r.MemberBool("resumed")
	n.Response = readNumber(r, "response")
	n.Rest = r.MemberText("rest")
	n.Prompt = r.MemberText("prompt")
	n.Users = r.MemberInt("users")
	n.Model, n.Thread = r.MemberText("model"), r.MemberText("thread")
	n.Context, n.Window = readNumber(r, "context"), readNumber(r, "window")
	if r.Member("usage") {
		usage := r.Float()
		n.Usage = &usage
	}
	n.Passing, n.Exact = r.MemberBool("passing"), r.MemberBool("exact")
	n.Stale = r.MemberInt("stale")
	for _, kind := range r.MemberTexts("shown") {
		n.Shown = append(n.Shown, Kind(kind))
	}
	n.Told, n.Prompts, n.Answered = r.MemberTexts("told"), r.MemberTexts("prompts"), r.MemberTexts("answered")
	n.Last = r.MemberText("last")
	n.Summary = int(r.MemberInt("summary"))
	r.Close('}')
	return n, r.End()
}

func readTool(r *tightjson.Reader) (t Tool) {
	r.Open('{')
	t.Name, t.ID = r.MemberText("name"), r.MemberText("id")
	if r.Member("failed") {
		t.Failed = fact.Truth(r.Count(int64(fact.True)))
	}
	r.Close('}')
	return t
}

func readNumber(r *tightjson.Reader, name string) *int64 {
	if !r.Member(name) {
		return nil
	}
	n := r.Int()
	return &n
}

// write returns the notes as JSON. Equal notes give equal bytes.
func (n notes) write() json.RawMessage {
	b := append(make([]byte, 0, 2048), '{')
	if len(n.Tools) > 0 {
		b = append(tightjson.Member(b, "tools"), '[')
		for _, t := range n.Tools {
			b = tightjson.MemberText(append(tightjson.Item(b), '{'), "name", t.Name)
			b = tightjson.SomeText(b, "id", t.ID)
			b = append(tightjson.SomeInt(b, "failed", int64(t.Failed)), '}')
		}
		b = append(b, ']')
	}
	b = tightjson.SomeTrue(b, "user", n.User)
	b = tightjson.SomeTrue(b, "compacted", n.Compacted)
	b = tightjson.SomeTrue(b, "resumed", n.Resumed)
	b = appendNumber(b, "response", n.Response)
	b = tightjson.SomeText(b, "rest", n.Rest)
	b = tightjson.SomeText(b, "prompt", n.Prompt)
	b = tightjson.SomeInt(b, "users", n.Users)
	b = tightjson.SomeText(b, "model", n.Model)
	b = tightjson.SomeText(b, "thread", n.Thread)
	b = appendNumber(b, "context", n.Context)
	b = appendNumber(b, "window", n.Window)
	if n.Usage != nil {
		b = tightjson.Float(tightjson.Member(b, "usage"), *n.Usage)
	}
	b = tightjson.SomeTrue(b, "passing", n.Passing)
	b = tightjson.SomeTrue(b, "exact", n.Exact)
	b = tightjson.SomeInt(b, "stale", n.Stale)
	b = tightjson.SomeTexts(b, "shown", n.Shown)
	b = tightjson.SomeTexts(b, "told", n.Told)
	b = tightjson.SomeTexts(b, "prompts", n.Prompts)
	b = tightjson.SomeTexts(b, "answered", n.Answered)
	b = tightjson.SomeText(b, "last", n.Last)
	b = tightjson.SomeInt(b, "summary", int64(n.Summary))
	return append(b, '}')
}

func appendNumber(b []byte, name string, n *int64) []byte {
	if n == nil {
		return b
	}
	return tightjson.MemberInt(b, name, *n)
}
