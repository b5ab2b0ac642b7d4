package replay

import (
	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/eval"
)

// View is shown a replay as it goes. All its methods are called by one goroutine, whatever number of files is read at a time,
// and in an order that follows from the files alone: file after file, in each the turns as they were recorded. Turns of different
// runs may alternate in a log of requests, else one run follows the other.
//
// What a view is given it may keep, and must not write to. Whoever keeps all of it keeps the texts of the recording too.
type View interface {
	Turn(*Step)
	RunOver(*Rest) // no more turns of a run follow; nil Rest.After if the file broke off
	End(*Report)   // nothing follows
}

// Step is one turn with what was decided on it.
type Step struct {
	*transcript.Turn // what the recording says of it, and of what came since the turn before

	RunN   int   // number of the run, from 1, in the order in which runs begin
	First  bool  // of its run
	Window int64 // tokens that the context window holds; 0 unknown

	Decision *eval.Decision // what fired, is due, was held, and why. Its Turn is the number within the run
	Against  *eval.Decision // by Options.Against; nil without
	Facts    map[string]any // of Decision; where the recording tells no times, without those
}

// Rest is what came behind the last turn of a run: the answer to it, with its calls and its usage.
type Rest struct {
	Run   *transcript.Run
	RunN  int
	After *transcript.Turn // the turn that would have been next; without key and model
}

// Report is what a replay came to.
type Report struct {
	Turns, Runs, Files int
	Tokens             int              // of all that fired
	Interrupted        bool             // it is about a part
	Reminders          []ReminderReport // in the order of their ids

	// Extra becomes members of the summary in JSON. Only a view of Options.Views may set it, in End.
	Extra map[string]any
}

// ReminderReport is what became of one reminder.
type ReminderReport struct {
	ID          string
	Fires       int
	First, Last Place // of its first and last firing
	Tokens      int
	Never       string // why it never fired; "" if it did

	Extra map[string]any // as Report.Extra
}

// Place is a turn in a run, both from 1. The zero Place is none.
type Place struct{ Run, Turn int }
