//go:build unix

package pgstore_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/pgstore"
)

// TestStarters: many processes that begin with an empty database at once.
func TestStarters(t *testing.T) {
	t.Parallel()
	url := servers.Postgres(t)
	var (
		errs [8]error
		wg   sync.WaitGroup
	)
	for i := range errs {
		store := pgstore.New(pool(t, url), pgstore.Options{})
		wg.Go(func() { _, _, errs[i] = store.Load(t.Context(), "run") })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestNewerTables: a program that is older than the tables leaves them alone, and says so.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	p := pool(t, servers.Postgres(t))
	races.Take(t, pgstore.New(p, pgstore.Options{}), "1")
	if _, err := p.Exec(t.Context(), "INSERT INTO aside_schema VALUES (1000)"); err != nil {
		t.Fatal(err)
	}
	_, _, err := pgstore.New(p, pgstore.Options{}).Load(t.Context(), "run")
	if err == nil || !strings.Contains(err.Error(), "made by a newer program") {
		t.Errorf("%v", err)
	}
}

// TestRole: who may not create tables can use those that exist, and is told why nothing else works.
func TestRole(t *testing.T) {
	t.Parallel()
	url := servers.Postgres(t)
	owner := pool(t, url)
	if _, err := owner.Exec(t.Context(), "CREATE ROLE "+roleOf(url)+" LOGIN"); err != nil {
		t.Fatal(err)
	}
	as := pool(t, strings.Replace(url, "aside@", roleOf(url)+"@", 1))
	if _, _, err := pgstore.New(as, pgstore.Options{}).Load(t.Context(), "run"); err == nil ||
		!strings.Contains(err.Error(), "permission denied") {
		t.Errorf("without tables: %v", err)
	}
	races.Take(t, pgstore.New(owner, pgstore.Options{}), "1")
	for _, grant := range []string{"SELECT, INSERT, UPDATE, DELETE ON aside_run, aside_outcome",
		"USAGE ON aside_outcome_id_seq", "SELECT ON aside_schema"} { // as the manual says
		if _, err := owner.Exec(t.Context(), "GRANT "+grant+" TO "+roleOf(url)); err != nil {
			t.Fatal(err)
		}
	}
	s := pgstore.New(as, pgstore.Options{})
	if d, _ := races.Take(t, s, "2"); d.Turn != 2 {
		t.Errorf("turn %d, want 2", d.Turn)
	}
	if _, err := s.SaveRecorded(t.Context(), "recorded", 0, state.Remind(nil, "r"),
		[]state.Record{{Run: "r", Firing: "f", Outcome: state.Fired}}); err != nil {
		t.Error(err)
	}
	for _, err := range s.Records(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
}

// roleOf names a role after the database of a connection string: roles are those of the whole server.
func roleOf(url string) string { return "guest_" + url[strings.LastIndex(url, "/")+1:] }

// TestSweep: old runs are forgotten, in more than one batch, and by whoever looks first.
func TestSweep(t *testing.T) {
	t.Parallel()
	p := pool(t, servers.Postgres(t))
	store := pgstore.New(p, pgstore.Options{})
	races.Take(t, store, "1")
	if _, err := p.Exec(t.Context(), `INSERT INTO aside_run SELECT convert_to('old' || n, 'UTF8'), n, `+
		`current_date - 31, '{}' FROM generate_series(1, 2500) n; INSERT INTO aside_run `+
		`VALUES ('kept', 1, current_date - 30, '{}')`); err != nil {
		t.Fatal(err)
	}
	var (
		n    [3]int
		errs [3]error
		wg   sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() { n[i], errs[i] = store.Sweep(t.Context()) })
	}
	wg.Wait()
	runs, err := state.AllRuns(t.Context(), store)
	if n[0]+n[1]+n[2] != 2500 || errs != [3]error{} || err != nil || len(runs) != 2 {
		t.Errorf("forgot %v with %v; %d runs are left, %v", n, errs, len(runs), err)
	}
	for keep, most := range map[int]int{-1: 0, 1: 1} {
		forgot, err := pgstore.New(p,
			pgstore.Options{Keep: time.Duration(keep) * 24 * time.Hour}).Sweep(t.Context())
		if forgot != most || err != nil {
			t.Errorf("with Keep of %d days: %d, %v", keep, forgot, err)
		}
	}
}
