package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/state"
)

// maxTries bounds how often a write is tried again after another hook of the run was quicker: each failed try is a write of
// somebody else's.
const maxTries = 256

// run is an event of a run, on its way.
type run struct {
	host    *Host
	call    Call
	dialect *Dialect
	event   Event
	name    string
	store   state.Store
	dir     string // of the store
	again   bool   // the event has come before
}

// handle takes the event in, and returns what is to be printed.
func (r *run) handle(ctx context.Context) (out []byte, err error) {
	e := &r.event
	switch {
	case e.Arms:
		out, err = r.arm(ctx)
	case e.CanInject, e.File != "" && e.Kind != Stop:
		out, err = r.turn(ctx)
	default:
		err = r.note(ctx)
	}
	if e.File != "" && !r.again {
		return nil, errors.Join(err, put(e.File, r.dir, out, r.host.Clock(), e.Kind == Stop))
	}
	if out == nil && err == nil && r.dialect.Quiet != nil {
		out = r.dialect.Quiet(r.event)
	}
	return out, err
}

// note takes the event into the run's notes.
func (r *run) note(ctx context.Context) error {
	e, size := &r.event, r.size()
	var why string
	var failed error
	if e.Manual != "" { // it goes out with the next event that can carry it
		var ev *eval.Evaluator
		if ev, failed = r.evaluator(); len(ev.Names()) == 0 {
			e.Manual = ""
		} else {
			why = unknownReminder(e.Manual, ev.Names())
		}
	}
	err := r.change(ctx, func(s *state.Snapshot, n *notes) (*state.Snapshot, error) {
		n.observe(r.dialect, e, s.Turn(), size)
		switch {
		case e.Manual == "", e.TurnKey != "" && !mark(&n.Answered, digest(e.TurnKey, e.Manual)):
		case why != "":
			n.Rest = strings.Trim(n.Rest+between+why, "\n")
		default:
			s = state.Remind(s, e.Manual)
		}
		return s, nil
	})
	return errors.Join(err, failed)
}

// size is how long the session's file is, where that matters.
func (r *run) size() int64 {
	if len(r.event.Reset) == 0 || r.event.Transcript == "" || r.event.Agent != "" { // a subagent has a file of its own
		return 0
	}
	info, err := os.Stat(r.event.Transcript)
	if err != nil {
		return 0
	}
	return info.Size()
}

// change writes what edit makes of the run and its notes, and does so again where another hook was quicker. Where nothing
// changes, nothing is written.
func (r *run) change(ctx context.Context, edit func(*state.Snapshot, *notes) (*state.Snapshot, error)) error {
	var err error
	for range maxTries {
		var s *state.Snapshot
		var rev state.Revision
		if s, rev, err = r.store.Load(ctx, r.name); err != nil {
			return err
		}
		var n notes
		if n, err = readNotes(s.Notes()); err != nil {
			return err
		}
		before := n.write()
		next, err := edit(s, &n)
		if err != nil {
			return err
		}
		raw := n.write()
		if next == s && bytes.Equal(raw, before) {
			return nil
		}
		if next, err = state.Note(next, raw); err != nil {
			return err
		}
		if _, err = r.store.Save(ctx, r.name, rev, next); !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
	return err
}

// arm queues the reminder that "/remind NAME" names, where the prompt itself goes no further, and says so.
func (r *run) arm(ctx context.Context) ([]byte, error) {
	e := &r.event
	ev, failed := r.evaluator()
	if len(ev.Names()) == 0 { // the prompt goes its way
		return nil, failed
	}
	if why := unknownReminder(e.Manual, ev.Names()); why != "" {
		return r.dialect.Encode(*e, why), failed
	}
	err := r.change(ctx, func(s *state.Snapshot, n *notes) (*state.Snapshot, error) {
		mark(&n.Answered, digest(e.TurnKey, e.Manual))
		return state.Remind(s, e.Manual), nil
	})
	if err != nil {
		return nil, err
	}
	return r.dialect.Encode(*e, fmt.Sprintf("Reminder %q is armed for the next step.", e.Manual)), failed
}

// unknownReminder says that there is no reminder of that name, and which are near; "" where there is one.
func unknownReminder(name string, names []string) string {
	if slices.Contains(names, name) {
		return ""
	}
	near := grammar.Suggest(name, names)
	if len(near) == 0 && len(name) > 2 { // a part of a name is a way to ask, too
		for _, n := range names {
			if strings.Contains(n, name) && len(near) < 3 {
				near = append(near, n)
			}
		}
	}
	text := fmt.Sprintf("There is no reminder named %+q.", name)
	if len(near) > 0 {
		text += " The nearest names are: " + strings.Join(near, ", ") + "."
	}
	return text
}

// turn takes the run over a turn, and returns its texts. The facts of a turn hang on the notes, so they are made anew where another
// hook was quicker.
func (r *run) turn(ctx context.Context) ([]byte, error) {
	e := &r.event
	s, _, err := r.store.Load(ctx, r.name)
	if err != nil {
		return nil, err
	}
	n, err := readNotes(s.Notes())
	if err != nil {
		return nil, err
	}
	if r.silent(&n) {
		return nil, r.note(ctx)
	}
	if e.Kind == ToolBatch && !slices.Contains(n.Shown, e.Kind) {
		r.show(e.Kind)
	}
	ev, failed := r.evaluator()
	if len(ev.Names()) == 0 {
		if e.Manual = ""; s == nil {
			return nil, failed
		}
	}
	past, size, err := r.past(ctx, s.Turn() == 0)
	failed = errors.Join(failed, err)
	for range maxTries {
		var out []byte
		if out, err = r.attempt(ctx, ev, past, size); !errors.Is(err, state.ErrConflict) {
			return out, errors.Join(err, failed)
		}
	}
	return nil, errors.Join(err, failed)
}

// silent reports whether this event, although it can carry text, takes no turn: another event of the agent's carries it better,
// or /remind was answered.
func (r *run) silent(n *notes) bool {
	e := &r.event
	if e.Kind == PromptExpansion {
		return e.Manual == "" || slices.Contains(n.Answered, digest(e.TurnKey, e.Manual))
	}
	return e.Unless != "" && (slices.Contains(n.Shown, e.Unless) || e.Unless == ToolBatch && r.shown(e.Unless))
}

// attempt is one try at a turn; state.ErrConflict says that another hook was quicker.
func (r *run) attempt(ctx context.Context, ev *eval.Evaluator, past Past, size int64) ([]byte, error) {
	e := &r.event
	s, _, err := r.store.Load(ctx, r.name)
	if err != nil {
		return nil, err
	}
	n, err := readNotes(s.Notes())
	if err != nil {
		return nil, err
	}
	if r.silent(&n) { // by now
		return nil, r.note(ctx)
	}
	if s.Turn() == 0 && past.UserTurns != nil {
		n.Users = max(n.Users, *past.UserTurns)
	}
	n.observe(r.dialect, e, s.Turn(), size)
	turn, said := r.facts(ev, &n, past, s.Turn()+1)
	d, err := ev.Prepare(ctx, r.name, turn)
	switch {
	case errors.Is(err, state.ErrOldKey): // the same event once more, late
		r.again = true
		return nil, nil
	case err != nil:
		return nil, err
	case d.Again: // the same event once more
		r.again = true
		return nil, nil
	case !bytes.Equal(bytesOf(d.Notes()), bytesOf(s.Notes())):
		return nil, state.ErrConflict
	}
	due := newly(d)
	if e.Ephemeral {
		due = d.Due
	}
	text, rest, missed := fit(said, due)
	n.Rest = rest
	var out []byte
	if text != "" {
		out = r.dialect.Encode(*e, text)
	}
	if err := d.Carry(n.write(), missed...); err != nil {
		return nil, err
	}
	if err = d.Commit(ctx); errors.Is(err, state.ErrIndeterminate) {
		err = d.Commit(ctx)
	}
	switch {
	case err != nil:
		return nil, err
	case d.Again: // another process was quicker with the very same event
		r.again = true
		return nil, nil
	}
	return out, unwritten(d)
}

// facts is the turn that the event is, and what is said besides the reminders.
func (r *run) facts(ev *eval.Evaluator, n *notes, past Past, turn int) (t eval.Turn, said string) {
	e := &r.event
	said, n.Rest = n.Rest, ""
	t = eval.Turn{Key: turnKey(e), Facts: n.tell(r.dialect, e, past, turn)}
	if e.Manual != "" && (e.TurnKey == "" || mark(&n.Answered, digest(e.TurnKey, e.Manual))) {
		if why := unknownReminder(e.Manual, ev.Names()); why != "" {
			said = strings.Trim(said+between+why, "\n")
		} else {
			t.Remind = []string{e.Manual}
		}
	}
	return t, said
}

// turnKey names the turn, where the event says enough to tell it from all others: the same event may come twice, where two
// configurations register the same hook.
func turnKey(e *Event) string {
	key := []string{e.TurnKey, e.Name}
	switch {
	case e.Kind == ModelRequest: // each is a turn
		return ""
	case len(e.Tools) > 0:
		for _, t := range e.Tools {
			if t.ID == "" {
				return ""
			}
			key = append(key, t.ID)
		}
	case e.Kind == UserPrompt && e.TurnKey != "":
		key = append(key, e.Prompt)
	case e.Kind == PromptExpansion && e.TurnKey != "":
		key = append(key, e.Manual)
	default:
		return ""
	}
	return e.Name + " " + digest(key...)
}

// newly returns what is due and was never put before the model, in the order in which it goes there.
func newly(d *eval.Decision) (due []terms.Due) {
	for _, x := range d.Due {
		if x.Late || slices.ContainsFunc(d.Fired, func(f terms.Due) bool { return f.ID == x.ID }) {
			due = append(due, x)
		}
	}
	return due
}

// unwritten tells of the texts that could not be rendered, without a word of what stands in them.
func unwritten(d *eval.Decision) error {
	var errs []error
	for _, e := range d.Errors {
		errs = append(errs, fmt.Errorf("the text of reminder %q could not be written: aside why %s says more", e.ID, e.ID))
	}
	return errors.Join(errs...)
}

// shown reports whether the agent has shown a kind of event in any session of late. A run's first events come before the one that
// would show it.
func (r *run) shown(k Kind) bool {
	info, err := os.Stat(r.shownFile(k))
	return err == nil && r.host.Clock().Sub(info.ModTime()) < remembered
}

// show remembers that. An agent may be replaced by an older one, so it is not remembered for long.
func (r *run) show(k Kind) {
	f, err := os.OpenFile(r.shownFile(k), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = f.WriteString("\n")
		_ = f.Close()
	}
}

const remembered = 7 * 24 * time.Hour

func (r *run) shownFile(k Kind) string {
	return filepath.Join(r.dir, "shown-"+r.call.Agent+"-"+string(k))
}
