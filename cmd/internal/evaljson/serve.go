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
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// MaxLine is the length in bytes of the longest line that is read. A longer line is refused without being
// kept in memory.
const MaxLine = 32 << 20

// Patience is how long a line waits for a run that another process holds.
const Patience = 10 * time.Second

// Server answers lines. Serve is for one goroutine at a time.
type Server struct {
	Eval     *eval.Evaluator
	Unnamed  *eval.Evaluator // for lines that name no run; nil: Eval
	Place    fact.Place      // where the paths of calls lie
	Patience time.Duration   // 0: Patience
	Store    state.Store     // that of Eval, for lines that ask why; nil: they are refused

	once      sync.Once
	transport *transport.Transport // over Eval, made when the first line needs it
	saves     sync.Once
	recent    *readset.Recent // of Eval
}

// Lines writes objects, each as a line, at once. Its methods may be called concurrently.
type Lines struct {
	Out io.Writer
	mu  sync.Mutex // guards Out
}

// Write writes a line.
func (l *Lines) Write(v any) error {
	b, err := jsonscan.Encode(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.Out.Write(append(b, '\n'))
	return err
}

// Event is a line that is not an answer.
type Event struct {
	Event       string   `json:"event"` // "rules", or "unwatched": changes of their files are not seen any more
	Rules       []string `json:"rules,omitempty"`
	Diagnostics []any    `json:"diagnostics,omitempty"`
	Untrusted   int      `json:"untrusted,omitempty"` // files of a project that are not read
	Why         string   `json:"why,omitempty"`
}

// Serve answers the lines of in until in ends, or until ctx does. Blank lines have no answer. Its error is
// one of reading or writing, or that of ctx: errors of a line are in its answer.
func (s *Server) Serve(ctx context.Context, in io.Reader, out *Lines) error {
	r := bufio.NewReaderSize(in, 1<<16)
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
			if err := out.Write(answer); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func (s *Server) answer(ctx context.Context, line []byte) *Answer {
	req, errs := parse(line, facts.Reader{Schema: s.Eval.Set().Schema(), Place: s.Place})
	ev := s.Eval
	if req.run == "" {
		req.run = defaultRun
		if s.Unnamed != nil {
			ev = s.Unnamed
		}
	}
	a, err := s.play(ctx, ev, req, errs)
	var refused *Refusal
	switch {
	case err == nil:
		return a
	case errors.As(err, &refused):
		return refuse(refused.Errors...)
	case errors.Is(err, state.ErrOldKey):
		return refuse(fmt.Sprintf("key %q is older than the run's last turn", req.turn.Key))
	case errors.Is(err, ErrBusy):
		return refuse(fmt.Sprintf("the run %q could not be written for %s: %s", req.run,
			cmp.Or(s.Patience, Patience), err))
	}
	return refuse(err.Error())
}

// refuse returns the answer to a refused line.
func refuse(errs ...string) *Answer {
	return &Answer{Fired: []Fired{}, Kept: []string{}, Errors: append([]string{}, errs...)}
}
