package proxy

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/aside-go/aside/internal/firing"
	kept "github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// The paths of the proxy's own. Monitors expect them there.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// answerOwn answers r if its path is not to be forwarded.
func (p *Proxy) answerOwn(w *response, r *http.Request) bool {
	for _, h := range p.opts.Own {
		if h.Owns(r) {
			w.own = h
			h.ServeHTTP(w, r)
			return true
		}
	}
	serve := map[string]http.HandlerFunc{livePath: p.live, readyPath: p.ready}[r.URL.Path]
	if serve == nil {
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", http.MethodGet)
		p.fail(w, r, http.StatusMethodNotAllowed, "this path takes GET")
		return true
	}
	serve(w, r)
	return true
}

// Check is one of the things that a process needs to do its work.
type Check struct {
	OK     bool   `json:"ok"`
	Why    string `json:"why,omitempty"`    // for people, one line, where it is not OK
	Detail any    `json:"detail,omitempty"` // for programs
	// Needed says that requests should go elsewhere while this is not OK.
	Needed bool `json:"-"`
}

// health is what /readyz has found out last.
type health struct {
	mu       sync.Mutex
	state    Check
	until    time.Time // state holds
	draining bool
	rules    Check
}

// Limits of the check of the store.
const (
	checkTime  = 2 * time.Second
	checkEvery = time.Second // anybody may ask, and each check is a request to a database
	// how long a save speaks for the store, unless one has failed since
	freshSave = 8 * time.Second
)

// noRun is no run: what is saved under it shows that something can be saved.
const noRun = kept.KeptPrefix + "readiness"

// live is GET /livez: the process answers.
func (p *Proxy) live(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]string{"status": "ok", "version": p.opts.Version})
}

// ready is GET /readyz: whether requests should come here, and what is wrong.
func (p *Proxy) ready(w http.ResponseWriter, r *http.Request) {
	checks := map[string]Check{"state": p.checkState(r.Context()), "rules": p.checkRules(),
		"serving": p.serving()}
	for name, check := range p.opts.Checks {
		checks[name] = check(r.Context())
	}
	status, code := "ready", http.StatusOK
	for _, c := range checks {
		switch {
		case c.OK:
		case c.Needed:
			status, code = "unready", http.StatusServiceUnavailable
		case status == "ready":
			status = "degraded"
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	write(w, code, struct {
		Status  string           `json:"status"` // ready, degraded or unready
		Version string           `json:"version"`
		Checks  map[string]Check `json:"checks"`
	}{status, p.opts.Version, checks})
}

// serving says whether the process takes requests.
func (p *Proxy) serving() Check {
	p.health.mu.Lock()
	defer p.health.mu.Unlock()
	if p.health.draining {
		return Check{Why: "it is about to stop", Needed: true}
	}
	return Check{OK: true}
}

// drain says from now on that requests should go elsewhere.
func (p *Proxy) drain() {
	p.health.mu.Lock()
	defer p.health.mu.Unlock()
	p.health.draining = true
	if p.opts.Draining != nil {
		p.opts.Draining()
	}
}

// checkState asks whether runs can be read and saved, at most once in checkEvery. Where no save of late says
// so, it saves something: a server that only reads, and a disk that is full, are found out by nothing else.
// Without the state requests go on all the same, with the reminders of earlier ones, unless they are to be
// refused.
func (p *Proxy) checkState(ctx context.Context) Check {
	h := &p.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := p.now(); now.Before(h.until) {
		return h.state
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
	defer cancel()
	h.state = Check{OK: true}
	if why, err := p.stateFault(limited); err != nil {
		p.stateDown(err.Error())
		h.state = Check{Why: why, Needed: p.opts.Transport.FailClosed}
	}
	h.until = p.now().Add(checkEvery)
	return h.state
}

// stateFault says what is wrong with the store, without an error nothing.
func (p *Proxy) stateFault(ctx context.Context) (why string, err error) {
	_, rev, err := p.opts.Store.Load(ctx, noRun)
	if err != nil {
		return "the state of runs cannot be read", err
	}
	if p.saved() {
		return "", nil
	}
	_, err = p.opts.Store.Save(ctx, noRun, rev, firing.Remind(nil, noRun))
	if err != nil && !errors.Is(err, state.ErrConflict) { // a conflict: another process has just saved it
		return "the state of runs cannot be saved", err
	}
	p.stateUp()
	return "", nil
}

// saved reports whether the last save of late has succeeded.
func (p *Proxy) saved() bool {
	p.outage.mu.Lock()
	defer p.outage.mu.Unlock()
	return !p.outage.saved.IsZero() && p.now().Sub(p.outage.saved) < freshSave
}

// checkRules says how many reminders are in use, and whether newer ones have mistakes.
func (p *Proxy) checkRules() Check {
	p.health.mu.Lock()
	defer p.health.mu.Unlock()
	c := p.health.rules
	c.Detail = map[string]int{"reminders": p.opts.Eval.Set().Len()}
	return c
}

// errorsStay is why rules that were read last are not all in use.
const errorsStay = "the rules that were read last have errors; those before stay in use"

// rulesFail notes why rules that were read last are not in use, "" where they are.
func (p *Proxy) rulesFail(why string) {
	p.meter.Reloaded(why == "", p.now())
	p.health.mu.Lock()
	defer p.health.mu.Unlock()
	p.health.rules = Check{OK: why == "", Why: why}
}
