package main

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// varFlags are the facts that --var declares, each as NAME:TYPE[:KIND].
type varFlags []string

var (
	types = []string{"bool", "int", "ratio", "duration", "string", "set"}
	kinds = []string{"gauge", "counter", "event", "attribute"}
)

// schema returns the built-in facts and the declared ones.
func (v varFlags) schema() (*fact.Schema, error) {
	var facts []fact.Fact
	for _, s := range v {
		f, err := declared(s)
		if err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	schema, err := fact.NewSchema(facts...)
	if err != nil {
		return nil, usage("--var: %w", err)
	}
	return schema, nil
}

// declared parses NAME:TYPE[:KIND].
func declared(s string) (fact.Fact, error) {
	name, rest, _ := strings.Cut(s, ":")
	typ, kind, hasKind := strings.Cut(rest, ":")
	f := fact.Fact{Name: "vars." + strings.TrimPrefix(name, "vars."), Doc: "declared on the command line"}
	var ok bool
	if f.Type, ok = fact.ParseType(typ); !ok {
		return f, usage("--var %q: the type is one of %s%s", s, strings.Join(types, ", "), perhaps(typ, types))
	}
	if !hasKind {
		return f, nil
	}
	for i, k := range kinds {
		if k == kind {
			f.Kind = fact.Kind(i)
			return f, nil
		}
	}
	return f, usage("--var %q: the kind is one of %s%s", s, strings.Join(kinds, ", "), perhaps(kind, kinds))
}

// perhaps returns "; did you mean X?" where one of names is similar to name, else "".
func perhaps(name string, names []string) string {
	if name == "" {
		return ""
	}
	if near := grammar.Suggest(name, names); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}
