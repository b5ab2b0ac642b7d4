package rules

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/trust"
)

// Schema returns the built-in facts and those that are declared: by --var, each as NAME:TYPE[:KIND], in the
// user's configuration, and in those of projects.
func Schema(e *command.Env, vars []string, projects ...*config.File) (*fact.Schema, error) {
	facts, err := Declared(vars)
	if err != nil {
		return nil, err
	}
	return fact.NewSchema(config.Facts(facts, append([]*config.File{e.Config}, projects...)...)...)
}

// Declared returns the facts that --var declares, each as NAME:TYPE[:KIND].
func Declared(vars []string) (facts []fact.Fact, err error) {
	for _, s := range vars {
		f, err := declared(s)
		if err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	if _, err := fact.NewSchema(facts...); err != nil {
		return nil, command.Usage("--var: %w", err)
	}
	return facts, nil
}

// ProjectConfig reads the configuration of a project, "" for none; nil where there is none, or it is not
// trusted, which is printed. For its author it need not be trusted.
func ProjectConfig(e *command.Env, project string, author bool) *config.File {
	if project == "" {
		return nil
	}
	path := filepath.Join(project, filepath.FromSlash(trust.Config))
	var src []byte
	err := error(trust.ErrNew)
	if author {
		src, err = load.ReadFile(project, path, 0)
	} else if store, terr := Trust(e); terr == nil {
		src, err = store.ReadConfig(project)
	}
	switch {
	case err == nil && src != nil:
		return config.Project(path, src)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		untrusted(e, []load.Untrusted{{Path: path, Project: project, Why: err}})
	}
	return nil
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
