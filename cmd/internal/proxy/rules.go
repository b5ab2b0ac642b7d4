package proxy

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// Rules keeps the rules of a Proxy up to date with their files.
type Rules struct {
	Proxy *Proxy
	// Sources returns the places of the rules. It is called again for each reload that is asked for.
	Sources func() ([]load.Source, error)
	Load    load.Options
	// Began is what the Proxy's evaluator was created with.
	Began *load.Result

	mu   sync.Mutex // guards last, and the rules in use
	last *load.Result
}

// Run watches the files until ctx ends, and reloads everything for each value from again (a SIGHUP, say). If
// the watch finds a file that has become faulty, the earlier rules of this file stay in use; if a reload
// finds one, all rules stay as they are.
func (rs *Rules) Run(ctx context.Context, again <-chan struct{}) {
	rs.apply(rs.Began)
	sources, err := rs.Sources()
	for ctx.Err() == nil {
		if err != nil {
			rs.Proxy.log.Warn("rules are not watched", "why", err.Error())
		}
		watching, stop := context.WithCancel(ctx)
		here, opts := sources, rs.options()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := load.Watch(watching, here, opts, rs.apply); watching.Err() == nil {
				rs.Proxy.log.Warn("rules are not watched", "why", err.Error())
			}
		})
		var next *load.Result // of other sources than the watched ones
		for next == nil && watching.Err() == nil {
			select {
			case <-ctx.Done():
			case <-again:
				next, sources, err = rs.anew(sources)
			}
		}
		stop()
		wg.Wait()
		if next != nil {
			rs.apply(next) // after the end of the old watch, which could apply an older result
		}
	}
}

// anew reloads everything. It applies the result unless that holds a new error, or an error in a file whose
// earlier rules are in use. If the sources have changed too, it returns the result as next, for Run to apply
// and to watch.
//
// It holds the lock from before it reads until the result is in use: else the watch could apply newer rules
// in between, and lose them.
func (rs *Rules) anew(watched []load.Source) (next *load.Result, sources []load.Source, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	p := rs.Proxy
	if sources, err = rs.Sources(); err != nil {
		p.rulesFail(errorsStay) // before the log: who reads there looks at /readyz next
		p.log.Error("rules could not be read, those before stay in use", "why", err.Error())
		return nil, watched, err
	}
	res := load.Load(sources, rs.options())
	if worse := rs.worse(res); len(worse) > 0 {
		p.rulesFail(errorsStay)
		rs.tell(worse)
		p.log.Error("rules have errors, those before stay in use", "errors", len(worse))
		return nil, watched, nil
	}
	p.log.Info("rules read anew", "rules", res.Set.Len())
	if slices.Equal(sources, watched) {
		rs.use(res)
		return nil, watched, nil
	}
	return res, sources, nil
}

// options are those of a load after that of the rules in use, whose files without an error it may go back to.
func (rs *Rules) options() load.Options {
	opts, files := rs.Load, maps.Clone(rs.last.Files)
	for _, d := range rs.last.Diagnostics {
		if d.Severity == grammar.Error && d.Code != code.UnreadableFile { // else it is not there any more
			delete(files, d.File)
		}
	}
	opts.Good = func() map[string][]byte { return files }
	return opts
}

// worse returns the errors that keep res from being applied.
func (rs *Rules) worse(res *load.Result) (worse grammar.Diagnostics) {
	before := rs.last.Diagnostics
	for _, d := range res.Diagnostics {
		if d.Severity == grammar.Error && (slices.Contains(rs.last.Stale, d.File) || !has(before, d)) {
			worse = append(worse, d)
		}
	}
	return worse
}

// apply puts the rules of res into use.
func (rs *Rules) apply(res *load.Result) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.use(res)
}

// use is apply with the lock held.
func (rs *Rules) use(res *load.Result) {
	last := rs.last
	rs.last = res
	now, p, why := res.Diagnostics, rs.Proxy, ""
	if now.HasErrors() {
		why = errorsStay
	}
	if last == nil || equal(last, res) {
		p.rulesFail(why)
		return
	}
	p.put(res.Set, eval.Rollout{}, why)
	p.log.Info("rules reloaded", "rules", res.Set.Len(), "stale", res.Stale)
	rs.tell(fresh(now, last.Diagnostics))
}

// Use puts other rules in the place of those in use, as eval.Evaluator.RollOut does.
func (p *Proxy) Use(set *compile.Set, r eval.Rollout) { p.put(set, r, "") }

// put is Use; why is what /readyz says is wrong with these rules, if anything, from the moment of their use.
func (p *Proxy) put(set *compile.Set, r eval.Rollout, why string) {
	before := p.opts.Eval.Names()
	p.opts.Eval.RollOut(set, r)
	now := p.opts.Eval.Names()
	p.meter.Rules(before, now)
	p.rulesFail(why)
}

// tell logs diagnostics.
func (rs *Rules) tell(ds grammar.Diagnostics) {
	for _, d := range ds {
		log := rs.Proxy.log.Warn
		if d.Severity == grammar.Error {
			log = rs.Proxy.log.Error
		}
		log("rule", "file", d.File, "line", d.Range.Start.Line, "column", d.Range.Start.Column, "code", d.Code,
			"message", d.Message, "hint", d.Hint)
	}
}

// fresh returns the diagnostics of now that are not among those before.
func fresh(now, before grammar.Diagnostics) grammar.Diagnostics {
	return slices.DeleteFunc(slices.Clone(now), func(d grammar.Diagnostic) bool { return has(before, d) })
}

func has(ds grammar.Diagnostics, d grammar.Diagnostic) bool {
	return slices.ContainsFunc(ds, func(x grammar.Diagnostic) bool { return x.String() == d.String() })
}

// equal reports whether two results hold the same rules from the same bytes.
func equal(a, b *load.Result) bool {
	return maps.EqualFunc(a.Files, b.Files, bytes.Equal) && slices.Equal(a.Stale, b.Stale) &&
		len(a.Diagnostics) == len(b.Diagnostics) &&
		slices.Equal(a.Set.IDs(), b.Set.IDs())
}

// SilentRule is a rule that fires on no request to a model API.
type SilentRule struct{ ID, Why string }

// Silent returns the rules of a set that fire on no request to a model API: a proxy sees model calls alone.
func Silent(set *compile.Set) (silent []SilentRule) {
	for i := range set.Len() {
		if moment := set.Trigger(i).Moment(); moment != fact.Turn {
			silent = append(silent, SilentRule{set.Reminder(i).ID,
				"a proxy is not told of the moment " + moment.String() +
					"; hooks of agents are, and hosts of the evaluation API report it"})
		}
	}
	return silent
}
