package agent

import "github.com/aside-go/aside/compile/fact"

// Kind is the kind of an event, named alike for all agents.
type Kind string

// The kinds of events.
const (
	SessionStart    Kind = "session_start"
	SessionEnd      Kind = "session_end"
	UserPrompt      Kind = "user_prompt"
	PromptExpansion Kind = "prompt_expansion" // the agent has expanded a slash command into a prompt
	PromptTransform Kind = "prompt_transform" // a prompt that the hook may rewrite
	TurnStart       Kind = "turn_start"
	ModelRequest    Kind = "model_request"
	ModelResponse   Kind = "model_response"
	ToolCall        Kind = "tool_call" // about to be made
	ToolResult      Kind = "tool_result"
	ToolFailed      Kind = "tool_failed"
	ToolBatch       Kind = "tool_batch" // all calls of one model response, with their results
	SubagentStart   Kind = "subagent_start"
	SubagentStop    Kind = "subagent_stop"
	PreCompact      Kind = "pre_compact"
	PostCompact     Kind = "post_compact"
	Stop            Kind = "stop"
	StatusLine      Kind = "status_line" // the figures that the agent gives its status line, which are exact
	Duplicate       Kind = "duplicate"   // an agent runs a hook registered for another agent: ignored
	Unknown         Kind = "unknown"     // an event that this version does not know: ignored
	Invalid         Kind = "invalid"     // stdin is not a JSON object that can be read
)

// Event is what happened, as far as the agent says. What the agent does not say is the zero value, nil or
// fact.Unknown.
type Event struct {
	Kind Kind
	Name string // the agent's own name of the event

	Session string // the session's id; an event without one is an error, since nothing can be remembered
	Agent   string // the subagent's id; "" in the session itself
	Dir     string // the project's directory; "" where the agent does not tell

	CanInject bool // the event can carry text to the model
	// with CanInject: not where the agent also sends this kind of event, which carries the text better; "":
	// always
	Unless    Kind
	Wraps     bool // the hook edits a message itself, so the text must stand in the tag of reminders already
	Ephemeral bool // the agent does not keep what is injected, so all that is due goes out each time
	// the event is of a subagent that the agent runs for itself, such as one that suggests prompts: ignored
	Internal bool

	Source    string // why the session starts: startup, resume, clear, compact, fork, new
	Trigger   string // who asked for a compaction: manual, auto
	Compacted bool   // the history was compacted, or is about to be where the agent says nothing afterwards
	Resumed   bool   // the session goes on with the history of an earlier one

	Human       fact.Truth // whether a person submitted Prompt
	Prompt      string     // "": unknown
	PromptClass string     // what made Prompt, where no person submitted it
	Manual      string     // NAME of "/remind NAME"
	File        string     // where the text goes instead of stdout; where nothing is due, this file is emptied
	// Manual goes out with the next event that can carry it, and the answer to this event tells the person so
	Arms    bool
	TurnKey string // the agent's id of the user turn, "" where it gives none

	Calls  []Call
	Failed fact.Truth // whether one of Calls failed

	ContextTokens, ContextWindow, ResponseTokens *int64   // nil: unknown
	ContextUsage                                 *float64 // 0 to 1 and above; nil: unknown
	// the id of the response of ResponseTokens, "" where the agent gives none
	Response string
	// prompts of persons so far, with this one; nil: unknown
	UserTurns *int64
	Model     string
	// the type of the subagent, or of the agent that a session was started with
	SubagentType string
	// absolute path of the session's file, "" where the agent gives none
	Transcript string
	// facts whose older values are stale from this event on
	Reset     []string
	Iteration *int64 // of the agent's own loop
	Message   string // the assistant's last message, at a stop

	asked string // a text by which Wrote tells who wrote Prompt; "": the agent tells by itself
	stdin object // for encoders that must give parts of it back
}

// Call is one use of a tool.
type Call struct {
	Name   string     `json:"name"`
	ID     string     `json:"id,omitempty"`     // "" where the agent gives none
	Failed fact.Truth `json:"failed,omitempty"` // unknown where the agent does not say
}

// addCall adds a use of a tool to Calls, unless the name is "", and sets Failed, which is right for an
// event with a single tool. An event with several sets Failed afterwards, with anyFailed.
func (e *Event) addCall(name, id string, failed fact.Truth) {
	if name != "" {
		e.Calls = append(e.Calls, Call{name, id, failed})
		e.Failed = failed
	}
}

// usageReset is the Reset of an event that replaces what the context holds, so that its earlier size says
// nothing.
var usageReset = []string{"context_usage"}
