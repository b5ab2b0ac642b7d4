// Package ledger remembers what was put where in the requests of a run, so that later requests hold it there again.
//
// A client keeps its history without our texts, so each request comes without what was put into the ones before. If the texts
// were then missing, a model that binds its thinking to every earlier byte would refuse the request, and a cache that is keyed by
// the prefix would miss. So what went out once stays, byte for byte, as long as the message is there that it stands with
// (wire.Put.Anchor).
//
//	client's request ─► wire.Conversation ─► Gone ─► Settle ─► decision ─► End ─► Compose(Puts, due) ─► Add ─► notes of the run
//	response 2xx ─────► Accept
//
// Keep, which says how long a text is wanted, is obeyed where that costs nothing: a text whose keep has ended is let go when the
// client itself has rewritten the history before it. A text that the API lets lapse by itself (native) costs nothing after its
// turn anyway.
//
// A Ledger is a value: its methods return another Ledger and write to none. The package knows nothing of triggers, runs and HTTP.
package ledger
