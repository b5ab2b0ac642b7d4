package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/agent"
)

// Run is one conversation of one agent thread.
type Run struct {
	Source string // the file, as NewReader was given its name
	ID     string // SESSION, SESSION/agent-ID, or the id of a logged request
	Thread string // "root", the type of a subagent, or "subagent"
	Timed  bool   // its turns have times
}

// RootOf returns the SESSION of a Run.ID.
func RootOf(id string) string {
	root, _, _ := strings.Cut(id, "/agent-")
	return root
}

// Count is a number that may be unknown.
type Count struct {
	N     int64
	Known bool
}

// Turn is one model call, with what is known before it is made. Prompts, Calls, Response, Compacted,
// Resumed, Delivered and Hints are about the time since the run's previous call.
type Turn struct {
	Run   *Run
	N     int       // within the run, from 1
	Key   string    // the file's id of the model's message, or one made up for it; "": none
	At    time.Time // when its first part was recorded; zero in a run without times
	Model string    // the model that is asked; "": unknown
	// Copied says that it is a turn of the session that this one was forked from, which counts there
	Copied bool

	Prompts   []string // messages that a person submitted; in a subagent's thread not its task
	Calls     []Call   // of the previous turn, in the order in which the model made them
	Response  string   // text of the previous model message
	Compacted bool     // the history was compacted
	Resumed   bool     // the session was resumed
	Delivered []string // texts that hooks have put before the model, where the file tells them from others
	Hints     []string // texts of no person, of which the file does not tell whether hooks have put them there

	ContextTokens  Count // prompt of the previous request, cached tokens included; with Codex its output, too
	ResponseTokens Count // output of the previous request
	MessageCount   Count // messages in the request
	Window         Count // how many tokens the context window holds

	Usage Usage // of the previous model call of the run, as it was billed
	// about how many bytes of text are new in the request, where logs hold requests or messages; 0: unknown
	New int

	Where  agent.Where // where the agent works
	Branch string      // the git branch there; "": unknown
	Mode   string      // the permission mode; "": unknown
	Line   int         // the n of Source.Line with which it began
}

// Usage is how many tokens one model call had.
type Usage struct {
	Fresh       Count // of the prompt: neither read from a cache nor written to one
	Read        Count // of the prompt: read from a cache
	Written     Count // of the prompt: written to a cache
	WrittenHour Count // of Written: kept in the cache for an hour
	Output      Count // reasoning included
}

// Note is something about a file that a person may want to know. It is not an error.
type Note struct {
	Source string
	Line   int // from 1; 0 for the file as a whole
	Text   string
}

// String returns the note on one line.
func (n Note) String() string {
	if n.Line == 0 {
		return fmt.Sprintf("%s: note: %s", n.Source, n.Text)
	}
	return fmt.Sprintf("%s:%d: note: %s", n.Source, n.Line, n.Text)
}
