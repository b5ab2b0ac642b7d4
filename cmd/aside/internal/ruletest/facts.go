package ruletest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/code"
)

// facts reads the facts of one step, by the names that eval.Turn takes.
func (r *reader) facts(n *yaml.Node, schema *fact.Schema) map[string]any {
	f := &facts{r: r, schema: schema, out: map[string]any{}}
	for _, e := range r.entries(n, "facts", nil) {
		if e.key.Value == "vars" {
			for _, v := range r.entries(e.value, "vars", nil) {
				f.set(v.key, "vars."+v.key.Value, v.value)
			}
			continue
		}
		f.set(e.key, e.key.Value, e.value)
	}
	f.finish()
	return f.out
}

// facts collects the facts of one turn.
type facts struct {
	r      *reader
	schema *fact.Schema
	out    map[string]any

	tools, failed *yaml.Node // the values of the keys of these names; nil: not given
	hidden        bool       // last_tool_call_failed is given as unknown
}

// names returns all keys that facts may have.
func (f *facts) names() []string { return append(f.schema.Names(), "tools", "failed", "vars") }

// set reads the fact of a name, which stands at key.
func (f *facts) set(key *yaml.Node, name string, v *yaml.Node) {
	switch name {
	case "tools":
		f.tools = v
		return
	case "failed":
		f.failed = v
		return
	}
	ft, ok := f.schema.Lookup(name)
	if !ok {
		hint := suggest(name, f.names())
		if strings.HasPrefix(name, "vars.") && hint == "" {
			hint = "declare it under vars of the test or of the file"
		}
		f.r.fail(key, code.TestFact, hint, "there is no fact %q", name)
		return
	}
	f.put(ft, v)
}

// put reads the value of ft into out.
func (f *facts) put(ft fact.Fact, v *yaml.Node) {
	if isUnknown(v) {
		f.hidden = f.hidden || ft.ID == fact.LastToolCallFailed
		return
	}
	if _, twice := f.out[ft.Name]; twice {
		f.r.fail(v, code.TestFact, "", "%s is given twice", ft.Name)
		return
	}
	x, ok := f.value(ft, v)
	if !ok {
		return
	}
	if err := f.schema.NewFrame().SetValue(ft.Name, x); err != nil {
		f.r.fail(v, code.TestFact, "", "%v", err)
		return
	}
	f.out[ft.Name] = x
}

// farAbove is the number from which a ratio is taken for a percentage whose sign was forgotten. A little more than 1 may be meant: agents
// go beyond the window they believe in.
const farAbove = 2

// value reads a value of ft's type.
func (f *facts) value(ft fact.Fact, v *yaml.Node) (any, bool) {
	if ft.Type == fact.Set {
		return f.r.texts(v, ft.Name), true
	}
	hint := "write unknown for a fact that is not known"
	if v.Kind == yaml.ScalarNode && v.Tag != "!!null" {
		switch ft.Type {
		case fact.Bool:
			if v.Tag == "!!bool" && (v.Value == "true" || v.Value == "false") {
				return v.Value == "true", true
			}
			hint = "true, false or unknown"
		case fact.Int, fact.Ratio:
			x, ok := number(v, ft.Type)
			if ok && ft.Type == fact.Ratio && x >= farAbove && !strings.HasSuffix(v.Value, "%") {
				hint = "0.8 and 80% are the same"
				if x <= 100 {
					hint = "did you mean " + strconv.FormatFloat(x, 'f', -1, 64) + "%?"
				}
				f.r.fail(v, code.TestFact, hint, "%s is a ratio, from 0 to 1", ft.Name)
				return nil, false
			}
			if ok {
				return x, true
			}
			hint = ""
		default: // SetValue parses a duration
			return v.Value, true
		}
	}
	f.r.fail(v, code.TestFact, hint, "%s is a %s, this is none", ft.Name, ft.Type)
	return nil, false
}

// finish sets the facts that follow from tools and failed, once all keys were read.
func (f *facts) finish() {
	r := f.r
	if f.tools != nil && isUnknown(f.tools) {
		f.tools = nil
	}
	if f.failed != nil && isUnknown(f.failed) {
		if f.tools != nil { // and last_tool_call_failed stays unknown; with tools alone it would be false
			f.tools, f.failed = f.putTools(), nil
			return
		}
		f.failed = nil
	}
	if f.tools != nil {
		f.tools = f.putTools()
	}
	var failed []string
	if f.failed != nil {
		failed = r.texts(f.failed, "failed")
		used, _ := f.out["tool_used"].([]string)
		for i, name := range failed {
			if !slices.Contains(used, name) {
				at := f.failed
				if i < len(at.Content) {
					at = at.Content[i]
				}
				r.fail(at, code.TestFact, suggest(name, used), "%q failed but is not among the tools", name)
			}
		}
	}
	switch _, direct := f.out["last_tool_call_failed"]; {
	case f.failed != nil && direct:
		r.fail(f.failed, code.TestFact, "leave one of them out", "failed beside last_tool_call_failed")
	case f.failed != nil || f.tools != nil && !direct && !f.hidden:
		f.out["last_tool_call_failed"] = len(failed) > 0
		f.out[fact.FailedTools] = append([]string{}, failed...)
	}
}

// putTools sets tool_used from f.tools. It returns f.tools, or nil where that is an error.
func (f *facts) putTools() *yaml.Node {
	if _, twice := f.out["tool_used"]; twice {
		f.r.fail(f.tools, code.TestFact, "leave one of them out", "tools beside tool_used")
		return nil
	}
	f.out["tool_used"] = f.r.texts(f.tools, "tools")
	return f.tools
}

// isUnknown reports whether v is the word unknown without quotes. With quotes it is a string.
func isUnknown(v *yaml.Node) bool {
	return v.Kind == yaml.ScalarNode && v.Style == 0 && v.Value == "unknown"
}

var numeral = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)([%kM]?)$`)

// number reads a number in the form of triggers, 12, 0.5, 75%, 4k, or in that of YAML, .5, 1e3. A percentage is for a ratio, and k and M
// are for an int.
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
