package agent

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

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
	Cwd     string // the directory that the agent works in; "" where the agent does not tell

	CanInject bool // the event can carry text to the model
	// with CanInject: not where the agent also sends this kind of event, which carries the text better; "":
	// always
	Unless Kind
	// the moment beside the turn at which the agent asks the hook, fact.Turn for none. At such an event
	// CanInject says that a text may go along with a call that is not held back.
	Moment    fact.Moment
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
	Manual      string     // NAME of "/remind NAME"; RemindList where there is none
	Notice      string     // what is said to the person beside the text, where the agent Notices it
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
	Mode         string // the permission mode in the agent's word, but "plan" where it plans; "": unknown
	// absolute path of the session's file, "" where the agent gives none
	Transcript string
	// facts whose older values are stale from this event on
	Reset     []string
	Round     string // what names the answer that a call about to be made is of; "": not known
	Iteration *int64 // of the agent's own loop, one for each model call; nil: the agent has no such count
	Message   string // the assistant's last message, at a stop

	asked string // a text by which Wrote tells who wrote Prompt; "": the agent tells by itself
	stdin object // for encoders that must give parts of it back
}

// Call is one use of a tool. Its input and output are for rules alone: they are not part of its JSON, and are
// never stored.
type Call struct {
	Name   string     `json:"name"`
	ID     string     `json:"id,omitempty"`     // "" where the agent gives none
	Failed fact.Truth `json:"failed,omitempty"` // unknown where the agent does not say
	Key    string     `json:"key,omitempty"`    // names it in its answer, for whoever keeps it; "": nothing does

	// of its execution; 0 where the event does not tell
	Took time.Duration `json:"took,omitempty"`

	Input, Output []byte `json:"-"` // JSON; nil where the event does not tell
}

// addCall adds a use of a tool to Calls, unless its name is "", and sets Failed, which is right for an event
// with a single tool. An event with several sets Failed afterwards, with anyFailed.
func (e *Event) addCall(c Call) {
	if c.Name != "" {
		e.Calls = append(e.Calls, c)
		e.Failed = c.Failed
	}
}

// The members with the input and the output of a call, as most agents name them.
var (
	inputs  = []string{"tool_input", "tool_args"}
	outputs = []string{"tool_response", "tool_result", "tool_output", "error", "error_message"}
)

// callOf reads a use of a tool from the members that most agents name alike.
func callOf(o object) Call {
	// where a call has both ids, tool_use_id differs between the events of the call
	return Call{Name: o.name("tool_name"), ID: o.name("tool_call_id", "tool_use_id"), Failed: fact.Unknown,
		Input: o.find(inputs, aString+anObject), Output: o.find(outputs, aString+aList+anObject),
		Took: o.took("duration_ms")}
}

// took returns how long a call took, at least 1 ns; 0 where the event does not tell.
func (o object) took(milliseconds ...string) time.Duration {
	ms, err := strconv.ParseFloat(o.name(milliseconds...), 64) // digits in a string count
	if err != nil || !(ms >= 0 && ms < 1e12) {
		return 0
	}
	return max(time.Duration(ms*float64(time.Millisecond)), 1)
}

// usageReset is the Reset of an event that replaces what the context holds, so that its earlier size says
// nothing.
var usageReset = []string{"context_usage"}

// Input is the text that Hooks.Decode reads an event from, with its circumstances.
type Input struct {
	Event string              // --event, for agents whose stdin does not name it
	Mode  string              // --mode, one of Hooks.Modes; "": the default way of working
	Stdin []byte              // at most MaxStdin bytes
	Env   func(string) string // the environment, by name; never all of it
}

// MaxStdin is the length in bytes of the longest stdin that is read as an event.
const MaxStdin = 16 << 20

// commonEvents are the names of Claude Code's events, which most agents have taken over, some of them with a
// small first letter.
var commonEvents = map[string]Kind{
	"SessionStart": SessionStart, "SessionEnd": SessionEnd,
	"UserPromptSubmit": UserPrompt, "UserPromptExpansion": PromptExpansion,
	"PreToolUse": ToolCall, "PostToolUse": ToolResult, "PostToolUseFailure": ToolFailed,
	"PostToolBatch": ToolBatch, "SubagentStart": SubagentStart, "SubagentStop": SubagentStop,
	"PreCompact": PreCompact, "PostCompact": PostCompact, "Stop": Stop,
}

// Stdin returns an event with these members, in the places in which the agent has them.
func (h *Hooks) Stdin(members map[string]string) []byte {
	root := map[string]any{}
	for name, value := range members {
		paths := strings.Fields(h.Members[name])
		at := strings.Split(append(paths, name)[0], ".")
		in := root
		for i, part := range at[:len(at)-1] {
			if at[i+1] == "0" {
				in[part] = []string{value}
				break
			}
			next, ok := in[part].(map[string]any)
			if !ok {
				next = map[string]any{}
				in[part] = next
			}
			in = next
		}
		if last := at[len(at)-1]; last != "0" {
			in[last] = value
		}
	}
	return encode(root)
}

// Decode reads an event. It never fails: an event that it cannot read is Invalid, an event that it does not
// know is Unknown, and members that are missing, new or of another type are passed over.
func (h *Hooks) Decode(in Input) Event {
	o, ok := readObject(in.Stdin)
	if !ok {
		return Event{Kind: Invalid}
	}
	o.paths = h.Members
	name := o.name("hook_event_name", "hook_name", "event_name", "event", "agent_action_name")
	e := Event{
		Kind:       Unknown,
		Name:       cmp.Or(name, in.Event),
		Session:    o.name("session_id"),
		Cwd:        absolute(o.str("cwd", "working_dir")),
		Model:      o.name("model"),
		Transcript: absolute(o.str("transcript_path")),
		Mode:       o.name("permission_mode"),
		Human:      fact.Unknown,
		Failed:     fact.Unknown,
		stdin:      o,
	}
	e.Dir = cmp.Or(absolute(in.variable(h.Dir)), e.Cwd)
	if slices.ContainsFunc(h.Foreign, func(m Mark) bool { return m.of(in, o) }) {
		e.Kind = Duplicate
		return e
	}
	if h.Plans != "" && e.Mode == h.Plans {
		e.Mode = "plan"
	}
	if h.TurnID != "" {
		e.TurnKey = o.name(h.TurnID)
	}
	if h.Subagents {
		e.Agent, e.SubagentType = o.name("agent_id"), o.name("agent_type")
	}
	if kind, ok := h.Names[e.Name]; ok {
		e.Kind = kind
	} else if kind, ok := commonEvents[upperFirst(e.Name)]; ok {
		e.Kind = kind
	}
	if h.Only != nil && !slices.Contains(h.Only, e.Kind) {
		e.Kind = Unknown
	}
	e.CanInject = slices.Contains(h.Carries, e.Kind)
	h.readMembers(&e, o)
	if h.Read != nil {
		h.Read(&e, o, in)
	}
	h.readMoment(&e, o)
	if e.asked != "" {
		if by := Wrote(e.asked); by != "" {
			e.Human, e.PromptClass = fact.False, by
		}
	}
	if e.Kind == UserPrompt && e.Agent != "" { // the task of a subagent
		e.Human, e.Manual = fact.False, ""
	}
	return e
}

// readMoment reads the moment of an event. An end that says nothing of an end that was held back before it,
// or says that there was one, is let be: so nothing can keep an agent at work for ever.
func (h *Hooks) readMoment(e *Event, o object) {
	switch {
	case e.Kind == ToolCall && len(e.Calls) == 1:
		e.Moment = fact.BeforeTool
	case e.Kind == Stop && !o.has("agent_id") && o.truth("stop_hook_active") == fact.False:
		e.Moment = fact.Stopping
	}
	if !slices.Contains(h.Moments, e.Moment) {
		e.Moment = fact.Turn
	}
}

// readMembers reads the members that most agents name alike.
func (h *Hooks) readMembers(e *Event, o object) {
	for name, to := range map[string]**int64{"context_tokens": &e.ContextTokens,
		"context_window": &e.ContextWindow, "response_tokens": &e.ResponseTokens} {
		if h.Members[name] != "" {
			*to = o.count(name)
		}
	}
	if h.Members["context_usage"] != "" {
		e.ContextUsage = o.number("context_usage")
	}
	if h.Rounds == RoundsCounted {
		e.Iteration = o.count("iteration")
	}
	switch e.Kind {
	case SessionStart:
		e.Source = o.name("source")
		e.Resumed, e.Compacted = e.Source == "resume", e.Source == "compact"
		if e.Compacted || e.Source == "clear" {
			e.Reset = usageReset
		}
	case UserPrompt:
		e.setPrompt(o.text("prompt"))
	case PromptExpansion:
		e.Prompt = o.text("prompt")
		// without an id this event and the prompt could not be told to be of one turn: the prompt answers
		// then
		if e.TurnKey != "" {
			e.Manual = Reminded(e.Prompt)
			if command := o.name("command_name"); e.Manual == "" && isRemind(command) {
				e.Manual = remindName(o.str("command_args"))
			}
		}
	case ToolCall:
		c := callOf(o)
		c.Output, c.Took = nil, 0
		e.addCall(c)
	case ToolResult:
		c := callOf(o)
		if h.Failed != nil {
			c.Failed = h.Failed(o)
		}
		e.addCall(c)
	case ToolFailed:
		c := callOf(o)
		c.Failed = fact.True
		e.addCall(c)
	case ToolBatch:
		for _, item := range o.objects("tool_calls") {
			c := callOf(item)
			c.Failed = taggedError(item.text("tool_response"))
			e.addCall(c)
		}
		e.Failed = anyFailed(e.Calls)
	case SubagentStop, Stop:
		e.Message = o.str("last_assistant_message")
	case PreCompact:
		e.Trigger, e.Compacted = o.name("trigger"), h.Compacts
	case PostCompact:
		e.Trigger, e.Compacted, e.Reset = o.name("trigger"), true, usageReset
	}
}

// taggedError reports whether a call failed, by the text that the model sees of it: true where that begins
// with the tag that Claude Code itself writes around an error, else unknown. Anything else a command might
// have printed itself.
func taggedError(response string) fact.Truth {
	if strings.HasPrefix(response, "<tool_use_error>") {
		return fact.True
	}
	return fact.Unknown
}

// of reports whether an event has the mark.
func (m Mark) of(in Input, o object) bool {
	isSet := func(variable string) bool { return in.variable(variable) != "" }
	return (m.Has == nil || o.has(m.Has...)) && !o.has(m.Lacks...) &&
		(m.Spelt == nil || o.spelt(m.Spelt...)) && !o.spelt(m.Unspelt...) &&
		(m.Set == nil || slices.ContainsFunc(m.Set, isSet)) && !slices.ContainsFunc(m.Unset, isSet)
}

func upperFirst(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func (in Input) variable(name string) string {
	if in.Env == nil || name == "" {
		return ""
	}
	return in.Env(name)
}

// absolute returns path, "" where it is not absolute: which directory it is relative to is not known.
func absolute(path string) string {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return ""
	}
	return path
}

// setPrompt sets Prompt, and what its text says where the agent does not say who submitted it: Manual is
// the name of "/remind NAME", and Human is true unless Decode finds that an agent writes such a text by
// itself.
func (e *Event) setPrompt(text string) {
	e.Prompt, e.Human, e.asked = text, fact.True, text
	e.Manual = Reminded(text)
}

// Submitted tells the event that a person submitted Prompt, which its session's file knows.
func (e *Event) Submitted() {
	if Wrote(e.Prompt) == "" {
		e.setPrompt(e.Prompt)
	}
}

// anyFailed reports whether one of tools failed: unknown where none is known to have failed and some are
// not known.
func anyFailed(tools []Call) fact.Truth {
	failed := fact.False
	for _, t := range tools {
		failed = failed.Or(t.Failed)
	}
	return failed
}

// exitCode returns the exit code that the last line of a shell command's result names, 0 where that line
// names none.
func exitCode(text string) int {
	text = strings.TrimSpace(text)
	text = strings.ToLower(text[strings.LastIndexByte(text, '\n')+1:])
	for _, words := range [...]string{"exit code ", "exit code: ", "exited with code "} {
		i := strings.LastIndex(text, words)
		if i < 0 {
			continue
		}
		digits := text[i+len(words):]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		if code, err := strconv.Atoi(digits); err == nil {
			return code
		}
	}
	return 0
}

// isRemind reports whether a command is /remind, be it with a plugin's prefix.
func isRemind(command string) bool {
	return command == "remind" || strings.HasSuffix(command, ":remind")
}

// encode returns v as JSON on one line, without a newline.
func encode(v any) []byte {
	b, err := jsonscan.Encode(v)
	if err != nil {
		panic(err) // of strings, booleans and raw JSON that was checked
	}
	return b
}
