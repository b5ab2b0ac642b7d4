//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/pgstore"
	"github.com/aside-go/aside/state/storetest"
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

// TestTablesGone: a program that runs makes the tables again where they are gone.
func TestTablesGone(t *testing.T) {
	t.Parallel()
	p := pool(t, servers.Postgres(t))
	store := pgstore.New(p, pgstore.Options{})
	races.Take(t, store, "1")
	if _, err := p.Exec(t.Context(), "DROP TABLE aside_run, aside_outcome, aside_schema"); err != nil {
		t.Fatal(err)
	}
	_, _, err := store.Load(t.Context(), "run")
	if err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
	if d, _ := races.Take(t, store, "1"); d.Turn != 1 {
		t.Errorf("%+v", d)
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
	if err == nil || !strings.Contains(err.Error(), "made by a newer version") {
		t.Errorf("%v", err)
	}
}

// next are the changes of this program and a further one, as the version after it would have them.
func next(t *testing.T, up, down string) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{"004_next.sql": {Data: []byte(up)}, "004_next.down.sql": {Data: []byte(down)}}
	for _, name := range []string{"001_runs.sql", "002_outcomes.sql", "003_keys.sql"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir[name] = &fstest.MapFile{Data: b}
	}
	return dir
}

// TestVersionsTogether: a program and the one of the version after it use the same runs, before a change of
// the tables, after it, and when it was taken back; a change that the older program cannot use waits until it
// is asked for.
func TestVersionsTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reader string
		alone  bool // the older program cannot use the tables behind the change
	}{{"-- reader 3\n", false}, {"", true}} {
		p := pool(t, servers.Postgres(t))
		dir := next(t, c.reader+"ALTER TABLE aside_run ADD COLUMN extra int",
			"ALTER TABLE aside_run DROP COLUMN extra")
		older := func() *pgstore.Store { return pgstore.New(p, pgstore.Options{}) }
		newer := func() *pgstore.Store { return pgstore.NewWith(p, dir) }
		turn := 0
		take := func(stores ...*pgstore.Store) {
			t.Helper()
			for _, s := range stores {
				turn++
				if d, _ := races.Take(t, s, strconv.Itoa(turn)); d.Turn != turn {
					t.Errorf("turn %d, want %d", d.Turn, turn)
				}
			}
		}
		changed := func() (n int) {
			if err := p.QueryRow(t.Context(), "SELECT max(version) FROM aside_schema").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		take(older())
		a, b := older(), newer()
		take(a, b, a, b)
		if got := changed(); got == 4 == c.alone {
			t.Errorf("%q: of itself the tables are of version %d", c.reader, got)
		}
		if _, at, err := b.Migrate(t.Context(), -1); at != 4 || err != nil {
			t.Fatal(at, err)
		}
		take(b, newer())
		if _, _, err := older().Load(t.Context(), "run"); errors.Is(err, state.ErrNewer) != c.alone {
			t.Errorf("%q: the older program: %v", c.reader, err)
		}
		if _, _, err := older().Migrate(t.Context(), 3); !errors.Is(err, state.ErrNewer) {
			t.Errorf("taken back by who does not know it: %v", err)
		}
		if from, at, err := b.Migrate(t.Context(), 3); from != 4 || at != 3 || err != nil {
			t.Fatal(from, at, err)
		}
		take(older(), b)
		if _, _, err := b.Migrate(t.Context(), 1); err == nil {
			t.Error("tables of a version that nothing can use")
		}
	}
}

// TestOlderTables: over tables of the version before, runs are not found by keys until somebody migrates, and
// then by those with which they are saved from then on; a program of the version before goes on until then.
func TestOlderTables(t *testing.T) {
	t.Parallel()
	p := pool(t, servers.Postgres(t))
	dir := next(t, "", "")
	for _, name := range []string{"003_keys.sql", "004_next.sql", "004_next.down.sql"} {
		delete(dir, name)
	}
	before, store := pgstore.NewWith(p, dir), pgstore.New(p, pgstore.Options{})
	races.Take(t, before, "1")
	save := func() map[string][]uint64 {
		t.Helper()
		if err := state.Update(t.Context(), store, "run", func(s *state.Snapshot) (*state.Snapshot, error) {
			return firing.Note(s, storetest.Keyed{{1 << 63, 7}})
		}); err != nil {
			t.Error(err)
		}
		found, err := store.Find(t.Context(), 1<<63, 1)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		return found
	}
	if found := save(); found != nil {
		t.Errorf("before the change: %v", found)
	}
	races.Take(t, before, "2")
	other := pgstore.New(p, pgstore.Options{})
	if from, at, err := other.Migrate(t.Context(), -1); from != 2 || at != 3 || err != nil {
		t.Fatal(from, at, err)
	}
	for began := time.Now(); ; {
		if _, err := store.Find(t.Context(), 0, 0); err == nil {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("it does not see that the tables were changed")
		}
	}
	if found := save(); len(found["run"]) != 1 {
		t.Errorf("behind the change: %v", found)
	}
	if _, _, err := pgstore.NewWith(p, dir).Load(t.Context(), "run"); !errors.Is(err, state.ErrNewer) {
		t.Errorf("the program of the version before: %v", err)
	}
	if _, at, err := other.Migrate(t.Context(), 2); at != 2 || err != nil {
		t.Fatal(at, err)
	}
	if found := save(); found != nil {
		t.Errorf("taken back: %v", found)
	}
	races.Take(t, pgstore.NewWith(p, dir), "3")
}

// TestTakenBack: calls that wait with their keys while the change keys is taken back go on without keys, all
// of them.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	url := servers.Postgres(t)
	store := pgstore.New(pool(t, url+"?pool_max_conns=8"), pgstore.Options{})
	keyed, err := firing.Note(nil, storetest.Keyed{{1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := store.Save(t.Context(), "changed", 0, keyed)
	if err != nil {
		t.Fatal(err)
	}
	save := func(run string, prev state.Revision) func() error {
		return func() error {
			_, err := store.Save(t.Context(), run, prev, keyed)
			return err
		}
	}
	calls := []func() error{save("changed", rev), save("new", 0), save("newer", 0),
		func() error {
			_, err := store.Add(t.Context(), map[string]*state.Snapshot{"copied": keyed})
			return err
		}}
	for range 2 {
		calls = append(calls, func() error {
			if _, err := store.Find(t.Context(), 1, 1); !errors.Is(err, errors.ErrUnsupported) {
				return fmt.Errorf("found: %w", err)
			}
			return nil
		})
	}
	admin := pool(t, url)
	down, err := os.ReadFile("003_keys.down.sql")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := admin.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), string(down)+"; DELETE FROM aside_schema WHERE version = 3")
	}
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, len(calls))
	for _, call := range calls {
		go func() { errs <- call() }()
	}
	for began, waiting := time.Now(), 0; waiting < len(calls); {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d calls wait, want %d", waiting, len(calls))
		}
		if err := admin.QueryRow(t.Context(), "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND "+
			"relation = 'aside_run'::regclass").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range calls {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestMigrationBreaks: a connection that breaks at any statement of a change leaves the tables as they were.
func TestMigrationBreaks(t *testing.T) {
	t.Parallel()
	statements := []string{"ALTER TABLE aside_run ADD COLUMN extra int", "CREATE TABLE aside_more (n int)",
		"UPDATE aside_run SET extra = 1"}
	back := []string{"DROP TABLE aside_more", "ALTER TABLE aside_run DROP COLUMN extra"}
	const breaks = "SELECT pg_terminate_backend(pg_backend_pid())"
	p := pool(t, servers.Postgres(t))
	races.Take(t, pgstore.New(p, pgstore.Options{}), "1")
	broken := func(all []string, i int) string {
		return strings.Join(slices.Insert(slices.Clone(all), i, breaks), ";\n")
	}
	up, down := strings.Join(statements, ";\n"), strings.Join(back, ";\n")
	turn := 1
	holds := func(dir fstest.MapFS, to, want int) {
		t.Helper()
		s := pgstore.NewWith(p, dir)
		if _, at, err := s.Migrate(t.Context(), to); (err == nil) != (at == to) || at != want {
			t.Errorf("at %d of %d: %v", at, want, err)
		}
		turn++
		if d, _ := races.Take(t, pgstore.NewWith(p, next(t, up, down)), strconv.Itoa(turn)); d.Turn != turn {
			t.Errorf("turn %d, want %d", d.Turn, turn)
		}
	}
	for i := range len(statements) + 1 {
		holds(next(t, broken(statements, i), down), 4, 3)
	}
	holds(next(t, up, down), 4, 4)
	for i := range len(back) + 1 {
		holds(next(t, up, broken(back, i)), 3, 4)
	}
	holds(next(t, up, down), 3, 3)
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
	if _, err := s.SaveRecorded(t.Context(), "recorded", 0, firing.Remind(nil, "r"),
		[]reminder.Record{{Run: "r", Firing: "f", Outcome: reminder.Fired}}); err != nil {
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
