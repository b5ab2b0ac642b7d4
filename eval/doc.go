// Package eval is what an agent embeds: facts of a turn go in, the decision which reminders are due comes out, and why.
//
//	ev := eval.New(set, eval.Options{})
//	obs := ev.Observe(run)                      // obs.UserMessage(…), obs.ToolCall("Edit", nil), obs.Response(usage)
//	d, err := ev.Prepare(ctx, run, obs.Turn())  // d.Fired, d.Due, d.Why(id)
//	err = d.Commit(ctx)                         // before anything is sent; or d.Discard()
//
// It owns the way from a Turn to a stored Decision: checking the host's facts, adding the counts that the run itself
// keeps, asking the compiled set, running the state machine, writing the result by compare-and-swap. It knows nothing of
// messages, files or HTTP; whatever it stores goes through a state.Store, and the clock comes in with Options or the turn.
//
// An Evaluator may be used by any number of goroutines, for any number of runs. It holds no lock of its own: while
// predicates, templates and stores run, nothing is held, so a predicate written in Go may call back into the evaluator that
// asks it. A Decision belongs to one goroutine at a time; an Observer may be shared.
package eval
