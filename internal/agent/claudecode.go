package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// claudeCode is Claude Code (HOOKS.md §4).
var claudeCode = Agent{
	Name: "claude-code", Title: "Claude Code",
	Tags: []Tag{
		{Name: "command-name"}, {Name: "command-message"}, {Name: "command-args"},
		{Name: "local-command-stdout"}, {Name: "local-command-stderr"}, {Name: "local-command-caveat"},
		{Name: "bash-input"}, {Name: "bash-stdout"}, {Name: "bash-stderr"},
		{Name: "task-notification"}, {Name: "background-task"}, {Name: "teammate-message"},
		{Name: "system-reminder", Beside: true}, {Name: "context-update", Beside: true},
		{Name: "user-prompt-submit-hook", Beside: true},
	},
	Notes: []Note{
		{Words: "[Request interrupted by user", Source: "Claude Code"},
		{
			Words:   "This session is being continued from a previous conversation",
			Summary: true, Source: "Claude Code 2.1.329",
		},
	},
	Identify: identifyClaudeCode,
	Spoke:    spokeToClaudeCode,
	Signs: []Sign{
		{Header: "x-claude-code-request-class", Value: "compaction", Says: Compaction},
		{Header: "x-claude-code-request-class", Value: "auxiliary", Says: Side},
		{Header: "x-claude-code-compaction", Says: Compaction},
	},
	Openings: []Opening{
		{"Your task is to create a detailed summary of", false, Compaction, "Claude Code, 2025-2026"},
		{"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.", false, Compaction, "Claude Code 2.1.329"},
		{
			"You are a helpful AI assistant tasked with summarizing conversations",
			true, Compaction, "Claude Code, opencode",
		},
	},
}

func identifyClaudeCode(q Request) (Thread, bool) {
	const header = "x-claude-code-session-id"
	run := q.Header(header)
	if run == "" {
		return Thread{}, false
	}
	t := Thread{Run: run, Source: header, Thread: q.Header("x-claude-code-agent-id"), Type: q.Header("x-claude-code-agent-type")}
	t.settle()
	return t, true
}

// spokeToClaudeCode reads the origin of the turn that Claude Code writes into the first block of its system
// prompt. In a tool round it is the origin of the turn that the round belongs to. So it can prove that no
// person has spoken, but not that a person has.
func spokeToClaudeCode(q Request) fact.Truth {
	if !q.Person() {
		return fact.Unknown
	}
	billing, ok := strings.CutPrefix(q.System(), "x-anthropic-billing-header:")
	if !ok {
		return fact.Unknown
	}
	_, origin, _ := strings.Cut(billing, "cc_turn_origin=")
	origin, _, _ = strings.Cut(origin, ";")
	switch strings.TrimSpace(origin) {
	case "", "human", "user", "sdk":
		return fact.Unknown
	}
	return fact.False
}
