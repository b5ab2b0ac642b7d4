package access

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/aside-go/aside/internal/excerpt"
)

// Header is the header in which a client shows its token. It is never sent on.
const Header = "X-Aside-Token"

// Limits bound what clients ask for.
type Limits struct {
	// Hosts are names of this machine, beside those of loopback, under which a client without a token may ask
	Hosts  []string
	Rate   float64 // requests a second for each token, or for all clients without tokens; 0: any number
	AtOnce int     // requests that are answered at a time; 0: any number
}

// Guard decides who may ask. Create one with New.
type Guard struct {
	limits Limits
	origin *http.CrossOriginProtection
	tokens atomic.Pointer[[]Token]
	fault  atomic.Pointer[string] // of the file that Follow reads; nil: there is none
	now    func() time.Time
	inside atomic.Int64

	mu    sync.Mutex
	rates map[string]*rate.Limiter // by the names of tokens
}

// New returns a Guard; without tokens it lets this machine alone ask.
func New(tokens []Token, l Limits) *Guard {
	g := &Guard{limits: l, origin: http.NewCrossOriginProtection(), now: time.Now,
		rates: map[string]*rate.Limiter{}}
	g.tokens.Store(&tokens)
	return g
}

// Refusal says why a request is not answered.
type Refusal struct {
	Status int
	Why    string        // for the client, one line
	After  time.Duration // when to try again, at least a second; 0: never
}

// Set sets the header fields that belong to a refusal.
func (r *Refusal) Set(h http.Header) {
	if r.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if r.After > 0 {
		h.Set("Retry-After", fmt.Sprint(math.Ceil(r.After.Seconds())))
	}
}

// Admit lets a request in that needs a scope, or refuses it. Where it is let in, leave must be called when
// it is answered.
func (g *Guard) Admit(r *http.Request, need Scope) (leave func(), refused *Refusal) {
	name := ""
	if tokens := *g.tokens.Load(); len(tokens) > 0 {
		t := find(tokens, secret(r, need))
		switch {
		case t == nil && need == Proxy:
			return nil, &Refusal{Status: http.StatusUnauthorized,
				Why: "this proxy asks for its token in the header " + Header}
		case t == nil:
			return nil, &Refusal{Status: http.StatusUnauthorized,
				Why: "this path asks for a token, in the header " + Header + " or as a bearer"}
		case !t.may(need):
			return nil, &Refusal{Status: http.StatusForbidden,
				Why: fmt.Sprintf("the token %q has not the scope %s, which this takes", t.Name, need)}
		}
		name = t.Name
	} else if why := g.foreign(r, need); why != "" {
		return nil, &Refusal{Status: http.StatusForbidden, Why: why}
	}
	if n := g.inside.Add(1); g.limits.AtOnce > 0 && n > int64(g.limits.AtOnce) {
		g.inside.Add(-1)
		return nil, &Refusal{Status: http.StatusServiceUnavailable, After: time.Second,
			Why: fmt.Sprintf("%d requests are under way, as many as are answered at once", g.limits.AtOnce)}
	}
	if wait := g.wait(name); wait > 0 {
		g.inside.Add(-1)
		return nil, &Refusal{Status: http.StatusTooManyRequests, After: wait,
			Why: fmt.Sprintf("more than %g requests a second", g.limits.Rate)}
	}
	return func() { g.inside.Add(-1) }, nil
}

// secret returns what a request shows. Requests to a model carry the key of its API as a bearer.
func secret(r *http.Request, need Scope) string {
	if s := r.Header.Get(Header); s != "" || need == Proxy {
		return s
	}
	if scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"),
		" "); strings.EqualFold(scheme, "Bearer") {
		return bearer
	}
	return ""
}

// wait takes a request off the rate of a token; it returns how long the client must wait if nothing is left.
func (g *Guard) wait(name string) time.Duration {
	if g.limits.Rate <= 0 {
		return 0
	}
	g.mu.Lock()
	l := g.rates[name]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(g.limits.Rate), int(math.Ceil(g.limits.Rate)))
		g.rates[name] = l
	}
	g.mu.Unlock()
	now := g.now()
	taken := l.ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

// foreign returns why a request without a token may be that of a web page in a browser of this machine: by a
// host name that the page's owner points to loopback (DNS rebinding), or by its origin. "": it is none. Our
// own paths take no page but ours; a page of this machine may ask a model.
func (g *Guard) foreign(r *http.Request, need Scope) string {
	if !g.local(r.Host) {
		return fmt.Sprintf("%q is not a host name of this machine: serve takes it with --allow-host NAME, "+
			"or where it asks for a token", excerpt.Of(r.Host, 100))
	}
	page := r.Header.Get("Origin")
	if at, err := url.Parse(page); page != "" && (err != nil || !g.local(at.Host)) ||
		need != Proxy && g.origin.Check(r) != nil {
		return "this address is for programs of this machine, not for web pages of others"
	}
	return ""
}

// local reports whether a host, with or without a port, is this machine.
func (g *Guard) local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && a.IsLoopback() {
		return true
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.ContainsFunc(g.limits.Hosts,
		func(name string) bool { return strings.EqualFold(name, host) })
}
