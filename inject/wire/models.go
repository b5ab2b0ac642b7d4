package wire

import (
	"slices"
	"strings"
)

// Model is a row of the table of models: what those whose ids begin with Prefix take and refuse. It is the one place that
// names models; rows age, so each says where it is from and when it was last looked at.
type Model struct {
	Prefix  string     // of the id, without a vendor's path ("models/", "us.anthropic.")
	System  []Platform // where it takes a system message in mid-conversation
	ClearAt string     // the beta under which it takes clear_at there; "": never
	Binds   bool       // its thinking is valid only behind the very bytes it was produced behind
	Strips  bool       // user content that is no tool result makes the API drop earlier thinking
	Role    string     // of a message put behind the others: developer, system; "": user
	Checked string     // year and month
	Source  string
}

// Platform is where a model is reached.
type Platform string

// The platforms that differ in what they accept. Which one it is, the body says.
const (
	Direct  Platform = "claude"  // the vendor's own API, and the same Messages API elsewhere
	Vertex  Platform = "vertex"  // anthropic_version vertex-…
	Invoke  Platform = "bedrock" // anthropic_version bedrock-…: InvokeModel
	Unknown Platform = ""
)

// clearAt is the beta of turn-scoped system messages (Anthropic: mid-conversation system messages).
const clearAt = "mid-conversation-system-clear-at-2026-08-21"

const (
	midSystem = "Anthropic: mid-conversation system messages"
	preserved = "Anthropic: preserved thinking"
	caching   = "Anthropic: prompt caching"
	openAI    = "OpenAI: prompt caching guide; openai-go v3.94.0 chatcompletion.go"
)

// rows is the table. The longest prefix wins; a model without a row takes what every model takes.
var rows = []Model{
	{Prefix: "claude-fable-5-1", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Binds: true, Checked: "2026-10", Source: midSystem + "; " + preserved},
	{Prefix: "claude-fable-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-mythos-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-opus-5-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Binds: true, Checked: "2026-10", Source: midSystem + "; " + preserved},
	{Prefix: "claude-opus-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-opus-4-8", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-opus-4-7", Checked: "2026-10", Source: caching},
	{Prefix: "claude-opus-4-6", Checked: "2026-10", Source: caching},
	{Prefix: "claude-opus-4-5", Checked: "2026-10", Source: caching},
	{Prefix: "claude-opus-4", Strips: true, Checked: "2026-10", Source: caching},
	{Prefix: "claude-sonnet-5-5", Binds: true, Checked: "2026-10", Source: "third parties, on binding and on system; the vendor's pages do not name it, so the careful side of both"},
	{Prefix: "claude-sonnet-5", Checked: "2026-10", Source: midSystem + "; Claude Code 2.1.329 sends system all the same"},
	{Prefix: "claude-sonnet-4-6", Checked: "2026-10", Source: caching},
	{Prefix: "claude-sonnet-4", Strips: true, Checked: "2026-10", Source: caching},
	{Prefix: "claude-haiku-", Strips: true, Checked: "2026-10", Source: caching},
	{Prefix: "claude-3", Strips: true, Checked: "2026-10", Source: caching},

	{Prefix: "gpt-6", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "gpt-5", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "o1-mini", Checked: "2026-11", Source: openAI},
	{Prefix: "o1-preview", Checked: "2026-11", Source: openAI},
	{Prefix: "o1", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "o3", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "o4", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "codex-", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "gpt-4", Role: "system", Checked: "2026-11", Source: openAI},
	{Prefix: "gpt-3.5", Role: "system", Checked: "2026-11", Source: openAI},
	{Prefix: "chatgpt-", Role: "system", Checked: "2026-11", Source: openAI},
}

// Models returns a copy of the table.
func Models() []Model { return slices.Clone(rows) }

// row returns what is known of a model: the longest prefix among the caller's rows, else among ours.
func (o Options) row(id string) Model {
	if n := strings.LastIndexByte(id, '/'); n >= 0 {
		id = id[n+1:]
	}
	if n := strings.LastIndex(id, "anthropic."); n >= 0 {
		id = id[n+len("anthropic."):]
	}
	if m, ok := longest(o.Models, id); ok {
		return m
	}
	m, _ := longest(rows, id)
	return m
}

func longest(rows []Model, id string) (best Model, ok bool) {
	at := -1
	for i := range rows {
		if strings.HasPrefix(id, rows[i].Prefix) && (at < 0 || len(rows[i].Prefix) > len(rows[at].Prefix)) {
			at = i
		}
	}
	if at < 0 {
		return best, false
	}
	return rows[at], true
}
