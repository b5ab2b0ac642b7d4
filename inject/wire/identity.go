package wire

import "strings"

// Identity is what a request says about the run and the thread it belongs to. A field that is "" is unknown. Where all are, only
// the first messages tell one run from another. The ids come from clients and may be any text.
//
// Sources: WIRE.md §2.1, captured from the agents named there.
type Identity struct {
	Run    string // the conversation; stays the same on resume if the client keeps it; of a subagent it is the parent's
	Source string // where Run comes from, such as "x-claude-code-session-id" or "prompt_cache_key"
	Thread string // the subagent's own id; "" in the main conversation
	Type   string // "root", or the kind of the subagent

	Turn   string // the client's id of the user turn
	Begun  string // how the history came about, in the client's words, such as "new" or "cold_resume"
	Window string // the client's id of the context window; when it changes within a run, the history was compacted

	Previous     string // the id of the response, kept by the server, that this request goes on from
	Conversation string // the id of the conversation that the server keeps
}

// Key names what a run's state belongs to: Run, and in a subagent "Run/Thread"; "" where the run is unknown.
func (id Identity) Key() string {
	if id.Run == "" || id.Thread == "" {
		return id.Run
	}
	return id.Run + "/" + id.Thread
}

// bodyIDs are the ids in a body; see Identity.
type bodyIDs struct {
	user, cacheKey, previous, conversation span
	meta, session, thread, turn            span // of Codex's client_metadata
}

// id reads the value of a member of the body if that holds ids, and returns true; else it reads nothing and returns false.
func (b *bodyIDs) id(r *reader, name []byte) bool {
	p := &r.doc.params
	switch string(name) {
	case "metadata":
		b.user = r.named("user_id")
	case "prompt_cache_key":
		b.cacheKey = r.quoted()
	case "previous_response_id":
		b.previous = r.quoted()
		p.partial = p.partial || b.previous.to > 0
	case "conversation":
		p.partial = p.partial || r.peek() != 'n'
		if r.peek() == '{' {
			b.conversation = r.named("id")
		} else {
			b.conversation = r.quoted()
		}
	case "client_metadata":
		r.eachMember(func(name []byte) {
			switch string(name) {
			case "x-codex-turn-metadata":
				b.meta = r.quoted()
			case "session_id":
				b.session = r.quoted()
			case "thread_id":
				b.thread = r.quoted()
			case "turn_id":
				b.turn = r.quoted()
			default:
				r.value()
			}
		})
	default:
		return false
	}
	return true
}

// identify fills q.Thread from the headers and the body.
func (y *history) identify(q *Request) {
	id, ids := &q.Thread, &y.params.ids
	id.Previous, id.Conversation = y.says(ids.previous), y.says(ids.conversation)
	from := func(run, source string) {
		if id.Run == "" && run != "" {
			id.Run, id.Source = run, source
		}
	}
	if run := y.get("x-claude-code-session-id"); run != "" {
		from(run, "x-claude-code-session-id")
		id.Thread, id.Type = y.get("x-claude-code-agent-id"), y.get("x-claude-code-agent-type")
		id.root()
	}
	y.codex(id)
	if run := y.get("x-session-id"); run != "" && id.Run == "" { // opencode
		if parent := y.get("x-parent-session-id"); parent != "" {
			from(parent, "x-parent-session-id")
			id.Thread = run
		}
		from(run, "x-session-id")
		id.root()
	}
	if y.get("x-initiator") != "" && id.Type == "" { // Copilot names no thread
		id.Type = "root"
		if y.get("x-interaction-type") == "conversation-subagent" {
			id.Type = "subagent"
		}
	}
	from(y.get("x-session-affinity"), "x-session-affinity")
	from(sessionOf(y.says(ids.user)), "metadata.user_id")
	from(y.says(ids.cacheKey), "prompt_cache_key")
	from(id.Conversation, "conversation")
}

// root fills in Type, for a client that says which threads are subagents.
func (id *Identity) root() {
	switch {
	case id.Thread == "":
		id.Type = "root"
	case id.Type == "" || id.Type == "root" || id.Type == "main":
		id.Type = "subagent"
	}
}

// codex reads the ids that Codex sends in headers and again in the body's client_metadata.
func (y *history) codex(id *Identity) {
	first := func(of ...string) string {
		for _, s := range of {
			if s != "" {
				return s
			}
		}
		return ""
	}
	m, ids := y.meta, &y.params.ids
	thread := first(y.get("thread-id"), y.get("x-client-request-id"), m["thread_id"], y.says(ids.thread))
	if m == nil && y.get("thread-id") == "" && ids.thread.to == 0 {
		return // other clients have a session-id and request ids too
	}
	run, source := y.get("session-id"), "session-id"
	if run == "" {
		run, source = first(m["session_id"], y.says(ids.session)), "client_metadata.session_id"
	}
	if run == "" {
		run, source = y.says(ids.cacheKey), "prompt_cache_key"
	}
	if run == "" || id.Run != "" {
		return
	}
	id.Run, id.Source = run, source
	id.Turn, id.Begun = first(m["turn_id"], y.says(ids.turn)), m["history_initialization"]
	id.Window = first(y.get("x-codex-window-id"), m["window_id"])
	sub := first(y.get("x-openai-subagent"), m["subagent_kind"])
	if thread != run || sub != "" || m["thread_source"] == "subagent" || y.get("x-codex-parent-thread-id") != "" {
		id.Thread, id.Type = first(thread, "subagent"), sub
	}
	id.root()
}

// codexMeta returns Codex's turn metadata, from the header or the body, nil if there is none.
func (y *history) codexMeta() map[string]string {
	if m := stringMembers(y.get("x-codex-turn-metadata")); m != nil {
		return m
	}
	return stringMembers(y.says(y.params.ids.meta))
}

// sessionOf returns the session in metadata.user_id, "" if there is none: user_id is JSON in a string, or user_…_session_ID, as
// older versions wrote it.
func sessionOf(user string) string {
	if m := stringMembers(user); m != nil {
		return m["session_id"]
	}
	if n := strings.LastIndex(user, "_session_"); n >= 0 {
		return user[n+len("_session_"):]
	}
	return ""
}

// stringMembers returns the members of the JSON object s that are strings, nil if s is no JSON object.
func stringMembers(s string) map[string]string {
	if !strings.HasPrefix(strings.TrimSpace(s), "{") {
		return nil
	}
	r := &scanner{b: []byte(s)}
	m := map[string]string{}
	r.space()
	r.eachMember(func(name []byte) {
		if at := r.quoted(); at.to > 0 {
			m[string(name)] = decode(r.b, at).s
		}
	})
	if r.err != nil || !r.end() {
		return nil
	}
	return m
}
