// Package evaljson owns the protocol by which a program in any language has rules evaluated: a line with a
// JSON object in, a line with a JSON object out, flushed before the next line is read.
//
// A line is evaluated as a whole or refused as a whole. The answer to a refused line holds errors and
// nothing else, and the line has changed no state, so it can be corrected and sent again.
package evaljson

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
)

// MaxLine is the length in bytes of the longest line that is read. A longer line is refused without being
// kept in memory.
const MaxLine = 32 << 20

// Server answers lines. It is for one goroutine.
type Server struct {
	Eval    *eval.Evaluator
	Unnamed *eval.Evaluator // for lines that name no run; nil: Eval
	Schema  *fact.Schema
}

// response is one line out. For a refused line only Errors is not empty.
type response struct {
	Fired  []fired  `json:"fired"`
	Kept   []string `json:"kept"` // ids of reminders that have fired on an earlier turn and are still due
	Errors []string `json:"errors"`
}

type fired struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	Priority int    `json:"priority"`
	Tier     string `json:"tier"`
	Attach   string `json:"attach"`
	Keep     string `json:"keep"`
	Manual   bool   `json:"manual"`
}

// Serve answers the lines of in until in ends, or until ctx does. Blank lines have no answer. Its error is
// one of reading or writing, or that of ctx: errors of a line are in its answer.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	r, w := bufio.NewReaderSize(in, 1<<16), bufio.NewWriter(out)
	var buf []byte
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, long, err := jsonscan.ReadLine(r, &buf, MaxLine)
		if err != nil && err != io.EOF {
			return fmt.Errorf("stdin: %w", err)
		}
		line = bytes.TrimSpace(line)
		if long || len(line) > 0 {
			answer := refuse([]error{fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)})
			if !long {
				answer = s.answer(ctx, line)
			}
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(answer); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func (s *Server) answer(ctx context.Context, line []byte) response {
	req, errs := parse(line)
	if len(errs) > 0 {
		return refuse(errs)
	}
	ev := s.Eval
	if req.Run == "" {
		req.Run = defaultRun
		if s.Unnamed != nil {
			ev = s.Unnamed
		}
	}
	turn, errs := req.turn(s.Schema)
	for _, id := range req.Remind {
		if names := ev.Names(); !slices.Contains(names, id) {
			errs = append(errs, fmt.Errorf("remind: there is no reminder %q%s", id, near.Hint("; ", id, names)))
		}
	}
	if len(errs) > 0 {
		return refuse(errs)
	}
	d, err := ev.Decide(ctx, req.Run, turn)
	if err != nil {
		if errors.Is(err, state.ErrOldKey) {
			err = fmt.Errorf("key %q is older than the run's last turn", req.Key)
		}
		return refuse([]error{err})
	}
	res := response{Fired: []fired{}, Kept: []string{}, Errors: []string{}}
	for _, f := range d.Fired {
		res.Fired = append(res.Fired, fired{f.ID, f.Text, f.Priority, f.Tier.String(), f.Attach.String(),
			f.Keep.String(), f.Manual})
	}
	for _, k := range d.Due {
		if !slices.ContainsFunc(d.Fired, func(f reminder.Due) bool { return f.ID == k.ID }) {
			res.Kept = append(res.Kept, k.ID)
		}
	}
	for _, e := range d.Errors {
		res.Errors = append(res.Errors, fmt.Sprintf("%s: %s", e.ID, e.Error))
	}
	return res
}

// refuse returns the answer to a refused line. It sorts the errors, since those of facts come in the random
// order of a map.
func refuse(errs []error) response {
	list := make([]string, len(errs))
	for i, err := range errs {
		list[i] = err.Error()
	}
	slices.Sort(list)
	return response{Fired: []fired{}, Kept: []string{}, Errors: list}
}
