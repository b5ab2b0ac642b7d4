// Package eval is the evaluator that an agent embeds: before each model call the agent gives the facts of the
// turn, and gets the reminders that are due, and why. Most agents let package inject/transport ask it, which
// also puts the texts into the requests and keeps them there; what only the agent knows goes with the context
// (Observer.Context, WithTurn). Package eval/engine puts all of this together.
//
//	ev := eval.New(set, eval.Options{})
//	client := &http.Client{Transport: transport.New(ev, transport.Options{})}
//	obs := ev.Observe(run)
//	obs.Thread("plan")     // obs.Set("tests_green", false), obs.Call(c), …
//	ctx = obs.Context(ctx) // for the model calls of the run
//
// An agent that places texts itself asks by itself, and must see to it that a text stays where it was put:
//
//	d, err := ev.Prepare(ctx, run, obs.Turn())  // d.Fired, d.Due, d.Why(id)
//	err = d.Commit(ctx)                         // before anything is sent; or d.Discard()
//
// A run is one conversation of one agent. An Evaluator holds the reminders, and knows any number of runs by
// their names. An Observer turns the events of a run into facts; a host that has the facts already fills in a
// Turn itself. Prepare makes a Decision of a Turn: it checks the facts, adds the counts of the run, evaluates
// the triggers, and lets package state decide which reminders fire. Commit stores the decision by
// compare-and-swap. Decide does both.
//
// A run may have reminders of its own beside those of the set (Add, Remove), kept in its state. A reminder
// is fired by hand with the next turn (Remind), or at once (Fire). Options.Decided is told each turn.
//
// The package knows nothing of messages, files or HTTP. It stores runs in a state.Store, and takes the time
// from Options.Clock or the turn.
//
// An Evaluator and an Observer may be used concurrently; a Decision belongs to one goroutine at a time. No
// lock is held while predicates, templates, stores and clocks are called, so a predicate written in Go may
// call the evaluator that asks it.
package eval
