package ruletest

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/code"
)

// steps reads the steps of t. The reminders that a step fires by name must be in the set that is loaded at that step. What it expects
// may also be of an earlier set: a turn whose key comes again is answered as it was before the reload.
func (r *reader) steps(t *test, n *yaml.Node) {
	sets, turns := []*compile.Set{t.set}, 0
	for _, c := range r.list(n, "steps") {
		s := r.step(t, c, sets)
		if s.reload != nil {
			sets = append(sets, s.reload)
		} else {
			turns++
		}
		t.steps = append(t.steps, s)
	}
	if turns == 0 {
		r.checksNothing(t, "give it a step that is a turn")
	}
}

func (r *reader) step(t *test, n *yaml.Node, sets []*compile.Set) step {
	set := sets[len(sets)-1]
	s := step{node: n, facts: map[string]any{}, fires: []string{}}
	es := r.entries(n, "a step", stepKeys)
	for _, e := range es {
		switch key := e.key.Value; key {
		case "reload":
			if len(es) > 1 {
				r.fail(e.key, code.TestKey, "make it a step of its own", "reload stands in place of a turn")
			}
			s.reload = r.load(e.value, t.schema)
			if s.reload == nil { // load has added the error; the next steps are read with the old set
				s.reload = set
			}
		case "facts":
			s.facts = r.facts(e.value, t.schema)
		case "fires":
			s.fires = r.ids(e.value, key, sets...)
		case "due":
			s.due = r.ids(e.value, key, sets...)
		case "remind":
			s.remind = r.ids(e.value, key, set)
		case "at":
			s.at = r.clock(e.value)
		case "key":
			s.key, _ = r.text(e.value, key)
			if s.key == "" {
				r.fail(e.value, code.TestValue, "leave it out for a new turn", "an empty key")
			}
		case "text":
			s.text = map[string]string{}
			for _, m := range r.entries(e.value, "text", nil) {
				r.id(m.key, sets...)
				s.text[m.key.Value], _ = r.text(m.value, "the text of "+m.key.Value)
			}
		case "discard":
			s.discard = r.flag(e.value, key)
		case "refused":
			s.refused = r.flag(e.value, key)
		}
	}
	if s.refused {
		for _, e := range es {
			switch e.key.Value {
			case "fires", "due", "text", "discard":
				if e.value.Kind == yaml.SequenceNode && len(e.value.Content) == 0 {
					continue
				}
				r.fail(e.key, code.TestKey, "a refused turn decides nothing", "%s beside refused", e.key.Value)
			}
		}
	}
	return s
}

// ids reads a list of ids, each of which must be that of a reminder of one of the sets, and stand there once.
func (r *reader) ids(n *yaml.Node, what string, sets ...*compile.Set) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, c := range r.list(n, what) {
		if _, ok := r.text(c, "an item of "+what); !ok {
			continue
		}
		r.id(c, sets...)
		if seen[c.Value] {
			r.fail(c, code.TestValue, "", "%q stands twice in %s", c.Value, what)
		}
		seen[c.Value] = true
		out = append(out, c.Value)
	}
	return out
}

// id adds an error where n is not the id of a reminder of one of the sets.
func (r *reader) id(n *yaml.Node, sets ...*compile.Set) {
	var names []string
	for _, set := range sets {
		if _, ok := set.Index(n.Value); ok {
			return
		}
		names = append(names, set.IDs()...)
	}
	r.fail(n, code.TestReminder, suggest(n.Value, names), "there is no reminder %q", n.Value)
}

// clock reads the value of `at`.
func (r *reader) clock(n *yaml.Node) clock {
	const hint = "such as +10m, or 2026-01-01T00:10:00Z"
	if n.Kind != yaml.ScalarNode {
		r.fail(n, code.TestValue, hint, "at must be an advance of the clock or a time")
		return clock{}
	}
	if rest, ok := strings.CutPrefix(n.Value, "+"); ok {
		d, err := time.ParseDuration(rest)
		if err != nil || strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
			r.fail(n, code.TestValue, hint, "%q is not an advance of the clock", n.Value)
		}
		return clock{add: d}
	}
	t, err := time.Parse(time.RFC3339, n.Value)
	if err != nil {
		r.fail(n, code.TestValue, hint, "%q is neither an advance of the clock nor a time", n.Value)
	}
	return clock{abs: t}
}
