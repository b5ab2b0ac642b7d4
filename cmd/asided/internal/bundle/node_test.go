package bundle_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/asided/internal/bundle"
	"github.com/aside-go/aside/cmd/asided/internal/control"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// place is a server of bundles without a network.
type place struct {
	bundle []byte
	cut    int // how many bytes of it are sent; 0: all
	away   error
	status int // in place of 200
	header http.Header
	asked  int
}

func (p *place) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asked++
	if p.away != nil {
		return nil, p.away
	}
	etag := fmt.Sprintf("%q", fmt.Sprintf("%x", len(p.bundle))+fmt.Sprint(bytes.Count(p.bundle, []byte{1})))
	res := &http.Response{StatusCode: 200, Header: http.Header{"Etag": {etag}}, Body: http.NoBody}
	for k, v := range p.header {
		res.Header[k] = v
	}
	switch {
	case p.status != 0:
		res.StatusCode = p.status
	case r.Header.Get("If-None-Match") == etag:
		res.StatusCode = http.StatusNotModified
	case p.cut > 0: // as net/http tells of a body that is shorter than announced
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(p.bundle[:p.cut]), broken{}))
	default:
		res.Body = io.NopCloser(bytes.NewReader(p.bundle))
	}
	return res, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// fleet is many nodes of one server, with one store for the runs.
type fleet struct {
	t     *testing.T
	place place
	clock time.Duration // passes for all; each began at another time
	pub   string
	nodes []*member
	store state.Store

	revisions control.Revisions
}

type member struct {
	*bundle.Node
	began time.Duration
	wrong time.Duration // by how much its calendar is
	dir   string
	ev    *eval.Evaluator
	used  []int64 // revisions
}

func newFleet(t *testing.T, n int) *fleet {
	t.Helper()
	f := &fleet{t: t, pub: filepath.Join(t.TempDir(), "team.pub"), store: state.NewMemory(), place: place{
		away: errors.New("connection refused")}}
	f.revisions.Store = f.store
	f.trust(1)
	f.nodes = make([]*member, n)
	for i := range f.nodes {
		f.nodes[i] = &member{dir: filepath.Join(t.TempDir(), "kept")}
		f.start(i)
	}
	return f
}

// trust writes the file with the accepted keys.
func (f *fleet) trust(keys ...byte) {
	f.t.Helper()
	var text []byte
	for _, n := range keys {
		b, err := x509.MarshalPKIXPublicKey(public(key(n))[0])
		if err != nil {
			f.t.Fatal(err)
		}
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})...)
	}
	if err := os.WriteFile(f.pub, text, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// start starts a node, or starts it again.
func (f *fleet) start(i int) {
	f.t.Helper()
	m := f.nodes[i]
	m.began, m.ev, m.used = f.clock, eval.New(nil, eval.Options{Store: f.store}), nil
	var err error
	m.Node, err = bundle.NewNode(bundle.NodeOptions{
		Server: bundle.Server{URL: "http://rules.invalid/team.tar.gz", Client: &http.Client{Transport: &f.place}},
		Keys:   bundle.Keys{f.pub}, Dir: m.dir, Revisions: &f.revisions,
		Use: func(r *bundle.Rules) {
			m.used = append(m.used, r.Manifest.Revision)
			r.Put(func(res *load.Result, ro eval.Rollout) { m.ev.RollOut(res.Set, ro) })
		},
		Elapsed: func() time.Duration { return f.clock - m.began },
		Now:     func() time.Time { return f.calendar().Add(m.wrong) },
		Rand:    func() float64 { return float64(i) / float64(len(f.nodes)) },
	})
	if err != nil {
		f.t.Fatal(err)
	}
	m.Restore()
}

// calendar is the time by calendars that are right.
func (f *fleet) calendar() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(f.clock) }

// check has each node ask once, and holds all to a revision and to what they tell of the check.
func (f *fleet) check(when string, revision int64, told string) {
	f.t.Helper()
	for i, m := range f.nodes {
		m.Check(f.t.Context())
		s := m.State()
		if s.Revision != revision || !strings.Contains(s.Error, told) || told == "" && s.Error != "" {
			f.t.Fatalf("%s: node %d has revision %d and says %q, want %d and %q", when, i, s.Revision, s.Error,
				revision, told)
		}
	}
}

// publish puts a bundle of revision n on the server.
func (f *fleet) publish(a *bundle.Archive) {
	f.t.Helper()
	f.place.bundle, f.place.cut, f.place.status, f.place.away, f.place.header = encode(f.t, a), 0, 0, nil, nil
}

func rules(words string) map[string][]byte {
	return map[string][]byte{"once.md": rule("once", "Once."), words + ".md": rule(words, words)}
}

// TestT9Nodes: a hundred nodes, each on a clock of its own that no calendar sets. Nothing that is wrong takes
// the place of the last good bundle, and each node tells the age of its rules, also after a start. Where the
// calendar was put back meanwhile, it tells the time since the start, and where it was put forward too much.
func TestT9Nodes(t *testing.T) {
	t.Parallel()
	f := newFleet(t, testkit.Repeat(60, 100))
	plain := func(n int64, words string) *bundle.Archive {
		return archive(t, bundle.Manifest{Revision: n, Rollout: 1, Created: time.Date(2098, 1, 1, 0, 0, 0,
			0, time.UTC)},
			rules(words), nil)
	}
	f.check("before the first bundle", 0, "connection refused")
	f.publish(plain(2, "two").Sign(key(1)))
	f.check("first", 2, "")
	f.clock += time.Minute
	f.check("again", 2, "")

	faulty := archive(t, bundle.Manifest{Revision: 3, Rollout: 1}, map[string][]byte{
		"a.md": []byte("---\nid: a\nwhen: context_usage > 75\n---\nA.\n")}, nil)
	other := archive(t, bundle.Manifest{Name: "theirs", Revision: 3, Rollout: 1}, rules("three"), nil)
	for _, c := range []struct {
		when, told string
		a          *bundle.Archive
	}{
		{"no signature", "it has no signature", plain(3, "three")},
		{"another's signature", "no accepted key", plain(3, "three").Sign(key(2))},
		{"another file", "not the one that the manifest names", plain(3, "three").Sign(key(1)).
			Break("rules/three.md", string(rule("three", "Three!")))},
		{"an error in a rule", "R0204", faulty.Sign(key(1))},
		{"no rules", "has no rules", archive(t, bundle.Manifest{Revision: 3, Rollout: 1}, nil, nil).Sign(key(1))},
		{"an older revision", "is older than 2", plain(1, "one").Sign(key(1))},
		{"the same revision", "revision 2 again", plain(2, "three").Sign(key(1))},
		{"another bundle", `is "theirs"`, other.Sign(key(1))},
	} {
		f.publish(c.a)
		f.clock += time.Minute
		f.check(c.when, 2, c.told)
	}
	f.publish(plain(3, "three").Sign(key(1)))
	for _, f.place.cut = range []int{1, 20, len(f.place.bundle) / 2, len(f.place.bundle) - 1} {
		f.check("torn", 2, "cut short")
	}
	f.place.bundle, f.place.cut = f.place.bundle[:len(f.place.bundle)/2], 0
	f.check("a file half copied", 2, "cut short")
	for _, f.place.status = range []int{401, 404, 429, 500, 503} {
		f.check("refused", 2, fmt.Sprint("answers ", f.place.status))
	}

	// the server is away for a day, and half of the nodes start again meanwhile
	before, day := f.clock, f.clock+24*time.Hour
	f.place.away = errors.New("connection refused")
	most, next := 0, make([]time.Duration, len(f.nodes))
	asked := f.place.asked
	for ; f.clock < day; f.clock += 30 * time.Second {
		if f.clock-before == 12*time.Hour {
			for i, m := range f.nodes[:50] {
				m.wrong = []time.Duration{0, -100 * day, 0, day}[i%4]
				f.start(i)
			}
		}
		for i, m := range f.nodes {
			if f.clock >= next[i] {
				next[i] = f.clock + m.Check(t.Context())
			}
		}
	}
	if most = (f.place.asked - asked) / len(f.nodes); most < 100 || most > 250 {
		t.Errorf("a node asks %d times a day while the server is away", most)
	}
	for i, m := range f.nodes {
		s, age := m.State(), 24*time.Hour+9*time.Minute // since the last answer that confirmed the rules
		switch {
		case i < 50 && m.wrong < 0:
			age = 12 * time.Hour
		case i < 50:
			age += m.wrong
		}
		if s.Revision != 2 || !s.Stale || s.Checked != (i >= 50) ||
			(time.Duration(s.Age)*time.Second-age).Abs() > 10*time.Minute {
			t.Fatalf("node %d after a day: %+v", i, s)
		}
		if i < 50 && !slices.Equal(m.used, []int64{2}) {
			t.Fatalf("node %d used %v after its start", i, m.used)
		}
	}
	f.publish(plain(3, "three").Sign(key(1)))
	f.check("back", 3, "")
	if s := f.nodes[0].State(); s.Age != 0 || s.Stale || !s.Checked {
		t.Errorf("when the server is back: %+v", s)
	}

	// what was kept on disk and is damaged is not used; the server is asked for the whole again
	if err := os.WriteFile(filepath.Join(f.nodes[0].dir, "last.tar.gz"), f.place.bundle[:100],
		0o600); err != nil {
		t.Fatal(err)
	}
	if f.start(0); f.nodes[0].State().Revision != 0 {
		t.Error("half a bundle on disk is used")
	}
	f.check("after damage", 3, "")

	// a revision by mistake, and the way back from it
	f.publish(plain(99999, "four").Sign(key(1)))
	f.check("far", 99999, "")
	f.publish(archive(t, bundle.Manifest{Revision: 4, Rollout: 1, Replaces: 99999}, rules("four"),
		nil).Sign(key(1)))
	f.check("replaced", 4, "")

	// another key: signed with both, then with the new one alone
	f.trust(1, 2)
	f.publish(plain(5, "five").Sign(key(1)).Sign(key(2)))
	f.check("both keys", 5, "")
	f.trust(2)
	f.start(1)
	f.check("the new key", 5, "")
	if !slices.Equal(f.nodes[1].used, []int64{5}) {
		t.Errorf("after a start with the new key: %v", f.nodes[1].used)
	}
}

// TestExpiry: a bundle whose time is over is not taken up, and one that is in use stays, and is stale,
// whatever the server says.
func TestExpiry(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	until := f.calendar().Add(time.Hour)
	lasting := func(revision int64) *bundle.Archive {
		m := bundle.Manifest{Revision: revision, Rollout: 1, Expires: until}
		return archive(t, m, rules("one"), nil).Sign(key(1))
	}
	f.publish(lasting(1))
	f.check("in time", 1, "")
	if s := f.nodes[0].State(); s.Stale || !s.Expires.Equal(until) {
		t.Errorf("in time: %+v", s)
	}
	f.clock += time.Hour
	f.check("expired", 1, "they have expired")
	if s := f.nodes[0].State(); !s.Stale || s.Age != 0 {
		t.Errorf("when the server says that it is the latest: %+v", s)
	}
	f.publish(lasting(2))
	f.check("another that has expired", 1, "revision 2 has expired")
	if f.start(0); f.nodes[0].State().Revision != 1 {
		t.Error("after a start it has no rules")
	}
	f.nodes[0].dir = filepath.Join(t.TempDir(), "new")
	f.start(0)
	f.check("a new node", 0, "revision 2 has expired")
	until = until.Add(time.Hour)
	f.publish(lasting(3))
	f.check("renewed", 3, "")
}

// TestLeastRevision: a node that is new takes no bundle that is older than what others have used, but for one
// that takes its place; while nobody says what others have used it takes what there is.
func TestLeastRevision(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	plain := func(revision, replaces int64) *bundle.Archive {
		return archive(t, bundle.Manifest{Revision: revision, Rollout: 1, Replaces: replaces}, rules("one"),
			nil).Sign(key(1))
	}
	f.publish(plain(2, 0))
	f.check("first", 2, "")
	fresh := func(when string, revision int64, told string) {
		t.Helper()
		f.nodes = f.nodes[:1]
		f.nodes = append(f.nodes, &member{dir: filepath.Join(t.TempDir(), "kept")})
		f.start(1)
		f.nodes[1].Check(t.Context())
		if s := f.nodes[1].State(); s.Revision != revision || !strings.Contains(s.Error, told) {
			t.Errorf("%s: revision %d, %q", when, s.Revision, s.Error)
		}
	}
	f.publish(plain(1, 0))
	fresh("an old bundle", 0, "is older than 2, which other processes have used")
	f.publish(plain(1, 2))
	fresh("in place of the latest", 1, "")
	fresh("again", 1, "")
	f.publish(plain(2, 0))
	fresh("a later one", 2, "")
	f.publish(plain(1, 0))
	f.revisions.Store = nil
	fresh("nobody says", 1, "")
	f.revisions.Store = f.store
	fresh("somebody says again", 0, "is older than 2")
}

// TestT9RollOut: of a hundred nodes each gives a run the same rules, whoever has its turn; a run that has the
// new ones keeps them as the share grows; counts survive every change.
func TestT9RollOut(t *testing.T) {
	t.Parallel()
	f := newFleet(t, testkit.Repeat(60, 100))
	const runs = 200
	fired := make([]int, runs)
	had := make([]bool, runs)
	turn := 0
	for step, share := range []float64{1, 0, 0.1, 0.5, 1, 0} {
		m, before := bundle.Manifest{Revision: int64(step + 1), Rollout: share}, map[string][]byte(nil)
		next := rules("new")
		if step == 0 {
			next = rules("old")
		} else if share < 1 {
			before = rules("old")
		}
		f.publish(archive(t, m, next, before).Sign(key(1)))
		f.check("roll-out", m.Revision, "")
		if step == 3 { // a node that is new in the middle of it knows both
			f.nodes[7].dir = filepath.Join(t.TempDir(), "new")
			f.start(7)
			f.nodes[7].Check(t.Context())
		}
		count := 0
		for k := range runs {
			run := fmt.Sprint("run", k)
			node := f.nodes[turn%len(f.nodes)]
			turn += 7
			d, err := node.ev.Decide(t.Context(), run, eval.Turn{})
			if err != nil {
				t.Fatal(err)
			}
			for _, due := range d.Fired {
				if due.ID == "once" {
					fired[k]++
				}
			}
			_, is := d.Set().Index("new")
			if is {
				count++
			}
			if had[k] && !is && share > 0 && step > 1 {
				t.Errorf("%s fell out as the share grew to %v", run, share)
			}
			had[k] = is
			for _, other := range f.nodes {
				if other.ev.SetOf(run).Digest() != d.Rules {
					t.Fatalf("two nodes have other rules for %s", run)
				}
			}
		}
		want := share * runs
		if step == 0 {
			want = 0
		}
		if got := float64(count); got < want-0.06*runs || got > want+0.06*runs {
			t.Errorf("step %d: %d of %d runs have the new rules", step, count, runs)
		}
	}
	for k, n := range fired {
		if n != 1 {
			t.Errorf("run%d: what fires once has fired %d times", k, n)
		}
	}
}

// TestRetryAfter: in seconds, or as a date of the server's own clock, whatever the clock here says.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	now := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after, date string
		least, most time.Duration
	}{
		{"1800", "", 30 * time.Minute, 45 * time.Minute},
		{now.Add(20 * time.Minute).Format(http.TimeFormat), now.Format(http.TimeFormat), 20 * time.Minute,
			30 * time.Minute},
		{now.Add(20 * time.Minute).Format(http.TimeFormat), "", 0, bundle.MaxBackoff},
		{"99999999", "", time.Hour, 90 * time.Minute},
		{"-1", "", 0, bundle.MaxBackoff},
		{"soon", "", 0, bundle.MaxBackoff},
	} {
		f.place.away, f.place.status = nil, http.StatusServiceUnavailable
		f.place.header = http.Header{"Retry-After": {c.after}, "Date": {c.date}}
		if wait := f.nodes[0].Check(t.Context()); wait < c.least || wait > c.most {
			t.Errorf("%+v: waits %s", c, wait)
		}
	}
}

// TestRun: a node asks after the wait and for each signal, and ends with its context.
func TestRun(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.publish(archive(t, bundle.Manifest{Revision: 1, Rollout: 1}, rules("one"), nil).Sign(key(1)))
	timer, again := make(chan time.Time), make(chan struct{})
	n, err := bundle.NewNode(bundle.NodeOptions{
		Server: bundle.Server{URL: "http://rules.invalid/", Client: &http.Client{Transport: &f.place}},
		Keys:   bundle.Keys{f.pub}, Use: func(*bundle.Rules) {},
		After: func(time.Duration) <-chan time.Time { return timer },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { n.Run(ctx, time.Hour, again); close(done) }()
	timer <- time.Time{}
	again <- struct{}{}
	stop()
	<-done
	if f.place.asked < 1 || f.place.asked > 2 {
		t.Errorf("asked %d times", f.place.asked)
	}
}
