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

// Help describes the protocol.
func (*evalCmd) Help() string {
	return `A line in, a line out, flushed each time. All members of a line in may be left out:

    {"facts":{"context_usage":0.8,"calls":[{"tool":"Edit","path":"a.go"}],"vars":{"n":1}},
     "key":"turn-1","remind":["id"],"at":"2026-01-01T09:30:00+02:00","run":"default"}

(on one line), and out comes:

    {"fired":[{"id":"…","text":"…","priority":0,"tier":"guidance","attach":"tail","keep":"user turn","manual":false}],
     "kept":["id"],"errors":[]}

Facts are written as in rule tests. A call has "tool" and, as far as they are known, "class", "command",
"path" (a text or a list), "subject", "output" and "failed"; a host that knows the names alone gives
"tools":["Edit"],"failed":[]. Besides a model call a line may tell of

    "more":true                                    a further part of the turn before, with the facts that it adds
    "before":{"tool":"Bash","command":"git push"}  the moment before a call is executed
    "stopping":true                                the moment before the agent ends its work
    "events":[{"user_message":"…"},{"call":{…}},{"response":{"text":"…","tokens":9,"context_tokens":9000}},
      {"compacted":true},{"resumed":true}]         what happened, in place of the facts that follow from it
    "prepare":true                                 nothing is stored; with "commit": and the value of "prepared"
                                                   the same line stores this decision, and no other
    "request":{"messages":[…]}                     the request that is about to be sent; with "api":"anthropic" and
                                                   so on that of an API: the answer has the copy to send
    "queue":["id"], "why":"id" or true             fire on the run's next turn; explain its last one
    "agent":"NAME"; "end":true                     who asks, for the records of outcomes; the run is over

and an answer may have "paused":["id"], reminders that ask to hold the call back, and "outcomes":[{"id":"…",
"outcome":"heeded","after":2}], expectations that ended: heeded, ignored or open. A firing with
"held_out":true has no text, since this run is one to compare with.

A line that is not understood is answered with {"fired":[],"kept":[],"errors":["…"]} and changes nothing. So
is one whose run another process holds for more than 10 seconds. A run that has a name is remembered when the
co-process ends, and aside why and aside remind know it; lines that name none are a run of this process alone,
unless --state says where it is kept. Paths of calls are below --project, else below the project of the working
directory.
With --events the first line is {"event":"rules","rules":["id"],"diagnostics":[…],"untrusted":0}, and so is one
whenever the rules are others; the diagnostics are as those of aside check --json, and stand there alone.
Without --rules the rules of your home directory are read, and those of a project only where --project names
it and they are trusted.

Example:

    echo '{"facts":{"context_usage":0.8}}' | aside eval --project .`
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
	ids := make([]string, r.Set.Len())
	for i := range ids {
		ids[i] = r.Set.Reminder(i).ID
	}
	return evaljson.Event{Event: "rules", Rules: ids, Diagnostics: rules.JSON(r.Diagnostics),
		Untrusted: len(r.Untrusted)}
}
