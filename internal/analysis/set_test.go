package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/document"
)

func newSet(t testing.TB, rs ...reminder.Reminder) *compile.Set {
	t.Helper()
	set, ds := compile.New(rs, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	return set
}

func TestRelations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"context_usage > 75%", "0.75 < context_usage", "same"},
		{"turn_count > 10", "turn_gt:10", "same"},
		{"turn_count > 10", "turn_count >= 11", "same"},
		{"context_usage > 75%", "context_usage >= 75%", "implies"},
		{"context_usage > 50%", "context_usage > 75%", "implied by"},
		{"context_usage > 75%", "context_usage < 50%", "apart"},
		{"context_usage > 75%", "turn_count > 5", ""},
		{"context_usage > 75%", "context_usage < 80%", ""},
		{"thread:plan", "thread_type in [plan, learn]", "implies"},
		{"thread:plan,learn", "thread_type == plan or thread_type == learn", "same"},
		{"thread:plan", "thread:learn", "apart"},
		{"after_tool:Edit,Write", "tool_used == Edit or tool_used == Write", "same"},
		{"after_tool:mcp__fs__read", "after_tool:mcp__*", "implies"},
		{"after_tool:mcp__*", "after_tool:mcp__fs__*", "implied by"},
		{"after_tool:Edit", "after_tool:Write", ""},
		{"after_tool:Edit", "tool_used != Edit", "apart"},
		{"tool_failed:Bash", "after_tool:Bash", "implies"},
		{"tool_failed:Bash", "last_tool_call_failed", "implies"},
		{"failures_in_row > 2", "last_tool_call_failed", ""}, // one may be known without the other
		{"failures_in_row > 2", "failures_in_row > 1", "implies"},
		{`used("Bash")`, `tool_count("Bash") > 3`, "implied by"},
		{`tool_count("Bash") > 3`, `tool_count("*") > 2`, "implies"},
		{"every 5 turns", "every 5 turns", ""},
		{"every 5 turns and user_message", "user_message", "implies"},
		{"user_message and compacted", "compacted and user_message", "same"},
		{"not (user_message or compacted)", "not user_message and not compacted", "same"},
		{"(user_message or compacted) and resumed", "user_message and resumed or compacted and resumed", "same"},
		{"context_tokens > context_window", "context_window < context_tokens", "same"},
		{"context_tokens > context_window", "context_tokens >= context_window", "implies"},
		{"elapsed > 5m", "elapsed > 300s", "same"},
		{"idle > 1h", "idle > 90s", "implies"},
		{`prompt contains "a"`, `prompt contains "a" and user_message`, "implied by"},
		{"always", "user_message", ""},
		{"turn_count < 0", "turn_count > 3", ""},
		{"turn_count in [1, 2]", "turn_count in [2, 1]", "same"},
		{"turn_count in [1, 2]", "turn_count in [2, 1, 3]", "implies"},
		{"before_tool:Bash and tool_used == Bash", "before_tool:Bash", "same"},
		{"before_tool:Bash and tool_used == Edit", "before_tool:Edit", ""},
		{"before_tool:Bash and after_tool:Edit", "before_tool:Bash", "implies"},
		{"after_tool:A", "after_tool:A and (tool_used == B or tool_used != B)", "same"},
		// Some turn may tell no calls.
		{"stopping and after_tool:A", "stopping and after_tool:A and (tool_used == B or tool_used != B)",
			"implied by"},
	} {
		set := newSet(t, reminder.Reminder{ID: "a", Trigger: c.a, Text: "x"}, reminder.Reminder{ID: "b",
			Trigger: c.b, Text: "y"})
		back := map[string]string{"implies": "implied by", "implied by": "implies"}
		for i, want := range []string{c.want, c.want} {
			if other, ok := back[want]; ok && i == 1 {
				want = other
			}
			got := ""
			for _, r := range analysis.Relations(set, i) {
				got = r.Kind.String()
				if r.Other != 1-i {
					t.Errorf("%d is said to stand to %d", i, r.Other)
				}
			}
			if got != want {
				t.Errorf("%s and %s, from %d: %q, want %q", c.a, c.b, i, got, want)
			}
		}
	}
}

func TestRepeats(t *testing.T) {
	t.Parallel()
	r := func(id, trigger, text string, change ...func(*reminder.Reminder)) reminder.Reminder {
		out := reminder.Reminder{ID: id, Trigger: trigger, Text: text}
		for _, c := range change {
			c(&out)
		}
		return out
	}
	while := func(r *reminder.Reminder) { r.Mode = reminder.While }
	cooldown := func(r *reminder.Reminder) { r.Cooldown = reminder.Span{Turns: 3} }
	for name, c := range map[string]struct {
		rs   []reminder.Reminder
		want []string
	}{
		"the same twice": {[]reminder.Reminder{r("a", "user_message", "x"), r("b", "user_message",
			"x")}, []string{`R0910 warning reminder "b": the reminder is a duplicate of "a"`}},
		"the same thrice": {[]reminder.Reminder{r("a", "user_message", "x"), r("b", "user_message",
			"x"), r("c", "user_message == true", "x")}, []string{
			`R0910 warning reminder "b": the reminder is a duplicate of "a"`, `R0910 warning reminder "c": the reminder is a duplicate of "a"`}},
		"spelled differently": {[]reminder.Reminder{r("a", "turn_count > 5 and turn_count < 99", "x"),
			r("b", "turn_gt:5 and not turn_count >= 99", "x")}, []string{
			`R0903 info reminder "a"`, `R0903 info reminder "b"`, `R0910 warning reminder "b": the reminder is a duplicate of "a"`}},
		"another text": {[]reminder.Reminder{r("a", "context_usage > 75%", "x"),
			r("b", "context_usage > 0.75", "y")}, []string{
			`R0910 info reminder "b": the reminder fires on exactly the turns on which "a" does`}},
		"another text, written alike": {[]reminder.Reminder{r("a", "context_usage > 75%", "x"),
			r("b", "context_usage>75%", "y")}, nil},
		"another mode": {[]reminder.Reminder{r("a", "context_usage > 75%", "x"),
			r("b", "context_usage > 75%", "x", while)}, nil},
		"another cooldown": {[]reminder.Reminder{r("a", "context_usage > 75%", "x"),
			r("b", "context_usage > 75%", "x", cooldown)}, nil},
		"another limit": {[]reminder.Reminder{r("a", "context_usage > 75%", "x"),
			r("b", "context_usage > 76%", "x")}, nil},
		"one-shots": {[]reminder.Reminder{r("a", "", "x"), r("b", "always", "y")}, nil},
		"one-shots with one text": {[]reminder.Reminder{r("a", "", "x"), r("b", "always", "x")},
			[]string{`R0910 warning reminder "b": the reminder is a duplicate of "a"`}},
		"implied": {[]reminder.Reminder{r("a", "context_usage > 90%", "x", while),
			r("b", "context_usage > 75%", "x", while)}, []string{
			`R0911 warning reminder "a": the reminder adds nothing: whenever its trigger is true, so is that of "b"`}},
		"implied, but on edges": {[]reminder.Reminder{r("a", "context_usage > 90%", "x"),
			r("b", "context_usage > 75%", "x")}, nil},
		"implied, with another text": {[]reminder.Reminder{r("a", "context_usage > 90%", "x", while),
			r("b", "context_usage > 75%", "y", while)}, nil},
		"implied by one that waits": {[]reminder.Reminder{r("a", "context_usage > 90%", "x", while),
			r("b", "context_usage > 75%", "x", while, cooldown)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range analysis.Check(newSet(t, c.rs...), nil) {
				got = append(got, string(d.Code)+" "+d.Severity.String()+" "+d.Message)
			}
			if len(got) != len(c.want) {
				t.Fatalf("%q, want %q", got, c.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], c.want[i]) {
					t.Errorf("%q, want %q", got[i], c.want[i])
				}
			}
		})
	}
}

// TestOnly: asking for one reminder gives what asking for all says of it.
func TestOnly(t *testing.T) {
	t.Parallel()
	set := realistic(t, 120)
	var one []string
	for i := range set.Len() {
		for _, d := range analysis.Check(set, func(j int) bool { return j == i }) {
			one = append(one, d.String())
		}
	}
	var all []string
	for _, d := range analysis.Check(set, nil) {
		all = append(all, d.String())
	}
	slices.Sort(one)
	slices.Sort(all)
	if diff := cmp.Diff(all, one); diff != "" {
		t.Error(diff)
	}
	if len(all) == 0 {
		t.Error("nothing is found")
	}
}

// TestL8SameFindings: the same set gives the same findings in the same order.
func TestL8SameFindings(t *testing.T) {
	t.Parallel()
	want := fmt.Sprint(analysis.Check(realistic(t, 200), nil))
	for range 5 {
		if got := fmt.Sprint(analysis.Check(realistic(t, 200), nil)); got != want {
			t.Fatal("the findings differ from time to time")
		}
	}
}

func TestWitness(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"context_usage > 0.75 and turn_count > 10": "context_usage is 76% and turn_count is 11",
		"context_usage >= 75%":                     "context_usage is 75%",
		"context_usage < 10%":                      "context_usage is 9%",
		"context_usage > 99.5%":                    "context_usage is 99.75%",
		"turn_count < 10 or user_message":          "turn_count is 9",
		"not user_message and compacted":           "user_message is false and compacted is true",
		"after_tool:Edit,Write and not last_tool_call_failed": "tool_used is [Edit] and " +
			"last_tool_call_failed is false",
		"tool_used != Bash":                         "tool_used is []",
		"after_tool:mcp__*":                         "tool_used is [mcp__x]",
		"after_tool:mcp__* and tool_used != mcp__x": "tool_used is [mcp__other]",
		"tool_failed:Bash":                          "`tool_failed:Bash`",
		"thread:plan,learn":                         `thread_type is "plan"`,
		"thread_type != plan":                       `thread_type is "other"`,
		"idle > 1h":                                 "idle is 1h0m1s",
		"elapsed >= 1h30m":                          "elapsed is 1h30m",
		`tool_count("Bash") > 3`:                    `tool_count("Bash") is 4`,
		`not used("Bash") and turn_count > 3`:       `used("Bash") is false and turn_count is 4`,
		`turns_since_tool("TodoWrite") > 15`:        `turns_since_tool("TodoWrite") is 16`,
		`turns_since("r") >= 3 and output_tokens_since("r") > 9`: `turns_since("r") is 3 and output_tokens_since("r") is 10`,
		"repeated_tool_chain:Edit>Bash|3":                        `tool_chain_repeats("Edit>Bash") is 3`,
		`tool_count("*") == 3 and tool_count("mcp__*") == 1`:     `tool_count("*") is 3 and tool_count("mcp__*") is 1`,
		"every 5 turns and user_message":                         "`every 5 turns` and user_message is true",
		"len(tool_used) > 2":                                     "len(tool_used) is 3",
		"context_tokens > context_window":                        "context_tokens is 1, context_window is 0",
		`prompt matches "(?i)deploy|release" and turn_count > 3`: "-", // it is not looked into
		`any(tool_used, # startsWith "mcp__")`:                   `any(tool_used, # startsWith "mcp__") is true`,
		"always":                                                 "",
		"turn_count > 3 and turn_count < 2":                      "-",
		"manual":                                                 "-",
		`prompt matches "^[0-9]{40}$"`:                           "-",
	} {
		p, ds := compiled.Compile(src, fact.Builtin())
		if p == nil {
			t.Fatal(ds)
		}
		ex, ok := analysis.Witness(p)
		switch {
		case ok != (want != "-"):
			t.Errorf("%s: found %v: %q", src, ok, ex.Text)
		case ok && ex.Text != want:
			t.Errorf("%s: %q, want %q", src, ex.Text, want)
		case ok && p.Eval(ex.Frame) != fact.True:
			t.Errorf("%s is not true when %s", src, ex.Text)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	set := newSet(t,
		reminder.Reminder{ID: "high", Trigger: "context_usage > 90%", Text: "x"}, reminder.Reminder{ID: "low",
			Trigger: "context_usage < 20%", Text: "y"},
		reminder.Reminder{ID: "mid", Trigger: "context_usage > 50%", Text: "z"}, reminder.Reminder{ID: "never",
			Trigger: "turn_count > 1 and turn_count < 2", Text: "v"},
		reminder.Reminder{ID: "once", Trigger: "turn_gt:20", Text: "u"}, reminder.Reminder{ID: "shot",
			Text: "s"},
	)
	for id, want := range map[string][]string{
		"high": {"it fires for example when context_usage is 91%",
			"whenever its trigger is true, so is that of mid",
			"its trigger is never true together with that of low"},
		"mid": {"it fires for example when context_usage is 51%", "its trigger is true whenever that of high is",
			"its trigger is never true together with that of low"},
		"never": {"the trigger can never be true: no whole number is above 1 and below 2"},
		"once":  {"it fires for example when turn_count is 21", "it fires at most once a run"},
		"shot":  {"it fires at most once a run"},
	} {
		i, _ := set.Index(id)
		if diff := cmp.Diff(want, analysis.Describe(set, i)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// TestPlaces: findings stand in the file where the part stands, and their edits are edits of the file.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, at, mended string }{
		"plain": {"---\nwhen: context_usage > 75% and context_usage > 50%\n---\nx\n", "context_usage > 50%",
			"---\nwhen: context_usage > 75%\n---\nx\n"},
		"quoted": {"---\nwhen: \"after_tool:Edit and \\\"Edit\\\" in tool_used\"\n---\nx\n",
			`\"Edit\" in tool_used`, "---\nwhen: \"after_tool:Edit\"\n---\nx\n"},
		"block": {"---\nwhen: >-\n  user_message\n  and user_message\n---\nx\n", "user_message", ""},
		"schedule": {"---\nschedule: {kind: condition, condition: turn_count > 3 and turn_count > 2}\n---\nx\n",
			"turn_count > 2", "---\nschedule: {kind: condition, condition: turn_count > 3}\n---\nx\n"},
		"rearm": {"---\nwhen: context_usage > 75%\nrearm: turn_count > 3 and turn_count > 2\n---\nx\n",
			"turn_count > 2", "---\nwhen: context_usage > 75%\nrearm: turn_count > 3\n---\nx\n"},
		"cooldown": {"---\nwhen: turn_count > 3\ncooldown: 5 turns\n---\nx\n", "5 turns", ""},
		"wide letters": {"---\nwhen: thread_type == \"é🙂\" and thread_type != \"ö\"\n---\nx\n",
			`thread_type != "ö"`, "---\nwhen: thread_type == \"é🙂\"\n---\nx\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rs, ds := document.Read("r.md", []byte(c.src))
			if ds.HasErrors() {
				t.Fatal(ds)
			}
			set, ds := compile.FromFiles(rs, compile.Options{})
			if ds.HasErrors() {
				t.Fatal(ds)
			}
			got := analysis.Check(set, nil)
			if len(got) == 0 {
				t.Fatal("nothing is found")
			}
			d := got[0]
			if at := c.src[d.Range.Start.Offset:d.Range.End.Offset]; at != c.at || d.File != "r.md" {
				t.Errorf("%v at %q, want %q", d, at, c.at)
			}
			if c.mended == "" {
				return
			}
			if d.Fix == nil {
				t.Fatalf("%v: no fix", d)
			}
			if mended := c.src[:d.Fix.Range.Start.Offset] + d.Fix.Text +
				c.src[d.Fix.Range.End.Offset:]; mended != c.mended {
				t.Errorf("mended to %q, want %q", mended, c.mended)
			}
		})
	}
}

// TestWaits: a reminder that waits for its own first firing, or for one that never comes.
func TestWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string // triggers of a and b
		never []string
	}{
		{`turns_since("a") > 5`, "user_message", []string{"a"}},
		{`turns_since("a") > 5 or user_message`, "user_message", nil},
		{`user_message and not turns_since("a") <= 5`, "user_message", []string{"a"}},
		{`turns_since("b") > 5`, "user_message", nil},
		{`turns_since("b") > 5`, "manual", []string{"a"}},
		{`turns_since("b") > 5`, "turn_count > 1 and turn_count < 2", []string{"a", "b"}},
		{`turns_since("b") > 5`, `turns_since("a") > 5`, []string{"a", "b"}},
		{`turns_since("b") > 5`, `turns_since("a") > 5 or user_message`, nil},
		{`turns_since("b") > 5 or compacted`, `output_tokens_since("a") > 5`, nil},
		{`every 5 turns`, `turns_since("a") > 5 and turns_since("b") > 5`, []string{"b"}},
	} {
		set, ds := compile.New([]reminder.Reminder{{ID: "a", Trigger: c.a, Text: "x"}, {ID: "b", Trigger: c.b,
			Text: "y"}}, compile.Options{Schema: schema(t)})
		if ds.HasErrors() {
			t.Fatal(ds)
		}
		var got []string
		for _, d := range analysis.Check(set, nil) {
			if d.Code == "R0901" {
				got = append(got, strings.Split(d.Message, `"`)[1])
			}
		}
		if !slices.Equal(got, c.never) {
			t.Errorf("%s; %s: %q never fire, want %q", c.a, c.b, got, c.never)
		}
		ev := fires(t, set, 5, 200)
		for _, id := range c.never {
			if len(ev[id]) > 0 {
				t.Errorf("%s; %s: %s fires on %v", c.a, c.b, id, ev[id])
			}
		}
	}
}
