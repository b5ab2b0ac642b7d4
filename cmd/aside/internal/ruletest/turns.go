package ruletest

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/aside/internal/facts"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/code"
)

// steps reads the steps of t. The reminders that a step fires by name must be in the set that is loaded at
// that step. What it expects may also be of an earlier set: a turn whose key comes again is answered as it
// was before the reload.
func (r *reader) steps(t *testCase, n *yaml.Node) {
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

func (r *reader) step(t *testCase, n *yaml.Node, sets []*compile.Set) step {
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
	add := func(e entry, vars bool) {
		name := e.key.Value
		if vars {
			name = "vars." + name
		}
		c := column{key: e.key, vars: vars, values: r.values(e, name, t.schema)}
		turns = max(turns, len(c.values))
		columns = append(columns, c)
	}
	for _, e := range r.entries(n, "series", nil) {
		if e.key.Value == "vars" {
			for _, v := range r.entries(e.value, "vars", nil) {
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
		f := r.newFacts(t.schema)
		before := len(r.diags)
		for _, c := range columns {
			v, name := none, c.key.Value
			if i < len(c.values) {
				v = c.values[i]
			}
			if c.vars {
				name = "vars." + name
			}
			if v = one(name, v); v != nil {
				f.put(c.key, name, v)
			}
		}
		t.steps = append(t.steps, step{node: n, facts: f.done()})
		if len(r.diags) > before {
			return // the other turns would repeat the diagnostic
		}
	}
	r.firesAt(t, firesAt, turns)
}

// one returns a fact's value on one turn, nil where the fact is not given: "_". For the facts about tools "_"
// is the empty list instead, and a single name is a list: a series says on which turns tools were used, and
// on the other turns none were.
func one(name string, v *yaml.Node) *yaml.Node {
	blank := v.Kind == yaml.ScalarNode && v.Style == 0 && v.Value == "_"
	switch {
	case (name == "tools" || name == "failed" || name == "tool_used") && blank:
		return &yaml.Node{Kind: yaml.SequenceNode, Line: v.Line, Column: v.Column}
	case blank:
		return nil
	case (name == "tools" || name == "failed" || name == "tool_used") && v.Kind == yaml.ScalarNode &&
		!isUnknown(v):
		return &yaml.Node{Kind: yaml.SequenceNode, Line: v.Line, Column: v.Column, Content: []*yaml.Node{v}}
	}
	return v
}

// values reads the values of one fact: a list, or for a number also start+stepxtimes, alone or in the list.
func (r *reader) values(e entry, name string, schema *fact.Schema) []*yaml.Node {
	numeric := false
	if ft, ok := schema.Lookup(name); ok {
		numeric = ft.Type == fact.Int || ft.Type == fact.Ratio
	}
	if e.value.Kind == yaml.ScalarNode {
		if numeric {
			if out := r.ramp(e.value); out != nil {
				return out
			}
		}
		r.fail(e.value, code.TestValue,
			"a list such as [1, _, 3], or of numbers start+stepxtimes, such as 0.5+0.05x10", "this is not a series")
		return nil
	}
	var out []*yaml.Node
	for _, v := range r.list(e.value, name) {
		if part := r.ramp(v); numeric && part != nil {
			out = append(out, part...)
		} else {
			out = append(out, v)
		}
	}
	if len(out) > maxSeries {
		r.fail(e.value, code.TestValue, "", "a series has at most %d turns", maxSeries)
		return nil
	}
	return out
}

var ramp = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)([%kM]?)(\+?-?[0-9]+(?:\.[0-9]+)?)([%kM]?)x([0-9]+)$`)

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
		r.fail(n, code.TestValue, "", "a series has at most %d turns", maxSeries)
		return []*yaml.Node{}
	}
	start, by := decimal(m[1]), decimal(strings.TrimPrefix(m[3], "+"))
	out := make([]*yaml.Node, 0, times+1)
	for range times + 1 {
		s := strings.TrimSuffix(strings.TrimRight(start.FloatString(places(m[1], m[3])), "0"), ".")
		if start.IsInt() {
			s = start.Num().String()
		}
		out = append(out, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: s + m[2], Line: n.Line,
			Column: n.Column})
		start.Add(start, by)
	}
	return out
}

func decimal(s string) *big.Rat {
	x, _ := new(big.Rat).SetString(s) // which takes all that the pattern of ramp does
	return x
}

// places returns how many decimals a+b, a+2b and so on need at most.
func places(a, b string) int {
	n := 0
	for _, s := range []string{a, b} {
		if _, frac, ok := strings.Cut(s, "."); ok {
			n = max(n, len(frac))
		}
	}
	return n
}

// firesAt reads on which turns each reminder must fire. A reminder that is not named must never fire; without
// the key, none must, as in steps without fires. n may be nil.
func (r *reader) firesAt(t *testCase, n *yaml.Node, turns int) {
	t.firesAt = map[string][]int{}
	if n == nil {
		return
	}
	for _, e := range r.entries(n, "fires_at", nil) {
		r.id(e.key, t.set)
		at := []int{}
		for _, c := range r.list(e.value, "fires_at."+e.key.Value) {
			v := r.whole(c, "a turn", 1)
			switch {
			case v > turns:
				r.fail(c, code.TestValue, "", "the series has %d turns", turns)
			case len(at) > 0 && v <= at[len(at)-1]:
				r.fail(c, code.TestValue, "", "the turns must rise")
			}
			at = append(at, v)
		}
		t.firesAt[e.key.Value] = at
	}
}

// facts reads the facts of one step, by the names that eval.Turn takes.
func (r *reader) facts(n *yaml.Node, schema *fact.Schema) map[string]any {
	f := r.newFacts(schema)
	for _, e := range r.entries(n, "facts", nil) {
		if e.key.Value == "vars" {
			for _, v := range r.entries(e.value, "vars", nil) {
				f.put(v.key, "vars."+v.key.Value, v.value)
			}
			continue
		}
		f.put(e.key, e.key.Value, e.value)
	}
	return f.done()
}

// turnFacts are the facts of one turn.
type turnFacts struct {
	r      *reader
	schema *fact.Schema
	in     *facts.Reader
	at     map[string]entry // by name, where a fact stands
}

func (r *reader) newFacts(schema *fact.Schema) *turnFacts {
	return &turnFacts{r, schema, facts.New(schema), map[string]entry{}}
}

// put reads the fact of a name, which stands at key.
func (f *turnFacts) put(key *yaml.Node, name string, v *yaml.Node) {
	f.at[name] = entry{key, v}
	ft, ok := f.schema.Lookup(name)
	list := name == facts.Tools || name == facts.Failed || ok && ft.Type == fact.Set
	switch {
	case isUnknown(v):
		f.in.Put(name, nil)
	case list && v.Kind != yaml.SequenceNode:
		f.r.list(v, name) // tells that it is no list
	case list:
		f.in.Put(name, f.r.texts(v, name))
	default:
		f.in.Put(name, value(ft, v))
	}
}

// value returns a value in the form that facts.Reader takes.
func value(ft fact.Fact, v *yaml.Node) any {
	switch {
	case v.Kind == yaml.MappingNode:
		return facts.Other("a mapping")
	case v.Kind == yaml.SequenceNode:
		return facts.Other("a list")
	case v.Tag == "!!null":
		return facts.Other("null")
	}
	switch ft.Type {
	case fact.Bool:
		if v.Tag == "!!bool" && (v.Value == "true" || v.Value == "false") {
			return v.Value == "true"
		}
		return facts.Other(v.Value)
	case fact.Int, fact.Ratio:
		x, ok := number(v, ft.Type)
		switch {
		case !ok:
			return v.Value
		case strings.HasSuffix(v.Value, "%"):
			return facts.Percent(x)
		}
		return x
	}
	return v.Value
}

// done returns the facts. It tells the problems where they stand.
func (f *turnFacts) done() map[string]any {
	values, problems := f.in.Done()
	for _, p := range problems {
		e := f.at[p.Name]
		at := e.value
		switch {
		case p.Unknown:
			at = e.key
		case p.Item >= 0 && p.Item < len(at.Content):
			at = at.Content[p.Item]
		}
		if p.Unknown && p.Hint == "" && strings.HasPrefix(p.Name, "vars.") {
			p.Hint = "declare it under vars of the test or of the file"
		}
		f.r.fail(at, code.TestFact, p.Hint, "%s", p.Message)
	}
	return values
}

// isUnknown reports whether v is the word unknown without quotes. With quotes it is a string.
func isUnknown(v *yaml.Node) bool {
	return v.Kind == yaml.ScalarNode && v.Style == 0 && v.Value == "unknown"
}

var numeral = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)([%kM]?)$`)

// number reads a number in the form of triggers, 12, 0.5, 75%, 4k, or in that of YAML, .5, 1e3. A
// percentage is for a ratio, and k and M are for an int.
func number(v *yaml.Node, typ fact.Type) (float64, bool) {
	m := numeral.FindStringSubmatch(v.Value)
	if m == nil && v.Style == 0 && (v.Tag == "!!int" || v.Tag == "!!float") {
		x, err := strconv.ParseFloat(strings.ReplaceAll(v.Value, "_", ""), 64)
		return x, err == nil
	}
	if m == nil || v.Style != 0 || (typ == fact.Int) == (m[2] == "%") && m[2] != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	switch m[2] {
	case "%":
		x /= 100
	case "k":
		x *= 1e3
	case "M":
		x *= 1e6
	}
	return x, err == nil
}
