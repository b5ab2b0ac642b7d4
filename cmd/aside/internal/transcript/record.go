package transcript

import (
	"bytes"
	"time"
)

// record is one line of a Claude Code session file. Slices borrow from the line.
type record struct {
	kind        kind
	known       bool // the line has a member that only these files have
	sidechain   bool
	meta        bool
	summary     bool // the message is a compaction's summary
	boundary    bool // the history was compacted here
	resumed     bool // a hook ran because the session was resumed
	refused     bool // the message is an error of the API, and no answer
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

// readRecord reads a line. It stops as soon as the line turns out to be of a type that holds nothing of interest, as most of a file is;
// the rest of such a line is not checked. ok is false where the line is no object, or is cut off.
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

// typed reads the member "type". It reports whether the rest of the line is of no interest.
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

// member reads a member that means the same in a line of any type. Other members it leaves to the caller.
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
		r.origin = rawMember(c.raw(), "kind")
	}
}

// compacted reads the metadata of a compaction's boundary.
func (r *record) compacted(metadata []byte) {
	r.boundary = true
	post := cursor{b: rawMember(metadata, "postTokens")}
	n, ok := post.count()
	r.postContext = Count{n, ok && n > 0}
}

func isTrue(raw []byte) bool { return string(raw) == "true" }

// head returns the part of a hook's record in which the hook's name stands.
func head(line []byte) []byte { return line[:min(len(line), 1024)] }

// resumeHook reports whether a record is of a hook that ran because the session was resumed. Only a member can match: inside a text the
// quotes would have backslashes.
func resumeHook(raw []byte) bool {
	return len(raw) > 0 && bytes.Contains(head(raw), []byte(`"SessionStart:resume"`))
}

// rawMember returns the JSON text of an object's member; nil where there is none, and where raw is no object.
func rawMember(raw []byte, name string) []byte {
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

// readTime reads a time stamp. ok is false for anything but a string with a time of RFC 3339.
func readTime(raw []byte) (t time.Time, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return t, false
	}
	err := t.UnmarshalText(raw[1 : len(raw)-1])
	return t, err == nil && t.Year() > 1
}
