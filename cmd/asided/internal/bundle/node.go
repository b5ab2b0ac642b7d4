package bundle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/excerpt"
)

// NodeOptions say where a Node gets its rules. Server, Keys and Use must be set.
type NodeOptions struct {
	Server Server
	Keys   Keys
	// Accept may refuse a good bundle; nil refuses none.
	Accept func(*Rules) error
	// Use is called with the rules of each bundle that is accepted, one call at a time.
	Use func(*Rules)
	// Revisions are those that other nodes have used; nil where nobody says.
	Revisions Revisions
	Load      load.Options
	Interval  time.Duration // between two checks; 0: a minute
	Stale     time.Duration // the age from which on the rules count as stale; 0: 15 minutes
	Dir       string        // where the last good bundle is kept; "": nowhere
	Log       *slog.Logger  // nil: nothing is logged

	Elapsed func() time.Duration // a clock that nobody sets; nil: the time since NewNode
	Now     func() time.Time     // the calendar, for the age after a start; nil: time.Now
	After   func(time.Duration) <-chan time.Time
	Rand    func() float64 // from 0 up to 1; nil: math/rand
}

// Revisions remember, for all nodes, the revision of each bundle that was taken up last.
type Revisions interface {
	// Latest returns the revision of a bundle; 0 where no node has used it.
	Latest(ctx context.Context, name string) (int64, error)
	// Used notes that a bundle is in use: a later revision, or the one that takes the place of the latest.
	Used(ctx context.Context, m *Manifest) error
}

// Node keeps a process on the last good bundle of a server, and is the prometheus.Collector of that. Check
// and Run are for one goroutine, State and Collect for any.
type Node struct {
	opts NodeOptions
	log  *slog.Logger

	mu      sync.Mutex // guards what follows
	rules   *Rules     // nil: none yet
	etag    string     // of rules
	src     string     // the hash of the bytes that they came in
	noted   *Rules     // what Revisions know of
	checked bool       // whether the server has answered since the start
	at      time.Duration
	failed  error // of the last check
	fails   int   // in a row
	results map[string]int
}

// The results of a check.
const (
	maxError = 400 // the longest error message, in bytes

	resultNew     = "new"     // another bundle is in use
	resultSame    = "same"    // the bundle in use is that of the server
	resultAway    = "away"    // the server did not answer, or not with a bundle
	resultRefused = "refused" // the bundle of the server is not used
)

// NewNode returns a Node without rules: call Restore, then Check. It is an error if the address is none, or
// the keys cannot be read.
func NewNode(opts NodeOptions) (*Node, error) {
	if err := opts.Server.check(); err != nil {
		return nil, err
	}
	if _, err := PublicKeys(opts.Keys...); err != nil {
		return nil, keyError(err)
	}
	n := &Node{opts: opts, log: cmp.Or(opts.Log, slog.New(slog.DiscardHandler)), results: map[string]int{}}
	n.opts.Interval = cmp.Or(opts.Interval, time.Minute)
	n.opts.Stale = cmp.Or(opts.Stale, 15*time.Minute)
	if began := time.Now(); n.opts.Elapsed == nil {
		n.opts.Elapsed = func() time.Duration { return time.Since(began) }
	}
	if n.opts.Now == nil {
		n.opts.Now = time.Now
	}
	if n.opts.After == nil {
		n.opts.After = time.After
	}
	if n.opts.Rand == nil {
		n.opts.Rand = rand.Float64
	}
	n.at = n.opts.Elapsed()
	return n, nil
}

// Restore uses the bundle that was kept in Dir, if there is a good one.
func (n *Node) Restore() {
	src, etag, age, err := n.kept()
	if err == nil && src != nil {
		_, err = n.take(src, etag, func(*Manifest) error { return nil })
	}
	if err != nil {
		n.log.Warn("the bundle that was kept is not used", "why", err.Error())
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at = n.opts.Elapsed() - age
}

// Run checks the server again and again until ctx ends, for the first time after wait, and at once for each
// value from again.
func (n *Node) Run(ctx context.Context, wait time.Duration, again <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-n.opts.After(wait):
		}
		wait = n.Check(ctx)
	}
}

// maxBackoff is the longest wait after failures, unless the interval is longer.
const maxBackoff = 10 * time.Minute

// Check asks the server once, and uses its bundle if that is good. It returns how long to wait for the next
// check: the interval, twice that after each failure in a row up to ten minutes, a quarter more or less by
// chance, and at least what the server asks for.
func (n *Node) Check(ctx context.Context) time.Duration {
	n.mu.Lock()
	etag := n.etag
	n.mu.Unlock()
	src, etag, err := n.opts.Server.fetch(ctx, etag)
	result := resultSame
	if err == nil && src != nil {
		result, err = n.take(src, etag, func(m *Manifest) error { return n.admit(ctx, m) })
	}
	var away *awayError
	switch {
	case errors.As(err, &away):
		result = resultAway
	case err != nil:
		result = resultRefused
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return n.opts.Interval
	}
	if err == nil {
		n.confirmed()
		n.note(ctx)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.results[result]++
	wait := n.opts.Interval
	if err == nil {
		if n.failed != nil {
			n.log.Info("the rules are up to date again", "digest", n.rules.Digest())
		}
		n.at, n.checked, n.failed, n.fails = n.opts.Elapsed(), true, nil, 0
	} else {
		if n.failed == nil || n.failed.Error() != err.Error() {
			n.log.Warn("the rules of the server are not used, those before stay in use",
				"why", excerpt.Of(err.Error(), maxError))
		}
		n.failed = err
		for range min(n.fails, 16) {
			wait = min(2*wait, max(maxBackoff, n.opts.Interval))
		}
		n.fails++
	}
	spread := n.opts.Rand() / 2
	wait = time.Duration(float64(wait) * (0.75 + spread))
	if away != nil { // no earlier than the server asks, and not all nodes at once
		wait = max(wait, time.Duration(float64(away.after)*(1+spread)))
	}
	return wait
}

// admit returns why a bundle of the server may not be taken up now, however good it is. One that was kept is
// used all the same: old rules are better than none.
func (n *Node) admit(ctx context.Context, m *Manifest) error {
	if m.expired(n.opts.Now()) {
		return fmt.Errorf("revision %d has expired on %s: build it anew, under a later revision", m.Revision,
			m.Expires.Format(time.RFC3339))
	}
	if n.opts.Revisions == nil {
		return nil
	}
	latest, err := n.opts.Revisions.Latest(ctx, m.Name)
	if err != nil { // who keeps the state away must not keep the rules away
		n.log.Warn("whether other processes use later rules is not known", "why", err.Error())
		return nil
	}
	if m.Revision < latest && m.Replaces != latest {
		return fmt.Errorf("revision %d is older than %d, which other processes have used", m.Revision, latest)
	}
	return nil
}

// note tells others which revision is in use, again with the next check where that fails.
func (n *Node) note(ctx context.Context) {
	if n.opts.Revisions == nil || n.noted == n.rules {
		return
	}
	if err := n.opts.Revisions.Used(ctx, &n.rules.Manifest); err != nil {
		n.log.Warn("other processes are not told which rules are in use", "why", err.Error())
		return
	}
	n.noted = n.rules
}

// take uses a bundle if it is a good one, is admitted, and is none of earlier days.
func (n *Node) take(src []byte, etag string, admit func(*Manifest) error) (result string, err error) {
	a, err := Read(src)
	if err != nil {
		return "", err
	}
	if _, err := n.opts.Keys.verify(a); err != nil {
		return "", err
	}
	n.mu.Lock()
	before, known := n.rules, n.src
	n.mu.Unlock()
	if before != nil {
		if bytes.Equal(before.signed, a.signed) {
			if n.set(before, etag, src); known != sum(src) { // another key has signed it
				n.keep(src, etag)
			}
			return resultSame, nil
		}
		if err := a.Manifest.follows(&before.Manifest); err != nil {
			return "", err
		}
	}
	if err := admit(&a.Manifest); err != nil {
		return "", err
	}
	rules, err := a.Compile(n.opts.Load)
	if err != nil {
		return "", err
	}
	if before != nil && rules.Next.Set.Len() == 0 && before.Next.Set.Len() > 0 {
		return "", errEmpty
	}
	if n.opts.Accept != nil {
		if err := n.opts.Accept(rules); err != nil {
			return "", err
		}
	}
	n.opts.Use(rules)
	n.set(rules, etag, src)
	n.log.Info("rules of a bundle are in use", "name", a.Manifest.Name, "revision",
		a.Manifest.Revision, "digest",
		a.Digest(), "rollout", a.Manifest.Rollout)
	n.keep(src, etag)
	return resultNew, nil
}

// errEmpty says that a bundle would take all rules away: that is a slip of who has built it.
var errEmpty = errors.New("the bundle has no rules, and the one in use has some")

func (n *Node) set(rules *Rules, etag string, src []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rules, n.etag, n.src = rules, etag, sum(src)
}

// follows returns why a bundle may not take the place of another.
func (m *Manifest) follows(before *Manifest) error {
	switch {
	case m.Name != before.Name:
		return fmt.Errorf("the bundle is %q, and %q is in use", m.Name, before.Name)
	case m.Replaces == before.Revision && m.Replaces > 0:
		return nil
	case m.Revision == before.Revision:
		return fmt.Errorf("revision %d again, with something else in it: another bundle takes a later revision",
			m.Revision)
	case m.Revision < before.Revision:
		return fmt.Errorf("revision %d is older than %d, which is in use: to go back, publish the earlier rules "+
			"under a later revision", m.Revision, before.Revision)
	}
	return nil
}

// State says which rules a Node uses and since when it knows that they are those of the server.
type State struct {
	Name     string    `json:"name,omitempty"` // "" while there is no bundle
	Revision int64     `json:"revision,omitempty"`
	Digest   string    `json:"digest,omitempty"`
	Rollout  float64   `json:"rollout"`
	Stable   string    `json:"stable,omitempty"` // in a roll-out, the digest of the rules of the other runs
	Created  time.Time `json:"created,omitzero"`
	Expires  time.Time `json:"expires,omitzero"`
	// seconds since the last check that succeeded, by a clock that nobody sets; those before the start are by
	// the machine's calendar
	Age     float64 `json:"age_seconds"`
	Checked bool    `json:"checked"` // whether a check has succeeded since the start
	Stale   bool    `json:"stale"`
	Error   string  `json:"error,omitempty"` // of the last check
}

// State returns the state of n.
func (n *Node) State() State {
	n.mu.Lock()
	defer n.mu.Unlock()
	age := n.opts.Elapsed() - n.at
	s := State{Age: max(age, 0).Seconds(), Checked: n.checked, Stale: age >= n.opts.Stale}
	if n.failed != nil {
		s.Error = excerpt.Of(n.failed.Error(), maxError)
	}
	if r := n.rules; r != nil {
		m := &r.Manifest
		s.Name, s.Revision, s.Rollout, s.Created, s.Expires = m.Name, m.Revision, m.Rollout, m.Created, m.Expires
		if m.expired(n.opts.Now()) {
			s.Stale, s.Error = true, cmp.Or(s.Error, "they have expired on "+m.Expires.Format(time.RFC3339))
		}
		s.Digest, s.Stable = r.Digest(), r.Archive.Base()
	}
	return s
}
