package state

import (
	"encoding"
	"math"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/tightjson"
)

// readRun reads a run that is in the form in which Encode writes it; false means that it is in another, which strict may read, or in
// none. A process of a few milliseconds spends more time on what encoding/json finds out about wireRun than on a whole turn.
func readRun(run string) (*wireRun, bool) {
	r := wireReader{tightjson.NewReader(run)}
	w := r.run()
	return w, r.End()
}

// wireReader reads what is in wire.go, each with its members in their order there.
type wireReader struct{ *tightjson.Reader }

func (r wireReader) run() *wireRun {
	w := &wireRun{}
	r.Open('{')
	if r.Member("calls") {
		w.Calls = make([]uint32, 0, fact.ChainMemory)
		for r.Open('['); r.More(); {
			w.Calls = append(w.Calls, uint32(r.Count(math.MaxUint32)))
		}
		r.Close(']')
	}
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
	if r.Member("rules") {
		for r.Open('['); r.More(); {
			w.Rules = append(w.Rules, r.entry())
		}
		r.Close(']')
	}
	w.Spent = r.MemberInt("spent")
	w.Tag = r.MemberText("tag")
	if r.Member("texts") {
		for r.Open('['); r.More(); {
			w.Texts = append(w.Texts, r.kept())
		}
		r.Close(']')
	}
	w.ToolCalls = r.known("tool_calls")
	if r.Member("tools") {
		for r.Open('['); r.More(); {
			r.Open('{')
			w.Tools = append(w.Tools, wireTool{Calls: r.int("calls"), Name: r.MemberText("name"), Turn: r.int("turn")})
			r.Close('}')
		}
		r.Close(']')
	}
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
	if r.Member("errors") {
		for r.Open('['); r.More(); {
			r.Open('{')
			d.Errors = append(d.Errors, wireError{Error: r.MemberText("error"), ID: r.MemberText("id")})
			r.Close('}')
		}
		r.Close(']')
	}
	d.Fired = r.MemberTexts("fired")
	if r.Member("held") {
		for r.Open('['); r.More(); {
			r.Open('{')
			d.Held = append(d.Held, wireHeld{
				ID: r.MemberText("id"), Time: time.Duration(r.MemberInt("time")), Turns: r.int("turns"), Why: r.MemberText("why"),
			})
			r.Close('}')
		}
		r.Close(']')
	}
	d.Key = r.MemberText("key")
	d.Undelivered = r.MemberTexts("undelivered")
	r.Close('}')
	return d
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

// int reads a member that may be missing.
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

// termed reads what writes itself as a text.
func (r wireReader) termed(v encoding.TextUnmarshaler) {
	if v.UnmarshalText([]byte(r.Text())) != nil {
		r.Fail()
	}
}
