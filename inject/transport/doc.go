// Package transport puts due reminders into requests to model APIs, and keeps each where it was put, in
// every later request of the conversation. `aside serve` forwards requests through it.
//
// A Transport is an http.RoundTripper: one line for any Go SDK that takes an http.Client.
//
//	client := &http.Client{Transport: transport.New(ev, transport.Options{})}
//
// Its method Copy is the same way for hosts that send requests by themselves: it returns the copy to send,
// of the bytes of an API or of messages as values.
//
//	c := tr.Copy(ctx, transport.Request{Model: model, Messages: history})
//	...                                        // send c.Messages
//	c.Done(transport.Response{Usage: usage})
//
// Facts are read off the requests. What the host itself knows of a model call goes with the context of the
// request (eval.WithRun, eval.WithTurn), before the request's word; Report.Untold names the facts that rules
// mention and nobody told.
//
// # The way of a request
//
//	RoundTrip (exchange.go) ─► read the body (body.go) ─┐
//	Copy (copy.go) ─► messages as bytes (messages.go) ──┴► kind and conversation (internal/request)
//	  ─► the run (identity.go) ─► the facts of the turn (facts.go) ─► eval: prepare, compose, commit (turn.go)
//	  ─► the copy with earlier and new texts (compose.go, inject/internal/ledger, internal/body) ─► sent
//	  ─► the response, observed while the client reads it (response.go); where the API keeps it, its calls
//	  (calls.go), and what its id stands for (reply.go) ─► notes (notes.go) ─► Report
//
// A run advances by one turn at a time: one model call. A conversation that is asked again, by a retry, with
// other parameters or of another model, is the same turn: it gets the same bytes and changes nothing. A
// request that counts tokens is answered for the copy that the turn would send. All others (a summary, a
// title) hold the texts of earlier requests, and nothing new.
//
// A request never fails because of a reminder. In any doubt (a body that cannot be read, a signature over
// the bytes) the request goes out as it came, and the Report says why. If an API refuses a request with
// reminders (400, 413, 422), the Transport sends it again without the new ones, and, if that is refused too,
// without any. What the API then accepts teaches where this model takes no text, behind tools or behind a
// person: the text is due again and goes to the model's next place, or is held where none is left. If the API
// refuses all of that, the mistake is the client's own: the same request is not tried without texts again,
// nor, after three in a row, any of the run on that model, until the API has accepted one.
//
// A request whose run cannot be read or written holds what earlier requests of the run held, byte for byte,
// and nothing new (fallback.go); what it would have said is decided again when the state is back. The texts
// are those of the state, or, where that cannot be read or has lost the run, those that this process has in
// memory, of the 4096 runs that were used last. A request of which neither knows goes out as it came. It
// waits for the state for five seconds at most, and for a quarter of a second where another request has
// waited in vain within the last half minute.
//
// # Runs
//
// The run of a request is, in this order: the answer of Options.Run; the header X-Aside-Run; the run of the
// request's context (eval.WithRun); the session that the client names in headers or body, with the thread of
// a subagent; the conversation that the API keeps, where the request names one; the conversation itself. A
// session that begins with the history of another session is a fork of it.
//
// A conversation that nobody names is known by the answers of the model that it still holds: by their words
// and calls, by the ids of the calls, by the messages before them (package evidence has the rule). Each run
// keeps the digests of its last 64 answers with its turns, and the store has the run under those of the last
// 16, so that any number of processes over one store agree, and a process that was killed is missed by
// nobody. A client that cuts its history, or has a summary in place of its beginning, goes on with its run
// as long as it keeps an answer that tells, or a summary that came through here; what it keeps may be too
// little, and then a run begins.
//
// A conversation that parts from another one begins a run with the state after the last turn that the two
// have in common: of the first turn, and of each of the run's last 16 turns (checkpoints.go). One that parts
// between these begins with the next of them: its counts are ahead by the turns between, nothing that it
// holds is sent twice, and nothing that it held is missing. So conversations share the turns that they have
// in common to the word, with the same bytes, and no other.
//
// The same first request again within five minutes, by a retry or another conversation, is the same turn.
// Later, or under other rules, it is decided anew; conversations that have got an answer go on as they were.
// Credentials and OpenAI's prompt_cache_key, which many conversations may share, keep first turns apart, as
// part of a hash, and no later ones, since clients change them.
//
// Where the API keeps responses, a request may say no more than the id of the one that it goes on from, or
// ids of items. What such an id stands for is stored under a name made of the id (reply.go), before the
// client has the end of the response: of those that a run's last 16 turns went on from, and of its first
// item. From an older one a process that has not seen it begins a new run. Responses and Anthropic's message
// threads are one thing here.
package transport
