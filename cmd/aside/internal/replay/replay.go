package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/eval"
)

// Options says what to replay and how to show it. Paths and Set are wanted; the zero value of all others is useful.
type Options struct {
	Paths []string     // files and directories of recordings
	Files fs.FS        // where the paths lead; nil: the machine's own files
	Set   *compile.Set // nil: no rules, which shows the conversation alone

	Window int // tokens the context window holds; 0: what the table says of each model
	Budget terms.Budget
	Order  terms.Order

	JSON    bool // one object a turn, then a summary (CLI.md)
	Verbose bool // quiet turns too, and what was held

	Out, Err io.Writer // nil: discarded
	Width    int       // columns of the timeline; 0: 80
	Color    bool
	ASCII    bool // no characters beyond ASCII of our own
	Progress bool // Err is a terminal: long work shows how far it is
	Shared   bool // Out goes to that terminal, too: progress makes way for it

	Clock func() time.Time // what Progress goes by; nil: the machine's clock. No decision does
}

// Errors that say how a replay ended. All else worth telling has been written to Options.Err when Run returns one.
var (
	// ErrNotTranscript is in the error when a file was read that is no transcript; the others were replayed.
	ErrNotTranscript = errors.New("not a transcript")
	// ErrInterrupted is in the error when the context ended; what was done by then was shown.
	ErrInterrupted = errors.New("interrupted")
)

// ExitCode returns the exit code of the command for what Run returned: 0, 1 for a file that is no transcript, 130 for an
// interruption, 3 for a machine that failed.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrInterrupted):
		return 130
	case only(err, ErrNotTranscript):
		return 1
	default:
		return 3
	}
}

// only reports whether each of the errors joined in err is target.
func only(err, target error) bool {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return errors.Is(err, target)
	}
	return !slices.ContainsFunc(many.Unwrap(), func(e error) bool { return !only(e, target) })
}

// ending is an error that ends a replay in a way that the caller tells apart.
type ending struct{ how, err error }

func (e *ending) Error() string        { return e.err.Error() }
func (e *ending) Unwrap() error        { return e.err }
func (e *ending) Is(target error) bool { return target == e.how }

// Run replays the recordings. It returns nil or an error for ExitCode; what the error is about has been written to o.Err,
// except for errors in writing the output itself.
func Run(ctx context.Context, o Options) error {
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
	files, findErr := transcript.Find(o.Files, o.Paths...)
	p := player{
		o:     o,
		ev:    eval.New(o.Set, eval.Options{Clock: func() time.Time { return noTime }, Budget: o.Budget, Order: o.Order}),
		sum:   newSummary(o.Set),
		meter: &meter{w: o.Err, on: o.Progress, clock: o.Clock, began: o.Clock(), files: len(files)},
	}
	out := &output{w: o.Out, meter: p.meter, shared: o.Shared}
	out.Writer = bufio.NewWriterSize(writerFunc(out.write), 64<<10)
	p.out = out
	if o.JSON {
		p.view = newJSONView(out)
	} else {
		p.view = newTimeline(out, o)
	}
	errs := []error{p.explain(findErr)}
	for i, f := range files {
		p.meter.at = i
		err := p.file(ctx, f)
		errs = append(errs, err, out.Flush())
		if err != nil && !errors.Is(err, ErrNotTranscript) && (ctx.Err() != nil || out.err != nil) {
			break
		}
	}
	p.meter.done()
	if ctx.Err() != nil {
		p.say("interrupted: what follows is about the part that was replayed")
	}
	p.view.end(p.sum.report())
	out.Flush()
	return errors.Join(append(errs, out.err)...)
}

// Codes of what is wrong with a recording.
const (
	codeNoTranscript = "R0801" // a file that is no transcript
	codeEmptyDir     = "R0802" // a directory without one
)

// noTime is the clock of a recording without times. It stands, so nothing that waits for time to pass ever fires.
var noTime = time.Unix(0, 0).UTC()

// view shows a replay.
type view interface {
	turn(*step)
	end(*report)
}

// step is one turn with what was decided on it.
type step struct {
	*transcript.Turn
	decision *eval.Decision
	set      *compile.Set
	first    bool // of its run
	window   int64
}

// explain writes an error and turns it into one that ExitCode understands.
func (p *player) explain(err error) error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range many.Unwrap() {
			errs = append(errs, p.explain(e))
		}
		return errors.Join(errs...)
	}
	var format *transcript.FormatError
	var empty *transcript.EmptyDirError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return &ending{ErrInterrupted, err}
	case errors.As(err, &format):
		p.say("%s: error[%s]: this is no transcript: %s", format.Source, codeNoTranscript, format.Reason)
		p.say("  session files of Claude Code and logs of {\"messages\":[…]} can be replayed")
		return &ending{ErrNotTranscript, err}
	case errors.As(err, &empty):
		p.say("%s: error[%s]: there is no transcript in this directory", empty.Path, codeEmptyDir)
		p.say("  it was searched for .jsonl and .json files, in all its folders")
		return &ending{ErrNotTranscript, err}
	default:
		p.say("aside: %s", plainly(err))
		return err
	}
}

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

// say tells of something beside the result, after all of the result that comes before it.
func (p *player) say(format string, args ...any) {
	p.out.Flush() // it keeps its error
	p.meter.clear()
	fmt.Fprintf(p.o.Err, format+"\n", args...)
}

// output collects what is written, and keeps the first error.
type output struct {
	*bufio.Writer
	w      io.Writer
	meter  *meter
	shared bool
	err    error
}

func (o *output) write(b []byte) (int, error) {
	if o.shared {
		o.meter.clear()
	}
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
