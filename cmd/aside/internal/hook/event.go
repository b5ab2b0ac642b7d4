package hook

import "github.com/aside-go/aside/compile/fact"

// Kind is what an event is, in one vocabulary for all agents.
type Kind string

// The kinds of events.
const (
	SessionStart    Kind = "session_start"
	SessionEnd      Kind = "session_end"
	UserPrompt      Kind = "user_prompt"
	PromptExpansion Kind = "prompt_expansion" // a command of the agent's was expanded into a prompt
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
	StatusLine      Kind = "status_line" // what the agent shows of its state: exact figures
	Duplicate       Kind = "duplicate"   // another agent runs this hook too: it stays silent
	Unknown         Kind = "unknown"     // an event that nobody knows yet
	Invalid         Kind = "invalid"     // nothing that can be read
)

// Event is what happened, as far as the agent tells. What it does not tell is unknown.
type Event struct {
	Kind Kind
	Name string // the agent's own name of the event

	Session string // "" where there is none: then nothing can be remembered
	Agent   string // the subagent's id; "" in the session itself
	Dir     string // the project's directory; "" where the agent does not tell

	CanInject bool // the event can carry text to the model
	Unless    Kind // but not in a run that has shown this kind of event, which carries it better; "": in any run
	Ephemeral bool // the agent does not keep what is injected
	Internal  bool // an agent of the host's own, such as one that suggests prompts: ignored

	Source    string // of a session's start: startup, resume, clear, compact, fork, new
	Trigger   string // of a compaction: manual, auto
	Compacted bool   // the history has been compacted
	Resumed   bool   // the session is one from before

	Human       fact.Truth // of a prompt: whether a person submitted it
	Prompt      string     // "" unknown
	PromptClass string     // of a prompt that no person submitted: what made it
	Manual      string     // NAME of "/remind NAME"
	File        string     // the text goes into this file, and not to stdout; it is emptied where none is due
	Arms        bool       // the text goes out with the next event that can carry it, and this one says so in its own way
	TurnKey     string     // names the user turn, where the agent does

	Tools  []Tool
	Failed fact.Truth // whether one of Tools failed

	ContextTokens, ContextWindow, ResponseTokens *int64   // nil: unknown
	ContextUsage                                 *float64 // 0 to 1 and above; nil: unknown
	Response                                     string   // names the response of ResponseTokens, where the agent does
	UserTurns                                    *int64   // prompts of persons so far, this one among them; nil: unknown
	Model                                        string
	SubagentType                                 string   // of a session: the agent that it was started with
	Transcript                                   string   // path of the session's file, as the agent gives it
	Reset                                        []string // facts whose older values are stale from here on
	Iteration                                    *int64   // of the agent's own loop
	Message                                      string   // of the assistant, at a stop

	stdin object // as it came, for encoders that must give parts of it back
}

// Tool is one use of a tool.
type Tool struct {
	Name   string     `json:"name"`
	ID     string     `json:"id,omitempty"`     // "" where the agent gives none
	Failed fact.Truth `json:"failed,omitempty"` // unknown where the agent does not tell
}

// tool is a tool whose use the event tells of, and nothing else.
func (e *Event) tool(name, id string, failed fact.Truth) {
	if name != "" {
		e.Tools = append(e.Tools, Tool{name, id, failed})
		e.Failed = failed
	}
}

// usageReset is the Reset of an event after which the context holds something else than before.
var usageReset = []string{"context_usage"}
