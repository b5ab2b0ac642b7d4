package facts

import (
	"cmp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/yamlfile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/near"
)

// The names of the types and kinds that a declared fact may have. One whose declaration names no kind is a
// gauge.
var (
	typeNames = []string{"bool", "int", "number", "ratio", "dollars", "duration", "string", "set"}
	kindNames = []string{"gauge", "counter", "event", "attribute"}
)

// Declaration returns the fact that a declaration describes, and all problems: a type, or {type: TYPE, kind:
// KIND}. key is the fact's name without "vars.".
func Declaration(key, v Value) (fact.Fact, []Problem) {
	d := Reader{}.decoder()
	f := fact.Fact{Name: vars + "." + key.Text}
	if _, err := fact.NewSchema(fact.Fact{Name: f.Name, Type: fact.Bool}); err != nil {
		d.fail(key, "", "%v", err)
	}
	typ, kind := v, Value{Kind: Nothing}
	if v.Kind == Map {
		typ = Value{Kind: Nothing, Node: v.Node}
		for i, key := range v.Keys {
			switch key.Text {
			case "type":
				typ = v.Items[i]
			case "kind":
				kind = v.Items[i]
			default:
				d.fail(key, near.Hint("", key.Text, []string{"type", "kind"}), "a declaration has no %q", key.Text)
			}
		}
	}
	var ok bool
	if f.Type, ok = fact.ParseType(strings.Replace(typ.Text, "set of string", "set", 1)); !ok ||
		typ.Kind != Text {
		d.oneOf(typ, "type", typeNames)
	}
	if f.Kind, ok = fact.ParseKind(kind.Text); kind.Kind == Nothing && kind.Node == nil {
		f.Kind = fact.Gauge
	} else if !ok {
		d.oneOf(kind, "kind", kindNames)
	}
	return f, d.problems
}

// Declared reads a mapping of declarations in a file, and tells r what is wrong with them.
func Declared(r *yamlfile.Reader, n *yaml.Node) (all []fact.Fact) {
	for _, e := range r.Entries(n, vars, nil) {
		f, problems := Declaration(FromYAML(e.Key), FromYAML(e.Value))
		for _, p := range problems {
			r.Fail(cmp.Or(p.At.Node, e.Value), r.Codes.Value, p.Hint, "%s", p.Message)
		}
		if len(problems) == 0 {
			all = append(all, f)
		}
	}
	return all
}

// oneOf refuses a value of a declaration that is not among names.
func (d *decoder) oneOf(v Value, what string, names []string) {
	said := v.String()
	if v.Kind == Text {
		said = strconv.Quote(said)
	}
	d.fail(v, near.Hint("", v.Text, names), "the %s of a fact is one of %s, not %s", what,
		strings.Join(names, ", "),
		said)
}
