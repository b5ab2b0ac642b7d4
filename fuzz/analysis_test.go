package fuzz

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/test/reference"
)

// agree makes of a turn in which anything may be one that a host can tell: nothing is negative, and what is
// said of tools agrees.
func (r *facts) agree(f *fact.Frame) *fact.Frame {
	s := f.Schema()
	for id := range fact.ID(s.Len()) {
		if n, ok := f.Value(id).(int64); ok && n < 0 && !strings.HasPrefix(s.Fact(id).Name, "vars.") {
			f.SetInt(id, -n)
		}
		if n, ok := f.Value(id).(time.Duration); ok && n < 0 && !strings.HasPrefix(s.Fact(id).Name, "vars.") {
			f.SetDuration(id, -n)
		}
		if n, ok := f.Value(id).(float64); ok && n < 0 && id == fact.Cost {
			f.SetNumber(id, -n)
		}
	}
	used, known := f.Set(fact.ToolUsed)
	var failed []string
	for _, tool := range used {
		if r.byte()&1 != 0 {
			failed = append(failed, tool)
		}
	}
	wrong := len(failed) > 0 || !known && r.byte()&1 != 0
	last := f.Known(fact.LastToolCallFailed)
	values := map[string]any{}
	for id := range fact.ID(s.Len()) {
		if v := f.Value(id); v != nil {
			values[s.Fact(id).Name] = v
		}
	}
	f = s.NewFrame()
	for name, v := range values {
		_ = f.SetValue(name, v)
	}
	if n, ok := f.Value(fact.Hour).(int64); ok {
		f.SetInt(fact.Hour, n%24)
	}
	if text, ok := f.Text(fact.Weekday); ok {
		f.SetText(fact.Weekday, []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}[len(text)%7])
	}
	if last {
		f.SetBool(fact.LastToolCallFailed, wrong)
		if known && r.byte()&1 != 0 {
			f.SetFailed(failed)
		}
	}
	if f.Known(fact.FailuresInRow) {
		f.SetInt(fact.FailuresInRow, 0)
		if wrong {
			f.SetInt(fact.FailuresInRow, 1+int64(r.byte()%4))
		}
	}
	p := &reference.Past{At: r.mark(), Fires: map[string]fact.Mark{}}
	for range r.byte() % 4 {
		p.Calls = append(p.Calls, r.words())
	}
	p.Calls = append(p.Calls, used)
	p.At.Turn = len(p.Calls)
	if !known && r.byte()&1 != 0 {
		p.Calls = nil
	}
	f.SetBool(fact.Started, p.At.Turn == 1)
	for _, id := range []string{"r", "self"} {
		if last := r.mark(); p.At.Turn > 1 && r.byte()&1 != 0 {
			last.Turn = 1 + last.Turn%(p.At.Turn-1)
			last.UserTurn = min(last.UserTurn, p.At.UserTurn)
			last.OutputTokens = min(last.OutputTokens, p.At.OutputTokens)
			p.Fires[id] = last
		}
	}
	f.SetHistory(p)
	f.SetSelf("self")
	return f
}

// FuzzAnalysis: what is said of a trigger holds on any turn; its places and edits lie in the source; an
// example is one.
func FuzzAnalysis(f *testing.F) {
	for i, src := range append(compileSeeds,
		"turn_count > 10 and turn_count < 11", "tool_failed:Bash and not "+
			"after_tool:Bash", `used("Ed*") and tool_count("*") < 1`, "context_usage > 0.5 or context_usage <= 0.5",
		`turns_since_tool("Edit") == 1 and tool_used != Edit`, "thread_type in [plan, x] and thread_type != "+
			"x", "(user_message or compacted) and (user_message or resumed)",
		"failures_in_row > 1 and not last_tool_call_failed", "len(tool_used) > 1 and not "+
			"after_tool:*", "every 1 turn", "not (turn_count > 3 or turn_count > 2)") {
		f.Add(src, []byte{byte(i)})
		f.Add(src, []byte("facts of a turn, more or less, and of those before: "+src))
	}
	s := compileSchema(f)
	f.Fuzz(func(t *testing.T, src string, b []byte) {
		set, ds := compile.New([]reminder.Reminder{{ID: "self", Trigger: src, Text: "x"}},
			compile.Options{Schema: s})
		if ds.HasErrors() || strings.TrimSpace(src) == "" {
			return
		}
		p := set.Trigger(0)
		if p == nil {
			t.Fatalf("%q has no trigger and no error: %v", src, ds)
		}
		if ex, ok := analysis.Witness(p); ok && p.Eval(ex.Frame) != fact.True {
			t.Fatalf("%q is not true when %s", src, ex.Text)
		}
		in := &facts{b}
		frame := in.frame(s)
		frame = in.agree(frame)
		between := in.agree(in.frame(s))
		between.EndEvents()
		between.Lack(fact.Texts(len(b)) & fact.AllTexts)
		truth := p.Eval(frame)
		for _, d := range analysis.Check(set, nil) {
			if d.Code == "R0901" && truth == fact.True && !strings.Contains(d.Message, " only where ") ||
				d.Code == "R0902" && truth == fact.False && !strings.Contains(d.Message, "unless") {
				t.Fatalf("%q is %v, but %v\n%+v", src, truth, d, p.Explain(frame))
			}
			from, to := d.Range.Start.Offset, d.Range.End.Offset
			if from < 0 || to < from || to > len(src) || utf8.ValidString(src) && (!utf8.ValidString(src[:from]) ||
				!utf8.ValidString(src[from:to])) {
				t.Fatalf("%v at %d to %d of %q", d, from, to, src)
			}
			if d.Fix == nil {
				continue
			}
			mended := src[:d.Fix.Range.Start.Offset] + d.Fix.Text + src[d.Fix.Range.End.Offset:]
			q, qs := trigger.Compile(mended, s)
			if q == nil {
				t.Fatalf("%q\nmended to %q by %v: %v", src, mended, d, qs)
			}
			if now, then := p.Eval(between), q.Eval(between); d.Code == "R0904" && now != then {
				t.Fatalf("%q is %v between turns, mended to %q by %v it is %v\n%+v", src, now, mended, d, then,
					p.Explain(between))
			}
			if d.Code == "R0904" && q.Eval(frame) != truth {
				t.Fatalf("%q is %v, mended to %q by %v it is %v\n%+v", src, truth, mended, d, q.Eval(frame),
					p.Explain(frame))
			}
		}
	})
}
