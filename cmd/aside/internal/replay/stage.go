package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
)

// stage shows what comes out of the files, one after the other, whatever the order is in which they are read.
type stage struct {
	o     *Options
	meter *meter
	out   *output
	sum   *summary
	views []View

	runs        map[*transcript.Run]int // numbers of those that go on
	files       int                     // that were shown to their end
	older       int                     // that were left out, since nothing was written to them
	late        bool                    // turns were left out, since they are older
	named       bool                    // a run of the name that was asked for was there
	near        []string                // runs of similar names
	interrupted bool
}

// ahead is how many files may be read before those that come before them are shown, for each worker.
const ahead = 4

// play reads files, several at a time, and shows them in their order.
func (s *stage) play(ctx context.Context, files []transcript.File) (errs []error) {
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
			r.queue.leave()
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

// show shows one file.
func (s *stage) show(ctx context.Context, r *reading) error {
	var items []item
	for {
		if err := ctx.Err(); err != nil {
			r.queue.leave()
			return s.broke(err)
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
		return s.broke(r.err)
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

// nearby is how many runs of similar names are told.
const nearby = 3

// missing says what was asked for and not found, and what was left out.
func (s *stage) missing() error {
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

// broke notes that the context ended, and why that is worth telling.
func (s *stage) broke(err error) error {
	if s.out.err != nil {
		return nil // nobody can be shown any more; that is told at the end
	}
	s.interrupted = true
	return s.explain(err)
}

func (s *stage) item(it item) {
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
			return // none of its turns was shown
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

// end tells all views what it came to.
func (s *stage) end() {
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

// open returns the runs of which more was to come, in their order.
func (s *stage) open() []*transcript.Run {
	return slices.SortedFunc(maps.Keys(s.runs), func(a, b *transcript.Run) int { return s.runs[a] - s.runs[b] })
}

// explain writes an error and turns it into one that ExitCode understands.
func (s *stage) explain(err error) error {
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
		return &ending{ErrInterrupted, err}
	case errors.As(err, &format):
		s.say("%s: error[%s]: this is no transcript: %s", format.Source, codeNoTranscript, format.Reason)
		s.say("  session files of Claude Code, Codex and Gemini CLI and logs of requests can be replayed")
		return &ending{ErrNotTranscript, err}
	case errors.As(err, &empty):
		s.say("%s: error[%s]: there is no transcript in this directory", empty.Path, codeEmptyDir)
		s.say("  it was searched for .jsonl and .json files, in all its folders")
		return &ending{ErrNotTranscript, err}
	default:
		s.say("aside: %s", plainly(err))
		return err
	}
}

// say tells of something beside the result, after all of the result that comes before it.
func (s *stage) say(format string, args ...any) {
	for _, v := range s.views {
		if t, ok := v.(*timeline); ok {
			t.flush()
		}
	}
	s.out.Flush() // it keeps its error
	defer s.meter.pause()()
	fmt.Fprintln(s.o.Err, visible(fmt.Sprintf(format, args...)))
}
