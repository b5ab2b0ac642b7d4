package rules

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/near"
)

// Schema returns the built-in facts and those that --var declares, each as NAME:TYPE[:KIND].
func Schema(vars []string) (*fact.Schema, error) {
	var facts []fact.Fact
	for _, s := range vars {
		f, err := declared(s)
		if err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	schema, err := fact.NewSchema(facts...)
	if err != nil {
		return nil, command.Usage("--var: %w", err)
	}
	return schema, nil
}

// declared parses NAME:TYPE[:KIND].
func declared(s string) (fact.Fact, error) {
	types := []string{"bool", "int", "ratio", "duration", "string", "set"}
	kinds := []string{"gauge", "counter", "event", "attribute"}
	name, rest, _ := strings.Cut(s, ":")
	typ, kind, hasKind := strings.Cut(rest, ":")
	f := fact.Fact{Name: "vars." + strings.TrimPrefix(name, "vars."), Doc: "declared on the command line"}
	var ok bool
	if f.Type, ok = fact.ParseType(typ); !ok {
		return f, command.Usage("--var %q: the type is one of %s%s", s, strings.Join(types, ", "),
			near.Hint("; ", typ, types))
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
	return f, command.Usage("--var %q: the kind is one of %s%s", s, strings.Join(kinds, ", "),
		near.Hint("; ", kind, kinds))
}

// KnownAgent returns a usage error for an agent that the lints know nothing about. "" is no agent in
// particular, and no error.
func KnownAgent(name string) error {
	names := agent.Names(agent.Hosts())
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return command.Usage("--agent %q: one of %s%s", name, strings.Join(names, ", "),
		near.Hint("; ", name, names))
}
