package evaljson

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/near"
)

// Protocol is the version of the protocol. A line may name the version that it is written in, and one of
// another version is refused.
const Protocol = 1

// request is one line in.
type request struct {
	turn eval.Turn
	run  string // "" where the line names none
	// what the line asks for in place of a turn's decision
	asks    string            // "request", "queue", "why" or "end"; "": a turn's decision
	model   transport.Request // the request to a model of which the copy is asked for
	queue   []string          // ids of reminders to fire on the next turn
	explain string            // the id of a reminder; "": all
	// the decision is prepared, and nothing is stored
	prepare bool
	commit  *prepared // the decision to commit; nil: whatever it will be
}

// maxKey is the length of the longest key in bytes.
const maxKey = 256

// defaultRun is the run of a line that names none.
const defaultRun = "default"

var requestKeys = []string{"protocol", "facts", "events", "key", "remind", "at", "run", "more", "before",
	"stopping", "prepare", "commit", "api", "request", "queue", "why", "agent", "end"}

// beside lists, for a line that asks for something else than a turn's decision, what it may hold all the
// same.
var beside = map[string][]string{
	"request": {"protocol", "run", "api", "request", "facts", "remind", "at", "agent"},
	"queue":   {"protocol", "run", "queue"},
	"why":     {"protocol", "run", "why"},
	"end":     {"protocol", "run", "at", "end"},
}

// lineReader reads a line and collects its errors.
type lineReader struct {
	facts  facts.Reader
	given  []string // the keys of the line, but those whose value says nothing
	errors []string
	events map[string]any // the facts that the events tell
}

func (l *lineReader) fail(format string, args ...any) {
	l.errors = append(l.errors,
		fmt.Sprintf(format, args...))
}

// problems adds the problems of a key's value.
func (l *lineReader) problems(key string, ps []facts.Problem) {
	for _, p := range ps {
		l.fail("%s: %s", key, p)
	}
}

// parse reads a line. It returns all errors at once.
func parse(line []byte, with facts.Reader) (r request, errs []string) {
	l := lineReader{facts: with}
	top, err := facts.FromJSON(line)
	switch {
	case err != nil:
		return r, []string{err.Error()}
	case top.Kind != facts.Map:
		return r, []string{`not an object such as {"facts":{}}`}
	}
	for i, key := range top.Keys {
		if slices.Contains(l.given, key.Text) {
			l.fail("%s is given twice", key.Text)
			continue
		}
		l.member(&r, key.Text, top.Items[i])
	}
	l.join(&r)
	l.asked(&r, line)
	if r.prepare && r.commit != nil {
		l.fail("prepare beside commit")
	}
	if moment := r.turn.Moment; moment != fact.Turn {
		for _, key := range []string{"key", "remind", "more", "events"} {
			if slices.Contains(l.given, key) {
				l.fail("%s: the moment that %s names is not a turn", key, momentKey(moment))
			}
		}
	}
	return r, l.errors
}

// asked reads what a line asks for in place of a turn's decision.
func (l *lineReader) asked(r *request, line []byte) {
	for key, allowed := range beside {
		if !slices.Contains(l.given, key) {
			continue
		}
		r.asks = key
		for _, other := range l.given {
			if !slices.Contains(allowed, other) {
				l.fail("%s: not beside %s", other, key)
			}
		}
	}
	switch r.asks {
	case "":
		if r.model.API != "" {
			l.fail("api: there is no request")
		}
	case "request":
		var raw struct{ Request json.RawMessage }
		if json.Unmarshal(line, &raw) == nil { // it is JSON, as has been seen
			r.model.Body = raw.Request
		}
		r.model.API = cmp.Or(r.model.API, wire.Messages)
	case "why":
		if r.run == "" {
			l.fail("why: name the run")
		}
	}
}

// fromCalls reports whether a fact follows from the calls.
func fromCalls(name string) bool {
	f, ok := fact.Builtin().Lookup(name)
	return ok && (f.ID == fact.ToolUsed || f.ID == fact.LastToolCallFailed || f.ID.OfCalls())
}

// join adds the facts that the events tell to those that are given.
func (l *lineReader) join(r *request) {
	_, calls := l.events["calls"]
	for name := range r.turn.Facts {
		if _, told := l.events[name]; told || calls && fromCalls(name) {
			l.fail("facts: the events report %s; leave one of them out", name)
		}
	}
	if len(l.events) > 0 && r.turn.Facts == nil {
		r.turn.Facts = map[string]any{}
	}
	maps.Copy(r.turn.Facts, l.events)
}

// momentKey is the key that names a moment.
func momentKey(m fact.Moment) string {
	if m == fact.BeforeTool {
		return "before"
	}
	return "stopping"
}

// member reads one member of a line.
func (l *lineReader) member(r *request, key string, v facts.Value) {
	if !slices.Contains(requestKeys, key) {
		l.fail("unknown key %q%s", key, near.Hint("; ", key, requestKeys))
		return
	}
	if v.Kind == facts.Null || v.Kind == facts.Bool && v.Text == "false" &&
		(key == "more" || key == "stopping" || key == "prepare" || key == "end") {
		return
	}
	l.given = append(l.given, key)
	switch key {
	case "facts":
		var problems []facts.Problem
		r.turn.Facts, problems = l.facts.Facts(v)
		l.problems(key, problems)
	case "events":
		var problems []facts.Problem
		l.events, problems = l.facts.Events(v)
		l.problems(key, problems)
	case "key":
		if r.turn.Key = l.text(key, v); len(r.turn.Key) > maxKey {
			l.fail("key: longer than %d bytes", maxKey)
		}
	case "run":
		r.run = l.text(key, v)
	case "agent":
		if r.turn.Agent = l.text(key, v); v.Kind == facts.Text && !agent.IsClient(r.turn.Agent) {
			l.fail(`agent: not a name such as "claude-code", at most 64 letters, digits, ".", "_" and "-"`)
		}
	case "end":
		l.flag(key, v)
	case "protocol":
		if v.Kind != facts.Number || v.Text != strconv.Itoa(Protocol) {
			l.fail("protocol: version %s is not known, this program speaks %d", v, Protocol)
		}
	case "api":
		r.model.API = wire.API(l.text(key, v))
		if all := wire.APIs(); !slices.Contains(all, r.model.API) {
			l.fail("api: there is no API %q; there are %s", r.model.API, joined(all))
		}
	case "request":
		if v.Kind != facts.Map {
			l.fail(`request: not an object such as {"messages":[]}`)
		}
	case "queue":
		r.queue = l.texts(key, v)
	case "why":
		if v.Kind != facts.Bool || v.Text != "true" {
			r.explain = l.text(key, v)
		}
	case "at":
		if s := l.text(key, v); s != "" {
			var err error
			if r.turn.At, err = time.Parse(time.RFC3339, s); err != nil {
				l.fail("at: %q is not a time such as 2026-01-01T09:30:00Z", s)
			}
		}
	case "remind":
		r.turn.Remind = l.texts(key, v)
	case "more":
		r.turn.More = l.flag(key, v)
	case "prepare":
		r.prepare = l.flag(key, v)
	case "commit":
		var ok bool
		if r.commit, ok = unseal(l.text(key, v)); !ok {
			l.fail("commit: not the value of prepared in an earlier answer")
		}
	case "before":
		c, problems := l.facts.Before(v)
		l.problems(key, problems)
		l.moment(r, fact.BeforeTool)
		r.turn.Call = c
	case "stopping":
		if l.flag(key, v) {
			l.moment(r, fact.Stopping)
		}
	}
}

// moment sets the moment of a line, which is at most one.
func (l *lineReader) moment(r *request, m fact.Moment) {
	if r.turn.Moment != fact.Turn {
		l.fail("before and stopping are two moments, and a line has one")
	}
	r.turn.Moment = m
}

func (l *lineReader) text(key string, v facts.Value) string {
	if v.Kind != facts.Text {
		l.fail("%s: not a string", key)
	}
	return v.Text
}

// joined returns names with commas between them.
func joined(apis []wire.API) string {
	var names []string
	for _, a := range apis {
		names = append(names, string(a))
	}
	return strings.Join(names, ", ")
}

func (l *lineReader) flag(key string, v facts.Value) bool {
	if v.Kind != facts.Bool {
		l.fail("%s: neither true nor false", key)
	}
	return v.Text == "true"
}

// texts reads a list of strings. A single string stands for a list with that string.
func (l *lineReader) texts(key string, v facts.Value) (list []string) {
	if v.Kind == facts.Text {
		return []string{v.Text}
	}
	ok := v.Kind == facts.List
	for _, item := range v.Items {
		list = append(list, item.Text)
		ok = ok && item.Kind == facts.Text
	}
	if !ok {
		l.fail("%s: not a list of strings", key)
	}
	return list
}
