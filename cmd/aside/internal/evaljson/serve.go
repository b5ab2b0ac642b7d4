// Package evaljson owns the protocol by which a program in any language has rules evaluated: a line with a
// JSON object in, a line with a JSON object out, flushed before the next line is read.
//
// A line is evaluated as a whole or refused as a whole. The answer to a refused line holds errors and
// nothing else, and the line has changed no state, so it can be corrected and sent again.
package evaljson

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/facts"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/state"
)

// MaxLine is the length in bytes of the longest line that is read. A longer line is refused without being
// kept in memory.
const MaxLine = 32 << 20

// Patience is how long a line waits for a run that another process holds.
const Patience = 10 * time.Second

// Server answers lines. It is for one goroutine.
type Server struct {
	Eval     *eval.Evaluator
	Unnamed  *eval.Evaluator // for lines that name no run; nil: Eval
	Schema   *fact.Schema
	Place    fact.Place    // where the paths of calls lie
	Patience time.Duration // 0: Patience
}

// response is one line out. For a refused line only Errors is not empty.
type response struct {
	Fired []fired `json:"fired"`
	// ids of reminders that have fired on an earlier turn and are still due
	Kept     []string        `json:"kept"`
	Paused   []string        `json:"paused,omitempty"` // ids of reminders that ask to hold the call back
	Outcomes []state.Outcome `json:"outcomes,omitempty"`
	Rules    string          `json:"rules,omitempty"` // the digest of the rules that decided
	Errors   []string        `json:"errors"`
}

type fired struct {
	ID       string `json:"id"`
	Text     string `json:"text"` // "" for a text that is held out, which nobody may send
	Priority int    `json:"priority"`
	Tier     string `json:"tier"`
	Attach   string `json:"attach"`
	Keep     string `json:"keep"`
	Manual   bool   `json:"manual"`
	HeldOut  bool   `json:"held_out,omitempty"`
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
			answer := refuse(fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20))
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
	req, errs := parse(line, facts.Reader{Schema: s.Schema, Place: s.Place})
	ev := s.Eval
	if req.run == "" {
		req.run = defaultRun
		if s.Unnamed != nil {
			ev = s.Unnamed
		}
	}
	if errs = append(errs, checkNames(req.turn.Remind, ev.Names())...); len(errs) > 0 {
		return refuse(errs...)
	}
	req.turn.Place = s.Place
	d, err := s.decide(ctx, ev, req)
	if err != nil {
		return refuse(err.Error())
	}
	res := response{Fired: []fired{}, Kept: []string{}, Errors: []string{}, Paused: d.Paused,
		Outcomes: d.Outcomes, Rules: d.Rules}
	for _, f := range d.Fired {
		out := fired{f.ID, f.Text, f.Priority, f.Tier.String(), f.Attach.String(), f.Keep.String(),
			f.Manual, f.HeldOut}
		if f.HeldOut {
			out.Text = ""
		}
		res.Fired = append(res.Fired, out)
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

// decide decides the turn of a line. It gives up when a run that another process holds does not come free.
func (s *Server) decide(ctx context.Context, ev *eval.Evaluator, req request) (*eval.Decision, error) {
	patience := cmp.Or(s.Patience, Patience)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	decide := ev.Decide
	if req.discard {
		decide = ev.Prepare
	}
	d, err := decide(limited, req.run, req.turn)
	if err == nil && req.discard {
		d.Discard()
	}
	switch {
	case errors.Is(err, state.ErrOldKey):
		return nil, fmt.Errorf("key %q is older than the run's last turn", req.turn.Key)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, fmt.Errorf("the run %q could not be written for %s: another process may hold it; "+
			"send the line again", req.run, patience)
	}
	return d, err
}

// refuse returns the answer to a refused line. It sorts the errors, since the order of members says nothing.
func refuse(errs ...string) response {
	slices.Sort(errs)
	return response{Fired: []fired{}, Kept: []string{}, Errors: errs}
}
