// Package telemetry tells OpenTelemetry what an Evaluator decides and what a Transport sends. It uses the API
// alone: a host brings its own SDK and exporters, and without them next to nothing is done.
//
//	eng, err := engine.Open(ctx, telemetry.New(telemetry.Options{}).Engine(engine.Options{Dirs: dirs}))
//
// or, without the front door,
//
//	tel := telemetry.New(telemetry.Options{})
//	ev := eval.New(set, tel.Evaluator(eval.Options{}))
//	tr := transport.New(ev, tel.Transport(transport.Options{}))
//
// # Spans
//
// Each request to a model is a span of kind client, a child of the span in the request's context, which lasts
// until the response is over. It has the attributes gen_ai.* of the semantic conventions, as far as request
// and response tell them, and those of Report: aside.turn, aside.coverage, others. The request that is sent
// carries the context of the span in its headers, unless it is signed.
//
// The decision of a turn is events of the span in the context of Commit, so that they are there for hosts
// without a Transport, too:
//
//	aside.reminder.fired     id, why ("trigger" or "manual"), turn, tokens
//	aside.reminder.held_out  the same, of a text that was not sent since the run is held out
//	aside.reminder.held      id, why (a constant of package state: "cooldown", "budget" …), turn
//	aside.reminder.outcome   id, outcome ("heeded", "ignored", "open"), after (turns), held_out, turn
//
// A reminder that is merely not armed again is no event. No span, event or metric has a text, a prompt, an
// answer, a command or a path. Ids of reminders, names of models and the names of runs are there.
//
// # Metrics
//
//	gen_ai.client.operation.duration, gen_ai.client.token.usage  of the semantic conventions
//	aside.reminder.fired, .held, .held_out                       by aside.reminder.id, and why
//	aside.reminder.accepted                                      by aside.reminder.id: what the API has taken
//	aside.reminder.outcome                                       by aside.reminder.id, outcome and held_out
//	aside.request.passed                                         by aside.passed
//	aside.request.added_tokens                                   of reminders, estimated
//	aside.request.added_duration                                 from arrival to being sent on
//
// Everything in this package may be used concurrently.
package telemetry
