// Package control switches single rules off, or into shadow, in all processes that serve from one store: a
// record in the store says which, who has asked for it and when, and each process follows it. It also says
// which bundles of rules they have taken up.
package control

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// State is what a rule is switched to.
type State string

// States of a rule. On stands for no entry in the record.
const (
	On     State = "on"
	Off    State = "off"    // it is as if it were not there
	Shadow State = "shadow" // it is decided and counted, and its text is not sent
)

// Entry says what became of one rule.
type Entry struct {
	State State     `json:"state"`
	By    string    `json:"by"` // who has asked for it
	At    time.Time `json:"at"`
	Why   string    `json:"why,omitempty"`
}

// Record holds the rules that are not on, by their ids.
type Record struct {
	Rules map[string]Entry `json:"rules"`
	// the revision of each bundle of rules that a process has taken up last
	Bundles map[string]int64 `json:"bundles,omitempty"`
	// when the record was written last: a store forgets what nobody writes
	Written time.Time `json:"written"`
}

// name is that of the record in a store, where no list of runs has it.
const name = response.KeptPrefix + "control"

// Read returns the record of a store. One without entries stands for none. Its errors are those of the store,
// and state.ErrCorrupt.
func Read(ctx context.Context, store state.Store) (Record, error) {
	s, _, err := store.Load(ctx, name)
	if err != nil {
		return Record{}, err
	}
	return decode(s)
}

func decode(s *state.Snapshot) (r Record, err error) {
	if notes := s.Notes(); notes != nil {
		var raw []byte
		if raw, err = notes.MarshalJSON(); err == nil {
			err = json.Unmarshal(raw, &r)
		}
	}
	if r.Rules == nil {
		r.Rules = map[string]Entry{}
	}
	if r.Bundles == nil {
		r.Bundles = map[string]int64{}
	}
	return r, err
}

// Told is a command.Switched.
func Told(ctx context.Context, store state.Store) (map[string]string, error) {
	r, err := Read(ctx, store)
	told := map[string]string{}
	for id, e := range r.Rules {
		told[id] = fmt.Sprintf("%s since %s, by %s", e.State, e.At.Local().Format(time.DateTime), e.By)
		if e.Why != "" {
			told[id] += ": " + e.Why
		}
	}
	return told, err
}

// Switch writes what a rule is switched to.
func Switch(ctx context.Context, store state.Store, id string, to Entry) error {
	return edit(ctx, store, func(r *Record) {
		if to.State == On {
			delete(r.Rules, id)
		} else {
			r.Rules[id] = to
		}
		r.Written = to.At
	})
}

func edit(ctx context.Context, store state.Store, change func(*Record)) error {
	return state.Update(ctx, store, name, func(s *state.Snapshot) (*state.Snapshot, error) {
		r, err := decode(s)
		if err != nil {
			return nil, err
		}
		change(&r)
		raw, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		return firing.Note(s, json.RawMessage(raw))
	})
}

// control returns the record for an evaluator.
func (r Record) control() (c eval.Control) {
	for id, e := range r.Rules {
		switch e.State {
		case Off:
			c.Off = append(c.Off, id)
		case Shadow:
			c.Shadow = append(c.Shadow, id)
		}
	}
	return c
}
