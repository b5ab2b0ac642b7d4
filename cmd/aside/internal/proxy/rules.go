package proxy

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// Rules keeps a Proxy's rules what the files say.
type Rules struct {
	Proxy *Proxy
	// Sources tells where rules are; it is asked again whenever a reload is asked for.
	Sources func() ([]load.Source, error)
	Load    load.Options
	// About leaves of diagnostics what is worth telling; nil: all.
	About func(grammar.Diagnostics) grammar.Diagnostics
	// Began is what the Proxy's evaluator was made with.
	Began *load.Result

	mu   sync.Mutex // guards last
	last *load.Result
}

// Run watches the files until ctx ends, and reads all anew when told to over again. A file that was fine and is no longer keeps
// the rules that it had; when all is read anew, such an error keeps everything as it was.
func (rs *Rules) Run(ctx context.Context, again <-chan struct{}) {
	rs.began()
	sources, err := rs.Sources()
	for ctx.Err() == nil {
		if err != nil {
			rs.Proxy.log.Warn("rules are not watched", "why", err.Error())
		}
		watching, stop := context.WithCancel(ctx)
		here := sources
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := load.Watch(watching, here, rs.Load, rs.apply); watching.Err() == nil {
				rs.Proxy.log.Warn("rules are not watched", "why", err.Error())
			}
		})
		var next *load.Result // of other sources; a watch that goes on knows what bad files held
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
			rs.apply(next) // now that nobody says any more what the files before hold
		}
	}
}

func (rs *Rules) began() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.last = rs.Began
	rs.Proxy.metrics.reloaded(!rs.about(rs.Began).HasErrors(), rs.Proxy.now())
}

func (rs *Rules) about(res *load.Result) grammar.Diagnostics {
	if rs.About == nil {
		return res.Diagnostics
	}
	return rs.About(res.Diagnostics)
}

// anew reads everything, and takes it over unless it has an error that was not there before, or one in a file that is used as
// it was before. If it came from other sources than those that are watched, next is left to be taken over.
func (rs *Rules) anew(watched []load.Source) (next *load.Result, sources []load.Source, err error) {
	p := rs.Proxy
	if sources, err = rs.Sources(); err != nil {
		p.log.Error("rules could not be read, those before stay in use", "why", err.Error())
		p.metrics.reloaded(false, p.now())
		return nil, watched, err
	}
	res := load.Load(sources, rs.Load)
	if worse := rs.worse(res); len(worse) > 0 {
		rs.tell(worse)
		p.log.Error("rules have errors, those before stay in use", "errors", len(worse))
		p.metrics.reloaded(false, p.now())
		return nil, watched, nil
	}
	p.log.Info("rules read anew", "rules", res.Set.Len())
	if slices.Equal(sources, watched) {
		rs.apply(res)
		return nil, watched, nil
	}
	return res, sources, nil
}

// worse returns the errors of res that stand against taking it over.
func (rs *Rules) worse(res *load.Result) (worse grammar.Diagnostics) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	before := rs.about(rs.last)
	for _, d := range rs.about(res) {
		if d.Severity == grammar.Error && (slices.Contains(rs.last.Stale, d.File) || !has(before, d)) {
			worse = append(worse, d)
		}
	}
	return worse
}

// apply takes res over.
func (rs *Rules) apply(res *load.Result) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	last := rs.last
	rs.last = res
	now, p := rs.about(res), rs.Proxy
	p.metrics.reloaded(!now.HasErrors(), p.now())
	if equal(last, res) {
		return
	}
	var gone []string
	for _, id := range p.opts.Eval.Set().IDs() {
		if _, ok := res.Set.Index(id); !ok {
			gone = append(gone, id)
		}
	}
	p.opts.Eval.Reload(res.Set)
	p.metrics.rules.Set(float64(res.Set.Len()))
	p.metrics.forget(gone)
	p.log.Info("rules reloaded", "rules", res.Set.Len(), "stale", res.Stale)
	rs.tell(fresh(now, rs.about(last)))
}

// tell logs diagnostics.
func (rs *Rules) tell(ds grammar.Diagnostics) {
	for _, d := range ds {
		log := rs.Proxy.log.Warn
		if d.Severity == grammar.Error {
			log = rs.Proxy.log.Error
		}
		log("rule", "file", d.File, "line", d.Range.Start.Line, "column", d.Range.Start.Column, "code", d.Code, "message", d.Message, "hint", d.Hint)
	}
}

// fresh returns what of now was not there before.
func fresh(now, before grammar.Diagnostics) grammar.Diagnostics {
	return slices.DeleteFunc(slices.Clone(now), func(d grammar.Diagnostic) bool { return has(before, d) })
}

func has(ds grammar.Diagnostics, d grammar.Diagnostic) bool {
	return slices.ContainsFunc(ds, func(x grammar.Diagnostic) bool { return x.String() == d.String() })
}

// equal reports whether two results were made of the same.
func equal(a, b *load.Result) bool {
	return maps.EqualFunc(a.Files, b.Files, bytes.Equal) && slices.Equal(a.Stale, b.Stale) && len(a.Diagnostics) == len(b.Diagnostics) &&
		slices.Equal(a.Set.IDs(), b.Set.IDs())
}
