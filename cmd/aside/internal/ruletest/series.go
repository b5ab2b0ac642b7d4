package ruletest

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/code"
)

// maxSeries bounds the turns of one series.
const maxSeries = 100_000

// series reads a test whose facts are lists, with a value for each turn. The longest list says how many turns there are.
func (r *reader) series(t *test, n, firesAt *yaml.Node) {
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

// one returns a fact's value on one turn, nil where the fact is not given: "_". For the facts about tools "_" is the empty list instead,
// and a single name is a list: a series says on which turns tools were used, and on the other turns none were.
func one(name string, v *yaml.Node) *yaml.Node {
	blank := v.Kind == yaml.ScalarNode && v.Style == 0 && v.Value == "_"
	switch {
	case (name == "tools" || name == "failed" || name == "tool_used") && blank:
		return &yaml.Node{Kind: yaml.SequenceNode, Line: v.Line, Column: v.Column}
	case blank:
		return nil
	case (name == "tools" || name == "failed" || name == "tool_used") && v.Kind == yaml.ScalarNode && !isUnknown(v):
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
		r.fail(e.value, code.TestValue, "a list such as [1, _, 3], or of numbers start+stepxtimes, such as 0.5+0.05x10", "this is not a series")
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

// ramp returns the values of a+bxn, which are a, a+b, … a+nb; nil where n is anything else. They are computed in decimal arithmetic, so
// that 0.5+0.05x10 passes through 0.75 exactly. a and b may both have the unit that values of the fact have elsewhere. A falling ramp is
// written a-bxn or a+-bxn.
func (r *reader) ramp(n *yaml.Node) []*yaml.Node {
	m := ramp.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || n.Style != 0 || m == nil || m[2] != m[4] || !strings.ContainsAny(m[3], "+-") {
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
		out = append(out, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: s + m[2], Line: n.Line, Column: n.Column})
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

// firesAt reads on which turns each reminder must fire. A reminder that is not named must never fire; without the key, none must, as in
// steps without fires. n may be nil.
func (r *reader) firesAt(t *test, n *yaml.Node, turns int) {
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
