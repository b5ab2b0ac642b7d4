package evaljson

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/why"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// Answer is a decision as clients of all languages read it: a line out, and the body of an answer of the
// evaluation API. For a refused line only Errors is not empty.
type Answer struct {
	Fired []Fired `json:"fired"`
	// ids of reminders that have fired on an earlier turn and are still due
	Kept     []string           `json:"kept"`
	Paused   []string           `json:"paused,omitempty"` // ids of reminders that ask to hold the call back
	Outcomes []reminder.Outcome `json:"outcomes,omitempty"`
	Rules    string             `json:"rules,omitempty"` // the digest of the rules that decided
	Errors   []string           `json:"errors"`          // of texts that could not be rendered
	// what commits this very decision; "" where it is committed
	Prepared string `json:"prepared,omitempty"`
	// the copy of the line's request that is to be sent; in any doubt that request itself, and Errors say why
	Request json.RawMessage `json:"request,omitempty"`
	Beta    string          `json:"beta,omitempty"` // a value that the header anthropic-beta must list
	Why     *why.Answer     `json:"why,omitempty"`
}

// Fired is a text that fired.
type Fired struct {
	ID       string `json:"id"`
	Text     string `json:"text"` // "" for a text that is held out, which nobody may send
	Priority int    `json:"priority"`
	Tier     string `json:"tier"`
	Attach   string `json:"attach"`
	Keep     string `json:"keep"`
	Manual   bool   `json:"manual"`
	HeldOut  bool   `json:"held_out,omitempty"`
}

// Errors of Decide beside a *Refusal and those of the store.
var (
	// ErrBusy says that the run did not come free within Server.Patience.
	ErrBusy = errors.New("another process may hold the run; send the turn again")
	// ErrChanged says that the turn would now be decided otherwise than it was prepared.
	ErrChanged = errors.New("the decision is no longer the one that was prepared; prepare the turn again")
)

// Refusal is the error for an object that is not a turn: all that is wrong with it, sorted.
type Refusal struct{ Errors []string }

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprint(r.Errors) }

// Decide decides the turn that an object tells, of a run that the object does not name. It may be called
// concurrently. Its errors are a *Refusal, ErrBusy, ErrChanged, state.ErrOldKey, state.ErrOtherBody, those of
// the store and that of ctx; then nothing has changed, but for state.ErrIndeterminate.
func (s *Server) Decide(ctx context.Context, run string, object []byte) (*Answer, error) {
	req, errs := parse(object, facts.Reader{Schema: s.Eval.Set().Schema(), Place: s.Place})
	if req.run != "" {
		errs = append(errs, "run: leave it out, the run is named beside the turn")
	}
	if req.asks == "queue" || req.asks == "why" || req.asks == "end" {
		errs = append(errs, req.asks+": leave it out, the API has a path for it")
	}
	if req.run = run; req.turn.Key != "" {
		req.turn.Body = bodyOf(object)
	}
	return s.play(ctx, s.Eval, req, errs)
}

// bodyOf returns eval.Turn.Body of an object: a digest of all members but those that prepare and commit the
// turn, in whatever order they stand.
func bodyOf(object []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return "" // it is not a turn
	}
	delete(members, "prepare")
	delete(members, "commit")
	b, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(xxhash.Sum64(b), 16)
}

// play decides a turn that was read with some errors. It gives up when a run that another process holds
// does not come free.
func (s *Server) play(ctx context.Context, ev *eval.Evaluator, req request, errs []string) (*Answer, error) {
	if len(errs) > 0 {
		slices.Sort(errs) // the order of members says nothing
		return nil, &Refusal{errs}
	}
	if req.turn.At.IsZero() {
		if req.turn.At = ev.Now(); req.commit != nil {
			req.turn.At = req.commit.at
		}
	}
	req.turn.Place = s.Place
	switch req.asks {
	case "request":
		return s.copyOf(ctx, req), nil
	case "queue":
		return s.queue(ctx, ev, req)
	case "why":
		return s.why(ctx, req)
	case "end":
		return refuse(), ev.End(ctx, req.run, req.turn.At)
	}
	set := new(readset.Set)
	if ev == s.Eval {
		s.saves.Do(func() { s.recent = readset.NewRecent() })
		set = s.recent.Begin(req.run)
		defer s.recent.End(req.run, set)
	}
	limited, cancel := context.WithTimeout(set.In(ctx), cmp.Or(s.Patience, Patience))
	defer cancel()
	var answer *Answer
	decide := func() error {
		d, err := ev.Prepare(limited, req.run, req.turn)
		if err != nil {
			return err
		}
		answer = answerOf(d)
		switch {
		case req.prepare:
			answer.Prepared = prepared{req.turn.At, answer.sum()}.seal()
			return nil
		case req.commit != nil && req.commit.sum != answer.sum():
			return ErrChanged
		}
		if err = d.Commit(limited); err == nil {
			answer = answerOf(d) // another process may have committed the turn meanwhile
		}
		return err
	}
	err := state.Retry(func() error {
		err := decide()
		if set.Guesses(req.run) { // only a save tells that nobody else was quicker
			set.Reset()
			return state.ErrConflict
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = ErrBusy
	}
	var unknown *eval.UnknownError
	var wrong *eval.FactError
	switch {
	case err == nil:
		return answer, nil
	case errors.As(err, &unknown):
		return nil, &Refusal{[]string{"remind: " + err.Error()}}
	case errors.As(err, &wrong):
		return nil, &Refusal{[]string{"facts: " + err.Error()}}
	}
	return nil, err
}

func answerOf(d *eval.Decision) *Answer {
	a := &Answer{Fired: []Fired{}, Kept: []string{}, Errors: []string{}, Paused: d.Paused, Outcomes: d.Outcomes,
		Rules: d.Rules}
	for _, f := range d.Fired {
		a.Fired = append(a.Fired, fired(f))
	}
	for _, k := range d.Due {
		if !slices.ContainsFunc(d.Fired, func(f reminder.Due) bool { return f.ID == k.ID }) {
			a.Kept = append(a.Kept, k.ID)
		}
	}
	for _, e := range d.Errors {
		a.Errors = append(a.Errors, fmt.Sprintf("%s: %s", e.ID, e.Error))
	}
	return a
}

func fired(f reminder.Due) Fired {
	out := Fired{f.ID, f.Text, f.Priority, f.Tier.String(), f.Attach.String(), f.Keep.String(),
		f.Manual, f.HeldOut}
	if f.HeldOut {
		out.Text = ""
	}
	return out
}

// sum returns the fingerprint of an answer.
func (a *Answer) sum() uint64 {
	b, err := json.Marshal(a)
	if err != nil {
		panic(err) // strings, numbers and bools
	}
	return xxhash.Sum64(b)
}

// prepared names a decision that is not committed: the time of the turn, and the fingerprint of the answer.
// No process keeps it, so each of several can commit what another has prepared.
type prepared struct {
	at  time.Time
	sum uint64
}

func (p prepared) seal() string {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.at.UnixNano()))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, p.sum))
}

func unseal(s string) (*prepared, bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) != 16 {
		return nil, false
	}
	return &prepared{time.Unix(0, int64(binary.BigEndian.Uint64(b))), binary.BigEndian.Uint64(b[8:])}, true
}
