package agent

import (
	"encoding/json"
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// Agent is all that the project knows of one coding agent.
type Agent struct {
	Parent  string   // the description that it inherits from, member by member; "": none
	Remarks []string // what the description's author should know, and where its facts are from

	Name   string // as --agent takes it
	Title  string // as its makers name it
	Binary string // its program, as PATH has it; "" where that is not known
	Mute   bool   // Binary does not tell its version
	Common bool   // Binary is there for many people who do not use the agent
	// Untried says that nobody has run it here: what is said of it is held to its makers' documents alone.
	Untried bool

	Limit string // what else its hooks cannot know, one sentence; "": nothing that is known

	Hooks            // its events, and the answers to them
	Base    Base     // how hooks know whether its requests go through a server
	Config  Config   // its configuration, and the hooks in it
	Session *Session // the files that it keeps of sessions; nil: none that is read

	Tools    []Tools            // its own tools, those of MCP servers and plugins left out
	AllTools bool               // Tools is the whole list
	Never    []fact.ID          // facts that its hooks can never tell, however new it is
	Rarely   map[fact.ID]string // facts that its hooks tell in some of its forms alone, and in which
	Times    bool               // its hooks tell how long a call took
	Keeps    bool               // texts of hooks stay in its conversation

	// Messages that the agent writes by itself in a person's place.
	Tags  []Tag
	Notes []Note

	// Requests to a model API, as the agent makes them.
	UserAgent string // beginning of the header user-agent, where Identify does not tell
	// the conversation of a request; false for another client's request
	Identify func(Request) (Thread, bool)
	Spoke    func(Request) fact.Truth // whether a person has just submitted a message
	Signs    []Sign                   // headers that say what a request is for
	Openings []Opening                // words with which requests of the agent's own begin
	// of a request without tools and stream that asks for JSON of a schema
	Structured Purpose
}

// Base says how hooks know whether an agent's requests go through aside serve.
type Base struct {
	// Session says that requests name their session, so that the server sees it. For another agent hooks read
	// the setting that holds the address of its model's API.
	Session bool
	Env     []string // environment variables, each with the address somewhere in it
	File    string   // file in the user's configuration directory, which may hold it; "": none
}

// Hooks are an agent's events, and the answers to them. The functions are pure and do no I/O.
type Hooks struct {
	Modes []string // the ways of working that --mode takes, besides the default

	// Before says that the agent sends an event before a tool runs, and none afterwards.
	Before bool
	// Failures says that the agent reports which tools failed, so that a tool that it does not report has
	// not failed. Of any other agent even a turn without tools is not known to be free of failures.
	Failures bool
	// Recorded says that the agent does not report which tools failed, and writes it into the session's file,
	// before the event or soon after it.
	Recorded bool
	// Gaps says that there are model calls of which no event tells, while the session's file does: they are
	// turns in which nothing can be said.
	Gaps bool
	// Threads says that events of the session itself can be told from those of its subagents.
	Threads bool
	// Nests is the tool that asks a subagent, of an agent whose events of a subagent's calls look as those of
	// the session's own; "": none. They are ignored: those that come while the session's file shows no answer
	// after that with the call of this tool.
	Nests string
	// Apart says that events of subagents are told as theirs although Subagents is false: Read knows them.
	Apart bool
	// Rounds says how the results of one model answer are told from those of the next one.
	Rounds Rounds

	// Later says that texts go out with prompts alone. So the session's file tells, with Gaps, all that was
	// done since the prompt before, and events of results matter only where there is no such file.
	Later bool

	// Untold says that no event reports the result of a call that was held back. Event.Round is set then.
	Untold bool

	// The form of its events, as far as it differs from that of Claude Code (commonEvents, readMembers).
	Names   map[string]Kind // names of events that only this agent uses
	Only    []Kind          // the events that are read; nil: all
	Carries []Kind          // events that can carry text to the model
	// Members are the members that hold what others have in the member of the key: paths, separated by blanks,
	// of which the first that is there counts. A part of a path is a name, or the number of an element.
	// context_tokens, context_window, context_usage and response_tokens are read where they stand here.
	Members   map[string]string
	TurnID    string // member with the id of the user turn; "": there is none
	Subagents bool   // the members agent_id and agent_type tell the subagent
	Dir       string // environment variable with the project's directory; "": there is none
	Compacts  bool   // PreCompact counts as the compaction, since nothing follows for certain
	Plans     string // the permission mode in which the agent plans; "": plan
	// FailsBy says how a ToolResult tells that the tool failed: "event" where it never does, since failures have
	// an event of their own, "exit code in MEMBER" where the text of that member ends with an exit code,
	// "number in PATH" where a number that is not 0 stands there, "text in MEMBER" where that has any, "" where
	// code reads it, or nothing tells.
	FailsBy string
	Failed  func(object) fact.Truth // whether the tool of a ToolResult failed; nil: not known
	// Foreign are the events that are from another agent, which reads this agent's configuration and runs its
	// hooks: those with one of the marks.
	Foreign []Mark
	// Read reads what else is special in an event; nil: nothing.
	Read func(e *Event, o object, in Input)

	// Says are the answers that carry a text, by the name of the event, or its kind, or "*" for the others: JSON
	// with {text}, {event} for its name, {notice} in a member that is left out where there is none, and
	// {MEMBER} for a text of the event itself. A JSON string is a plain text. A plain text that might be read
	// as JSON is said as "{". Without Says an agent has no hooks.
	Says map[string]json.RawMessage
	// Holds are the answers that hold a call back (before_tool) or keep the agent at work (stopping).
	Holds map[string]json.RawMessage
	// Quiet are the answers that the agent must have where nothing is due, by kind. Nearly no agent needs one.
	Quiet map[string]json.RawMessage
	// Compose is the answer in place of Says, where that cannot say it; nil: as Says has it.
	Compose func(e Event, text string) []byte
	// Moments are the moments beside the turn at which the agent asks its hooks: the keys of Holds.
	Moments []fact.Moment
}

// TellsRequests reports whether an event comes before each model call, and tells the whole of its turn.
func (h *Hooks) TellsRequests() bool {
	return h.Rounds == RoundsUnknown && slices.Contains(h.Carries, ModelRequest)
}

// Mark is a sign that an event is from another agent. All that it names must be so.
type Mark struct {
	Has, Lacks     []string // members: one of them is there; none is
	Spelt, Unspelt []string // members in this very spelling: one of them is there; none is
	Set, Unset     []string // environment variables: one of them is set; none is
}

// Rounds says how an agent that tells each result by itself shows which results are of one answer of the
// model. All of them come before the next model call, so they are of one turn (LANGUAGE.md §4).
type Rounds string

// The ways in which rounds are told.
const (
	RoundsUnknown Rounds = ""        // not at all: each result is a turn of its own
	RoundsCounted Rounds = "counted" // by the member iteration: Event.Iteration
	// an event of the kind UserPrompt follows the last result, without a prompt; not in a subagent
	RoundsEnd      Rounds = "end"
	RoundsRecorded Rounds = "recorded" // by the session's file, which has the answer before its results
	// by events of the kind ToolCall, which come for all calls of an answer before any of them runs
	RoundsAsked Rounds = "asked"
)

// Session tells of the files that an agent keeps of its sessions.
type Session struct {
	Files  string // where they usually lie below a home directory, as a pattern; Agent.Sessions knows better
	Format string // the name of their form, as people see it
	// Of is the file of a session, below the directory of the agent's configuration, with SESSION in place of
	// its id, as a pattern: where events do not name it, and all of a session is in it. "": not known.
	Of string
	// HookTexts says that the files hold the texts that hooks have put before the model.
	HookTexts bool
}

// serve is aside serve. It stands before a model API, and no request to an API names who provides the model,
// or where the client works.
var serve = Agent{Name: "serve", Title: "aside serve", Never: []fact.ID{fact.Provider, fact.Cwd, fact.Branch,
	fact.Mode}}

// WithHooks returns the agents that have hooks.
func WithHooks() []*Agent {
	return slices.DeleteFunc(slices.Clone(All()), func(a *Agent) bool { return a.Says == nil })
}

// Hosts returns all that tell facts: the agents with hooks, and aside serve.
func Hosts() []*Agent { return append(WithHooks(), &serve) }

// Host returns one of Hosts by its name.
func Host(name string) (*Agent, bool) {
	for _, a := range Hosts() {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

// Names returns the names of agents.
func Names(agents []*Agent) []string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	return names
}

// Modes returns the ways of working that --mode takes, each as "MODE (AGENT)".
func Modes() (modes []string) {
	for _, a := range All() {
		for _, m := range a.Modes {
			modes = append(modes, m+" ("+a.Name+")")
		}
	}
	return modes
}

// noHook are the facts that no hook tells: no agent hands the messages or its answer to one, or says who
// makes its model.
var noHook = []fact.ID{fact.MessageCount, fact.Response, fact.Provider}

// Advice says what to use in place of a fact that the agent never reports; "" where there is nothing.
func (a *Agent) Advice(f fact.ID) string {
	switch f {
	case fact.ContextUsage, fact.ContextTokens, fact.ContextWindow:
		return "count turns instead, as in turn_count > 40, or run the agent through aside serve"
	case fact.MessageCount:
		return "use turn_count, or run the agent through aside serve"
	case fact.OutputTokens, fact.LastResponseTokens, fact.Response, fact.Cost, fact.Output,
		fact.LastToolCallFailed, fact.FailuresInRow:
		return "run the agent through aside serve"
	case fact.IdenticalCalls:
		return "use tool_chain_repeats, which reads the names of tools alone"
	case fact.Mode:
		return "compare thread_type, which is plan in a subagent that plans"
	case fact.Provider:
		return "compare model instead"
	}
	return ""
}
