package ruletest

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/aside/internal/facts"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/code"
)

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
