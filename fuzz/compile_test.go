package fuzz

import (
	"encoding/binary"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/reference"
)

// compileSeeds are triggers of every shape, right ones and wrong ones.
var compileSeeds = []string{
	"always", "never", "manual", "context_usage > 75% and turn_count > 20",
	"context_usage>=0.5||!user_message", "75% < context_usage",
	"tool_used == mcp__*", "tool_used in [Edit, Bash]", "Bash in tool_used", "after_tool:Edit,Write",
	"tool_failed:*", "turn_gt:4k", "thread:plan",
	"repeated_tool_chain:Read>Edit|2", "every 3 turns", "every 2 user turns", "every 5m",
	"elapsed > 1h30m and idle <= 90s", "turn_count in [1, 2, 3]",
	"thread_type in [plan, \"a b\"]", "model != x", "vars.n == 3 or vars.flag",
	"-3 < vars.n and vars.wait >= -1h30m", "vars.n in [-1, 2]", "vars.tags == a",
	"vars.name in vars.tags", "context_tokens > context_window",
	`tool_count("Ba*") > 1`, `turns_since_tool("Edit") <= 2`, `not used("Read")`, `turns_since("r") == 3`,
	`output_tokens_since("r") > 2`,
	`tool_chain_repeats("A > B") >= 1`, "len(tool_used) > 1", `len(prompt) * 2 > 7`,
	`any(tool_used, # startsWith "mcp__")`, `prompt matches "a|b"`,
	"turn_count % message_count == 0", `count(tool_used, # == "Edit") + 1 > turn_count`,
	`lower(prompt) contains "é"`, "(turn_count > 3 and user_message) == true",
	"context_usage > 75", "tool_used > bash", "turn_count", "reduce(1..40, #acc + #) > 3",
	"1..1000000000 == turn_count", "((((", "not not not", `prompt == "`,
	"turn_count ?? 3 > 2", "vars.n * 2 / 3 - 1 != -vars.share", `{"a": 1}`, "let x = 1; x > 0",
	"nil == prompt", "tool_used[0] == \"a\"",
}

func compileSchema(f *testing.F) *fact.Schema {
	f.Helper()
	s, err := fact.NewSchema(
		fact.Fact{Name: "vars.n", Type: fact.Int}, fact.Fact{Name: "vars.flag", Type: fact.Bool},
		fact.Fact{Name: "vars.share", Type: fact.Ratio},
		fact.Fact{Name: "vars.wait", Type: fact.Duration},
		fact.Fact{Name: "vars.name", Type: fact.String}, fact.Fact{Name: "vars.tags", Type: fact.Set},
	)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// facts turns bytes into a turn: for each fact one byte says whether it is known, and eight or fewer what it
// is.
type facts struct{ b []byte }

func (r *facts) byte() byte {
	if len(r.b) == 0 {
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *facts) number() uint64 {
	var buf [8]byte
	n := copy(buf[:], r.b)
	r.b = r.b[n:]
	return binary.LittleEndian.Uint64(buf[:])
}

// word takes a word out of few, or the bytes themselves.
func (r *facts) word() string {
	words := []string{"Edit", "Bash", "Read", "mcp__a", "plan", "", "é", "r"}
	c := r.byte()
	if int(c) < len(words) {
		return words[c]
	}
	n := min(int(c)%16, len(r.b))
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *facts) words() []string {
	out := make([]string, r.byte()%4)
	for i := range out {
		out[i] = r.word()
	}
	return out
}

func (r *facts) mark() fact.Mark {
	c := r.byte()
	return fact.Mark{Turn: int(r.byte()), UserTurn: int(r.byte()), UserTurnOK: c&1 != 0,
		OutputTokens: int64(r.byte()), OutputOK: c&2 != 0,
		At: time.Unix(int64(r.byte())*60, 0)}
}

func (r *facts) frame(s *fact.Schema) *fact.Frame {
	f := s.NewFrame()
	for i := range s.Len() {
		id := fact.ID(i)
		if r.byte()&3 == 3 {
			continue
		}
		switch s.Fact(id).Type {
		case fact.Bool:
			f.SetBool(id, r.byte()&1 != 0)
		case fact.Int:
			n := int64(r.byte())
			if n > 250 {
				n = int64(r.number())
			}
			f.SetInt(id, n)
		case fact.Ratio:
			if v := math.Float64frombits(r.number()); v >= 0 && v <= math.MaxFloat64 {
				f.SetRatio(id, v)
			} else {
				f.SetRatio(id, float64(r.byte())/100)
			}
		case fact.Duration:
			f.SetDuration(id, time.Duration(r.byte())*time.Second*90)
		case fact.String:
			f.SetText(id, r.word())
		case fact.Set:
			f.SetSet(id, r.words())
		}
	}
	if r.byte()&1 != 0 {
		f.SetFailed(r.words())
	}
	if r.byte()&3 != 0 {
		p := &reference.Past{At: r.mark(), Fires: map[string]fact.Mark{}}
		for range r.byte() % 5 {
			p.Calls = append(p.Calls, r.words())
		}
		for _, id := range []string{"r", "self"} {
			if r.byte()&1 != 0 {
				p.Fires[id] = r.mark()
			}
		}
		f.SetHistory(p)
		f.SetSelf("self")
	}
	return f
}

// FuzzL4Compile: what compiles is explained as it is evaluated, on any turn; what does not compile says where
// and why, within the source, and does so before expr-lang has to refuse it. FuzzReference holds the meaning.
func FuzzL4Compile(f *testing.F) {
	for i, src := range compileSeeds {
		f.Add(src, []byte{})
		f.Add(src, []byte("\x00\x01\x02\x03 facts of some kind or other: "+compileSeeds[len(compileSeeds)-1-i]+src))
	}
	s := compileSchema(f)
	f.Fuzz(func(t *testing.T, src string, b []byte) {
		p, diags := trigger.Compile(src, s)
		if (p == nil) != diags.HasErrors() {
			t.Fatalf("a predicate beside errors, or none without: %v", diags)
		}
		for _, d := range diags {
			from, to := d.Range.Start.Offset, d.Range.End.Offset
			if d.Message == "" || from < 0 || to < from || to > len(src) || utf8.ValidString(src) &&
				(!utf8.ValidString(src[:from]) || !utf8.ValidString(src[from:to])) {
				t.Fatalf("%v at %d to %d of %q", d, from, to, src)
			}
			if d.Message == "the expression cannot be compiled" {
				t.Fatalf("%q: only expr-lang found what is wrong with it", src)
			}
		}
		if p == nil {
			return
		}
		in := &facts{b}
		for range 2 {
			frame := in.frame(s)
			part := p.Explain(frame)
			if want := p.Eval(frame); part.Truth != want || part.Text != p.String() {
				t.Fatalf("%q is explained as %v %q", src, part.Truth, part.Text)
			}
		}
	})
}

// FuzzTemplate: a text is refused with a place in it, or rendered or failed in bounds; never anything else.
func FuzzTemplate(f *testing.F) {
	for _, src := range []string{
		"plain", "{{now}}", "{{.context_usage | percent}}", `{{if known "idle"}}{{.idle}}{{end}}`,
		"{{range .tool_used}}{{.}}{{end}}", "{{with .vars.n}}{{.}}{{end}}",
		`{{printf "%5d %s" .turn_count .prompt}}`, `{{join .tool_used ", "}}`, "{{.nope}}",
		"{{template \"x\"}}", "{{define \"x\"}}{{end}}", "{{$x := .prompt}}{{$x}}",
		"{{index .tool_used 9}}", "{{(now).x}}", "{{.}}", "{{`}}`}}", "{{/* x */}}", "{{if}}", "{{end}}",
		"{{", "}}", "{{- .prompt -}}", "{{eq .turn_count 3.5}}",
	} {
		f.Add(src, []byte("facts"))
	}
	s := compileSchema(f)
	f.Fuzz(func(t *testing.T, src string, b []byte) {
		set, diags := compile.New([]reminder.Reminder{{ID: "r", Text: src}}, compile.Options{Schema: s})
		if (set.Len() == 0) != diags.HasErrors() {
			t.Fatalf("%d reminders and %v", set.Len(), diags)
		}
		for _, d := range diags {
			from, to := d.Range.Start.Offset, d.Range.End.Offset
			if from < 0 || to < from || to > len(src) || utf8.ValidString(src) && (!utf8.ValidString(src[:from]) ||
				!utf8.ValidString(src[from:to])) {
				t.Fatalf("%v at %d to %d of %q", d, from, to, src)
			}
		}
		if set.Len() == 0 {
			return
		}
		frame := (&facts{b}).frame(s)
		out, err := set.Render(0, frame, time.Unix(0, 0).UTC())
		again, _ := set.Render(0, frame, time.Unix(0, 0).UTC())
		if out != again || err != nil && (out != "" || err.Error() == "") || len(out) > max(len(src), 64<<10) {
			t.Fatalf("%q became %q, %q, %v", src, out, again, err)
		}
	})
}
