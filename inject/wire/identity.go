package wire

import "strings"

// Identity is what a request says about the run and the thread that it belongs to. "" is unknown throughout; where nothing
// is known, only the first messages tell one run from another. The ids come from clients and are any text.
//
// Sources: WIRE.md §2.1, captured from the agents that it names.
type Identity struct {
	Run    string // the conversation, stable over resume where the client keeps it so; of a subagent its parent's
	Source string // where Run is from, such as "x-claude-code-session-id" or "prompt_cache_key"
	Thread string // the subagent's own id; "" in the conversation itself
	Type   string // "root", or what kind of subagent it is

	Turn   string // the client's name of the user turn
	Begun  string // how the history came to be, in the client's words: "new", "cold_resume"
	Window string // the context window; another one in the same run means that the history was compacted

	Previous     string // the response that this request goes on from, which the server keeps
	Conversation string // the conversation that the server keeps
}

// Key is the run and, in a subagent, the thread: a run's state belongs to it. It is "" where the run is unknown.
func (id Identity) Key() string {
	if id.Run == "" || id.Thread == "" {
		return id.Run
	}
	return id.Run + "/" + id.Thread
}

// bodyIDs is what a body says about it.
type bodyIDs struct {
	user, cacheKey, previous, conversation span
	meta, session, thread, turn            span // of Codex's client_metadata
}

// head reads a member of the body, if it is one of these.
func (b *bodyIDs) head(r *factReader, key []byte) bool {
	switch string(key) {
	case "metadata":
		b.user = r.named("user_id")
	case "prompt_cache_key":
		b.cacheKey = r.text()
	case "previous_response_id":
		b.previous = r.text()
		r.partial = r.partial || b.previous.to > 0
	case "conversation":
		r.partial = r.partial || r.peek() != 'n'
		if r.peek() == '{' {
			b.conversation = r.named("id")
		} else {
			b.conversation = r.text()
		}
	case "client_metadata":
		r.inside(func(key []byte) {
			switch string(key) {
			case "x-codex-turn-metadata":
				b.meta = r.text()
			case "session_id":
				b.session = r.text()
			case "thread_id":
				b.thread = r.text()
			case "turn_id":
				b.turn = r.text()
			default:
				r.value()
			}
		})
	default:
		return false
	}
	return true
}

// identify writes what headers and body say about run and thread.
func (r *factReader) identify(q *Request, h headers) {
	id := &q.Thread
	id.Previous, id.Conversation = r.str1(r.ids.previous), r.str1(r.ids.conversation)
	from := func(run, source string) {
		if id.Run == "" && run != "" {
			id.Run, id.Source = run, source
		}
	}
	if run := h.get("x-claude-code-session-id"); run != "" {
		from(run, "x-claude-code-session-id")
		id.Thread, id.Type = h.get("x-claude-code-agent-id"), h.get("x-claude-code-agent-type")
		id.root()
	}
	r.codex(id, h)
	if run := h.get("x-session-id"); run != "" && id.Run == "" { // opencode
		if parent := h.get("x-parent-session-id"); parent != "" {
			from(parent, "x-parent-session-id")
			id.Thread = run
		}
		from(run, "x-session-id")
		id.root()
	}
	if h.get("x-initiator") != "" && id.Type == "" { // Copilot names no thread
		id.Type = "root"
		if h.get("x-interaction-type") == "conversation-subagent" {
			id.Type = "subagent"
		}
	}
	from(h.get("x-session-affinity"), "x-session-affinity")
	from(sessionOf(r.str1(r.ids.user)), "metadata.user_id")
	from(r.str1(r.ids.cacheKey), "prompt_cache_key")
	from(id.Conversation, "conversation")
}

// root fills in the type of a thread whose client tells its subagents.
func (id *Identity) root() {
	switch {
	case id.Thread == "":
		id.Type = "root"
	case id.Type == "" || id.Type == "root" || id.Type == "main":
		id.Type = "subagent"
	}
}

// codex reads what Codex says in headers and, the same, in the body's client_metadata.
func (r *factReader) codex(id *Identity, h headers) {
	first := func(of ...string) string {
		for _, s := range of {
			if s != "" {
				return s
			}
		}
		return ""
	}
	m := r.codexMeta(h)
	thread := first(h.get("thread-id"), h.get("x-client-request-id"), m["thread_id"], r.str1(r.ids.thread))
	if m == nil && h.get("thread-id") == "" && r.ids.thread.to == 0 {
		return // others send a session-id and request ids of their own
	}
	run, source := h.get("session-id"), "session-id"
	if run == "" {
		run, source = first(m["session_id"], r.str1(r.ids.session)), "client_metadata.session_id"
	}
	if run == "" {
		run, source = r.str1(r.ids.cacheKey), "prompt_cache_key"
	}
	if run == "" || id.Run != "" {
		return
	}
	id.Run, id.Source = run, source
	id.Turn, id.Begun = first(m["turn_id"], r.str1(r.ids.turn)), m["history_initialization"]
	id.Window = first(h.get("x-codex-window-id"), m["window_id"])
	sub := first(h.get("x-openai-subagent"), m["subagent_kind"])
	if thread != run || sub != "" || m["thread_source"] == "subagent" || h.get("x-codex-parent-thread-id") != "" {
		id.Thread, id.Type = first(thread, "subagent"), sub
	}
	id.root()
}

// codexMeta returns the turn metadata, nil if there is none.
func (r *factReader) codexMeta(h headers) map[string]string {
	if m := stringMembers(h.get("x-codex-turn-metadata")); m != nil {
		return m
	}
	return stringMembers(r.str1(r.ids.meta))
}

// sessionOf reads the session out of metadata.user_id: JSON in a string, or user_…_session_ID, as older versions wrote it.
func sessionOf(user string) string {
	if m := stringMembers(user); m != nil {
		return m["session_id"]
	}
	if n := strings.LastIndex(user, "_session_"); n >= 0 {
		return user[n+len("_session_"):]
	}
	return ""
}

// stringMembers returns the members of a JSON object that are strings, nil if it is none.
func stringMembers(s string) map[string]string {
	if !strings.HasPrefix(strings.TrimSpace(s), "{") {
		return nil
	}
	r := &factReader{scanner: scanner{b: []byte(s)}}
	m := map[string]string{}
	r.space()
	r.object(func(key []byte) {
		name := string(key)
		if at := r.text(); at.to > 0 {
			m[name] = r.str1(at)
		}
	})
	if r.err != nil || !r.end() {
		return nil
	}
	return m
}
