package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/internal/code"
)

// presenter shows the files one after the other in their order, while players read several of them at once.
type presenter struct {
	o     *Options
	meter *meter
	out   *output
	sum   *summary
	views []View

	runs        map[*transcript.Run]int // the numbers of runs that go on
	files       int                     // how many files were shown to their end
	older       int                     // how many files were left out because of Options.Since
	late        bool                    // turns were left out because of Options.Since
	named       bool                    // there was a run Options.RunID
	near        []string                // other runs whose ids contain Options.RunID, at most nearby
	interrupted bool
}

// ahead is how many files per worker may be read before it is their turn to be shown.
const ahead = 4

// play reads files, several at a time, and shows them in their order. It returns when all players are done.
func (s *presenter) play(ctx context.Context, files []transcript.File) (errs []error) {
	workers := min(s.o.Workers, len(files))
	order := make(chan *reading, ahead*workers)
	work := make(chan *reading)
	stop := make(chan struct{})
	go func() {
		defer close(order)
		defer close(work)
		for _, f := range files {
			r := &reading{file: f, queue: newQueue()}
			select {
			case order <- r:
			case <-stop:
				return
			}
			select {
			case work <- r:
			case <-stop:
				r.queue.close()
				return
			}
		}
	}()
	gone := make(chan struct{}, workers)
	for range workers {
		go func() {
			defer func() { gone <- struct{}{} }()
			p := newPlayer(s.o, s.meter)
			for r := range work {
				p.read(ctx, r)
			}
		}()
	}
	over := false
	for r := range order {
		if over {
			r.queue.abandon()
			continue
		}
		s.meter.next()
		err := s.show(ctx, r)
		errs = append(errs, err)
		if s.interrupted || s.out.err != nil {
			over = true
			close(stop)
		}
	}
	for range workers {
		<-gone
	}
	if !over {
		close(stop)
	}
	return errs
}

// show shows one file. Its error is one for ExitCode, and was written.
func (s *presenter) show(ctx context.Context, r *reading) error {
	var items []item
	for {
		if err := ctx.Err(); err != nil {
			r.queue.abandon()
			return s.interrupt(err)
		}
		items = r.queue.take(items)
		if len(items) == 0 {
			break
		}
		for _, it := range items {
			s.item(it)
		}
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	s.out.Flush() // it keeps its error
	if errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded) {
		return s.interrupt(r.err)
	}
	s.files++
	if r.older {
		s.older++
	}
	s.late = s.late || r.late
	s.named = s.named || r.named
	for _, id := range r.near {
		if len(s.near) < nearby && !slices.Contains(s.near, id) {
			s.near = append(s.near, id)
		}
	}
	return s.explain(r.err)
}

// nearby is how many runs of similar ids are suggested at most.
const nearby = 3

// missing tells the user what was left out, and that there is no run Options.RunID, which is its error.
func (s *presenter) missing() error {
	if s.older > 0 {
		s.say("note: %s not written to since %s; left out", were(s.older, "file"), s.o.Since.Format("2006-01-02 15:04"))
	}
	if s.interrupted || s.out.err != nil {
		return nil
	}
	if s.late && s.sum.out.Turns == 0 {
		s.say("note: no turn is of %s or later", s.o.Since.Format("2006-01-02 15:04"))
	}
	if s.o.RunID == "" || s.named {
		return nil
	}
	hint := ""
	if len(s.near) > 0 {
		hint = ": did you mean " + strings.Join(s.near, " or ") + "?"
	}
	s.say("aside: there is no run %q in what was read%s", s.o.RunID, hint)
	return ErrNoRun
}

func were(n int, unit string) string {
	if n == 1 {
		return "1 " + unit + " was"
	}
	return plural(n, unit) + " were"
}

// interrupt records that the context ended with err. Where the context was cancelled because the output failed, Run returns that error
// instead.
func (s *presenter) interrupt(err error) error {
	if s.out.err != nil {
		return nil
	}
	s.interrupted = true
	return s.explain(err)
}

func (s *presenter) item(it item) {
	switch {
	case it.step != nil:
		st := it.step
		n, ok := s.runs[st.Run]
		if !ok {
			n = s.sum.out.Runs + 1
			s.runs[st.Run] = n
			st.First = true
		}
		st.RunN = n
		s.sum.add(st)
		for _, v := range s.views {
			v.Turn(st)
		}
		s.meter.turn()
	case it.rest != nil:
		n, ok := s.runs[it.rest.Run]
		if !ok {
			return // no turn of this run was shown
		}
		delete(s.runs, it.rest.Run)
		it.rest.RunN = n
		for _, v := range s.views {
			v.RunOver(it.rest)
		}
	default:
		s.say("%s", it.note)
	}
}

// end ends the runs that go on, and gives the report to all views.
func (s *presenter) end() {
	r := s.sum.report()
	r.Files, r.Interrupted = s.files, s.interrupted
	if s.interrupted {
		s.say("interrupted after %s of %s and %s: what follows is about that part", plural(s.files, "file"), thousands(int64(s.meter.files)), plural(r.Turns, "turn"))
	}
	for _, run := range s.open() {
		for _, v := range s.views {
			v.RunOver(&Rest{Run: run, RunN: s.runs[run]})
		}
	}
	for _, v := range s.views {
		v.End(r)
	}
	s.out.Flush() // it keeps its error
}

// open returns the runs that have not ended, by their numbers.
func (s *presenter) open() []*transcript.Run {
	return slices.SortedFunc(maps.Keys(s.runs), func(a, b *transcript.Run) int { return s.runs[a] - s.runs[b] })
}

// explain writes an error for the user, and returns it as an error for ExitCode; nil for nil.
func (s *presenter) explain(err error) error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range many.Unwrap() {
			errs = append(errs, s.explain(e))
		}
		return errors.Join(errs...)
	}
	var format *transcript.FormatError
	var empty *transcript.EmptyDirError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return &kindError{ErrInterrupted, err}
	case errors.As(err, &format):
		s.say("%s: error[%s]: this is no transcript: %s", format.Source, code.NotTranscript, format.Reason)
		s.say("  session files of Claude Code, Codex and Gemini CLI and logs of requests can be replayed")
		return &kindError{ErrNotTranscript, err}
	case errors.As(err, &empty):
		s.say("%s: error[%s]: there is no transcript in this directory", empty.Path, code.NoTranscript)
		s.say("  it was searched for .jsonl and .json files, in all its folders")
		return &kindError{ErrNotTranscript, err}
	default:
		s.say("aside: %s", plainly(err))
		return err
	}
}

// say writes a line to Options.Err, after all output so far.
func (s *presenter) say(format string, args ...any) {
	for _, v := range s.views {
		if t, ok := v.(*timeline); ok {
			t.flush()
		}
	}
	s.out.Flush() // it keeps its error
	defer s.meter.pause()()
	fmt.Fprintln(s.o.Err, visible(fmt.Sprintf(format, args...)))
}
