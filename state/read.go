package state

import (
	"encoding"
	"math"
	"time"

	"github.com/aside-go/aside/internal/tightjson"
)

// readRun reads a run from exactly the form in which Encode writes it. It reports false for anything else; strict can still read
// that if it is the same JSON written differently. encoding/json can do what readRun does, but inspects the type wireRun by
// reflection first, which takes a hook process longer than all else that it does in a turn.
func readRun(run string) (*wireRun, bool) {
	r := wireReader{tightjson.NewReader(run)}
	w := r.run()
	return w, r.End()
}

// wireReader reads the types of wire.go, whose members it expects in the order in which they are declared there.
type wireReader struct{ *tightjson.Reader }

// readList reads a member that is an array, and may be missing, with item for each of its values.
func readList[T any](r wireReader, name string, item func() T) (list []T) {
	if !r.Member(name) {
		return nil
	}
	for r.Open('['); r.More(); {
		list = append(list, item())
	}
	r.Close(']')
	return list
}

func (r wireReader) run() *wireRun {
	w := &wireRun{}
	r.Open('{')
	w.Calls = readList(r, "calls", func() uint32 { return uint32(r.Count(math.MaxUint32)) })
	if r.Member("clock") {
		w.Clock = r.clock()
	}
	if r.Member("decision") {
		w.Decision = r.decision()
	}
	if r.Member("facts") {
		w.Facts = []byte(r.Raw())
	}
	w.Failures = r.int("failures")
	w.FailedKnown = r.MemberBool("failures_known")
	w.Keys = r.MemberTexts("keys")
	if r.Member("notes") {
		w.Notes = []byte(r.Raw())
	}
	if r.Member("output_tokens") {
		w.Output = new(int64)
		*w.Output = r.Int()
	}
	w.Queue = r.MemberTexts("queue")
	w.Rules = readList(r, "rules", r.entry)
	w.Spent = r.MemberInt("spent")
	w.Tag = r.MemberText("tag")
	w.Texts = readList(r, "texts", r.kept)
	w.ToolCalls = r.known("tool_calls")
	w.Tools = readList(r, "tools", r.tool)
	w.Turn = r.int("turn")
	w.UserTurns = r.known("user_turns")
	r.Close('}')
	return w
}

func (r wireReader) clock() (c wireClock) {
	r.Open('{')
	c = wireClock{First: r.time("first"), High: r.time("high"), Last: r.time("last"), Prev: r.time("prev")}
	r.Close('}')
	return c
}

func (r wireReader) decision() *wireDecision {
	d := &wireDecision{}
	r.Open('{')
	d.Due = r.MemberTexts("due")
	d.Errors = readList(r, "errors", r.textError)
	d.Fired = r.MemberTexts("fired")
	d.Held = readList(r, "held", r.held)
	d.Key = r.MemberText("key")
	d.Undelivered = r.MemberTexts("undelivered")
	r.Close('}')
	return d
}

func (r wireReader) textError() (e wireError) {
	r.Open('{')
	e = wireError{Error: r.MemberText("error"), ID: r.MemberText("id")}
	r.Close('}')
	return e
}

func (r wireReader) held() (h wireHeld) {
	r.Open('{')
	h = wireHeld{ID: r.MemberText("id"), Time: time.Duration(r.MemberInt("time")), Turns: r.int("turns"), Why: r.MemberText("why")}
	r.Close('}')
	return h
}

func (r wireReader) tool() (t wireTool) {
	r.Open('{')
	t = wireTool{Calls: r.int("calls"), Name: r.MemberText("name"), Turn: r.int("turn")}
	r.Close('}')
	return t
}

func (r wireReader) entry() (e wireEntry) {
	r.Open('{')
	e.Before = r.mark("before")
	e.Fired = r.MemberBool("fired")
	e.Fires = r.int("fires")
	e.ID = r.MemberText("id")
	e.Last = r.mark("last")
	e.Since = r.int("since")
	if r.Member("since_at") {
		e.SinceAt = new(time.Time)
		r.termed(e.SinceAt)
	}
	e.Version = r.MemberText("version")
	r.Close('}')
	return e
}

func (r wireReader) mark(name string) *wireMark {
	if !r.Member(name) {
		return nil
	}
	m := &wireMark{}
	r.Open('{')
	m.At = r.time("at")
	if r.Member("output_tokens") {
		m.Output = new(int64)
		*m.Output = r.Int()
	}
	m.Turn = r.int("turn")
	m.UserTurns = r.known("user_turns")
	r.Close('}')
	return m
}

func (r wireReader) kept() (t wireText) {
	r.Open('{')
	if r.Member("attach") {
		r.termed(&t.Attach)
	}
	t.ID = r.MemberText("id")
	if r.Member("keep") {
		r.termed(&t.Keep)
	}
	t.Late, t.Manual, t.Missed = r.MemberBool("late"), r.MemberBool("manual"), r.MemberBool("missed")
	t.Priority = r.int("priority")
	t.Text = r.MemberText("text")
	if r.Member("tier") {
		r.termed(&t.Tier)
	}
	t.Tokens, t.Turn = r.int("tokens"), r.int("turn")
	t.Waiting = r.MemberBool("waiting")
	r.Close('}')
	return t
}

// int reads a number that is 0 where it is missing.
func (r wireReader) int(name string) int {
	if !r.Member(name) {
		return 0
	}
	n := r.Int()
	if int64(int(n)) != n {
		r.Fail()
	}
	return int(n)
}

// known reads a number that is nil where it is missing.
func (r wireReader) known(name string) *int {
	if !r.Member(name) {
		return nil
	}
	n := int(r.Count(math.MaxInt))
	return &n
}

func (r wireReader) time(name string) (t time.Time) {
	if r.Member(name) {
		r.termed(&t)
	}
	return t
}

// termed reads a text into a value that knows how to read itself from one.
func (r wireReader) termed(v encoding.TextUnmarshaler) {
	if v.UnmarshalText([]byte(r.Text())) != nil {
		r.Fail()
	}
}
