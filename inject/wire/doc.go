// Package wire puts reminders into the JSON body of a request to a model API, and takes them out again.
//
//	opts := wire.Options{API: wire.Anthropic, Options: inject.Options{Mark: mark}}
//	out, report, err := wire.Inject(body, due, opts)
//	...
//	back, err := wire.Strip(out, opts) // the client's bytes again
//
// Inject and Strip see one request alone. The Report says what became of the texts: which delivery they got,
// which header the request needs (Report.Beta), and which texts are held, because nothing may be put at their
// place now. A held text stays due. Neutralise makes the reminder tags harmless that others
// wrote. For callers that see every request of a run, and for whom earlier texts must stand in later requests
// too, there is package inject/transport.
//
// A body is changed by splices, never decoded and encoded again. Every byte of the client's stays: unknown
// members, key order, duplicate keys, white space, escapes, integers of any size. Without a mark, Strip knows
// a text as ours by its exact form at the places where texts are put now; with the mark of the run, wherever
// the mark stands. Strip cannot give back how a neutralised tag was spelled: Strip(Inject(x)) is
// Neutralise(x).
//
// The APIs differ in where a text may go, and the models in what they take: see WIRE.md. A user who knows
// better than the project's table of models gives Options.Models, and Windows for the sizes of context
// windows.
//
// Bodies and texts that are given are never written to. Every function may be called concurrently, and does
// no I/O.
package wire
