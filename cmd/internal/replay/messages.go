package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/code"
)

// missing tells the user which parts were left out, and that there is no run Options.RunID, which is its
// error.
func (r *replayer) missing() error {
	if r.older > 0 {
		were := map[bool]string{true: "was", false: "were"}[r.older == 1]
		r.say("note: %s %s not written to since %s; left out", terminal.Count(r.older, "file"), were,
			r.o.Since.Format("2006-01-02 15:04"))
	}
	if r.interrupted || r.out.err != nil {
		return nil
	}
	if r.late && r.sum.out.Turns == 0 {
		r.say("note: no turn is of %s or later", r.o.Since.Format("2006-01-02 15:04"))
	}
	asked := r.o.RunID
	others := slices.DeleteFunc(slices.Clone(r.near), func(id string) bool {
		return !strings.HasPrefix(id,
			asked)
	})
	switch {
	case r.named == asked, r.named != "" && len(others) == 0:
		return nil
	case r.named != "":
		r.say("aside: several runs begin with %q, and this was the first: %s", asked,
			strings.Join(append([]string{r.named}, others...), ", "))
	case len(r.near) > 0:
		r.say("aside: there is no run %q in what was read: did you mean %s?", asked, strings.Join(r.near, " or "))
	default:
		r.say("aside: there is no run %q in what was read", asked)
	}
	return ErrNoRun
}

// end gives the report to all views.
func (r *replayer) end() {
	sum := r.sum.report()
	sum.Files, sum.Interrupted = r.files, r.interrupted
	if r.interrupted {
		r.say("interrupted after %s of %s and %s: what follows is about that part", terminal.Count(r.files, "file"),
			terminal.Thousands(r.progress.files), terminal.Count(sum.Turns, "turn"))
	}
	for _, v := range r.views {
		v.End(sum)
	}
	r.out.Flush() // it keeps its error
}

// explain writes an error for the user, and returns it as an error for ExitCode; nil for nil.
func (r *replayer) explain(err error) error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range many.Unwrap() {
			errs = append(errs, r.explain(e))
		}
		return errors.Join(errs...)
	}
	var format *transcript.FormatError
	var empty *transcript.EmptyDirError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return ErrInterrupted
	case errors.As(err, &format):
		r.say("%s: error[%s]: this is not a transcript: %s", format.Source, code.NotTranscript, format.Reason)
		r.say("  session files of agents (aside help replay) and logs of requests can be replayed")
		return ErrNotTranscript
	case errors.As(err, &empty):
		r.say("%s: error[%s]: there is no transcript in this directory", empty.Path, code.NoTranscript)
		r.say("  it was searched for .jsonl and .json files, in all its folders")
		return ErrNotTranscript
	default:
		r.say("aside: %s", terminal.Plain(err))
		return err
	}
}

// say writes a line to Options.Err, after all output so far.
func (r *replayer) say(format string, args ...any) {
	for _, v := range r.views {
		if t, ok := v.(*timeline); ok {
			t.flush()
		}
	}
	r.out.Flush() // it keeps its error
	r.progress.pause()
	fmt.Fprintln(r.o.Err, terminal.Fold(terminal.Printable(fmt.Sprintf(format, args...)), r.o.Width))
}
