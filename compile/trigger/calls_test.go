package trigger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/reference"
)

func shell(command, output string, failed fact.Truth) fact.Call {
	return fact.Call{Tool: "Bash", Class: fact.Shell, Command: command, Told: true, Output: output,
		OutputTold: true, Failed: failed}
}

func editing(paths ...string) fact.Call {
	return fact.Call{Tool: "Edit", Class: fact.Edit, Paths: paths, Told: true, OutputTold: true}
}

// untold is a call of which the host told the tool alone.
func untold(tool string, class fact.Class) fact.Call {
	return fact.Call{Tool: tool, Class: class, Failed: fact.Unknown}
}

// TestCalls: what triggers say of calls, of sets with members that are not known, and member by member.
func TestCalls(t *testing.T) {
	t.Parallel()
	const no, unknown, yes = fact.False, fact.Unknown, fact.True
	push := shell("cd a && git push -f", "ok", no)
	test := shell("go test ./...", "--- FAIL: x", yes)
	type calls = []fact.Call
	for _, c := range []struct {
		src   string
		calls []fact.Call // nil: none were told
		want  fact.Truth
	}{
		{"after_tool:Bash(git push*)", calls{push}, yes},
		{"after_tool:Bash(git push*)", calls{test}, no},
		{"after_tool:Bash(git push*)", nil, unknown},
		{"after_tool:Bash(git push*)", calls{}, no},
		{"after_tool:Bash(git push*)", calls{untold("Bash", fact.Shell)}, unknown},
		{"after_tool:Bash(git push*)", calls{untold("Bash", fact.Shell), push}, yes},
		{"not after_tool:Bash(git push*)", calls{untold("Edit", fact.Edit)}, yes},
		{"after_tool:@edit(*.env),Bash(rm*)", calls{editing("a/b.env")}, yes},
		{`after_tool:"@edit(*.env)"`, calls{editing("a/b.env")}, yes},
		{`after_tool:mcp__gh(*"base":"main"*)`, calls{{Tool: "mcp__gh", Subject: `{"base":"main"}`, Told: true}},
			yes},
		{"tool_used == @edit", calls{editing("a")}, yes},
		{`tool_used == "@edit"`, calls{push}, no},
		{`tool_used != "@edit"`, calls{push}, yes},
		{`tool_used in ["@edit", "Bash(git push*)"]`, calls{push}, yes},
		{`tool_used not in [@edit, "Bash(go*)"]`, calls{push}, yes},
		{`"@shell" in tool_used`, calls{push}, yes},
		{`"@shell" not in tool_used`, calls{push}, no},
		{`(tool_used == "@edit") == false`, calls{push}, yes},
		{"tool_failed:@shell(go test*)", calls{test, push}, yes},
		{"tool_failed:@shell(git*)", calls{test, push}, no},
		{"tool_failed:@shell(git*)", calls{test, untold("Bash", fact.Shell)}, unknown},
		{"tool_failed:Bash", calls{untold("Bash", fact.Shell)}, unknown},
		{"tool_failed:Bash", calls{untold("Bash", fact.Shell), test}, yes},

		{`output contains "FAIL"`, calls{push, test}, yes},
		{`output contains "FAIL"`, calls{push}, no},
		{`output contains "FAIL"`, calls{push, untold("Read", fact.Read)}, unknown},
		{`output contains "FAIL"`, calls{test, untold("Read", fact.Read)}, yes},
		{`not output contains "FAIL"`, calls{push}, yes},
		{`output not contains "FAIL"`, calls{push}, yes},
		{`output not contains "FAIL"`, calls{push, test}, no},
		{`path endsWith ".sql"`, calls{editing("a.go", "b.sql")}, yes},
		{`path startsWith "b"`, calls{editing("a.go")}, no},
		{`path endsWith ".sql"`, calls{push}, no},
		{`command matches "^git (push|merge)\b"`, calls{shell("git merge x", "", no)}, yes},
		{`command matches "^git (push|merge)\b"`, calls{test}, no},
		{`command == "go test ./..."`, calls{test}, yes},
		{`command != "go test ./..."`, calls{test}, no},
		{`command != "x"`, calls{test, untold("Bash", fact.Shell)}, unknown},
		{`command != "go test ./..."`, calls{test, untold("Bash", fact.Shell)}, no},
		{`command in ["x", "go test ./..."]`, calls{test, untold("Bash", fact.Shell)}, yes},
		{`(output contains "FAIL") == true`, calls{test}, yes},
		{`any(output, # contains "FAIL")`, calls{untold("Read", fact.Read)}, unknown},
		{`any(output, # contains "FAIL")`, calls{test, untold("Read", fact.Read)}, yes},
		{`all(output, # contains "FAIL")`, calls{push, untold("Read", fact.Read)}, no},
		{`none(output, # contains "FAIL")`, calls{test, untold("Read", fact.Read)}, no},
		{`one(output, # != "x")`, calls{test, push, untold("Read", fact.Read)}, no},
		{`count(output, # != "x") > 0`, calls{test, untold("Read", fact.Read)}, unknown},
		{`len(output) == 1`, calls{test}, yes},
		{`len(output) == 1`, calls{test, untold("Read", fact.Read)}, unknown},

		{`any(calls, .tool == "Bash" and .failed and .output contains "FAIL")`, calls{test}, yes},
		{`any(calls, .tool == "Bash" and .failed and .output contains "FAIL")`,
			calls{shell("", "FAIL", no), shell("", "", yes)}, no},
		{`any(calls, .failed)`, nil, unknown},
		{`any(calls, .failed)`, calls{}, no},
		{`any(calls, .failed)`, calls{untold("Bash", fact.Shell)}, unknown},
		{`any(calls, .failed)`, calls{untold("Bash", fact.Shell), test}, yes},
		{`all(calls, .failed)`, calls{untold("Bash", fact.Shell), push}, no},
		{`none(calls, .failed)`, calls{push}, yes},
		{`one(calls, .failed)`, calls{push, test}, yes},
		{`one(calls, .failed)`, calls{push, test, untold("Bash", fact.Shell)}, unknown},
		{`count(calls, .class == "shell") == 2`, calls{push, test, editing("x")}, yes},
		{`count(calls, .path endsWith ".go") == 2`, calls{editing("a.go", "b.go", "c.sql")}, yes},
		{`any(calls, .path == "b.go")`, calls{editing("a.go", "b.go")}, yes},
		{`any(calls, .tool == "Read" and .output contains "x")`, calls{untold("Bash", fact.Shell)}, no},
		{`any(calls, .command == "")`, calls{editing("a.go")}, yes},
		{`any(calls, .command == "")`, calls{untold("Bash", fact.Shell)}, unknown},
		{`any(calls, .path == "")`, calls{untold("Edit", fact.Edit)}, unknown},
		{`any(calls, .command matches "\bgo\b" and not .failed)`, calls{test}, no},
		{`any(calls, #.tool == "Edit")`, calls{editing("a")}, yes},
		{`len(calls) == 2`, calls{push, test}, yes},
		{`len(calls) > 0 and prompt contains "x"`, nil, unknown},
		{`any(calls, .failed and prompt contains "x")`, calls{test}, unknown},
	} {
		f := fact.Builtin().NewFrame()
		if c.calls != nil {
			f.SetCalls(c.calls)
		}
		p, diags := trigger.Compile(c.src, nil)
		if p == nil {
			t.Errorf("%s: %v", c.src, diags)
			continue
		}
		if got := p.Eval(f); got != c.want {
			t.Errorf("%s with %v is %v, want %v", c.src, c.calls, got, c.want)
		}
		if !p.Events() {
			t.Errorf("%s reads no event", c.src)
		}
		f.EndEvents()
		if got := p.Eval(f); len(c.calls) > 0 && got == fact.Unknown &&
			!strings.Contains(c.src, "prompt") {
			t.Errorf("%s is unknown when the events are over", c.src)
		}
		if part := p.Explain(f); strings.Contains(part.Value, "go test") || strings.Contains(part.Value, "FAIL:") {
			t.Errorf("%s: the explanation shows what was called: %q", c.src, part.Value)
		}
	}
}

// TestToolsAlone: where names are all that is told, patterns look at names, and at classes where they are
// told too.
func TestToolsAlone(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetTools([]fact.Call{{Tool: "Bash", Class: fact.Shell}, {Tool: "Read", Class: fact.Read}})
	for src, want := range map[string]fact.Truth{
		"after_tool:@shell": fact.True, "after_tool:@edit": fact.False, "after_tool:Bash": fact.True,
		"after_tool:Bash(x*)": fact.Unknown, "after_tool:Edit(x*)": fact.False, "tool_failed:@shell": fact.Unknown,
		`any(calls, .tool == "Bash")`: fact.Unknown, `command == "x"`: fact.Unknown, "len(calls) == 2": fact.Unknown,
		"after_tool:*": fact.True, "tool_used != Edit": fact.True,
	} {
		if got := mustCompile(t, src, nil).Eval(f); got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
	}
	f.SetFailed([]string{"Bash"})
	for src, want := range map[string]fact.Truth{"tool_failed:@shell": fact.True,
		"tool_failed:@read":   fact.False,
		"tool_failed:Bash(x)": fact.Unknown} {
		if got := mustCompile(t, src, nil).Eval(f); got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	call := shell("git push", "", fact.Unknown)
	blind := untold("Bash", fact.Shell)
	for _, c := range []struct {
		src  string
		at   fact.Moment
		call *fact.Call
		want fact.Truth
		of   fact.Moment
	}{
		{"before_tool:Bash(git push*)", fact.BeforeTool, &call, fact.True, fact.BeforeTool},
		{"before_tool:Bash(git push*)", fact.BeforeTool, &blind, fact.Unknown, fact.BeforeTool},
		{"before_tool:Edit,@shell", fact.BeforeTool, &call, fact.True, fact.BeforeTool},
		{"before_tool:Edit", fact.BeforeTool, &call, fact.False, fact.BeforeTool},
		{"before_tool:*", fact.Turn, nil, fact.False, fact.BeforeTool},
		{"before_tool:*", fact.Stopping, nil, fact.False, fact.BeforeTool},
		{"stopping", fact.Stopping, nil, fact.True, fact.Stopping},
		{"stopping", fact.Turn, nil, fact.False, fact.Stopping},
		{"stopping and not user_message", fact.Stopping, nil, fact.Unknown, fact.Stopping},
		{"before_tool:Bash and (before_tool:Edit or before_tool:@shell)", fact.BeforeTool, &call, fact.True,
			fact.BeforeTool},
		{"user_message", fact.Turn, nil, fact.Unknown, fact.Turn},
	} {
		f := fact.Builtin().NewFrame()
		f.SetMoment(c.at, c.call)
		p := mustCompile(t, c.src, nil)
		if got := p.Eval(f); got != c.want || p.Moment() != c.of || !p.Events() {
			t.Errorf("%s at %v is %v, of the moment %v; want %v, %v", c.src, c.at, got, p.Moment(), c.want, c.of)
		}
		if v := p.Explain(f).Value; strings.Contains(v, "push") {
			t.Errorf("%s: the explanation shows the command: %s", c.src, v)
		}
		f.EndEvents()
		if got := p.Eval(f); c.of != fact.Turn && got == fact.True {
			t.Errorf("%s is %v between two turns", c.src, got)
		}
	}
}

// TestEvents: only what can be over between two turns is an event.
func TestEvents(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"turn_count > 3": false, "context_usage > 75% and used(\"Bash\")": false, "thread_type == plan": false,
		"user_message or turn_count > 3": true, "every 3 turns": true, "every 5m": true, "started": true,
		"last_tool_call_failed": true, "len(tool_used) > 2": true, "stopping": true, "before_tool:Edit": true,
		"turns_since_tool(\"Bash\") > 2": false, "repeated_tool_chain:Read|3": false,
		`(prompt contains "x") == user_message`: true, "any(calls, .failed)": true, "always": false,
	} {
		if got := mustCompile(t, src, nil).Events(); got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
	past := &reference.Past{At: fact.Mark{Turn: 9, At: noon}, Start: noon.Add(-time.Hour)}
	f := fact.Builtin().NewFrame()
	f.SetHistory(past)
	for _, src := range []string{"every 3 turns", "every 5m"} {
		p := mustCompile(t, src, nil)
		if p.Eval(f) != fact.True {
			t.Errorf("%s is not true", src)
		}
		f.EndEvents()
		if p.Eval(f) != fact.False {
			t.Errorf("%s is true between two turns", src)
		}
		f.Reset()
		f.SetHistory(past)
	}
}

// TestSetBetween: a set comes to the truth between two turns, and back, with the memory of the turn before.
func TestSetBetween(t *testing.T) {
	t.Parallel()
	triggers := []string{"user_message", "user_message or turn_count > 3", "not user_message and cost > $1",
		"every 2 turns", "after_tool:Edit", "after_tool:Edit(*.go)", "not compacted", "any(calls, .failed)",
		"stopping", "tool_used not in [Edit]", `output contains "x" or user_message`}
	rs := make([]reminder.Reminder, len(triggers))
	for i, src := range triggers {
		rs[i] = reminder.Reminder{ID: string(rune('a' + i)), Trigger: src, Text: "x"}
	}
	set, diags := compile.New(rs, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	truths := new(compile.Truths)
	f := set.Schema().NewFrame()
	for turn := range 8 {
		f.Reset()
		f.SetBool(fact.UserMessage, turn%2 == 0)
		f.SetInt(fact.TurnCount, int64(turn))
		f.SetNumber(fact.Cost, float64(turn)/4)
		f.SetCalls([]fact.Call{editing("a.go"), shell("ls", "x", fact.Of(turn%3 == 0))}[:turn%3])
		f.SetHistory(&reference.Past{At: fact.Mark{Turn: turn}})
		for range 2 { // on the turn, and between it and the next one
			set.Eval(f, truths)
			for i, src := range triggers {
				f.SetSelf(rs[i].ID)
				if want := set.Trigger(i).Eval(f); truths.Trigger[i] != want {
					t.Errorf("turn %d, between %v: %s is %v, want %v", turn, f.Between(), src, truths.Trigger[i], want)
				}
				if f.Between() && set.Trigger(i).Events() && strings.HasPrefix(src, "after") &&
					truths.Trigger[i] != fact.False {
					t.Errorf("%s is %v between two turns", src, truths.Trigger[i])
				}
			}
			f.EndEvents()
		}
	}
}

// TestPatterns: a run keeps counts for the patterns with a subject that functions ask about, wherever.
func TestPatterns(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{
		{ID: "a", Trigger: `used("Bash(go test*)") or after_tool:Bash(git push*)`, Text: "x"},
		{ID: "b", Trigger: `turn_count > 3`, Rearm: `not called_since("Bash(go test*)", "@edit(*.go)")`,
			Expect: `used("Bash (go vet*)")`, Text: "x"},
		{ID: "c", Trigger: `used("Bash") and tool_count("@edit") > 3`, Text: "x"},
		{ID: "d", Trigger: `tool_count("Web(w*)") > turn_count`, Text: "x"},
	}, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var got []string
	for _, p := range set.Patterns() {
		got = append(got, p.String())
	}
	if want := []string{"@edit(*.go)", "Bash(go test*)", "Bash(go vet*)", "Web(w*)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if set.Expect(0) != nil || set.Expect(1) == nil {
		t.Error("the second reminder alone expects something")
	}
}

// TestCalledSince: what the function says of the calls of a run.
func TestCalledSince(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, `called_since("Bash", "Edit")`, nil)
	for _, c := range []struct {
		calls [][]string
		want  fact.Truth
	}{
		{nil, fact.Unknown}, {[][]string{{}}, fact.True}, {[][]string{{"Edit"}}, fact.False},
		{[][]string{{"Edit"}, {"Bash"}}, fact.True}, {[][]string{{"Bash", "Edit"}}, fact.False},
	} {
		f := fact.Builtin().NewFrame()
		f.SetHistory(&reference.Past{Calls: c.calls})
		if got := p.Eval(f); got != c.want {
			t.Errorf("%v: %v, want %v", c.calls, got, c.want)
		}
	}
}

// TestRawPatterns: the backslashes of a pattern are its own, single or doubled.
func TestRawPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src, prompt string
		want        fact.Truth
	}{
		{`prompt matches "\bdeploy\b"`, "please deploy it", fact.True},
		{`prompt matches "\\bdeploy\\b"`, "please deploy it", fact.True},
		{`prompt matches "\bdeploy\b"`, "redeployed", fact.False},
		{`prompt matches '\bdeploy\b'`, "deploy", fact.True},
		{"prompt matches `\\bdeploy\\b`", "deploy", fact.True},
		{`prompt matches "\d+\.\d"`, "v1.2", fact.True},
		{`prompt matches "a\\\\b"`, `a\b`, fact.True},
		{`prompt matches "a\\\\b"`, "a b", fact.False},
		{`prompt matches "say \"yes\""`, `say "yes"`, fact.True},
		{`prompt matches "a\tb"`, "a\tb", fact.True},
		{`(prompt matches "é\b|\d" ) == true`, "3", fact.True},
		{`prompt == "matches" or prompt matches "\w" `, "x", fact.True},
		{`prompt contains "a\tb"`, "a\tb", fact.True},
		{`not (prompt matches "\bx\b" and thread_type == "a\tb")`, "y", fact.True},
	} {
		f := fact.Builtin().NewFrame()
		f.SetText(fact.Prompt, c.prompt)
		if got := mustCompile(t, c.src, nil).Eval(f); got != c.want {
			t.Errorf("%s of %q is %v, want %v", c.src, c.prompt, got, c.want)
		}
	}
	long := strings.Repeat("x", fact.OutputHead)
	f := fact.Builtin().NewFrame()
	f.SetText(fact.Prompt, long+"needle"+long)
	for src, want := range map[string]fact.Truth{`prompt matches "needle"`: fact.False,
		`prompt contains "needle"`: fact.True, `(lower(prompt) matches "needle") == true`: fact.False} {
		if got := mustCompile(t, src, nil).Eval(f); got != want {
			t.Errorf("%s in the middle of a long text is %v", src, got)
		}
	}
}

// TestFinite: a number that is not finite makes the leaf unknown.
func TestFinite(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetInt(fact.TurnCount, 0)
	f.SetInt(fact.MessageCount, 3)
	for src, why := range map[string]string{
		"message_count / turn_count > 5":           "the result is not a finite number",
		"1 / (message_count / turn_count) == 0":    "the result is not a finite number",
		"turn_count / turn_count != 5":             "the result is not a finite number",
		"message_count / turn_count / 2 > 5":       "the result is not a finite number",
		"message_count % turn_count == 0":          "division by zero",
		"1.5 * message_count > 4 and resumed":      "",
		"(message_count / 2.0 > 1) == not resumed": "",
	} {
		p := mustCompile(t, src, nil)
		err := p.Err(f)
		if p.Eval(f) != fact.Unknown || (err == nil) != (why == "") || err != nil && err.Error() != why {
			t.Errorf("%s is %v, %v", src, p.Eval(f), err)
		}
	}
}

// TestBefore: a call before which Before says that nothing can be true makes no trigger true. It says so of
// each call that no before_tool fits.
func TestBefore(t *testing.T) {
	t.Parallel()
	push, other := shell("cd a && git push -f", "", fact.Unknown), shell("git pull", "", fact.Unknown)
	for _, c := range []struct {
		src  string
		call fact.Call
		want bool
	}{
		{"before_tool:Bash(git push*)", push, true},
		{"before_tool:Bash(git push*)", other, false},
		{"before_tool:Bash(git push*)", untold("Bash", fact.Shell), true}, // it may match
		{"before_tool:Bash(git push*) and turn_count > 3", push, true},
		{"before_tool:@edit(*.env) or before_tool:Bash(git push*)", push, true},
		{"before_tool:@edit(*.env) or before_tool:Bash(git push*)", editing("a.go"), false},
		{"before_tool:Edit", editing("a.go"), true},
		{"before_tool:Edit", push, false},
		{"stopping and turn_count > 0", push, false},
		{"after_tool:Bash", push, false},
	} {
		set, diags := compile.New([]reminder.Reminder{{ID: "r", Text: "x", Trigger: c.src}}, compile.Options{})
		if diags.HasErrors() {
			t.Fatal(c.src, diags)
		}
		if got := set.Before(&c.call, fact.Place{}); got != c.want {
			t.Errorf("%s before %+v: %t", c.src, c.call, got)
		}
		f := set.Schema().NewFrame()
		f.SetInt(fact.TurnCount, 5)
		f.SetMoment(fact.BeforeTool, &c.call)
		if set.Trigger(0).Eval(f) == fact.True && !c.want {
			t.Errorf("%s is true before %+v", c.src, c.call)
		}
	}
}
