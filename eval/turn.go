package eval

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// Turn is the host's knowledge before one model call.
type Turn struct {
	// Key names the turn. After a crash or a lost answer, the same key stands for the same turn and gets the
	// same decision. "" is always a new turn. Prepare refuses the key of an older turn with state.ErrOldKey, and
	// also a key that ends in a lower number than the last turn's key and is otherwise the same.
	Key string
	// Body stands for the request that told a turn with a Key: a digest, in any form. The Key of the last turn
	// with another Body is refused with state.ErrOtherBody; "" is the same as every other.
	Body string
	// At is the time of the turn; the zero time stands for the time of Options.Clock.
	At time.Time
	// Facts are the known facts by name, in the forms that fact.Frame.SetValue takes. A fact that is absent or
	// nil is unknown, with some exceptions that Prepare fills in: the counts of the run (turn_count,
	// user_turn_count, tool_calls, failures_in_row, output_tokens, elapsed, idle), and context_usage if
	// context_tokens and context_window are known. The latest prompt stands until user_message says that there
	// is another: conditions on the prompt alone keep their truth, unless prompt is here and nil.
	//
	// fact.FailedTools, which is not a fact, may hold the list of those tools in tool_used that failed.
	//
	// Prepare only reads the map and its lists, and not after it has returned.
	Facts map[string]any
	// Fill, if it is not nil, sets facts in a frame that already holds those of Facts, so a host with facts in
	// variables needs no map. Each Prepare calls Fill once, and Decide may call Prepare several times. Fill must
	// not keep the frame. Prepare only reads the lists in the frame, and not after it has returned.
	Fill func(f *fact.Frame)
	// More says that this is a further part of the run's last turn: Facts are those that this part adds
	// (LANGUAGE.md §4). On a run that has not begun it is the first part. At the moment fact.BeforeTool it says
	// that the call is of the answer before that turn, as calls are whose results have opened it.
	More bool
	// Moment is the occasion, a model call unless it says otherwise. At another moment the facts of the last
	// turn stand where this Turn gives none, events are read as LANGUAGE.md §1 says, and Key and Remind play
	// no part. Call is the call about to be executed, at the moment fact.BeforeTool.
	Moment fact.Moment
	Call   *fact.Call
	// Place says where the paths of calls lie.
	Place fact.Place
	// Root is the run of the agent that this run is a subagent of; "" is none. A holdout is decided by it.
	Root string
	// Agent is the name of the agent whose turn this is, for the records of outcomes; "" is not known.
	Agent string
	// Remind are the ids of reminders to fire by hand on this turn.
	Remind []string
	// Silent says that this turn can carry no text; the texts that fire wait for a turn that can.
	Silent bool
	// Mark is a token that tells the texts of this run from the texts of others. The run keeps the first that is
	// not "".
	Mark string

	observed observed  // facts of an Observer; Facts and Fill go before them
	told     *hostTurn // of WithTurn
	host     *Turn     // a copy of it
	over     bool      // it was told with another turn before
	computed *computed // nil unless Prepare is called again for the same turn
}

// work is the memory of one evaluation. Later turns use it again.
type work struct {
	frame   *fact.Frame
	earlier *fact.Frame // of the run's last turn; nil until it is needed
	truths  *compile.Truths
	moment  []fact.Truth // of the triggers, at another moment than a turn
	at      time.Time
	// of the last turn, of whatever run: facts that are the same, such as the model, are held once for all runs,
	// and are not looked for where the last turn of this run has left them, which no cache may hold by now
	kept    fact.Values
	records []reminder.Record // of this turn

	// Functions for firing.Input, created once.
	judge   func(*firing.Run) (trigger, rearm []fact.Truth)
	render  func(i int) (string, error)
	pauses  func(i int) []string
	expect  func(i int) fact.Truth
	between func(i int) fact.Gaps
	record  func(reminder.Record)
}

func (p *program) newWork() *work {
	w := &work{frame: p.set.Schema().NewFrame(), truths: new(compile.Truths)}
	w.judge = func(run *firing.Run) (trigger, rearm []fact.Truth) {
		addCounts(w.frame, run)
		if moment, _ := w.frame.Moment(); moment != fact.Turn {
			w.moment = p.atMoment(w.frame, moment, w.moment)
			return w.moment, nil
		}
		p.set.Eval(w.frame, w.truths) // a trigger of another moment is false on a turn
		return w.truths.Trigger, w.truths.Rearm
	}
	w.render = func(i int) (string, error) { return p.set.Render(i, w.frame, w.at) }
	w.expect = func(i int) fact.Truth { return p.read(i, p.set.Expect(i), w.frame) }
	w.pauses = func(i int) []string { return p.pauses(w.frame, i) }
	w.record = func(r reminder.Record) { w.records = append(w.records, r) }
	w.between = func(i int) fact.Gaps {
		w.frame.SetSelf(p.set.Reminder(i).ID)
		return p.set.Trigger(i).Gaps(w.frame)
	}
	return w
}

// atMoment returns the truths of the triggers that are read at a moment; all others are unknown. It writes
// them into truths, if these are from an earlier call.
func (p *program) atMoment(f *fact.Frame, moment fact.Moment, truths []fact.Truth) []fact.Truth {
	if truths == nil {
		truths = slices.Repeat([]fact.Truth{fact.Unknown}, p.set.Len())
	}
	for _, i := range p.moments {
		truths[i] = fact.Unknown
	}
	for _, i := range p.moments {
		if t := p.set.Trigger(i); t.Moment() == moment {
			truths[i] = p.read(i, t, f)
		}
	}
	return truths
}

// read returns the truth of a trigger of reminder i; Unknown for nil.
func (p *program) read(i int, trigger *trigger.Predicate, f *fact.Frame) fact.Truth {
	if trigger == nil {
		return fact.Unknown
	}
	f.SetSelf(p.set.Reminder(i).ID)
	return trigger.Eval(f)
}

// release returns w to the pool after a turn.
func (p *program) release(w *work) {
	w.frame.Reset()
	w.records = w.records[:0]
	if w.earlier != nil {
		w.earlier.Reset()
	}
	p.work.Put(w)
}

// Prepare decides a turn of a run without storing anything: the decision counts only after Commit. If run is
// "", it is the run of ctx. A turn whose key was committed before gets the decision that is stored.
//
// Prepare joins a *FactError for each fact that cannot be used, and an *UnknownError for a name in t.Remind
// that is not the id of a reminder. The key of an older turn is state.ErrOldKey, and that of the last turn
// with another body is state.ErrOtherBody. Prepare also returns the errors of the store. What a WithTurn of
// ctx says goes over t.
func (ev *Evaluator) Prepare(ctx context.Context, run string, t Turn) (*Decision, error) {
	run, prev, rev, err := ev.load(ctx, run)
	if err != nil {
		return nil, err
	}
	t.takeHost(ctx)
	root := cmp.Or(t.Root, run)
	p, err := ev.programs().run(root).of(prev)
	if err != nil {
		return nil, err
	}
	w := p.work.Get().(*work)
	defer p.release(w)
	if err := errors.Join(w.setFacts(&t), p.checkNames(t.Remind...)); err != nil {
		return nil, err
	}
	if stored, err := prev.Taken(t.Key, t.Body); stored == nil && err == nil {
		if err := p.compute(ctx, run, w.frame, t.computed); err != nil {
			return nil, err
		}
	}
	if w.at = t.At; w.at.IsZero() {
		w.at = ev.Now()
	}
	if t.Moment != fact.Turn {
		t.Key, t.Remind = "", nil
	}
	in := ev.input(p, w, &t)
	in.Run, in.Thread = root, run
	if err := p.recallTurn(w, prev, &t); err != nil {
		return nil, err
	}
	in.Spoken = w.frame.Truth(fact.UserMessage)
	in.CompactedBefore = in.More && prev.Turn() > 0 && w.earlier.Truth(fact.Compacted) == fact.True
	w.kept = w.frame.Kept(w.kept)
	in.Facts = w.kept
	d := &Decision{ev: ev, prog: p, run: run, told: t.told, turnKey: t.Key, body: t.Body, prev: prev, rev: rev,
		unkept: w.frame.Unkept(),
		moment: t.Moment, call: t.Call, facts: in.Facts}
	next, dec, err := firing.Step(prev, p.rules, in)
	if err != nil {
		return nil, err
	}
	d.untold = p.untold(w.frame)
	if t.Moment != fact.Turn && len(dec.Fired) == 0 {
		next, d.phase = prev, committed // there is nothing to store
		d.Decision, d.Mark, d.next = dec, prev.Tag(), prev
		return d, nil
	}
	if next == prev { // it was taken, and what was counted then is not in the frame
		d.untold = nil
		return d, d.become(next, dec)
	}
	d.Decision, d.Mark, d.next = dec, next.Tag(), next
	d.records = slices.Clone(w.records)
	model, _ := w.frame.Value(fact.Model).(string)
	for i := range d.records {
		d.records[i].Agent, d.records[i].Model = t.Agent, model
	}
	return d, nil
}

// recallTurn adds what the run's last turn left: of the earlier parts, if this is a further one; at another
// moment, the facts that stand and what was told; else what the user turn told before.
func (p *program) recallTurn(w *work, prev *state.Snapshot, t *Turn) error {
	f := w.frame
	setClock(f, w.at)
	begun, began := prev.Turn() > 0, prev.BeganUserTurn()
	part, goesOn := begun && t.Moment == fact.Turn && t.More, f.Truth(fact.UserMessage) != fact.True
	prompt, userTurn := p.set.Recalls()
	stand := fact.Texts(0)
	if prompt && begun && !f.Known(fact.Prompt) && goesOn && !t.forgetsPrompt() {
		stand = fact.PromptText
	}
	if t.Moment == fact.Turn && !part && stand == 0 && !(begun && goesOn && userTurn) {
		p.set.TellTexts(f, nil, 0, w.truths)
		p.set.Tell(f, nil)
		return nil
	}
	missing, err := w.recallLast(prev)
	if err != nil {
		return err
	}
	last := w.earlier
	switch {
	case part:
		f.SetBefore(last.Before())
		f.Stand(last)
		p.set.TellTexts(f, last.Told(), stand|prev.Told()|fact.ResponseText, w.truths)
		p.set.Tell(f, last)
		f.Unite(last)
	case t.Moment == fact.Turn:
		if goesOn {
			p.set.Remember(f, last, began)
		}
		p.set.TellTexts(f, last.Told(), stand, w.truths)
		p.set.Tell(f, nil)
	default:
		p.set.TellMoment(f, last, t.Moment, began, w.truths)
		if slices.Contains(missing, "calls") { // they were told, and no event of the turn stands
			last.SetCalls(nil)
		}
		last.EndEvents()
		f.Inherit(last)
	}
	f.SetMoment(t.Moment, t.Call)
	return nil
}

// forgetsPrompt reports whether the host says of the prompt that it is not known.
func (t *Turn) forgetsPrompt() bool {
	v, said := t.Facts[promptName]
	return said && v == nil
}

var promptName = fact.Builtin().Fact(fact.Prompt).Name

// recallLast sets the facts of the run's last turn in w.earlier, and returns the names of those that are not
// kept.
func (w *work) recallLast(prev *state.Snapshot) (missing []string, err error) {
	if w.earlier == nil {
		w.earlier = w.frame.Schema().NewFrame()
	}
	return recall(w.earlier, prev, fact.Values{})
}

// setClock sets the facts of the turn's time, unless the host gave them or the time is not known.
func setClock(f *fact.Frame, at time.Time) {
	if at.IsZero() {
		return
	}
	if !f.Known(fact.Hour) {
		f.SetInt(fact.Hour, int64(at.Hour()))
	}
	if !f.Known(fact.Weekday) {
		f.SetText(fact.Weekday, fact.Weekdays()[(at.Weekday()+6)%7])
	}
}

// patternOf reads a pattern of an earlier set, which the run goes on counting for a set that names it again;
// nil if it is none.
func patternOf(text string) fact.Pattern {
	if p, mistake := callpattern.ParseList(text); mistake == nil {
		return p
	}
	return nil
}

// input returns the turn in the form that firing.Step takes; w holds the host's facts.
func (ev *Evaluator) input(p *program, w *work, t *Turn) firing.Input {
	f := w.frame
	in := firing.Input{
		Key: t.Key, Body: t.Body, At: w.at, Order: ev.opts.Order, Budget: ev.opts.Budget, Tokens: ev.opts.Tokens,
		UserMessage: f.Truth(fact.UserMessage), Texts: f.Texts(),
		Compacted: f.Truth(fact.Compacted),
		Resumed:   f.Truth(fact.Resumed),
		Failed:    f.Truth(fact.LastToolCallFailed),
		Remind:    t.Remind, Silent: t.Silent, Tag: t.Mark, Holdout: ev.opts.Holdout,
		Shadow: p.shadow, More: t.More, Moment: t.Moment, Call: t.Call,
		Place: f.Place(), // in which each command line is parsed once
		Judge: w.judge, Render: w.render, Pauses: w.pauses, Expect: w.expect, Between: w.between,
		Record: w.record, Pattern: patternOf,
	}
	in.Calls, in.ToolsKnown = f.Batch()
	in.CallsTold = f.Known(fact.CallList)
	if in.ResponseKnown = f.Known(fact.LastResponseTokens); in.ResponseKnown {
		in.ResponseTokens = int64(f.Num(fact.LastResponseTokens))
	}
	if in.OutputKnown = f.Known(fact.OutputTokens); in.OutputKnown {
		in.OutputTokens = int64(f.Num(fact.OutputTokens))
	}
	return in
}

// Decide prepares a turn and commits it, and does both again if another writer of the run was quicker. Its
// errors are those of Prepare and Commit.
func (ev *Evaluator) Decide(ctx context.Context, run string, t Turn) (*Decision, error) {
	if t.At.IsZero() {
		t.At = ev.Now()
	}
	if t.computed == nil {
		t.computed = &computed{}
	}
	var d *Decision
	err := state.Retry(func() (err error) {
		if d, err = ev.Prepare(ctx, run, t); err != nil {
			return err
		}
		return d.Commit(ctx)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}
