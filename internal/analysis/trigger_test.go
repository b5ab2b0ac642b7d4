package analysis_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/analysis"
)

// A want is a finding: its code, the part that it points at, "" for all, a piece of its message, and the
// trigger as mended, "" for no fix.
type want struct{ code, at, says, mended string }

// nowhere is where a finding about a key points in a trigger.
const nowhere = "nowhere"

// check holds what is found in a reminder to what is wanted.
func check(t *testing.T, r reminder.Reminder, field string, wants ...want) {
	t.Helper()
	r.ID, r.Text = "r", "x"
	src := r.Trigger
	if field == "rearm" {
		src = r.Rearm
	}
	set, ds := compile.New([]reminder.Reminder{r}, compile.Options{Schema: schema(t)})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	got := analysis.Check(set, nil)
	for i, d := range got {
		if i >= len(wants) {
			t.Errorf("%s: not expected: %v", src, d)
			continue
		}
		w := wants[i]
		at, mended := nowhere, ""
		if d.Range != (grammar.Range{}) {
			at = src[d.Range.Start.Offset:d.Range.End.Offset]
		}
		if d.Fix != nil {
			mended = src[:d.Fix.Range.Start.Offset] + d.Fix.Text + src[d.Fix.Range.End.Offset:]
		}
		if string(d.Code) != w.code || at != cmp.Or(w.at, src) || !strings.Contains(d.Message, w.says) ||
			mended != w.mended ||
			d.Hint == "" {
			t.Errorf("%s:\n got %s at %q: %s, mended %q\nwant %s at %q: %s, mended %q", src, d.Code, at, d.Message,
				mended, w.code, w.at, w.says, w.mended)
		}
	}
	for _, w := range wants[min(len(got), len(wants)):] {
		t.Errorf("%s: %s at %q is missing: %s", src, w.code, w.at, w.says)
	}
}

func TestNever(t *testing.T) {
	t.Parallel()
	for src, w := range map[string]want{
		"turn_count > 10 and turn_count < 11":  {says: "no whole number is above 10 and below 11"},
		"11 > turn_count and turn_count >= 11": {says: "are never true together", mended: ""},
		"turn_count > 10 and turn_count < 5": {says: "`turn_count > 10` and `turn_count < 5` are never true " +
			"together", mended: "turn_count > 10 or turn_count < 5"},
		"user_message and turn_count > 10 and turn_count < 11": {
			at: "turn_count > 10 and turn_count < 11", says: "no whole number"},
		"turn_count > 10 and user_message and turn_count < 5": {says: "`turn_count > 10` and `turn_count < 5`"},
		"context_usage < 0%": {says: "context_usage is never negative"},
		"context_usage > 75% and context_usage < 0.75": {
			at: "context_usage > 75% and context_usage < " +
				"0.75", says: "never true together", mended: "context_usage > 75% or context_usage < 0.75"},
		"turn_count < 0": {says: "turn_count is never negative"},
		"vars.n < -3 and vars.n > -2": {says: "never true together",
			mended: "vars.n < -3 or vars.n > -2"},
		"vars.n < -3 and vars.n > -5 and vars.n != -4": {says: "never true together"},
		"vars.wait < -5m and vars.wait > 0s": {
			at: "vars.wait < -5m and vars.wait > " +
				"0s", says: "never true together", mended: "vars.wait < -5m or vars.wait > 0s"},
		"idle < 0s": {says: "idle is never negative"},
		"elapsed > 5m and elapsed <= 90s": {says: "never true together",
			mended: "elapsed > 5m or elapsed <= " +
				"90s"},
		"thread_type == plan and thread_type == learn": {
			at: "thread_type == plan and thread_type == " +
				"learn", says: "never true together", mended: "thread_type == plan or thread_type == learn"},
		"thread:plan,learn and thread:fast": {says: "never true together",
			mended: "thread:plan,learn or " +
				"thread:fast"},
		"user_message and not user_message":                          {says: "never true together"},
		"tool_used == Edit and tool_used != Edit":                    {says: "never true together"},
		`after_tool:mcp__fs__read and not after_tool:mcp__*`:         {says: "never true together"},
		`after_tool:mcp__a* and not tool_used in ["mcp__*", Bash]`:   {says: "never true together"},
		"tool_failed:Bash and not after_tool:Bash":                   {says: "never true together"},
		"tool_failed:Bash and not last_tool_call_failed":             {says: "never true together"},
		"last_tool_call_failed and not after_tool:*":                 {says: "never true together"},
		"failures_in_row >= 2 and not last_tool_call_failed":         {says: "never true together"},
		"failures_in_row == 0 and last_tool_call_failed":             {says: "never true together"},
		`after_tool:TodoWrite and turns_since_tool("TodoWrite") > 1`: {says: "never true together"},
		`not used("Bash") and tool_count("Bash") > 2`:                {says: "never true together"},
		`tool_count("mcp__a*") > 2 and tool_count("mcp__*") < 2`:     {says: "never true together"},
		`turns_since_tool("Bash") == 0`: {
			says: `turns_since_tool("Bash") is at least 1`},
		`turns_since("a") < 1`:                    {says: `turns_since("a") is at least 1`},
		"len(tool_used) == 0 and after_tool:Edit": {says: "never true together"},
		"len(tool_used) < 2 and after_tool:Edit and after_tool:Bash": {says: "`len(tool_used) < 2`, " +
			"`after_tool:Edit` and `after_tool:Bash` are never true together"},
		"context_tokens > context_window and context_window > 9007199254740991": {says: "never true together"},
		"context_tokens < context_window and context_window < context_tokens":   {says: "never true together"},
		"context_tokens < context_window and context_window < message_count and message_count < " +
			"context_tokens": {
			at: "context_tokens < context_window and context_window < message_count and message_count < " +
				"context_tokens", says: "never true together"},
		"context_tokens < context_window and context_tokens > 3 and context_window < " +
			"5": {
			at: "context_tokens < context_window and context_tokens > 3 and context_window < " +
				"5", says: "`context_tokens < context_window`, `context_tokens > 3` and `context_window < 5` are never " +
				"true together"},
		"context_tokens < context_window and context_window < message_count and context_tokens > 3 and " +
			"message_count < 6": {at: "context_tokens < context_window and context_window < message_count and " +
			"context_tokens > 3 and message_count < 6", says: "are never true together"},
		"turn_count < turn_count":                           {says: "compares what is always so"},
		`prompt contains "a" and not (prompt contains "a")`: {says: "never true together"},
		"not (turn_count > 5 or turn_count < 10)": {at: "turn_count > 5 or turn_count < 10",
			says: "one of `turn_count > 5` and `turn_count < 10` always holds"},
		"turn_count < 0 or turn_count > 3 and turn_count < 2": {says: "turn_count is never negative"},
		"every 5 turns and turn_count < 0":                    {at: "turn_count < 0", says: "never negative"},
		"hour > 23":                                           {says: "hour is at most 23"},
		"cost < $0":                                           {says: "cost is never negative"},
		"weekday == mon and weekday == tue": {says: "never true together",
			mended: "weekday == mon or weekday == tue"},
		"not weekday in [mon, tue, wed, thu, fri] and not weekday in [sat, sun]": {says: "never true together"},
		"started and every 5 turns":                            {says: "never true together"},
		"after_tool:Bash(git push*) and not tool_used == Bash": {says: "never true together"},
		"tool_failed:Bash(git push*) and not after_tool:Bash":  {says: "never true together"},
		"after_tool:mcp__a*(*x*) and not after_tool:mcp__*":    {says: "never true together"},
		"before_tool:Bash and before_tool:Edit":                {says: "never true together"},
		`used("Bash(ls)") and tool_count("Bash(ls)") < 1`:      {says: "never true together"},
		`not used("@edit") and turns_since_tool("@edit") > 3`:  {says: "never true together"},
		`called_since("A", "A") and used("A")`:                 {says: "never true together"},
		`called_since("A(x)", "A(x)") and tool_count("A(x)") > 2`: {says: "never true together",
			mended: `called_since("A(x)", "A(x)") or tool_count("A(x)") > 2`},
		`not called_since("A", "B(x)") and tool_count("B(x)") < 1`:      {says: "never true together"},
		`output contains "FAIL" and not (output contains "FAI")`:        {says: "never true together"},
		`path == "a.sql" and not (path endsWith ".sql")`:                {says: "never true together"},
		`len(path) == 0 and path contains "x"`:                          {says: "never true together"},
		`after_tool:"Bash(git push*)" and not after_tool:"Bash(git*)"`:  {says: "never true together"},
		`tool_failed:"Bash(git push*)" and not after_tool:"Bash(git*)"`: {says: "never true together"},
		"user_turn_count in [1, 2] and user_turn_count > 2": {
			at: "user_turn_count in [1, 2] and user_turn_count > " +
				"2", says: "never true together", mended: "user_turn_count in [1, 2] or user_turn_count > 2"},
	} {
		w.code = "R0901"
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger", w)
	}
}

// TestNotNever: what can become true, though barely.
func TestNotNever(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"context_tokens < context_window and context_tokens > 3 and context_window < " +
			"6", "context_tokens < context_window and context_window < message_count and context_tokens > 3 and " +
			"message_count < 7",
		"turn_count > 10 and turn_count < 12", "turn_count >= 10 and turn_count <= " +
			"10", "context_usage > 0.75 and " +
			"context_usage < 0.750001", "context_usage >= 100%", "turn_count <= 0",
		"elapsed > 5m and elapsed < 301s", "context_tokens > context_window",
		"context_tokens < context_window and " +
			"" +
			"" +
			"" +
			"context_window < message_count and context_tokens < 5",
		"tool_used == Edit and tool_used == Bash", "tool_used == Edit and tool_used != " +
			"Bash", "after_tool:mcp__* and not after_tool:mcp__fs__read",
		"after_tool:mcp__a* and tool_used " +
			"!= \"mcp__*b\"",
		"after_tool:Bash(git push*) and not after_tool:Edit", "after_tool:Bash(git push*) and not " +
			"after_tool:Bash(ls)",
		"started and every 1 turn", "after_tool:@edit and not after_tool:Edit", "weekday != mon and hour == 23",
		`used("Bash(ls)") and not used("Bash(l*)")`, `called_since("A", "B") and called_since("B", "A")`,
		`path contains "a" and not (path startsWith "a")`,
		`not used("@edit(*.go)") or turns_since_tool("@edit(*.go)") > 5`,
		`used("Bash(ls)") and tool_count("Bash") < 1`, "cost > $5 and cost < " +
			"$5.01", `command == ls and len(command) == 1`,
		`command contains "a" and not command contains "b"`, "before_tool:Bash and not after_tool:Bash",
		"tool_failed:Bash and after_tool:Edit", "last_tool_call_failed and not " +
			"after_tool:Bash", "failures_in_row == 1 and user_message", "not last_tool_call_failed and " +
			"tool_used == Bash",
		`after_tool:Bash and turns_since_tool("Edit") > 3`, `used("Bash") and not after_tool:Bash`,
		`tool_count("mcp__a*") < 2 and tool_count("mcp__*") > 2`,
		`turns_since_tool("Bash") > 1 and not after_tool:Bash`,
		"len(tool_used) == 2 and after_tool:Edit and not after_tool:Bash", "thread_type != plan and " +
			"thread_type != " +
			"learn", "thread:plan,learn and thread:learn,fast", "every 5 turns and turn_count > 3",
		"vars.n > -3 and vars.n < -1", "vars.n < -3 and vars.n > " +
			"-5", "vars.wait < 0s", "idle <= 0s", "last_tool_call_failed and not " +
			"used(\"*\")", "never", "manual", "manual and user_message", "never and user_message",
		`prompt contains "a" and not (prompt contains "b")`,
		`turns_since("a") >= 1 and turns_since("a") < 2`, "context_usage == 100%",
		"vars.n < turn_count and vars.n < 0",
	} {
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}},
			compile.Options{Schema: schema(t)})
		if ds.HasErrors() {
			t.Fatal(ds)
		}
		for _, d := range analysis.Check(set, nil) {
			if d.Code == "R0901" || d.Code == "R0904" && !strings.Contains(src, "learn") {
				t.Errorf("%s: %v", src, d)
			}
		}
		if _, ok := analysis.Witness(set.Trigger(0)); !ok && !strings.Contains(src, "never") &&
			!strings.Contains(src, "manual") {
			t.Errorf("%s: there is no example", src)
		}
	}
}

// TestNoRelation: what is not said of patterns that no other one is within.
func TestNoRelation(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`path matches "a" and not (path contains "a")`, "before_tool:Bash and before_tool:@shell",
		`used("Bash(git push*)") and not used("Bash(git*)")`, // the second may be counted since later
		`before_tool:"Bash(git*)" and before_tool:"Bash(*push*)"`,
		`after_tool:"@edit" and not after_tool:"Edit"`, `path startsWith "a" and not (path endsWith "a")`,
	} {
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger")
	}
}

func TestAlways(t *testing.T) {
	t.Parallel()
	for src, w := range map[string]want{
		"context_usage >= 0%": {
			says: "whenever its facts are known: context_usage is never negative"},
		"len(tool_used) > -1": {says: "len(tool_used) is never negative"},
		"turn_count >= 0":     {says: "turn_count is never negative"},
		"user_message or not user_message": {
			says: "one of `user_message` and `not user_message` always holds"},
		"always or user_message":                  {at: "always", says: "`always` says so", mended: "always"},
		"turn_count > 5 or turn_count < 10":       {says: "always holds"},
		"thread_type != plan or thread_type != x": {says: "always holds"},
		"not (after_tool:Edit and tool_used != Edit)": {at: "after_tool:Edit and tool_used != Edit",
			says: "never true together"},
		`used("Bash") or tool_count("Bash") < 3`: {
			says: "whenever its facts are known: one of `used(\"Bash\")` and"},
		`turns_since_tool("Bash") >= 1`:                  {says: "is at least 1"},
		"vars.flag in [true, false]":                     {at: "true, false", says: "always holds"},
		`tool_chain_repeats("Edit") >= 0`:                {says: "never negative"},
		"hour <= 23":                                     {says: "hour is at most 23"},
		"cost >= $0":                                     {says: "cost is never negative"},
		"weekday in [mon, tue, wed, thu, fri, sat, sun]": {says: "always holds"},
	} {
		w.code = "R0902"
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger", w)
	}
	for _, src := range []string{"always", "turn_count >= 1", "context_usage > 0%", "every 1 turn",
		"turn_count > 5 or turn_count < 5", "vars.n >= 0", "user_message or compacted"} {
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger")
	}
	check(t, reminder.Reminder{Trigger: "every 1 turn"}, "trigger")
	// true on every turn, and false between two of them, so that when fires on each
	for _, src := range []string{`turns_since_tool("Edit") != 1 or after_tool:Edit`,
		"failures_in_row == 0 or last_tool_call_failed", "every 1 turn or turn_count > 5",
		"every 1 turn and thread:plan", `after_tool:Edit and turns_since_tool("Edit") == 1 or turn_count > 5`} {
		check(t, reminder.Reminder{Trigger: src, Cooldown: reminder.Span{Turns: 2}}, "trigger")
		if _, ds := compiled.Compile(src, nil); ds.HasErrors() {
			t.Error(ds)
		}
	}
	check(t, reminder.Reminder{Trigger: "failures_in_row == 0 or last_tool_call_failed", Mode: reminder.While},
		"trigger", want{"R0902", "failures_in_row == 0 or last_tool_call_failed", "always holds", ""})
	check(t, reminder.Reminder{Trigger: "every 2 turns"}, "trigger")
}

func TestParts(t *testing.T) {
	t.Parallel()
	for src, w := range map[string]want{
		"context_usage > 75% and context_usage > 50%": {"R0904", "context_usage > 50%",
			"it holds whenever `context_usage > 75%` does", "context_usage > 75%"},
		"context_usage > 50% && context_usage > 75%": {"R0904", "context_usage > 50%",
			"it holds whenever", "context_usage > 75%"},
		"context_usage > 75% or context_usage > 50%": {"R0904", "context_usage > 75%",
			"where it holds, `context_usage > 50%` does too", "context_usage > 50%"},
		"turn_count > 10 and turn_count >= 11": {"R0904", "turn_count >= 11",
			"it holds whenever", "turn_count > 10"},
		"user_message and (user_message or compacted)": {"R0904",
			"user_message or compacted", "it holds whenever `user_message` does", "user_message"},
		"user_message and compacted and user_message": {"R0904", "user_message",
			"stands here twice", "user_message and compacted"},
		"(user_message) and ((turn_count > 3) or user_message)": {"R0904",
			"(turn_count > 3) or user_message", "it holds whenever", "(user_message)"},
		"after_tool:Edit and tool_used in [Edit, Write]": {"R0904",
			"tool_used in [Edit, Write]", "it holds whenever `after_tool:Edit` does", "after_tool:Edit"},
		"after_tool:mcp__fs__*,mcp__*": {"R0904", "mcp__fs__*",
			"`after_tool:mcp__*` does too", "after_tool:mcp__*"},
		"tool_used in [Edit, Bash, Edit]": {"R0904", "Edit",
			"stands here twice", "tool_used in [Edit, Bash]"},
		"thread:plan,learn,plan": {"R0904", "plan",
			"stands here twice", "thread:plan,learn"},
		"thread_type in [plan, learn] and thread_type != learn": {"R0904", "learn",
			"the rest of the trigger decides", "thread_type in [plan] and thread_type != learn"},
		"thread_type == plan and thread_type != learn": {"R0904", "thread_type != learn",
			"it holds whenever", "thread_type == plan"},
		"tool_failed:Bash and last_tool_call_failed": {"R0904", "last_tool_call_failed",
			"it holds whenever `tool_failed:Bash` does", "tool_failed:Bash"},
		"last_tool_call_failed and tool_failed:Bash": {"R0904", "last_tool_call_failed",
			"it holds whenever `tool_failed:Bash` does", "tool_failed:Bash"},
		"tool_failed:Bash,Edit or tool_failed:Edit": {"R0904", "tool_failed:Edit",
			"where it holds", "tool_failed:Bash,Edit"},
		`used("Bash") and tool_count("Bash") > 3`: {"R0904", `used("Bash")`,
			"it holds whenever", `tool_count("Bash") > 3`},
		"not (turn_count > 3 or turn_count > 5)": {"R0904", "turn_count > 5",
			"where it holds", "not (turn_count > 3)"},
		"compacted and not (turn_count > 3 and turn_count > 2)": {"R0904", "turn_count > 2",
			"it holds whenever", "compacted and not (turn_count > 3)"},
		"context_tokens > context_window or context_tokens >= context_window": {"R0904",
			"context_tokens > context_window", "where it holds", "context_tokens >= context_window"},
		`prompt contains "a" and prompt  contains "a"`: {"R0904", `prompt  contains "a"`,
			"stands here twice", `prompt contains "a"`},
		"user_message or turn_count > 10 and turn_count < 11": {"R0905",
			"turn_count > 10 and turn_count < 11", "this part can never be true: no whole number",
			"user_message"},
		"user_message or context_usage < 0%": {"R0905", "context_usage < 0%",
			"never negative", "user_message"},
		"never or user_message": {"R0905", "never",
			"`never` is never true", "user_message"},
		"user_message and turn_count >= 0": {"R0906", "turn_count >= 0",
			"true whenever its facts are known: turn_count is never negative", "user_message"},
		"always and user_message": {"R0906", "always",
			"`always` says so", "user_message"},
		"user_message and (thread_type != a or thread_type != b)": {"R0906",
			"thread_type != a or thread_type != b", "always holds", "user_message"},
		"(compacted or resumed) and not (turn_count > 3 and turn_count < 2)": {"R0906",
			"not (turn_count > 3 and turn_count < 2)", "never true together", "(compacted or resumed)"},
	} {
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger", w)
	}
	for _, src := range []string{ // each part of these matters
		"context_usage > 75% and turn_count > 50", "context_usage > 75% or user_message and context_usage > " +
			"50%", "turn_count > 10 and turn_count != 15", "after_tool:Edit,Write and not after_tool:Bash",
		"after_tool:mcp__*,Bash", "tool_used == mcp__* and tool_used != mcp__fs__read",
		"thread_type != plan and " +
			"thread_type != learn", "last_tool_call_failed and " +
			"after_tool:Bash", "tool_failed:Bash or last_tool_call_failed and user_message",
		"context_usage > 75% or context_usage <= 75% and user_message", "(user_message or compacted) and " +
			"(user_message or resumed)", "turn_count in [1, 2, 3]", "not (turn_count > 3 and turn_count < 5)",
		"manual or user_message", "manual and user_message",
		`used("Bash") and turns_since_tool("Bash") > 5 or user_message`,
		"every 5 turns and turn_count > 5", "failures_in_row >= 2 and last_tool_call_failed or compacted",
		"context_tokens > context_window and context_tokens > 1000",
		// A host may report the failure, and no tools.
		`last_tool_call_failed and not used("*") or after_tool:"*"`,
	} {
		if strings.HasPrefix(src, "used") || strings.HasPrefix(src, "failures") {
			continue
		}
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger")
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"turn_count == 10", "turn_count < 20", "turn_count > 10 and turn_count < 50",
		"turn_gt:3 and user_turn_count <= 5", "turn_count in [3, 4]", "not used(\"Bash\")",
		"tool_count(\"Bash\") " +
			"" +
			"" +
			"" +
			"== 2", "vars.seen < 4 and turn_count > 2"} {
		check(t, reminder.Reminder{Trigger: src}, "trigger", want{"R0903", src,
			"fires at most once a run: what it counts never falls", ""})
		check(t, reminder.Reminder{Trigger: src, MaxFires: 1}, "trigger")
		check(t, reminder.Reminder{Trigger: src, Mode: reminder.While}, "trigger")
	}
	for _, src := range []string{ // passes a limit once, and that is plain; or may have many edges
		"turn_count >= 10", "elapsed > 5m", "used(\"Bash\")", "turn_count > 3 or turn_count > 1 and " +
			"user_turn_count " +
			"> 2", "turn_count in [3, 5]", "turn_count != 5", "context_usage > 75%", "turn_count >= 10 and " +
			"user_message",
		"vars.n < 4", "turns_since_tool(\"Bash\") > " +
			"3", "always", "turn_count < user_turn_count", "tool_chain_repeats(\"Edit\") > 1",
		"failures_in_row < 2",
		`turns_since_tool("Bash") == 3`, `tool_chain_repeats("Edit") == 2`, "vars.n == 4",
		"failures_in_row == 2", "message_count == 9", `turns_since("a") < 9`, "len(tool_used) == 1",
	} {
		if src == "turn_count > 3 or turn_count > 1 and user_turn_count > 2" || src == "turn_count >= 10" {
			check(t, reminder.Reminder{Trigger: src, Cooldown: reminder.Span{Turns: 5}}, "trigger",
				want{"R0912", nowhere, "cooldown has no effect", ""})
			check(t, reminder.Reminder{Trigger: src, MaxFires: 3}, "trigger",
				want{"R0912", nowhere, "max_fires is never reached", ""})
		}
		check(t, reminder.Reminder{Trigger: src}, "trigger")
	}
	check(t, reminder.Reminder{Cooldown: reminder.Span{Turns: 5}}, "trigger",
		want{"R0912", nowhere, "since it is always true", ""})
	check(t, reminder.Reminder{Trigger: "context_usage > 75%", Cooldown: reminder.Span{Turns: 5}}, "trigger")
}

func TestRearm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trigger, rearm string
		wants          []want
	}{
		{"context_usage > 75%", "context_usage < 60%", nil},
		{"context_usage > 75%", "context_usage <= 75% and user_message", nil},
		{"context_usage > 75%", "user_message", nil},
		{"turn_count > 20", "user_message", nil},
		{"turn_count > 20", "turns_since(\"r\") >= 20", nil},
		{"turn_count > 20", "never", nil},
		{"context_usage > 75%", "context_usage < 0%", []want{{"R0907", "context_usage < 0%",
			"rearm can never be true: context_usage is never negative", ""}}},
		{"context_usage > 75%", "context_usage > 80% and context_usage < 70%",
			[]want{{"R0907", "context_usage > 80% and context_usage < 70%", "rearm can never be true",
				"context_usage > 80% or context_usage < 70%"}}},
		{"turn_count > 20", "turn_count < 10", []want{{"R0907", "turn_count < 10",
			"rearm can never be true once the reminder has fired", ""}}},
		{"turn_count > 20 and user_message", "turn_count < 10 and user_message",
			[]want{{"R0907", "turn_count < 10 and user_message", "once the reminder has fired", ""}}},
		{"turn_count < 10", "turn_count > 20", []want{{"R0907", "turn_count > 20",
			"once rearm is true the trigger can never be true again", ""}}},
		{"context_usage > 75%", "context_usage > 60%", []want{{"R0908", "context_usage > 60%",
			"rearm is true whenever the trigger is", ""}}},
		{"context_usage > 75%", "always", []want{{"R0908", "always", "rearm is true whenever the trigger is", ""}}},
		{"after_tool:Edit", "after_tool:Edit,Write", []want{{"R0908", "after_tool:Edit,Write",
			"rearm is true whenever the trigger is", ""}}},
		{"context_usage > 75%", "context_usage < 80%", []want{{"R0908", "context_usage < 80%",
			"can both be true, as when context_usage is 76%", ""}}},
		{"context_usage > 75%", "context_usage <= 75%", []want{{"R0909", "context_usage <= 75%",
			"re-arms once its trigger is false", ""}}},
		{"user_message or compacted", "not user_message and not compacted", nil}, // not between two turns
		{"thread:plan", "not thread:plan", []want{{"R0909", "not thread:plan", "re-arms once its trigger is false",
			""}}},
		{"context_usage > 75%", "context_usage < 60% and context_usage < 70%",
			[]want{{"R0904", "context_usage < 70%", "it holds whenever", "context_usage < 60%"}}},
	} {
		check(t, reminder.Reminder{Trigger: c.trigger, Rearm: c.rearm}, "rearm", c.wants...)
	}
}
