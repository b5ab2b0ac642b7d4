package serve

import (
	"context"
	"errors"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile/load"
)

// files are the rules of files. A path of --rules that does not exist yet is not an error: it is watched.
type files struct {
	*command.Env
	flags *Flags
	proxy.Rules
}

// Begin implements Rules.
func (r *files) Begin(_ context.Context, p *proxy.Proxy) { r.Proxy = p }

// Load implements Rules.
func (r *files) Load() (*rules.Loaded, error) {
	e, f := r.Env, r.flags
	project := ""
	if f.Project != "" {
		var err error
		if len(f.Rules) > 0 {
			return nil, rules.ErrBoth
		}
		if project, err = rules.Project(e, f.Project); err != nil {
			return nil, err
		}
	}
	sources := func() ([]load.Source, error) {
		var all []load.Source
		for _, p := range f.Rules {
			found, err := rules.Sources(e, []string{p}, "")
			switch {
			case err == nil:
				all = append(all, found...)
			case errors.Is(err, rules.ErrNoMatch) && p != "":
				all = append(all, load.Gated(e.Home, []load.Source{{Path: p}})...)
			default:
				return nil, err
			}
		}
		if len(f.Rules) > 0 {
			for i := range all {
				all[i].Keep = true
			}
			return all, nil
		}
		return rules.Sources(e, nil, project)
	}
	config := rules.ProjectConfig(e, project, false)
	schema, err := rules.Schema(e, f.Var, config)
	if err != nil {
		return nil, err
	}
	from, err := sources()
	if err != nil {
		return nil, err
	}
	opts, err := rules.Options(e, from, schema)
	if err != nil {
		return nil, err
	}
	began := &rules.Loaded{Result: load.Load(from, opts)}
	began.Add(config)
	for _, src := range from {
		began.From = append(began.From, src.Path)
	}
	r.Rules = proxy.Rules{Sources: sources, Began: began.Result, Load: opts}
	return began, nil
}
