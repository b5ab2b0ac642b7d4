// Package ledger remembers what was put where in the requests of a run, so that later requests hold it there again.
//
// The history that a client keeps is clean, so each of its requests comes without what was put into the ones before. A model
// that binds its thinking to every earlier byte refuses such a request, and a cache that is keyed by the prefix misses. So what
// once went out stays, byte for byte, as long as the message is there that it stands with (wire.Put.Anchor).
//
//	client's request ─► wire.Conversation ─► Gone ─► Settle ─► decision ─► End ─► Compose(Puts, due) ─► Add ─► notes of the run
//	response 2xx ─────► Accept
//
// Keep, which says how long a text is wanted, is obeyed where that costs nothing: a text whose keep has ended is let go once the
// client itself has rewritten the history before it. Where an API lets texts lapse by itself (native), they cost nothing after
// their turn anyway.
//
// A Ledger is a value; its methods return another one and write to none. It knows nothing of triggers, of runs and of HTTP.
package ledger
