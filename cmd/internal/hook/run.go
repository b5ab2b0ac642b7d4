package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// run handles one event of a run.
type run struct {
	host   *Host
	call   Call
	agent  *agent.Agent
	event  agent.Event
	name   string // RunOf
	files  *filestore.Store
	store  state.Store // of files, for one goroutine
	loaded *ruleSet    // for one goroutine
	dir    string      // of the store
	own    *config.File
	again  bool // the turn of this event was taken before, by another process
	mute   bool // the event opens a turn, and can carry no text
	noted  bool // and is in the notes already
	held   bool // the call that the event asks about is held back
	// the turn that is taken, of which no event has told, is the last of its user turn, and what it says goes
	// out with the event
	closes  bool
	earlier []reminder.Due
	vain    int    // how often in a row the session's file was waited for in vain
	late    string // the id of a record that is taken in, "" for the event on stdin
	file    string // the session's file, where the texts of this run may show; "": none
	left    *record
	same    string   // a digest of stdin, where that tells the event from others; "": it may not
	behind  string   // the answer behind which the session's file must have another one; "": any will do
	stamped bool     // with same: two events that follow each other are never equal
	spoken  []string // reminders that a server says
	served  bool     // a server reads /remind in this session
	carried int64    // how many requests of the session servers have carried
	phase   *phase
	side    int32           // storing or safety
	half    <-chan struct{} // closed where half of the time is over
}

// handle records the event, takes a turn where the event is one, and returns what is to be printed, nil for
// nothing.
func (r *run) handle(ctx context.Context) (out []byte, err error) {
	e := &r.event
	if nested, err := r.nested(ctx); nested || err != nil {
		return nil, err
	}
	switch {
	case r.agent.Later && e.Transcript != "" && isResult(e.Kind): // the next prompt finds it in the file
	case e.Moment != fact.Turn:
		out, err = r.moment(ctx)
	case e.Arms:
		out, err = r.arm(ctx)
	case e.Kind == agent.ToolCall && !r.agent.Before: // no turn, also where it does not name the tool
		err = r.note(ctx)
	case e.CanInject, e.File != "" && e.Kind != agent.Stop:
		out, err = r.turn(ctx)
	case len(r.agent.Carries) > 0 && (e.Kind == agent.UserPrompt && e.Human == fact.True || // which is not kept
		e.Kind == agent.SubagentStart || // the subagent's first model call follows
		e.Kind == agent.SessionStart && r.agent.Rounds == agent.RoundsCounted || // as it does here
		isResult(e.Kind) && r.agent.Rounds == agent.RoundsAsked): // and here
		r.mute = true
		out, err = r.turn(ctx)
	default:
		err = r.note(ctx)
	}
	if over := e.Kind == agent.SessionEnd || e.Kind == agent.SubagentStop && out == nil; over &&
		r.side != safety {
		r.begin()
		err = errors.Join(err, state.End(ctx, r.store, r.name, e.Session, r.host.Clock()))
	}
	if r.side == safety && out == nil {
		return nil, err
	}
	if e.File != "" && !r.again && !r.mute {
		return nil, errors.Join(err, updateFile(e.File, r.dir, out, r.host.Clock(), e.Kind == agent.Stop))
	}
	if out == nil && err == nil {
		out = r.agent.Still(r.event)
	}
	return out, err
}

// note records the event in the run's notes, and takes no turn.
func (r *run) note(ctx context.Context) error {
	e, size := &r.event, r.size()
	var why string
	var failed error
	if e.Manual != "" { // the reminder goes out with the next event that can carry it
		var ev *eval.Evaluator
		if ev, failed = r.evaluator(); len(ev.Names()) == 0 {
			e.Manual = ""
		} else {
			why = r.reply(ev)
		}
	}
	err := r.change(ctx, func(s *state.Snapshot, n *runNotes) (*state.Snapshot, error) {
		if r.again = r.stamped && n.repeats(r.same, r.host.Clock()); r.again {
			return s, nil
		}
		if s == nil && (e.Kind == agent.SessionEnd || e.Kind == agent.SubagentStop) {
			return nil, nil // there is nothing to end
		}
		n.observe(r.agent, e, s.Turn(), size)
		switch {
		case e.Manual == "", e.TurnKey != "" && !mark(&n.Answered, digest(e.TurnKey, e.Manual)):
		case why != "":
			n.Rest = strings.Trim(n.Rest+separator+why, "\n")
		default:
			s = firing.Remind(s, e.Manual)
		}
		return s, nil
	})
	return errors.Join(err, failed)
}

// size returns the length in bytes of the session's file where the event makes older usage stale; otherwise,
// or where the file cannot be read, 0.
func (r *run) size() int64 {
	if len(r.event.Reset) == 0 || r.event.Agent != "" { // a subagent has a file of its own
		return 0
	}
	return sizeOf(r.event.Transcript)
}

// change saves what edit makes of the run's snapshot and its notes, and writes nothing where edit changes
// nothing. Where another hook has written in between, edit is called again with what that has left.
func (r *run) change(ctx context.Context, edit func(*state.Snapshot, *runNotes) (*state.Snapshot,
	error)) error {
	return state.Update(ctx, r.store, r.name, func(s *state.Snapshot) (*state.Snapshot, error) {
		n, err := readNotes(s.Notes())
		if err != nil {
			return nil, err
		}
		before := n.write()
		next, err := edit(s, &n)
		if err != nil {
			return nil, err
		}
		if next == s && bytes.Equal(n.write(), before) {
			return nil, nil
		}
		r.begin()
		r.offer(&n, "")
		if r.stamped {
			n.cameAt(r.same, r.host.Clock())
		}
		return firing.Note(next, n.write())
	})
}

// arm queues the reminder that "/remind NAME" names and returns the answer to the person. The prompt itself
// goes no further. Where there are no reminders at all it returns nil, and the agent takes the prompt as any
// other.
func (r *run) arm(ctx context.Context) ([]byte, error) {
	e := &r.event
	ev, failed := r.evaluator()
	if len(ev.Names()) == 0 {
		return nil, failed
	}
	if why := r.reply(ev); why != "" {
		return r.agent.Encode(*e, why), failed
	}
	err := r.change(ctx, func(s *state.Snapshot, n *runNotes) (*state.Snapshot, error) {
		mark(&n.Answered, digest(e.TurnKey, e.Manual))
		return firing.Remind(s, e.Manual), nil
	})
	if err != nil {
		return nil, err
	}
	return r.agent.Encode(*e, fmt.Sprintf("Reminder %q is armed for the next step.", e.Manual)), failed
}

// turn takes a turn of the run and returns what is to be printed. Where another hook has written in between
// it starts over, since the facts of a turn depend on the notes.
func (r *run) turn(ctx context.Context) ([]byte, error) {
	e := &r.event
	s, n, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	if r.takesNoTurn(&n) {
		return nil, r.noTurn(ctx)
	}
	if e.Kind == agent.ToolBatch && !slices.Contains(n.Shown, e.Kind) {
		r.markSeen(e.Kind)
	}
	ev, failed := r.evaluator()
	if len(ev.Names()) == 0 && (s == nil || r.side == safety) {
		return nil, failed
	}
	of := r.since(s, &n)
	if slices.Contains(ev.Set().Facts(), fact.Cost) {
		of.Spent = cmp.Or(n.Spent, &session.Billed{})
	}
	r.vain, r.behind = n.Vain, n.behind(r)
	past, size, err := r.caughtUp(ctx, of)
	failed = errors.Join(failed, err)
	if e.Kind == agent.UserPrompt && e.Agent != "" && e.TurnKey != "" && e.TurnKey == past.Own {
		e.Submitted()
	}
	if len(ev.Names()) == 0 || r.side == safety && !slices.Contains(ev.Names(), e.Manual) {
		e.Manual = "" // what it names is not known here
	}
	if err := r.passed(ctx, ev, past); err != nil {
		return nil, errors.Join(err, failed)
	}
	var out []byte
	err = state.Retry(func() (err error) {
		out, err = r.attempt(ctx, ev, past, size)
		return err
	})
	return out, errors.Join(err, failed)
}

// since is the session's file from the answer on that led to the latest turn, where turns are read from it.
func (r *run) since(s *state.Snapshot, n *runNotes) session.File {
	of := session.File{Agent: r.call.Agent, Path: r.event.Transcript, Subagent: r.event.Agent,
		First: s.Turn() == 0}
	if r.agent.Gaps {
		if of.After, of.Place = n.Turn.Answer, r.place(); s.Turn() == 1 {
			of.After = cmp.Or(of.After, session.Beginning)
		}
	}
	return of
}

// load returns the run's snapshot and the notes in it.
func (r *run) load(ctx context.Context) (*state.Snapshot, runNotes, error) {
	s, _, err := r.store.Load(ctx, r.name)
	if err != nil {
		return nil, runNotes{}, err
	}
	n, err := readNotes(s.Notes())
	return s, n, err
}

// noTurn notes an event that is not a turn.
func (r *run) noTurn(ctx context.Context) error {
	if r.side == safety {
		return nil
	}
	return r.note(ctx)
}

// takesNoTurn reports whether the event is only noted although it can carry text: because another event of
// this agent carries the text better (Event.Unless; a failure speaks only where results were told one by one
// before, since an agent that tells them in batches may not have sent its first one), or because the
// expansion of a prompt brings no /remind that is still to be answered.
func (r *run) takesNoTurn(n *runNotes) bool {
	e := &r.event
	if e.Kind == agent.PromptExpansion {
		return e.Manual == "" || slices.Contains(n.Answered, digest(e.TurnKey, e.Manual))
	}
	return e.Unless != "" && (e.Kind == agent.ToolFailed && !slices.Contains(n.Shown, agent.ToolResult) ||
		slices.Contains(n.Shown, e.Unless) || r.seenLately(e.Unless))
}

// attempt is one try at a turn. It returns state.ErrConflict where another hook has written in between.
func (r *run) attempt(ctx context.Context, ev *eval.Evaluator, past session.Facts,
	size int64) ([]byte, error) {
	e := &r.event
	s, n, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	if r.takesNoTurn(&n) { // by now
		return nil, r.noTurn(ctx)
	}
	if r.again = n.again(r, past.Answer); r.again {
		return nil, nil
	}
	n.cameAt(r.same, r.host.Clock())
	if s.Turn() == 0 && past.UserTurns != nil {
		n.Users = max(n.Users, *past.UserTurns)
	}
	if past.Spent != nil {
		n.Spent = past.Spent
	}
	n.Vain = r.vain
	more := n.take(r.agent, e, past.Answer)
	unsaid := r.speak(ev, &n, more)
	if !r.noted {
		n.observe(r.agent, e, s.Turn(), size)
	}
	turn, said := r.facts(ev, &n, past, s, more)
	turn.Remind = append(turn.Remind, unsaid...)
	d, again, err := r.prepare(ctx, ev, turn, s)
	if again || err != nil {
		r.again = again // the same event once more
		return nil, err
	}
	due := newlyDue(d)
	if e.Ephemeral {
		due = d.Due
	}
	spoken := func(x reminder.Due) bool { return slices.Contains(r.spoken, x.ID) }
	due = slices.DeleteFunc(slices.Clone(due), spoken)
	for _, x := range d.Fired {
		if spoken(x) {
			n.Unsaid = append(n.Unsaid, x.ID)
		}
	}
	for _, x := range r.earlier { // said again now
		if slices.ContainsFunc(due, func(now reminder.Due) bool { return now.ID == x.ID }) {
			said = strings.Trim(strings.Replace(said, x.Text, "", 1), "\n")
		}
	}
	text, rest, missed := fit(said, due)
	if n.Rest = rest; r.mute {
		text, n.Rest = "", said
	}
	var out []byte
	if text != "" {
		if e.Wraps {
			text = tagged(text)
		}
		out = r.agent.Encode(*e, text)
	}
	if r.side == safety && len(due) == 0 && !r.mute {
		return nil, nil
	}
	if err := r.commit(ctx, d, &n, text, missed...); err != nil {
		return nil, err
	}
	if d.Again { // another process has just committed the very same event
		r.again = true
		return nil, nil
	}
	return out, renderErrors(d)
}

// prepare decides a turn that was made of the notes in s. again says that it was taken before. The error is
// state.ErrConflict where another hook has written in between.
func (r *run) prepare(ctx context.Context, ev *eval.Evaluator, t eval.Turn,
	s *state.Snapshot) (d *eval.Decision,
	again bool, err error) {
	d, err = ev.Prepare(ctx, r.name, t)
	switch {
	case errors.Is(err, state.ErrOldKey), err == nil && d.Again:
		return nil, true, nil
	case err == nil && !bytes.Equal(bytesOf(d.Notes()), bytesOf(s.Notes())):
		return nil, false, state.ErrConflict
	}
	return d, false, err
}

// commit stores a decision, and the notes behind it; text is about to be printed then.
func (r *run) commit(ctx context.Context, d *eval.Decision, n *runNotes, text string,
	missed ...string) error {
	r.begin()
	r.offer(n, text)
	if err := d.Carry(n.write(), missed...); err != nil {
		return err
	}
	return d.Commit(ctx)
}

// facts returns the turn that the event makes, or the further part of one, and said, a text to go out before
// the reminders: the rest of an earlier text, and that a reminder asked for does not exist. What is told once
// is taken out of n.
func (r *run) facts(ev *eval.Evaluator, n *runNotes, past session.Facts, s *state.Snapshot,
	more bool) (t eval.Turn, said string) {
	e := &r.event
	said, n.Rest = n.Rest, ""
	calls, read := n.tellCalls(r.agent, past, s.Turn() == 0), compile.ReadsOf(ev.Set())
	calls.file = e.Transcript != ""
	number := s.Turn() + 1
	if more {
		number--
	}
	t = eval.Turn{Key: cmp.Or(r.turnKey(s.Turn()), r.late), Root: e.Session, Agent: r.call.Agent, More: more,
		Silent: r.mute}
	user := n.User
	t.Facts = n.tell(r.agent, e, past, number)
	at := r.where(t.Facts)
	t.Place, t.Fill = at.Place(), func(f *fact.Frame) { calls.set(f, read, at) }
	if _, told := t.Facts["prompt"]; !told && !user && e.Kind == agent.SessionStart && !e.Compacted {
		t.Facts["prompt"] = nil // that of the session may come after its start
	}
	if e.Manual != "" && (e.TurnKey == "" || mark(&n.Answered, digest(e.TurnKey, e.Manual))) {
		if why := r.reply(ev); why != "" {
			said = strings.Trim(said+separator+why, "\n")
			if r.agent.Notices() {
				e.Notice = why
			}
		} else {
			t.Remind = []string{e.Manual}
		}
	}
	return t, said
}

// newlyDue returns those of d.Due that the model has not seen yet, in their order: they have fired on this
// turn, or come late. What else is due was sent before, and the agent has kept it.
func newlyDue(d *eval.Decision) (due []reminder.Due) {
	for _, x := range d.Due {
		if x.Late || slices.ContainsFunc(d.Fired, func(f reminder.Due) bool { return f.ID == x.ID }) {
			due = append(due, x)
		}
	}
	return due
}

// renderErrors names the reminders whose texts could not be rendered. Since the errors themselves may quote a
// prompt, they are left out.
func renderErrors(d *eval.Decision) error {
	var errs []error
	for _, e := range d.Errors {
		errs = append(errs, fmt.Errorf("the text of reminder %q could not be written: aside why %s says more", e.ID,
			e.ID))
	}
	return errors.Join(errs...)
}
