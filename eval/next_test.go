package eval_test

import (
	"testing"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// TestExplainNext holds the words for the next firing in each state of a reminder, with the distance of each
// part.
func TestExplainNext(t *testing.T) {
	t.Parallel()
	on, off := facts{"user_message": true, "context_usage": 0.9}, facts{"user_message": false,
		"context_usage": 0.1}
	usage := func(vs ...float64) (turns []facts) {
		for _, v := range vs {
			turns = append(turns, facts{"context_usage": v})
		}
		return turns
	}
	used := func(tools ...string) facts { return facts{"tool_used": tools} }
	full := func(r reminder.Reminder) reminder.Reminder {
		r.ID, r.Text = "r", "x"
		return r
	}
	for _, c := range []struct {
		name     string
		reminder reminder.Reminder
		turns    []facts
		want     string
	}{
		{"a distance", when("r", "context_usage > 75%"), usage(0.71), "fires at context_usage > 75%, now 71%"},
		{"a share without a sign", when("r", "context_usage > 0.75"), usage(0.71),
			"fires at context_usage > 0.75, now 71%"},
		{"nearly there is not there", when("r", "context_usage > 75%"), usage(0.74999),
			"fires at context_usage > 75%, now 74.999%"},
		{"exactly there is not there", when("r", "context_usage > 75%"), usage(0.75),
			"fires at context_usage > 75%, now 75%"},
		{"armed again", when("r", "context_usage > 75%"), usage(0.8),
			"armed again at context_usage <= 75%, now 80%"},
		{"armed again by a text", when("r", `prompt contains "x"`),
			[]facts{{"prompt": "x", "user_message": true}}, "armed again with the next message"},
		{"armed again by another text", when("r", `context_usage > 50% and response contains "x"`),
			[]facts{{"response": "x", "context_usage": 0.6}}, "armed again with the next response"},
		{"armed again by one of two texts", when("r", `prompt contains "x" and response contains "x"`),
			[]facts{{"response": "x", "prompt": "x"}}, "armed again with the next message or response"},
		{"a text that does not arm", when("r", `prompt contains "x" or context_usage > 50%`),
			[]facts{{"prompt": "x", "context_usage": 0.6}},
			`armed again when prompt not contains "x" and context_usage <= 50% (now 60%)`},
		{"rearm", full(reminder.Reminder{Trigger: "context_usage > 75%", Rearm: "context_usage < 60%"}),
			usage(0.8, 0.68), "armed again at context_usage < 60%, now 68%"},
		{"rearm unknown", full(reminder.Reminder{Trigger: "user_message", Rearm: "compacted"}), []facts{on, off},
			"armed again when compacted, which this host has not told"},
		{"armed again by one of two", when("r", "context_usage > 75% and turn_count < 2"),
			[]facts{on}, "armed again at context_usage <= 75% (now 90%) or turn_count >= 2 (now 1, in 1 turn)"},
		{"armed again by both", when("r", "context_usage > 75% or turn_count < 2"), []facts{on},
			"armed again at context_usage <= 75% (now 90%) and turn_count >= 2 (now 1, in 1 turn)"},
		{"never armed again", when("r", "turn_count >= 2"), []facts{on, on, on},
			"does not fire again in this run, unless by hand: its trigger stays true, as it would take " +
				"turn_count < 2, and " +
				"that is 3 and only grows"},
		{"never true again", full(reminder.Reminder{Mode: reminder.While, Trigger: "turn_count < 3"}),
			[]facts{on, on, on},
			"does not fire again in this run, unless by hand: it would take turn_count < 3, and that is 3 " +
				"and only grows"},
		{"never, beside another way", full(reminder.Reminder{Mode: reminder.While,
			Trigger: "turn_count < 3 or context_usage > 95%"}), []facts{on, on, on},
			"fires at context_usage > 95%, now 90%"},
		{"never, and all are needed", full(reminder.Reminder{Mode: reminder.While,
			Trigger: "turn_count == 1 and context_usage > 95%"}), []facts{on, on, on},
			"does not fire again in this run, unless by hand: it would take turn_count == 1, and that is 3 " +
				"and only grows"},
		{"rearm for never", full(reminder.Reminder{Trigger: "user_message", Rearm: "never"}), []facts{on},
			"does not fire again in this run, unless by hand: it cannot be armed again, as it would take never"},
		{"unknown", when("r", "context_usage > 75%"), []facts{used("Edit")},
			"fires at context_usage > 75%, but it needs context_usage, which this host has not told"},
		{"and, one unknown", when("r", "context_usage > 75% and turn_count > 4"), []facts{used()},
			"fires at context_usage > 75% (needs context_usage, which this host has not told) and " +
				"turn_count > 4 (now " +
				"1, in 4 turns)"},
		{"and, one holds", when("r", "context_usage > 75% and turn_count > 0"), usage(0.2),
			"fires at context_usage > 75%, now 20%"},
		{"and, one holds for this turn alone", when("r", "context_usage > 75% and user_message"),
			[]facts{{"context_usage": 0.5, "user_message": true}},
			"fires at context_usage > 75% (now 50%) and user_message"},
		{"or", when("r", "context_usage > 75% or message_count >= 40"),
			[]facts{{"context_usage": 0.5, "message_count": 12}},
			"fires at context_usage > 75% (now 50%) or message_count >= 40 (now 12)"},
		{"or in and", when("r", "(context_usage > 75% or turn_count >= 40) and thread:plan"),
			[]facts{{"context_usage": 0.5, "thread_type": "root"}},
			`fires at (context_usage > 75% (now 50%) or turn_count >= 40 (now 1, in 39 turns)) ` +
				`and thread:plan (now "root")`},
		{"not or", when("r", "not (context_usage > 75% or message_count > 3)"),
			[]facts{{"context_usage": 0.8, "message_count": 12}},
			"fires at context_usage <= 75% (now 80%) and message_count <= 3 (now 12)"},
		{"a shorthand turned round", when("r", "not turn_gt:1 or context_usage > 95%"), []facts{on, on},
			"fires at context_usage > 95%, now 90%"},
		{"a shorthand", when("r", "turn_gt:20"), []facts{on}, "fires at turn_gt:20, now 1, in 20 turns"},
		{"the host's number", when("r", "turn_count > 20"), []facts{{"turn_count": 12}},
			"fires at turn_count > 20, now 12"},
		{"a count", when("r", `tool_count("Bash") >= 3`), []facts{used("Bash")},
			`fires at tool_count("Bash") >= 3, now 1`},
		{"a count that has passed", when("r", `tool_count("Bash") == 1 and user_message`),
			[]facts{used("Bash", "Bash")},
			`does not fire again in this run, unless by hand: ` +
				`it would take tool_count("Bash") == 1, and that is 2 and only grows`},
		{"turns since a tool", when("r", `turns_since_tool("Todo") > 3`), []facts{used("Todo"), used()},
			`fires at turns_since_tool("Todo") > 3, now 2, in 2 turns`},
		{"a tool never used", when("r", `turns_since_tool("Todo") > 3`), []facts{used()},
			`fires at turns_since_tool("Todo") > 3, never used`},
		{"another that never fired", when("r", `turns_since("r") > 3`), []facts{used()},
			`fires at turns_since("r") > 3, never fired`},
		{"a division by zero", when("r", `turn_count % message_count == 0`), []facts{{"message_count": 0}},
			"fires when turn_count % message_count == 0, now turn_count is 1, message_count is 0, division by zero"},
		{"which tool failed", when("r", `tool_failed:Bash`), []facts{{"tool_used": []string{"Bash", "Edit"},
			"last_tool_call_failed": true}},
			"fires when tool_failed:Bash, but it needs tool_failed, which this host has not told"},
		{"used", when("r", `used("Todo")`), []facts{used()}, `fires when used("Todo")`},
		{"used is for good", when("r", `used("Todo")`), []facts{used("Todo")},
			`does not fire again in this run, unless by hand: its trigger stays true, as it would take not used("Todo")`},
		{"an event", when("r", "after_tool:Edit,Write"), []facts{used("Read")},
			"fires on each turn with after_tool:Edit,Write"},
		{"an event that is over", when("r", "user_message"), []facts{off}, "fires on each turn with user_message"},
		{"a call about to be executed", when("r", "before_tool:Bash(git push*)"), []facts{off},
			"fires before each call of Bash(git push*)"},
		{"the end", when("r", "stopping"), []facts{off}, "fires each time that the agent is about to end its work"},
		{"an event and a gauge are armed again by the gauge", when("r", "user_message or context_usage > 75%"),
			[]facts{on}, "armed again at context_usage <= 75%, now 90%"},
		{"an event that must not be", when("r", "not user_message"), []facts{on, off},
			"armed again when user_message"},
		{"the same, beside a gauge", when("r", "not user_message and context_usage > 75%"),
			[]facts{on, {"user_message": false, "context_usage": 0.9}},
			"armed again when user_message or context_usage <= 75% (now 90%)"},
		{"an event that fired", when("r", "user_message"), []facts{on}, "fires on each turn with user_message"},
		{"not armed", when("r", "context_usage > 75%"), usage(0.8), "armed again at context_usage <= 75%, now 80%"},
		{"level", while("r", "user_message"), []facts{on}, "fires on each turn with user_message"},
		{"level that lasts", while("r", "context_usage > 75%"), []facts{on},
			"fires on each turn on which its trigger is true"},
		{"cadence", while("r", "every 5 turns"), []facts{on, on}, "fires in 3 turns"},
		{"cadence in user turns", while("r", "every 3 user turns"), []facts{on, on}, "fires in 1 user turn"},
		{"cadence in time", while("r", "every 10m"), []facts{on, on}, "fires in 10m"},
		{"cadence and another", while("r", "every 5 turns and context_usage > 50%"), []facts{on, off},
			"fires when every 5 turns (in 3 turns) and context_usage > 50% (now 10%)"},
		{"general", when("r", "len(tool_used) + turn_count > 9"), []facts{used("A")},
			"fires on each turn with len(tool_used) + turn_count > 9"},
		{"a text that is not kept", when("r", `prompt matches "deploy"`), []facts{{"prompt": "x"}},
			`fires when prompt matches "deploy"`},
		{"a text that is not kept, beside another", when("r", `len(prompt) > turn_count + 5`),
			[]facts{{"prompt": "x"}}, "fires once its trigger is true"},
		{"manual", when("r", "manual"), []facts{on}, "fires only by name"},
		{"max_fires", full(reminder.Reminder{Trigger: "user_message", MaxFires: 1}), []facts{on, off},
			"does not fire again in this run, unless by hand: it has fired as often as max_fires allows"},
		{"cooldown", full(reminder.Reminder{Mode: reminder.While, Trigger: "user_message",
			Cooldown: reminder.Span{Turns: 5}}), []facts{on, on},
			"fires on each turn with user_message; cooldown: 4 turns left"},
		{"cooldown, and not true", full(reminder.Reminder{Trigger: "context_usage > 75%",
			Cooldown: reminder.Span{Turns: 5}}), usage(0.8, 0.7),
			"fires at context_usage > 75%, now 70%; cooldown: 4 turns left"},
		{"a cooldown that is over by then", full(reminder.Reminder{Trigger: "context_usage > 75%",
			Cooldown: reminder.Span{Turns: 2}}), usage(0.8, 0.7),
			"fires at context_usage > 75%, now 70%"},
		{"cooldown in time", full(reminder.Reminder{Trigger: "context_usage > 75%",
			Cooldown: reminder.Span{Time: 10 * time.Minute}}), usage(0.8, 0.7),
			"fires at context_usage > 75%, now 70%; cooldown: 10m0s left"},
		{"for begins", full(reminder.Reminder{Trigger: "context_usage > 75%", For: reminder.Span{Turns: 2}}),
			[]facts{off},
			"fires at context_usage > 75%, now 10%, and stays so for 2 turns"},
		{"for goes on", full(reminder.Reminder{Trigger: "user_message", For: reminder.Span{Turns: 3}}),
			[]facts{on, on},
			"fires once its trigger has stayed true for 1 turn more"},
		{"armed and true", reminder.Reminder{ID: "r", Trigger: "turn_gt:0", Text: "{{.model}}"}, []facts{on},
			"fires on the next turn, if its trigger is still true"},
		{"one-shot", when("r", "always"), []facts{on},
			"does not fire again in this run, unless by hand: its trigger stays true, as it would take not always"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ev := evaluator(t, c.reminder)
			for _, f := range c.turns {
				decide(t, ev, eval.Turn{Facts: f})
			}
			if x := explain(t, ev)["r"]; x.Next != c.want {
				t.Errorf("%q, want %q", x.Next, c.want)
			}
		})
	}
}

// TestExplainNextOfABudget holds that a spent budget comes before the needs of the trigger, except for
// safety.
func TestExplainNextOfABudget(t *testing.T) {
	t.Parallel()
	ev := eval.New(set(t, reminder.Reminder{ID: "plain", Mode: reminder.While, Trigger: "context_usage > 75%",
		Text: "x"}, reminder.Reminder{
		ID: "safe", Trigger: "context_usage > 95%", Tier: reminder.Safety, Text: "x"}),
		eval.Options{Clock: stopped, Budget: reminder.Budget{Run: 1}})
	decide(t, ev, eval.Turn{Facts: facts{"context_usage": 0.9}})
	xs := explain(t, ev)
	if got := xs["plain"].Next; got !=
		"does not fire again in this run, unless by hand: the run's budget is spent" {
		t.Error(got)
	}
	if got := xs["safe"].Next; got != "fires at context_usage > 95%, now 90%" {
		t.Error(got)
	}
}

// TestExplainNeeds holds the needs that programs read: an armed reminder needs its trigger to become true,
// another to become false.
func TestExplainNeeds(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("armed", "context_usage > 75% and message_count > 3"),
		when("spent", "context_usage > 10%"))
	decide(t, ev, eval.Turn{Facts: facts{"context_usage": 0.5, "message_count": 9}})
	xs := explain(t, ev)
	if n := xs["armed"].Needs; n.Text != "context_usage > 75%" || n.Now != "50%" || len(n.Parts) != 0 ||
		n.Again || n.Never {
		t.Errorf("%+v", n)
	}
	if n := xs["spent"].Needs; n.Text != "context_usage <= 10%" || n.Now != "50%" {
		t.Errorf("%+v", n)
	}
}
