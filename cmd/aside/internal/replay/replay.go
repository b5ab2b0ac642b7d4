package replay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/terms"
)

// Options says what to replay and how to show it. Paths and Set are wanted; the zero value of all others is useful.
type Options struct {
	Paths   []string     // files and directories of recordings
	Files   fs.FS        // where the paths lead; nil: the machine's own files
	Set     *compile.Set // nil: no rules, which shows the conversation alone
	Against *compile.Set // rules that are compared with those of Set: what would change with them; nil: none

	Window int // tokens the context window holds; 0: what the recording or the table says of each model
	Budget terms.Budget
	Order  terms.Order

	Since time.Time // leaves out what is older: files not written to since, turns before; zero: nothing
	RunID string    // leaves out all runs but this one and those of its subagents; "": none
	Only  []string  // ids or patterns: leaves out what is said of other reminders; nil: nothing

	JSON    bool   // one object a turn, then a summary (CLI.md)
	Verbose bool   // quiet turns too, and what was held
	Views   []View // are shown the replay too, each before what goes to Out

	Out, Err io.Writer // nil: discarded
	Width    int       // columns of the timeline; 0: 80
	Color    bool
	ASCII    bool // no characters beyond ASCII of our own
	Progress bool // Err is a terminal: long work shows how far it is
	Shared   bool // Out goes to that terminal, too: progress makes way for it

	Workers int              // files that are read at a time; 0: as many as the machine has processors, up to 8
	Clock   func() time.Time // what Progress goes by; nil: the machine's clock. No decision does. It is called by one goroutine at a time
}

// Errors that say how a replay ended. All else worth telling has been written to Options.Err when Run returns one.
var (
	// ErrNotTranscript is in the error when a file was read that is no transcript; the others were replayed.
	ErrNotTranscript = errors.New("not a transcript")
	// ErrNoRun is in the error when no run was of the name that was asked for.
	ErrNoRun = errors.New("no such run")
	// ErrInterrupted is in the error when the context ended; what was done by then was shown.
	ErrInterrupted = errors.New("interrupted")
)

// ExitCode returns the exit code of the command for what Run returned: 0, 1 for a file that is no transcript or a run that is not there, 130 for an
// interruption, 3 for a machine that failed.
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

// ending is an error that ends a replay in a way that the caller tells apart.
type ending struct{ how, err error }

func (e *ending) Error() string        { return e.err.Error() }
func (e *ending) Unwrap() error        { return e.err }
func (e *ending) Is(target error) bool { return target == e.how }

// Run replays the recordings. It returns nil or an error for ExitCode; what the error is about has been written to o.Err,
// except for errors in writing the output itself.
func Run(ctx context.Context, o Options) error {
	o.complete()
	files, findErr := transcript.Find(o.Files, o.Paths...)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := &meter{w: o.Err, on: o.Progress, clock: o.Clock, began: o.Clock(), files: len(files)}
	if o.Progress {
		m.total = size(files)
	}
	out := &output{w: o.Out, meter: m, shared: o.Shared, failed: cancel}
	out.Writer = bufio.NewWriterSize(writerFunc(out.write), 64<<10)
	s := &stage{o: &o, meter: m, out: out, sum: newSummary(&o), views: o.Views, runs: map[*transcript.Run]int{}}
	if o.Out != io.Discard {
		s.views = append(slices.Clone(o.Views), o.view(out))
	}
	errs := []error{s.explain(findErr)}
	errs = append(errs, s.play(ctx, files)...)
	m.done()
	errs = append(errs, s.missing())
	s.end()
	return errors.Join(append(errs, out.err)...)
}

// complete fills in what was left out.
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
	if o.Workers <= 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), 8)
	}
}

// view is what writes to Out.
func (o *Options) view(out io.Writer) View {
	switch {
	case o.Against != nil && o.JSON:
		return newDiffJSON(out, *o)
	case o.Against != nil:
		return newDiffView(out, *o)
	case o.JSON:
		return newJSONView(out, *o)
	default:
		return newTimeline(out, *o)
	}
}

// size is how many bytes files hold, as far as that can be told.
func size(files []transcript.File) (n int64) {
	for _, f := range files {
		n += f.Size()
	}
	return n
}

// Codes of what is wrong with a recording.
const (
	codeNoTranscript = "R0801" // a file that is no transcript
	codeEmptyDir     = "R0802" // a directory without one
)

// noTime is the clock of a recording without times. It stands, so nothing that waits for time to pass ever fires.
var noTime = time.Unix(0, 0).UTC()

// plainly returns the text of err without the name of the system call.
func plainly(err error) string {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err.Error()
	}
	path := p.Path
	if path == "" {
		path = `""`
	}
	return strings.Replace(err.Error(), p.Op+" "+p.Path, path, 1)
}

// output collects what is written, and keeps the first error.
type output struct {
	*bufio.Writer
	w      io.Writer
	meter  *meter
	shared bool
	failed func() // called at the first error
	err    error
}

func (o *output) write(b []byte) (int, error) {
	if o.shared {
		defer o.meter.pause()()
	}
	n, err := o.w.Write(b)
	if o.err == nil && err != nil {
		o.err = err
		o.failed()
	}
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
