package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// copilot is GitHub's Copilot CLI and cloud agent (HOOKS.md §8).
var copilot = Agent{
	Name: "copilot", Title: "GitHub Copilot CLI",
	Tags: []Tag{
		{Name: "current_datetime", Beside: true, Preamble: true}, // Copilot CLI 1.0.102
		{Name: "system_reminder", Beside: true},
	},
	Notes: []Note{{
		Words:   "Some of the conversation history has been summarized to free up context.",
		Summary: true, Source: "Copilot CLI 1.0.102",
	}},
	Identify: identifyCopilot,
	Spoke:    spokeToCopilot,
	Signs: []Sign{ // Copilot CLI 1.0.102
		{Header: "x-interaction-type", Value: "conversation-compaction", Says: Compaction},
		{Header: "x-interaction-type", Value: "conversation-background", Says: Side},
		{Header: "x-interaction-type", Value: "conversation-sampling", Says: Side},
	},
	Openings: []Opening{{
		"Please create a detailed summary of the conversation so far. The history is being compacted",
		false, Compaction, "Copilot CLI 1.0.102",
	}},
}

// identifyCopilot tells only whether a request is a subagent's: Copilot names no conversation.
func identifyCopilot(q Request) (Thread, bool) {
	if q.Header("x-initiator") == "" {
		return Thread{}, false
	}
	if q.Header("x-interaction-type") == "conversation-subagent" {
		return Thread{Type: "subagent"}, true
	}
	return Thread{Type: "root"}, true
}

func spokeToCopilot(q Request) fact.Truth {
	switch strings.ToLower(q.Header("x-initiator")) {
	case "user":
		return fact.True
	case "agent":
		return fact.False
	}
	return fact.Unknown
}
