package request

import (
	"encoding/json"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/api"
)

// Identity names the run and the thread that a request belongs to. A field that is "" is
// unknown. Where all are, only the first messages tell one run from another. The ids come from clients and
// may be any text.
//
// Sources: WIRE.md §2.1, captured from the agents named there.
type Identity struct {
	// the conversation; stays the same on resume if the client keeps it; of a subagent it is the parent's
	Run    string
	Source string // where Run comes from, such as "x-claude-code-session-id" or "prompt_cache_key"
	Thread string // the subagent's own id; "" in the main conversation
	Type   string // "root", or the kind of the subagent

	Turn  string // the client's id of the user turn
	Begun string // how the history came about, in the client's words, such as "new" or "cold_resume"
	// the client's id of the context window; when it changes within a run, the history was compacted
	Window string

	Previous     string // the id of the response, kept by the server, that this request goes on from
	Conversation string // the id of the conversation that the server keeps
}

// Key is the key of the run's state: Run, and in a subagent "Run/Thread"; "" where the run is unknown.
func (id Identity) Key() string {
	if id.Run == "" || id.Thread == "" {
		return id.Run
	}
	return id.Run + "/" + id.Thread
}

// identify fills q.Thread from the headers and the body.
func (y *history) identify(q *Request) {
	id := &q.Thread
	t := agent.Identify(asked{y})
	y.client, q.Agent = t.Agent, agent.Client(asked{y}, t.Agent)
	id.Run, id.Source, id.Thread, id.Type = t.Run, t.Source, t.Thread, t.Type
	id.Turn, id.Begun, id.Window = t.Turn, t.Begun, t.Window
	id.Previous = y.d.ID(api.PreviousID)
	id.Conversation = y.d.ID("conversation")
	from := func(run, source string) {
		if id.Run == "" && run != "" {
			id.Run, id.Source = run, source
		}
	}
	from(y.get("x-session-affinity"), "x-session-affinity")
	from(sessionOf(y.d.ID("metadata.user_id")), "metadata.user_id")
	from(y.d.ID("prompt_cache_key"), "prompt_cache_key")
	from(id.Conversation, "conversation")
}

// asked is a request as package agent asks it.
type asked struct{ *history }

var _ agent.Request = asked{}

// Header implements agent.Request.
func (a asked) Header(name string) string { return a.get(name) }

// Member implements agent.Request: Codex's turn metadata is the one object that is read.
func (a asked) Member(_, name string) string { return a.meta[name] }

// ID implements agent.Request.
func (a asked) ID(path string) string { return a.d.ID(path) }

// System implements agent.Request.
func (a asked) System() string { return a.d.Says(a.first) }

// Person implements agent.Request.
func (a asked) Person() bool { return a.last == aPerson }

// codexMeta returns Codex's turn metadata, from the header or the body, nil if there is none.
func (y *history) codexMeta() map[string]string {
	if m := stringMembers(y.get("x-codex-turn-metadata")); m != nil {
		return m
	}
	return stringMembers(y.d.ID("client_metadata.x-codex-turn-metadata"))
}

// sessionOf returns the session in metadata.user_id, "" if there is none: user_id is JSON in a string, or
// user_…_session_ID, as older versions wrote it.
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
	var all map[string]any
	if json.Unmarshal([]byte(s), &all) != nil || all == nil {
		return nil
	}
	m := map[string]string{}
	for name, v := range all {
		if text, ok := v.(string); ok {
			m[name] = text
		}
	}
	return m
}
