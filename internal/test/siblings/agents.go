package siblings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// Kinds are agents of all APIs. The model of the first one and of the last one bind thinking.
func Kinds() []client.Options {
	return []client.Options{
		{API: modelapi.Anthropic, Model: "claude-opus-5-5"},
		{API: modelapi.Anthropic, Model: "claude-sonnet-4-6"},
		{API: modelapi.Chat, Model: "gpt-5.6"},
		{API: modelapi.Responses, Model: "gpt-5.6-codex"},
		{API: modelapi.Responses, Model: "gpt-5.6", Stateful: true},
		{API: modelapi.Gemini, Model: "gemini-3.8-flash"},
		{API: modelapi.Converse, Model: "us.anthropic.claude-opus-5-5"},
	}
}

// Rules are the reminders of the simulated runs. Their texts say of which turn they are, so that each firing
// has one of its own.
func Rules(t testing.TB) *compile.Set {
	t.Helper()
	keep := func(unit reminder.KeepUnit) reminder.Keep { return reminder.Keep{Unit: unit, N: 1} }
	rs := []reminder.Reminder{
		{ID: "half", Trigger: "context_usage > 50%", Rearm: "context_usage < 30%"},
		{ID: "tool", Trigger: "after_tool:Edit,Bash"},
		{ID: "seven", Mode: reminder.While, Trigger: "started or every 7 turns",
			Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 3}},
		{ID: "full", Mode: reminder.While, Trigger: "context_usage > 70%"},
		{ID: "always", Mode: reminder.While, Trigger: "always", Keep: keep(reminder.KeepTurns)},
		{ID: "user", Mode: reminder.While, Trigger: "user_message", Attach: reminder.UserTurn,
			Keep: keep(reminder.KeepUserTurns)},
		{ID: "start", Trigger: "always", Attach: reminder.RunStart,
			Keep: reminder.Keep{Unit: reminder.KeepConversation}},
		{ID: "later", Trigger: "turn_count >= 9", Attach: reminder.RunStart},
		{ID: "failed", Trigger: "last_tool_call_failed", Attach: reminder.UserTurn},
		{ID: "kept", Mode: reminder.While, Trigger: "every 11 turns",
			Keep: reminder.Keep{Unit: reminder.KeepConversation}},
		{ID: "safety", Trigger: `tool_count("Bash") >= 3`, Tier: reminder.Safety, Priority: 9},
		{ID: "compacted", Trigger: "compacted"},
		{ID: "hand", Trigger: "manual"},
	}
	for i := range rs {
		rs[i].Text = "of " + rs[i].ID + " on turn {{.turn_count}}."
	}
	set, diags := compile.New(rs, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return set
}

// Differing answers as the agents' script does, but no two conversations alike: from the answer on behind
// so many others, each has words and ids of calls of its own.
func Differing(from int) modelapi.Script {
	inner, n := client.Script(), 0
	mark := regexp.MustCompile(`-of-(\d+)-`)
	return func(p *modelapi.Prompt) modelapi.Reply {
		r := inner(p)
		if p.Answers() < from {
			return r
		}
		whose := ""
		for _, m := range p.Messages {
			for _, b := range m.Blocks {
				if found := mark.FindStringSubmatch(b.Raw); found != nil && whose == "" {
					whose = found[1]
				}
			}
		}
		if whose == "" {
			n++
			whose = fmt.Sprint(n)
		}
		r.Parts = slices.Clone(r.Parts)
		for i, x := range r.Parts {
			switch {
			case x.Call != nil:
				c := *x.Call
				if c.ID != "" {
					c.ID += "-of-" + whose + "-"
				}
				c.Args = strings.Replace(c.Args, `{"path": "`, `{"path": "-of-`+whose+`-`, 1)
				r.Parts[i].Call = &c
			case x.Text != "":
				r.Parts[i].Text += " -of-" + whose + "-"
			}
		}
		return r
	}
}

// Counters answers as another script does, with ids of calls that other conversations have, too.
func Counters(inner modelapi.Script) modelapi.Script {
	return func(p *modelapi.Prompt) modelapi.Reply {
		r := inner(p)
		r.Parts = slices.Clone(r.Parts)
		for i, x := range r.Parts {
			if x.Call != nil && x.Call.ID != "" {
				c := *x.Call
				c.ID = fmt.Sprintf("call_%d_%d", p.Answers(), i)
				r.Parts[i].Call = &c
			}
		}
		return r
	}
}
