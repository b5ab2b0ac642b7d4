package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"sync"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state/filestore"
)

// evalCmd is "aside eval".
type evalCmd struct {
	program.RulesFlag
	program.ProjectFlag
	program.StateFlag
	Events bool             `help:"Also write lines that are not answers: the rules and what is wrong with them, at the start and each time their files change, which are read again then."`
	Var    program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable. Types: bool, int, number, ratio, dollars, duration, string, set; kinds: gauge, counter, event, attribute."`
}

// Run serves until stdin ends.
func (c *evalCmd) Run(ctx context.Context, e *command.Env) error {
	r, err := rules.Load(e, rules.Request{Paths: c.Rules, Project: c.Project, Vars: c.Var})
	if err != nil {
		return err
	}
	bad := r.Diagnostics.HasErrors()
	if !c.Events {
		r.Complain(e)
	}
	if r.Set.Len() == 0 && !c.Events {
		r.Nothing(e)
	}
	dir, err := filepath.Abs(cmp.Or(c.Project, rules.Here(e), e.Dir))
	if err != nil {
		return err
	}
	s := evaljson.Server{Place: fact.Place{Project: filepath.ToSlash(dir), Home: filepath.ToSlash(e.Home)}}
	store, _, err := runs.Open(e, c.State, filestore.Power)
	switch {
	case err == nil:
	case c.State == "" && e.Home == "": // without a home directory, runs are remembered for this process only
		if store, err = runs.Memory(e); err != nil {
			return err
		}
	default:
		return err
	}
	s.Eval, s.Store = eval.New(r.Set, eval.Options{Store: store}), store
	if c.State == "" {
		s.Unnamed = eval.New(r.Set, eval.Options{})
	}
	if command.Interactive() {
		e.Note("reading facts from the terminal, a JSON object a line; aside help eval says more")
	}
	if err := e.Out.Flush(); err != nil {
		return err
	}
	out := &evaljson.Lines{Out: os.Stdout}
	if c.Events {
		if err := out.Write(ruleEvent(r.Result)); err != nil {
			return err
		}
		ctx, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer stop()
		wg.Go(func() { follow(ctx, r, &s, out) })
	}
	if err := s.Serve(ctx, e.In, out); err != nil {
		return err
	}
	return command.Verdict(bad)
}

// follow gives the server the rules of r as their files change, and says so.
func follow(ctx context.Context, r *rules.Loaded, s *evaljson.Server, out *evaljson.Lines) {
	first, before := true, ruleEvent(r.Result)
	err := load.Watch(ctx, r.Sources, r.Options, func(now *load.Result) {
		event := ruleEvent(now)
		if first && reflect.DeepEqual(before, event) {
			first = false
			return
		}
		first = false
		s.Eval.Reload(now.Set)
		if s.Unnamed != nil {
			s.Unnamed.Reload(now.Set)
		}
		_ = out.Write(event) // the next answer meets the same error
	})
	if ctx.Err() == nil {
		_ = out.Write(evaljson.Event{Event: "unwatched", Why: err.Error()})
	}
}

// ruleEvent says which rules there are, and what is wrong with them.
func ruleEvent(r *load.Result) evaljson.Event {
	return evaljson.Event{Event: "rules", Rules: r.Set.IDs(), Diagnostics: rules.JSON(r.Diagnostics),
		Untrusted: len(r.Untrusted)}
}
