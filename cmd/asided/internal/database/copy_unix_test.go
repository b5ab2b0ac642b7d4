//go:build unix

package database_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/aside-go/aside/cmd/asided/internal/control"
	"github.com/aside-go/aside/cmd/asided/internal/database"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// TestCopy: the run with more turns stays, and that of the source where both have as many, so a switch that
// was made later is copied, too; what is there to the byte is only counted.
func TestCopy(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"postgres": servers.Postgres(t),
		"redis": "redis://" + servers.NewRedis(t, "--save", "").Addr, "files": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCopying(t, t.TempDir(), at)
			note := func(s *state.Snapshot, notes string) *state.Snapshot {
				next, err := firing.Note(s, json.RawMessage(notes))
				if err != nil {
					t.Fatal(err)
				}
				return next
			}
			older, newer := turns(t, nil, 1), turns(t, nil, 2)
			for run, both := range map[string][2]*state.Snapshot{
				"here alone": {older, nil}, "there alone": {nil, older}, "went on here": {newer, older},
				"went on there": {older, newer}, "the same": {older, older}, "as many turns": {note(older, "1"), older},
				"none yet": {note(nil, "2"), note(nil, "1")},
			} {
				for i, store := range []state.Store{w.source, w.target} {
					if both[i] == nil {
						continue
					}
					if _, err := store.Save(t.Context(), run, 0, both[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			w.copies("4 runs copied from ", "; 2 were there")
			for run, want := range map[string]*state.Snapshot{"here alone": older, "there alone": older,
				"went on here": newer, "went on there": newer, "the same": older, "as many turns": note(older, "1"),
				"none yet": note(nil, "2")} {
				if got := w.there(run); !bytes.Equal(got.Encode(), want.Encode()) {
					t.Errorf("%s: %s, want %s", run, got.Encode(), want.Encode())
				}
			}
			for i, to := range []control.State{control.Off, control.Shadow, control.On} {
				if err := control.Switch(t.Context(), w.source, "rule", control.Entry{State: to,
					At: time.Unix(int64(i), 0)}); err != nil {
					t.Fatal(err)
				}
				w.copies("1 run copied from ", "; 6 were there")
				r, err := control.Read(t.Context(), w.target)
				if err != nil || r.Rules["rule"].State != to && to != control.On || to == control.On && len(r.Rules) > 0 {
					t.Errorf("%s: %v %v", to, r, err)
				}
			}
			w.copies("0 runs copied from ", "; 7 were there")
		})
	}
}

// TestCopyCut: a copy that was cut short goes on when it is made again, also beside another one, and in the
// end each run is there to the byte.
func TestCopyCut(t *testing.T) {
	t.Parallel()
	const n = 300
	w := newCopying(t, t.TempDir(), servers.Postgres(t))
	fill(t, w.source, n)
	for cut, after := 0, 10*time.Millisecond; ; after *= 4 {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		errs := make(chan error, 2)
		for range cap(errs) {
			go func() { errs <- runs.Copy(ctx, w.env(io.Discard), w.from, w.to) }()
		}
		err := errors.Join(<-errs, <-errs)
		cancel()
		if err == nil {
			if cut == 0 {
				t.Error("no copy was cut short")
			}
			break
		}
		if cut++; !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	want := races.Usual().Encode()
	all, err := state.AllRuns(t.Context(), w.target)
	if err != nil || len(all) != n {
		t.Errorf("%d runs, %v", len(all), err)
	}
	for _, run := range all {
		if !bytes.Equal(w.there(run).Encode(), want) {
			t.Error(run)
		}
	}
}

// TestCopyError: the error names the run that cannot be written. Where a run cannot be read, that is said,
// and the others are copied.
func TestCopyError(t *testing.T) {
	t.Parallel()
	at := servers.Postgres(t)
	w := newCopying(t, t.TempDir(), at)
	fill(t, w.source, 50)
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	w.there("") // makes the tables
	if _, err := conn.Exec(t.Context(), `ALTER TABLE aside_run ADD CHECK (name <> 'run-7')`); err != nil {
		t.Fatal(err)
	}
	if err := runs.Copy(t.Context(), w.env(io.Discard), w.from, w.to); err == nil ||
		!strings.Contains(err.Error(), `"run-7"`) {
		t.Errorf("it says %v", err)
	}
	if _, err := conn.Exec(t.Context(), `ALTER TABLE aside_run DROP CONSTRAINT aside_run_name_check;
		INSERT INTO aside_run VALUES ('run-8', 1, current_date, 'x')
		ON CONFLICT (name) DO UPDATE SET snapshot = 'x', revision = 1`); err != nil {
		t.Fatal(err)
	}
	back := newCopying(t, at, t.TempDir())
	if _, err := w.source.Save(t.Context(), "other", 0, races.Usual()); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	var exit *command.Error
	if err := runs.Copy(t.Context(), w.env(&said), w.from, w.to); !errors.As(err, &exit) ||
		exit.Code != command.ExitMachine || !strings.Contains(said.String(), `"run-8"`) ||
		w.there("other") == nil || w.there("run-7") == nil {
		t.Errorf("%v, %s", err, said.String())
	}
	if err := runs.Copy(t.Context(), back.env(&said), back.from, back.to); !errors.As(err, &exit) ||
		back.there("other") == nil || back.there("run-8") != nil {
		t.Errorf("back: %v", err)
	}
}

// copying is two stores, from one of which is copied into the other.
type copying struct {
	t              *testing.T
	from, to       string
	source, target state.Store
}

func newCopying(t *testing.T, from, to string) *copying {
	t.Helper()
	w := &copying{t: t, from: from, to: to}
	for _, at := range []struct {
		of    string
		store *state.Store
	}{{from, &w.source}, {to, &w.target}} {
		var err error
		if *at.store, _, err = runs.Open(w.env(io.Discard), at.of, filestore.OnSync); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *copying) env(say io.Writer) *command.Env {
	return &command.Env{Databases: database.Open, Err: say, Width: 80}
}

// copies runs "asided state copy", and looks for parts of its output.
func (w *copying) copies(parts ...string) {
	w.t.Helper()
	var said bytes.Buffer
	if err := runs.Copy(w.t.Context(), w.env(&said), w.from, w.to); err != nil {
		w.t.Fatal(err)
	}
	for _, part := range parts {
		if !strings.Contains(said.String(), part) {
			w.t.Errorf("%q, want %q", said.String(), part)
		}
	}
}

// there returns a run of the target.
func (w *copying) there(run string) *state.Snapshot {
	w.t.Helper()
	snap, _, err := w.target.Load(w.t.Context(), run)
	if err != nil {
		w.t.Fatal(err)
	}
	return snap
}

// turns takes n turns of a run.
func turns(t *testing.T, s *state.Snapshot, n int) *state.Snapshot {
	t.Helper()
	for range n {
		next, _, err := firing.Step(s, firing.NewRules(nil), firing.Input{})
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	return s
}

// BenchmarkAimCopy is "asided state copy" of 10,000 runs into PostgreSQL, whose commits wait for the disk,
// from files, from Redis and from PostgreSQL. The budget is 2,000 runs a second.
func BenchmarkAimCopy(b *testing.B) {
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	e := &command.Env{Databases: database.Open, Err: io.Discard}
	pg := servers.NewPostgres(b)
	for name, from := range map[string]string{
		"files": b.TempDir(),
		"redis": "redis://" + servers.NewRedis(b, "--save", "").Addr, "postgres": pg.Database(b),
	} {
		store, _, err := runs.Open(e, from, filestore.OnSync)
		if err != nil {
			b.Fatal(err)
		}
		fill(b, store, n)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				to := pg.Database(b)
				b.StartTimer()
				if err := runs.Copy(b.Context(), e, from, to); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// fill saves so many runs of usual size.
func fill(tb testing.TB, store state.Store, n int) {
	tb.Helper()
	snap, ctx := races.Usual(), tb.Context()
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := worker; i < n; i += 16 {
				if _, err := store.Save(ctx, "run-"+strconv.Itoa(i), 0, snap); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
