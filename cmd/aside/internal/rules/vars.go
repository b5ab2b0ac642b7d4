package rules

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/facts"
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
	word := func(text string) facts.Value { return facts.Value{Kind: facts.Text, Text: text} }
	name, rest, _ := strings.Cut(s, ":")
	typ, kind, hasKind := strings.Cut(rest, ":")
	declaration := facts.Value{Kind: facts.Map, Keys: []facts.Value{word("type")},
		Items: []facts.Value{word(typ)}}
	if hasKind {
		declaration.Keys = append(declaration.Keys, word("kind"))
		declaration.Items = append(declaration.Items, word(kind))
	}
	f, problems := facts.Declaration(word(strings.TrimPrefix(name, "vars.")), declaration)
	if len(problems) > 0 {
		return f, command.Usage("--var %q: %s", s, problems[0])
	}
	f.Doc = "declared on the command line"
	return f, nil
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
