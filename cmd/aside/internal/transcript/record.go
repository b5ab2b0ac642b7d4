package transcript

import (
	"bytes"
	"time"
)

// record is one line of a Claude Code session file. Slices borrow from the line.
type record struct {
	kind        kind
	known       bool // it has a member that only these files have
	sidechain   bool
	meta        bool
	summary     bool // of a compaction
	boundary    bool // a compaction happened here
	resumed     bool // a hook says that the session was resumed
	refused     bool // no answer, but what the API had against the request
	prompt      []byte
	uuid        []byte
	request     []byte
	session     []byte
	agent       []byte
	timestamp   []byte
	origin      []byte // kind of the origin, with quotes
	message     part
	postContext Count // tokens in the window after the compaction
}

type kind uint8

const (
	other kind = iota
	user
	assistant
	system
)

// readRecord reads a line. It stops as soon as the line turns out to be of a kind that holds nothing of interest, which
// is most of a file; such a line is not checked any further. ok is false when the line is no object, or cut off.
func readRecord(line []byte) (r record, ok bool) {
	c := cursor{b: line}
	var subtype, compact []byte
	typed := false
	for key := range c.keys() {
		switch string(key) {
		case "type":
			typed = true
			if r.typed(c.raw(), line) {
				return r, true
			}
		case "subtype":
			subtype = c.raw()
		case "compactMetadata":
			compact = c.raw()
		default:
			r.member(key, &c)
		}
	}
	if r.kind == system && string(subtype) == `"compact_boundary"` {
		r.compacted(compact)
	}
	return r, !c.bad && (typed || r.known)
}

// typed takes what the line says of its type. It reports whether the rest of the line is of no interest.
func (r *record) typed(raw, line []byte) (enough bool) {
	switch string(raw) {
	case `"user"`:
		r.kind = user
	case `"assistant"`:
		r.kind = assistant
	case `"system"`:
		r.kind = system
	case `"progress"`:
		r.resumed = resumeHook(head(line))
		r.known = r.known || bytes.Contains(head(line), []byte(`"toolUseID"`))
		return r.known
	}
	return false
}

// member takes a member that means the same in a line of any type, if it is one.
func (r *record) member(key []byte, c *cursor) {
	switch string(key) {
	case "message":
		r.message = c.message()
	case "parentUuid", "isSidechain", "leafUuid", "isSnapshotUpdate":
		r.known = true
		r.sidechain = r.sidechain || string(key) == "isSidechain" && isTrue(c.raw())
	case "sessionId":
		r.known = true
		r.session = c.raw()
	case "agentId":
		r.agent = c.raw()
	case "uuid":
		r.uuid = c.raw()
	case "requestId":
		r.request = c.raw()
	case "timestamp":
		r.timestamp = c.raw()
	case "isMeta":
		r.meta = isTrue(c.raw())
	case "isApiErrorMessage":
		r.refused = isTrue(c.raw())
	case "promptId":
		r.prompt = c.raw()
	case "isCompactSummary":
		r.summary = isTrue(c.raw())
	case "attachment":
		r.resumed = resumeHook(c.raw())
	case "origin":
		r.origin = stringMember(c.raw(), "kind")
	}
}

// compacted takes what the boundary of a compaction says of it.
func (r *record) compacted(metadata []byte) {
	r.boundary = true
	post := cursor{b: stringMember(metadata, "postTokens")}
	n, ok := post.count()
	r.postContext = Count{n, ok && n > 0}
}

func isTrue(raw []byte) bool { return string(raw) == "true" }

// head is where the name of a hook stands in a line of its progress.
func head(line []byte) []byte { return line[:min(len(line), 1024)] }

// resumeHook reports whether the record of a hook is of one that ran because the session was resumed. In a text the quotes
// would have backslashes, so only a member can look like this.
func resumeHook(raw []byte) bool {
	return len(raw) > 0 && bytes.Contains(head(raw), []byte(`"SessionStart:resume"`))
}

// stringMember returns the member of an object as it is written; nil if there is none.
func stringMember(raw []byte, name string) []byte {
	c := cursor{b: raw}
	if c.peek() != '{' {
		return nil
	}
	for key, value := range c.members() {
		if string(key) == name && !c.bad {
			return value
		}
	}
	return nil
}

// readTime reads a time stamp; ok is false for anything but RFC 3339 in a string.
func readTime(raw []byte) (t time.Time, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return t, false
	}
	err := t.UnmarshalText(raw[1 : len(raw)-1])
	return t, err == nil && t.Year() > 1
}
