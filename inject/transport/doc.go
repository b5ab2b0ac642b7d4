// Package transport is an http.RoundTripper that puts due reminders into requests to model APIs: one line for any Go SDK that
// takes an http.Client, and what `aside serve` forwards through.
//
//	client := &http.Client{Transport: transport.New(ev, transport.Options{})}
//
// # The way of a request
//
//	RoundTrip (exchange.go) ─► read the bytes (body.go) ─► what is asked, and in which conversation (inject/wire)
//	  ─► which run (identity.go) ─► facts of the turn (turn.go) ─► eval: decided and committed
//	  ─► the copy with what was due and what is (inject/ledger, inject/wire) ─► sent
//	  ─► the response, watched as it goes by (response.go) ─► usage and acceptance into the run's notes (notes.go) ─► Report
//
// What advances a run is a Turn (wire.KindTurn), once: the same conversation asked again, by a retry, with other parameters or of
// another model, is the same turn, gets the same bytes and changes nothing. A request that counts tokens is answered for what the
// turn would be. All others (a summary, a title) hold what earlier requests held, and nothing new.
//
// A request never fails because of a reminder. Where anything is in doubt (a body that cannot be read, a state that cannot be
// written, a signature over the bytes) it goes out as it came, and the Report says why. An API that refuses a request with
// reminders (400, 413, 422) is asked again without; if that goes well, this run gets no more texts on that model.
//
// # Runs
//
// The run of a request is, in this order: what Options.Run says; the header X-Aside-Run; the session that the client names in
// headers or body (wire.Identity), with the thread of a subagent; the response or conversation that it goes on from, where the API
// keeps it; the conversation itself. The last is known by what it begins with and, in this process, by what its last request held
// and by the ids of its tool calls, so that a client that shortens its history is known again. A session that begins with the
// history of another one is a fork of it. OpenAI's prompt_cache_key may be shared by many conversations, so it is only taken
// together with how the conversation begins.
//
// Conversations without a session that begin with the same words are told apart from the first answer on: one whose run has gone on
// otherwise becomes a run of its own, begun as a copy. After a restart such a conversation is found by its beginning alone.
package transport
