package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/cmd/aside/internal/window"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
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
	if o.Set == nil {
		o.Set, _ = compile.New(nil, compile.Options{})
	}
	files, findErr := transcript.Find(o.Files, o.Paths...)
	p := player{
		o:     o,
		ev:    eval.New(o.Set, eval.Options{Clock: func() time.Time { return noTime }, Budget: o.Budget, Order: o.Order}),
		sum:   newSummary(o.Set),
		meter: newMeter(o.Err, o.Progress, len(files)),
	}
	out := &output{w: o.Out, meter: p.meter}
	out.Writer = bufio.NewWriterSize(writerFunc(out.write), 64<<10)
	if o.JSON {
		p.view = newJSONView(out)
	} else {
		p.view = newTimeline(out, o)
	}
	errs := []error{p.explain(findErr)}
	for i, f := range files {
		p.meter.file(i, f.Path)
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

// player replays one file after the other.
type player struct {
	o     Options
	ev    *eval.Evaluator
	sum   *summary
	view  view
	meter *meter

	runs  int
	run   *transcript.Run
	key   string // of the run in the evaluator; two files may hold runs of the same id
	obs   *eval.Observer
	model string
	most  int64 // the longest prompt the model was seen to take
}

// file replays one file.
func (p *player) file(ctx context.Context, f transcript.File) error {
	opened, err := f.Open()
	if err != nil {
		return p.explain(err)
	}
	defer opened.Close()
	r := transcript.NewReader(p.meter.reader(ctx, opened), f.Path, f.Thread)
	turns := 0
	for {
		t, err := r.Next()
		if err == nil {
			turns++
			err = p.turn(ctx, t)
		}
		if err != nil {
			p.closeRun(ctx)
			for _, n := range r.Notes() {
				p.say("%s", n)
			}
			if errors.Is(err, io.EOF) {
				p.nothing(f, r, turns)
				return nil
			}
			var format *transcript.FormatError
			if f.Found && errors.As(err, &format) {
				p.say("note: %v; left out", err)
				return nil
			}
			return p.explain(err)
		}
	}
}

// nothing says why a file that was named has no turns.
func (p *player) nothing(f transcript.File, r *transcript.Reader, turns int) {
	switch {
	case turns > 0 || f.Found:
	case r.Format() == transcript.Empty:
		p.say("%s: empty, 0 turns", f.Path)
	default:
		p.say("%s: a %s without a model call, 0 turns", f.Path, r.Format())
	}
}

// turn evaluates one turn and shows it.
func (p *player) turn(ctx context.Context, t *transcript.Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := &step{Turn: t, set: p.o.Set}
	if t.Run != p.run {
		p.closeRun(ctx)
		p.runs++
		p.run, p.model, p.most = t.Run, "", 0
		p.key = strconv.Itoa(p.runs) + " " + t.Run.ID
		p.obs = p.ev.Observe(p.key)
		p.obs.Thread(t.Run.Thread)
		s.first = true
	}
	s.window = p.window(t)
	d, err := p.ev.Decide(ctx, p.key, p.observe(t, s.window))
	if err != nil {
		return fmt.Errorf("%s: turn %d: %w", t.Run.Source, t.N, err)
	}
	if !t.Run.Timed { // the evaluator's clock stood still, which says nothing about the time that passed
		delete(d.Facts, "elapsed")
		delete(d.Facts, "idle")
	}
	s.decision = d
	p.sum.add(s)
	p.view.turn(s)
	p.meter.turn()
	return nil
}

func (p *player) closeRun(ctx context.Context) {
	if p.run != nil {
		_ = p.ev.Forget(context.WithoutCancel(ctx), p.key) // the store is in memory and ours: nothing is lost if this fails
		p.run = nil
	}
}

// window returns the size of the context window on a turn, 0 if it is not known.
func (p *player) window(t *transcript.Turn) int64 {
	if p.o.Window > 0 {
		return int64(p.o.Window)
	}
	if t.Model != p.model {
		p.model, p.most = t.Model, 0
	}
	if t.ContextTokens.Known && t.N > 1 {
		p.most = max(p.most, t.ContextTokens.N)
	}
	n, ok := window.Holds(t.Model, p.most)
	if !ok {
		return 0
	}
	return n
}

var errFailed = errors.New("the call failed")

// observe tells the evaluator what stood before a turn.
func (p *player) observe(t *transcript.Turn, size int64) eval.Turn {
	o := p.obs
	if t.N > 1 {
		if t.ContextTokens.Known && t.ResponseTokens.Known {
			o.Response(eval.Usage{ContextTokens: t.ContextTokens.N, ResponseTokens: t.ResponseTokens.N, Known: true})
		} else {
			o.Response(eval.Usage{})
		}
		o.ResponseText(t.Response)
	}
	unsure := false
	for _, c := range t.Calls {
		var err error
		if c.Failed == fact.True {
			err = errFailed
		}
		unsure = unsure || c.Failed == fact.Unknown
		o.ToolCall(c.Name, err)
	}
	if t.Compacted {
		o.Compacted()
	}
	if t.Resumed {
		o.Resumed()
	}
	if t.ContextTokens.Known {
		o.ContextTokens(t.ContextTokens.N)
	}
	for _, text := range t.Prompts {
		o.UserMessage(text)
	}
	if t.MessageCount.Known {
		o.Messages(int(t.MessageCount.N))
	}
	o.Model(provider(t.Model), t.Model, int(size))
	turn := o.Turn()
	turn.At = t.At // no key: the reader has told repeated messages apart already
	if failed, _ := turn.Facts["last_tool_call_failed"].(bool); unsure && !failed {
		delete(turn.Facts, "last_tool_call_failed") // results that do not say how the call went
		delete(turn.Facts, fact.FailedTools)
	}
	if t.ResponseTokens.Known && !t.ContextTokens.Known {
		turn.Facts["last_response_tokens"] = t.ResponseTokens.N
	}
	return turn
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
		p.say("%s: error[R0701]: this is no transcript: %s", format.Source, format.Reason)
		p.say("  session files of Claude Code and logs of {\"messages\":[…]} can be replayed")
		return &ending{ErrNotTranscript, err}
	case errors.As(err, &empty):
		p.say("%s: error[R0702]: there is no transcript in this directory", empty.Path)
		p.say("  it was searched for .jsonl and .json files, in all its folders")
		return &ending{ErrNotTranscript, err}
	default:
		p.say("aside replay: %v", err)
		return err
	}
}

func (p *player) say(format string, args ...any) {
	p.meter.clear()
	fmt.Fprintf(p.o.Err, format+"\n", args...)
}

// provider returns the API that a model is asked through, as far as its bare id shows.
func provider(model string) string {
	if len(model) > 7 && model[:7] == "claude-" {
		return "anthropic"
	}
	return ""
}

// output collects what is written, and keeps the first error.
type output struct {
	*bufio.Writer
	w     io.Writer
	meter *meter
	err   error
}

func (o *output) write(b []byte) (int, error) {
	o.meter.clear()
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
