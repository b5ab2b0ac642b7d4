package ruletest

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/yamlfile"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/near"
)

// steps reads the steps of t. The reminders that a step fires by name must be in the set that is loaded at
// that step. What it expects may also be of an earlier set: a turn whose key comes again is answered as it
// was before the reload.
func (r *reader) steps(t *testCase, n *yaml.Node) {
	sets, turns := []*compile.Set{t.set}, 0
	for _, c := range r.List(n, "steps") {
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

func (r *reader) step(t *testCase, n *yaml.Node, sets []*compile.Set) step {
	set := sets[len(sets)-1]
	s := step{node: n, fires: []string{}}
	es := r.Entries(n, "a step", stepKeys)
	for _, e := range es {
		switch key := e.Key.Value; key {
		case "reload":
			if len(es) > 1 {
				r.Fail(e.Key, code.TestKey, "make it a step of its own", "reload stands in place of a turn")
			}
			s.reload = r.load(e.Value, t.schema)
			if s.reload == nil { // load has added the error; the next steps are read with the old set
				s.reload = set
			}
		case "facts":
			s.facts = r.facts(facts.FromYAML(e.Value), t.schema)
		case "more":
			s.more = r.Flag(e.Value, key)
		case "before":
			s.moment = fact.BeforeTool
			s.call = r.before(e.Value, t.schema)
		case "stopping":
			if r.Flag(e.Value, key) && s.moment == fact.Turn {
				s.moment = fact.Stopping
			} else if s.moment != fact.Turn {
				r.Fail(e.Key, code.TestKey, "make two steps of it", "before and stopping are two moments")
			}
		case "fires":
			s.fires = r.ids(e.Value, key, sets...)
		case "due":
			s.due = r.ids(e.Value, key, sets...)
		case "paused":
			s.paused = r.ids(e.Value, key, sets...)
		case "outcomes":
			s.outcomes = r.outcomes(e.Value, sets)
		case "remind":
			s.remind = r.ids(e.Value, key, set)
		case "at":
			s.at = r.clock(e.Value)
		case "key":
			s.key, _ = r.Text(e.Value, key)
			if s.key == "" {
				r.Fail(e.Value, code.TestValue, "leave it out for a new turn", "an empty key")
			}
		case "text":
			s.text = map[string]string{}
			for _, m := range r.Entries(e.Value, "text", nil) {
				r.id(m.Key, sets...)
				text, _ := r.Text(m.Value, "the text of "+m.Key.Value)
				if m.Value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
					text = strings.TrimSuffix(text, "\n") // YAML's | ends with one, a reminder's text without
				}
				s.text[m.Key.Value] = text
			}
		case "discard":
			s.discard = r.Flag(e.Value, key)
		case "refused":
			s.refused = r.Flag(e.Value, key)
		}
	}
	for _, e := range es {
		key := e.Key.Value
		empty := e.Value.Kind == yaml.SequenceNode && len(e.Value.Content) == 0
		switch {
		case s.refused && !empty && slices.Contains(decided, key):
			r.Fail(e.Key, code.TestKey, "a refused turn decides nothing", "%s beside refused", key)
		case s.moment != fact.Turn && slices.Contains(ofTurns, key):
			r.Fail(e.Key, code.TestKey, "make it a step of its own", "%s beside %s, which is not a turn", key,
				map[fact.Moment]string{fact.BeforeTool: "before", fact.Stopping: "stopping"}[s.moment])
		}
	}
	return s
}

var (
	decided = []string{"fires", "due", "text", "discard", "paused", "outcomes"} // keys of what a turn decides
	ofTurns = []string{"key", "remind", "more", "refused"}                      // keys that a moment has not
)

// outcomes reads which expectations end on a turn, and how.
func (r *reader) outcomes(n *yaml.Node, sets []*compile.Set) map[string]string {
	out := map[string]string{}
	for _, m := range r.Entries(n, "outcomes", nil) {
		r.id(m.Key, sets...)
		r.oneOf(m.Value, "an outcome", reminder.Heeded, reminder.Ignored, reminder.Open)
		out[m.Key.Value] = m.Value.Value
	}
	return out
}

// ids reads a list of ids, each of which must be that of a reminder of one of the sets, and stand there once.
func (r *reader) ids(n *yaml.Node, what string, sets ...*compile.Set) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, c := range r.List(n, what) {
		if _, ok := r.Text(c, "an item of "+what); !ok {
			continue
		}
		r.id(c, sets...)
		if seen[c.Value] {
			r.Fail(c, code.TestValue, "", "%q stands twice in %s", c.Value, what)
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
	r.Fail(n, code.TestReminder, near.Hint("", n.Value, names), "there is no reminder %q", n.Value)
}

// clock reads the value of `at`.
func (r *reader) clock(n *yaml.Node) clock {
	const hint = "such as +10m, or 2026-01-01T00:10:00Z"
	if n.Kind != yaml.ScalarNode {
		r.Fail(n, code.TestValue, hint, "at must be an advance of the clock or a time")
		return clock{}
	}
	if strings.HasPrefix(n.Value, "+") {
		d, err := duration.Parse(n.Value)
		if err != nil {
			r.Fail(n, code.TestValue, hint, "%q is not an advance of the clock", n.Value)
		}
		return clock{add: d}
	}
	t, err := time.Parse(time.RFC3339, n.Value)
	if err != nil {
		r.Fail(n, code.TestValue, hint, "%q is neither an advance of the clock nor a time", n.Value)
	}
	return clock{abs: t}
}

// maxSeries bounds the turns of one series.
const maxSeries = 100_000

// series reads a test whose facts are lists, with a value for each turn. The longest list says how many turns
// there are.
func (r *reader) series(t *testCase, n, firesAt *yaml.Node) {
	type column struct {
		key    *yaml.Node
		vars   bool
		values []*yaml.Node
	}
	var columns []column
	turns := 0
	add := func(e yamlfile.Entry, vars bool) {
		name := e.Key.Value
		if vars {
			name = "vars." + name
		}
		c := column{key: e.Key, vars: vars, values: r.values(e, name, t.schema)}
		turns = max(turns, len(c.values))
		columns = append(columns, c)
	}
	for _, e := range r.Entries(n, "series", nil) {
		if e.Key.Value == "vars" {
			for _, v := range r.Entries(e.Value, "vars", nil) {
				add(v, true)
			}
			continue
		}
		add(e, false)
	}
	if turns == 0 {
		r.checksNothing(t, "give it a series with a value")
		return
	}
	none := &yaml.Node{Kind: yaml.ScalarNode, Value: "_"}
	for i := range turns {
		turn := facts.Value{Kind: facts.Map, Node: n}
		before := len(r.Diags)
		for _, c := range columns {
			v, key := none, facts.FromYAML(c.key)
			if i < len(c.values) {
				v = c.values[i]
			}
			if c.vars {
				key.Text = "vars." + key.Text
			}
			if v = one(key.Text, v); v != nil {
				turn.Keys, turn.Items = append(turn.Keys, key), append(turn.Items, facts.FromYAML(v))
			}
		}
		t.steps = append(t.steps, step{node: n, facts: r.facts(turn, t.schema)})
		if len(r.Diags) > before {
			return // the other turns would repeat the diagnostic
		}
	}
	r.firesAt(t, firesAt, turns)
}

// batches are the names of the lists that a series may give one member of by itself.
var batches = []string{facts.Tools, facts.Failed, "tool_used", "calls"}

// one returns a fact's value on one turn, nil where the fact is not given: "_". For the facts about tools "_"
// is the empty list instead, and a single name or call is a list: a series says on which turns tools were
// used, and on the other turns none were.
func one(name string, v *yaml.Node) *yaml.Node {
	blank := v.Kind == yaml.ScalarNode && v.Style == 0 && v.Value == "_"
	switch {
	case slices.Contains(batches, name) && blank:
		return &yaml.Node{Kind: yaml.SequenceNode, Line: v.Line, Column: v.Column}
	case blank:
		return nil
	case slices.Contains(batches, name) && v.Kind != yaml.SequenceNode &&
		(v.Kind != yaml.ScalarNode || v.Value != "unknown" && v.Tag != "!!null"):
		return &yaml.Node{Kind: yaml.SequenceNode, Line: v.Line, Column: v.Column, Content: []*yaml.Node{v}}
	}
	return v
}

// values reads the values of one fact: a list, or for a number also start+stepxtimes, alone or in the list.
func (r *reader) values(e yamlfile.Entry, name string, schema *fact.Schema) []*yaml.Node {
	numeric := false
	if ft, ok := schema.Lookup(name); ok {
		numeric = ft.Type.Numeric() && ft.Type != fact.Duration
	}
	if e.Value.Kind == yaml.ScalarNode {
		if numeric {
			if out := r.ramp(e.Value); out != nil {
				return out
			}
		}
		r.Fail(e.Value, code.TestValue,
			"a list such as [1, _, 3], or of numbers start+stepxtimes, such as 0.5+0.05x10", "this is not a series")
		return nil
	}
	var out []*yaml.Node
	for _, v := range r.List(e.Value, name) {
		if part := r.ramp(v); numeric && part != nil {
			out = append(out, part...)
		} else {
			out = append(out, v)
		}
	}
	if len(out) > maxSeries {
		r.Fail(e.Value, code.TestValue, "", "a series has at most %d turns", maxSeries)
		return nil
	}
	return out
}

var ramp = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)([%kM]?)(\+?-?[0-9]+(?:\.[0-9]+)?)([%kM]?)x([0-9]+)$`)

// ramped is the tag of the values of a ramp, by their unit, as YAML would give it to them.
var ramped = map[string]string{"": "!!float", "%": "!!str", "k": "!!str", "M": "!!str"}

// ramp returns the values of a+bxn, which are a, a+b, … a+nb; nil where n is anything else. They are computed
// in decimal arithmetic, so that 0.5+0.05x10 passes through 0.75 exactly. a and b may both have the unit that
// values of the fact have elsewhere. A falling ramp is written a-bxn or a+-bxn.
func (r *reader) ramp(n *yaml.Node) []*yaml.Node {
	m := ramp.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || n.Style != 0 || m == nil || m[2] != m[4] ||
		!strings.ContainsAny(m[3], "+-") {
		return nil
	}
	times, err := strconv.Atoi(m[5])
	if err != nil || times >= maxSeries {
		r.Fail(n, code.TestValue, "", "a series has at most %d turns", maxSeries)
		return []*yaml.Node{}
	}
	start, _ := new(big.Rat).SetString(m[1]) // which takes all that the pattern does
	by, _ := new(big.Rat).SetString(strings.TrimPrefix(m[3], "+"))
	out := make([]*yaml.Node, 0, times+1)
	for range times + 1 {
		v, _ := start.Float64() // the nearest one, whose shortest form is the decimal
		out = append(out, &yaml.Node{Kind: yaml.ScalarNode, Tag: ramped[m[2]], Line: n.Line, Column: n.Column,
			Value: strconv.FormatFloat(v, 'f', -1, 64) + m[2]})
		start.Add(start, by)
	}
	return out
}

// firesAt reads on which turns each reminder must fire. A reminder that is not named must never fire; without
// the key, none must, as in steps without fires. n may be nil.
func (r *reader) firesAt(t *testCase, n *yaml.Node, turns int) {
	t.firesAt = map[string][]int{}
	if n == nil {
		return
	}
	for _, e := range r.Entries(n, "fires_at", nil) {
		r.id(e.Key, t.set)
		at := []int{}
		for _, c := range r.List(e.Value, "fires_at."+e.Key.Value) {
			v := r.Whole(c, "a turn", 1)
			switch {
			case v > turns:
				r.Fail(c, code.TestValue, "", "the series has %d turns", turns)
			case len(at) > 0 && v <= at[len(at)-1]:
				r.Fail(c, code.TestValue, "", "the turns must rise")
			}
			at = append(at, v)
		}
		t.firesAt[e.Key.Value] = at
	}
}

// facts reads the facts of one step, by the names that eval.Turn takes.
func (r *reader) facts(v facts.Value, schema *fact.Schema) map[string]any {
	values, problems := facts.Reader{Schema: schema}.Facts(v)
	r.problems(problems)
	return values
}

// before reads the call that is about to be executed.
func (r *reader) before(n *yaml.Node, schema *fact.Schema) *fact.Call {
	c, problems := facts.Reader{Schema: schema}.Before(facts.FromYAML(n))
	r.problems(problems)
	return c
}

// problems adds problems of values where they stand.
func (r *reader) problems(ps []facts.Problem) {
	for _, p := range ps {
		r.Fail(p.At.Node, code.TestFact, p.Hint, "%s", p.Message)
	}
}
