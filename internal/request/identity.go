package request

import (
	"encoding/json"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Identity is the thread of a request. The ids come from clients and may be any text. The Agent is nil.
//
// Sources: WIRE.md §2.1, captured from the agents named there.
type Identity = agent.Thread

// identify fills q.Thread from the headers and the body.
func (y *history) identify(q *Request) {
	id := &q.Thread
	*id = agent.Identify(y)
	y.client, q.Agent, id.Agent = id.Agent, agent.Client(y, id.Agent), nil
	id.Previous = y.d.ID(api.PreviousID)
	id.Conversation = y.d.ID("conversation")
	from := func(run, source string) {
		if id.Run == "" && run != "" {
			id.Run, id.Source = run, source
		}
	}
	from(y.Header("x-session-affinity"), "x-session-affinity")
	from(sessionOf(y.d.ID("metadata.user_id")), "metadata.user_id")
	from(y.d.ID("prompt_cache_key"), "prompt_cache_key")
	from(id.Conversation, "conversation")
}

var _ agent.Request = (*history)(nil)

// Member implements agent.Request: Codex's turn metadata is the one object that is read.
func (y *history) Member(_, name string) string { return member(y.meta, name) }

// ID implements agent.Request.
func (y *history) ID(path string) string { return y.d.ID(path) }

// System implements agent.Request.
func (y *history) System() string { return y.d.Says(y.first) }

// Person implements agent.Request.
func (y *history) Person() bool { return y.last == body.ByUser }

// codexMeta returns Codex's turn metadata, from the header or the body, "" if there is none.
func (y *history) codexMeta() string {
	if meta := y.Header("x-codex-turn-metadata"); isObject(meta) {
		return meta
	}
	return y.d.ID("client_metadata.x-codex-turn-metadata")
}

// sessionOf returns the session in metadata.user_id, "" if there is none: user_id is JSON in a string, or
// user_…_session_ID, as older versions wrote it.
func sessionOf(user string) string {
	if isObject(user) {
		return member(user, "session_id")
	}
	if n := strings.LastIndex(user, "_session_"); n >= 0 {
		return user[n+len("_session_"):]
	}
	return ""
}

// isObject reports whether s is a JSON object.
func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s))
}

// member returns a string that a JSON object has as a member, "" for none.
func member(object, name string) string {
	return jsonscan.Unquote(jsonscan.Member([]byte(object), name))
}
