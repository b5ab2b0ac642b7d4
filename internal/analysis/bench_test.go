package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
)

// everyday are triggers as people write them, with a place for a number.
var everyday = []string{
	"context_usage > %d%%", "context_usage > %d%% and turn_count > " +
		"20", "after_tool:Edit,Write,MultiEdit,NotebookEdit,apply_patch", "turn_gt:%d", "turn_count >= %d",
	"last_tool_call_failed", "failures_in_row >= %d", "tool_failed:Bash",
	"tool_failed:Bash or failures_in_row > " +
		"" +
		"" +
		"" +
		"%d", "user_message and prompt matches \"deploy|release %d\"",
	"thread:plan,learn", "thread_type == plan and turn_count > %d",
	"thread_type != root and context_usage > " +
		"50%%", `turns_since_tool("TodoWrite") > %d`,
	`turns_since_tool("TodoWrite") > %d or turns_since_tool("update_plan") > 15`,
	`not used("TodoWrite") and turn_count > %d`, "repeated_tool_chain:Edit>Bash|%d",
	"compacted", "resumed and idle > %dm", "idle > %dm", "elapsed > %dm and not " +
		"used(\"Bash\")", "every %d turns", "every %d user turns and " +
		"thread:root", "user_message", "after_tool:mcp__*",
	"after_tool:Bash and not last_tool_call_failed", "tool_used == Bash and tool_used != " +
		"Edit", "output_tokens > %dk", "context_tokens > %dk or context_usage > 80%%",
	"message_count > %d and user_message", "model == opus and context_usage > " +
		"%d%%", "(after_tool:Edit or after_tool:Write) and turn_count > %d",
	"not thread:plan and after_tool:Edit",
	"user_turn_count > %d and user_turn_count < 99", "context_usage > %d%% and context_usage < " +
		"90%%", "len(tool_used) > %d", "context_usage > 20%% and context_usage > %d%%",
	`turns_since("other") >= %d and user_message`, `tool_count("Bash") > %d`, "last_response_tokens > " +
		"%dk", "always",
}

// realistic is a set of n reminders.
func realistic(t testing.TB, n int) *compile.Set {
	t.Helper()
	var rs []reminder.Reminder
	for i := range n {
		src := everyday[i%len(everyday)]
		if k := i/len(everyday)%80 + 2; strings.Contains(src, "%") {
			src = fill(src, k)
		}
		r := reminder.Reminder{ID: fmt.Sprintf("r%d", i), Trigger: src, Text: fmt.Sprintf("text %d", i),
			Mode: reminder.Mode(i / 3 % 2)}
		if i%7 == 0 {
			r.Cooldown = reminder.Span{Turns: 5}
		}
		if i%11 == 0 && r.Mode == reminder.When {
			r.Rearm = "context_usage < 50%"
		}
		rs = append(rs, r)
	}
	set, ds := compile.New(rs, compile.Options{})
	if set.Len() != n {
		t.Fatal(ds)
	}
	return set
}

func fill(src string, k int) string {
	s := fmt.Sprintf(src, k)
	for i := range len(s) {
		if s[i] == '%' && i+1 < len(s) && s[i+1] == '!' {
			return s[:i]
		}
	}
	return s
}

// BenchmarkAimAnalysis: everything that is found in a set of 410 reminders; 50 µs a rule are the aim. The
// rival evaluates each trigger on all combinations of a dozen values for each of the facts that it reads, and
// knows less then.
func BenchmarkAimAnalysis(b *testing.B) {
	set := realistic(b, 410)
	b.ReportAllocs()
	for b.Loop() {
		analysis.Check(set, nil)
	}
	per := float64(b.Elapsed().Microseconds()) / float64(b.N) / float64(set.Len())
	b.ReportMetric(per, "us/rule")
	b.StopTimer()
	start := time.Now()
	turns := 0
	for i := range set.Len() {
		turns += dense(set.Trigger(i), set.Schema())
	}
	rival := float64(time.Since(start).Microseconds()) / float64(set.Len())
	b.ReportMetric(rival, "us/rule-by-brute-force")
	b.ReportMetric(rival/per, "x-brute-force")
}

// dense evaluates a trigger on all combinations of some values of its facts.
func dense(p *compiled.Predicate, s *fact.Schema) int {
	f := s.NewFrame()
	ids := p.Facts()
	var at func(i int) int
	at = func(i int) int {
		if i == len(ids) {
			p.Eval(f)
			return 1
		}
		n := 0
		for k := range 101 {
			switch ft := s.Fact(ids[i]); ft.Type {
			case fact.Bool:
				f.SetBool(ft.ID, k%2 == 0)
			case fact.Ratio:
				f.SetRatio(ft.ID, float64(k)/100)
			case fact.String:
				f.SetText(ft.ID, []string{"plan", "learn", "root", "opus", "deploy"}[k%5])
			case fact.Set:
				f.SetSet(ft.ID, [][]string{{"Edit"}, {"Bash"}, {"mcp__x"}, {"Write", "Bash"}, nil}[k%5])
			case fact.Duration:
				f.SetDuration(ft.ID, time.Duration(k)*time.Minute)
			default:
				f.SetInt(ft.ID, int64(k))
			}
			n += at(i + 1)
		}
		return n
	}
	return at(0)
}

// BenchmarkRelations: one reminder against a thousand others.
func BenchmarkRelations(b *testing.B) {
	set := realistic(b, 1000)
	for b.Loop() {
		analysis.Relations(set, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/reminder")
}

// BenchmarkLarge: the largest set there may be.
func BenchmarkLarge(b *testing.B) {
	set := realistic(b, 10_000)
	for b.Loop() {
		analysis.Check(set, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(set.Len()), "us/rule")
}
