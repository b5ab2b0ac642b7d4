// Package replay runs reminder rules over recorded conversations. It shows the firings, their places,
// reasons and tokens, or the changes with other rules: as a timeline for people, as JSON lines, or to any
// number of Views of its caller.
//
// It owns the way from a recorded turn to the evaluator, and these forms of output. It does not read rules,
// since the caller brings a compiled set, and of file formats it knows only compression; package transcript
// knows the rest. It writes nothing but the output; state is in memory. Equal files and rules give equal
// output: time comes from the recording alone.
//
// Files are read one after the other, each as a stream, so that the memory of a replay depends on the
// longest lines, not on the size of the files. Run may be called concurrently, with Views of its own.
package replay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
)

// Options describes a replay and its output. Paths and Set should be given; the zero value of every other
// field is useful.
type Options struct {
	Paths []string     // files and directories of recordings
	Files fs.FS        // the files that Paths name; nil: the machine's own files
	Set   *compile.Set // nil: no rules, so that only the conversation is shown
	// other rules: the output is the changes with them instead of Set; nil: no comparison
	Against *compile.Set

	Window int // tokens that the context window holds; 0: as the recording tells, or else the table of models

	Owner

	Since time.Time // leaves out files not written to since, and turns before; zero: leaves out nothing
	// leaves out all runs but that whose id begins with this, and those of its subagents; "": leaves out nothing
	RunID string
	Only  []string // ids or patterns of the reminders that are shown; nil: all

	JSON    bool // the output is one object a turn, then a summary (CLI.md)
	Verbose bool // the timeline shows quiet turns, too, and held reminders
	// instead of the timeline: the summary, then a line for each run. JSON, Against and Verbose go before it
	Overview  bool
	OnlyFired bool   // leaves out turns and runs in which nothing fires; Views are shown all
	Views     []View // are called for each turn before it goes to Out
	Words     bool   // the calls of a Step have their subjects and outputs, whether rules read them or not

	Out, Err io.Writer // nil: discarded
	Width    int       // columns of the timeline; 0: 80
	// Blocks, where it is not nil, is given what is said of the differences to Against, for a page.
	Blocks   *[]terminal.Block
	Color    bool
	ASCII    bool // the timeline's own characters are ASCII
	Progress bool // Err is a terminal, and shows how far a long replay is
	Shared   bool // Out is the same terminal, so progress is cleared before each write to it
	Paged    bool // Out takes the terminal with the first write to it, so progress ends there

	Clock func() time.Time // for Progress alone, never for decisions; nil: time.Now
}

// Owner is the person whose recordings are replayed. The zero Owner is not known.
type Owner struct {
	Home    string
	Project func(dir string) string // the project of a directory, "" for none; nil: finds none
	Zone    *time.Location          // in which the facts hour and weekday are; nil: as the recording says
}

// OwnerOf returns the person of this machine whose home this is.
func OwnerOf(home string) Owner {
	return Owner{home, func(dir string) string { return load.Project(dir, home) }, time.Local}
}

// Errors of Run, alone or joined. All that is worth telling the user besides has been written to Options.Err.
var (
	// ErrNotTranscript says that a file is not a transcript. The other files were replayed.
	ErrNotTranscript = errors.New("not a transcript")
	// ErrNoRun says that there is no run Options.RunID, or that there are several.
	ErrNoRun = errors.New("no such run")
	// ErrInterrupted says that the context ended. What was decided by then was shown.
	ErrInterrupted = errors.New("interrupted")
)

// ExitCode returns the command's exit code for an error of Run: 0 for nil, 1 for a file that is no transcript
// or a run that does not exist, 130 for an interruption, 3 for an error of the machine.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrInterrupted):
		return 130
	case only(err, ErrNotTranscript, ErrNoRun):
		return 1
	default:
		return 3
	}
}

// only reports whether each of the errors joined in err is one of targets.
func only(err error, targets ...error) bool {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
	return !slices.ContainsFunc(many.Unwrap(), func(e error) bool { return !only(e, targets...) })
}

// Run replays the recordings. Its error is for ExitCode: the message has been written to o.Err already,
// unless it is an error of writing the output.
func Run(ctx context.Context, o Options) error {
	o.complete()
	files, findErr := transcript.Find(o.Files, o.Paths...)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &progress{w: o.Err, on: o.Progress, clock: o.Clock, began: o.Clock(), files: len(files)}
	if o.Progress {
		for _, f := range files {
			p.total += f.Size()
		}
	}
	out := &output{w: o.Out, progress: p, shared: o.Shared, paged: o.Paged, failed: cancel}
	out.Writer = bufio.NewWriterSize(writerFunc(out.write), 64<<10)
	r := newReplayer(&o, p, out)
	r.forks = newForks(files, o.RunID)
	errs := []error{r.explain(findErr)}
	for _, f := range files {
		errs = append(errs, r.play(ctx, f))
		if r.interrupted || out.err != nil {
			break
		}
	}
	p.pause()
	p.on = false
	if n := r.forks.copied; n > 0 {
		r.say("note: %s of forks, copied from other files, left out: they count there",
			terminal.Count(n, "model call"))
	}
	errs = append(errs, r.missing())
	r.end()
	return errors.Join(append(errs, out.err)...)
}

// complete sets the defaults of options that were not given.
func (o *Options) complete() {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Err == nil {
		o.Err = io.Discard
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Set == nil {
		o.Set, _ = compile.New(nil, compile.Options{})
	}
}

// shown returns the View that writes to Out.
func (o *Options) shown(out io.Writer) View {
	v := o.view(out)
	if _, all := v.(*overview); o.OnlyFired && o.Against == nil && !all {
		return firedOnly{v, map[int]bool{}}
	}
	return v
}

func (o *Options) view(out io.Writer) View {
	switch {
	case o.Against != nil && o.JSON:
		return newDiffJSON(out, *o)
	case o.Against != nil:
		return newDiffView(out, *o)
	case o.JSON:
		return newJSONView(out, *o)
	case o.Overview && !o.Verbose:
		return newOverview(out, *o)
	default:
		return newTimeline(out, *o)
	}
}
