package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/readset"
	"github.com/aside-go/aside/state"
)

// Options say how a store works. All processes that share a table should use the same.
type Options struct {
	// Keep is for how many days a run is remembered after it was last saved, at least: 0 is 30 days, and a
	// negative Keep is for ever. Sweep forgets older runs.
	Keep time.Duration
}

// keepDefault is the Keep of zero Options.
const keepDefault = 30 * 24 * time.Hour

// Store is a state.Store in a table.
type Store struct {
	pool   *pgxpool.Pool
	keep   time.Duration // below 0 for ever
	schema schema
	known  *lru.Cache[string, known] // by run
}

// known is what the store has loaded or saved last of a run. A revision is never used twice, so what has the
// same one need not be read again: decoding takes longer than the server does.
type known struct {
	rev      int64
	snapshot *state.Snapshot
}

// maxKnown is how many runs a store knows.
const maxKnown = 4096

var _ state.Store = (*Store)(nil)

// New returns the store of a pool's database. It does not connect, and it does not close the pool.
func New(pool *pgxpool.Pool, o Options) *Store {
	cache, _ := lru.New[string, known](maxKnown) // fails for a size below 1 only
	return &Store{pool: pool, keep: cmp.Or(o.Keep, keepDefault), schema: schema{dir: published}, known: cache}
}

// Load implements state.Store.
func (s *Store) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	snap, rev, err := s.get(ctx, run)
	if err != nil {
		return nil, 0, fmt.Errorf("load run %q: %w", run, s.told(ctx, err))
	}
	return snap, rev, nil
}

func (s *Store) get(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if err := s.schema.ready(ctx, s.pool); err != nil {
		return nil, 0, err
	}
	var (
		rev     int64
		encoded []byte // nil for the revision that is known
	)
	k, _ := s.known.Get(run)
	var err error
	// Where a server was started again, each connection that the pool has is a broken one.
	for left := s.pool.Stat().TotalConns(); left >= 0; left-- {
		err = s.pool.QueryRow(ctx, `SELECT revision, CASE WHEN revision <> $2 THEN snapshot END FROM aside_run `+
			`WHERE name = $1`, []byte(run), k.rev).Scan(&rev, &encoded)
		if err == nil || errors.Is(err, pgx.ErrNoRows) || !unanswered(err) || ctx.Err() != nil {
			break
		}
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if rev != k.rev {
		if k.snapshot, err = state.Decode(encoded); err != nil {
			return nil, 0, err
		}
		s.known.Add(run, known{rev, k.snapshot})
	}
	return k.snapshot, state.Revision(rev), nil
}

// Save implements state.Store. Its error is state.ErrIndeterminate where the connection broke or ctx ended
// before the server had answered.
func (s *Store) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	return s.SaveRecorded(ctx, run, prev, next, nil)
}

func (s *Store) set(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	if next == nil {
		return 0, errors.New("there is no snapshot to save")
	}
	if err := s.schema.ready(ctx, s.pool); err != nil {
		return 0, err
	}
	rev := 1 + rand.Int64N(math.MaxInt64)
	statement, args := insert, []any{[]byte(run), rev, next.Encode()}
	if prev != 0 {
		statement, args = update, append(args, int64(prev))
	}
	keys, values := readset.KeysOf(next)
	asked := keys != nil && s.finds(ctx)
	if asked {
		statement, args = keyed[statement], append(args, literal(keys), literal(values))
	}
	statement, args, err := recording(statement, args, records)
	if err != nil {
		return 0, err
	}
	conn, err := s.pool.Acquire(ctx) // by itself: what fails here was not carried out
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	done, err := conn.Exec(ctx, statement, args...)
	const readOnly = "25006" // read_only_sql_transaction
	if said := (*pgconn.PgError)(nil); errors.As(err, &said) && said.Code == readOnly {
		_ = conn.Conn().Close(ctx) // perhaps a primary of before; the next connection may find that of now
	}
	switch {
	case err != nil && unanswered(err):
		return 0, errors.Join(state.ErrIndeterminate, err)
	case err != nil && asked && s.lost(err):
		return s.set(ctx, run, prev, next, records)
	case err != nil:
		return 0, err
	case done.RowsAffected() == 0:
		return 0, state.ErrConflict
	}
	s.known.Add(run, known{rev, next})
	return state.Revision(rev), nil
}

// Add saves the runs that do not exist, in one statement, and returns their names, in no order. With an error
// it has saved none, unless that is state.ErrIndeterminate.
func (s *Store) Add(ctx context.Context, runs map[string]*state.Snapshot) (added []string, err error) {
	if err := s.schema.ready(ctx, s.pool); err != nil {
		return nil, fmt.Errorf("save runs: %w", s.told(ctx, err))
	}
	var names, snapshots [][]byte
	var revisions []int64
	var keys, values []string
	for _, run := range slices.Sorted(maps.Keys(runs)) { // so no two statements wait for each other
		names, snapshots = append(names, []byte(run)), append(snapshots, runs[run].Encode())
		revisions = append(revisions, 1+rand.Int64N(math.MaxInt64))
		k, v := readset.KeysOf(runs[run])
		keys, values = append(keys, literal(k)), append(values, literal(v))
	}
	statement, args := addRuns, []any{names, revisions, snapshots}
	asked := s.finds(ctx)
	if asked {
		statement, args = addKeyed, append(args, keys, values)
	}
	rows, err := s.pool.Query(ctx, statement, args...)
	if err == nil {
		added, err = collectNames(rows)
	}
	switch {
	case err != nil && unanswered(err):
		return nil, fmt.Errorf("save runs: %w", errors.Join(state.ErrIndeterminate, s.told(ctx, err)))
	case err != nil && asked && s.lost(err):
		return s.Add(ctx, runs)
	case err != nil:
		return nil, fmt.Errorf("save runs: %w", s.told(ctx, err))
	}
	return added, nil
}

const (
	insert = `INSERT INTO aside_run (name, revision, saved, snapshot) VALUES ($1, $2, current_date, $3) ` +
		`ON CONFLICT (name) DO NOTHING`
	update = `UPDATE aside_run SET revision = $2, saved = current_date, snapshot = $3 ` +
		`WHERE name = $1 AND revision = $4`
	addRuns = `INSERT INTO aside_run (name, revision, saved, snapshot) ` +
		`SELECT name, revision, current_date, snapshot FROM unnest($1::bytea[], $2::bigint[], $3::bytea[]) ` +
		`AS runs (name, revision, snapshot) ON CONFLICT (name) DO NOTHING RETURNING name`
	addKeyed = `INSERT INTO aside_run (name, revision, saved, snapshot, keys, values) ` +
		`SELECT name, revision, current_date, snapshot, keys::bigint[], values::bigint[] ` +
		`FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::text[]) ` +
		`AS runs (name, revision, snapshot, keys, values) ON CONFLICT (name) DO NOTHING RETURNING name`
)

// unanswered reports whether a statement that failed may have been carried out. A server that says ERROR has
// undone it. One that says FATAL is ending the connection, perhaps after it has committed.
func unanswered(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.SeverityUnlocalized != "ERROR"
	}
	return !pgconn.SafeToRetry(err)
}

// Delete implements state.Store.
func (s *Store) Delete(ctx context.Context, run string) error {
	err := s.schema.ready(ctx, s.pool)
	if err == nil {
		_, err = s.pool.Exec(ctx, `DELETE FROM aside_run WHERE name = $1`, []byte(run))
	}
	if err != nil {
		return fmt.Errorf("delete run %q: %w", run, s.told(ctx, err))
	}
	return nil
}

// pageSize is how many names a page has at most.
const pageSize = 1000

// Runs implements state.Store, in byte order. The cursor is the last name of the page before.
func (s *Store) Runs(ctx context.Context, cursor string) (runs []string, next string, err error) {
	if runs, err = s.page(ctx, cursor); err != nil {
		return nil, "", fmt.Errorf("list runs: %w", s.told(ctx, err))
	}
	if len(runs) == pageSize {
		next = runs[len(runs)-1]
	}
	return runs, next, nil
}

func (s *Store) page(ctx context.Context, cursor string) ([]string, error) {
	if err := s.schema.ready(ctx, s.pool); err != nil {
		return nil, err
	}
	// The name "" is a run, and stands before all others.
	rows, err := s.pool.Query(ctx,
		`SELECT name FROM aside_run WHERE name > $1 OR $1 = ''::bytea ORDER BY name LIMIT $2`,
		[]byte(cursor), pageSize)
	if err != nil {
		return nil, err
	}
	return collectNames(rows)
}

func collectNames(rows pgx.Rows) ([]string, error) {
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
		var name []byte
		err := r.Scan(&name)
		return string(name), err
	})
}

// sweepBatch is how many runs Sweep forgets in a statement, so that none holds locks for long.
const sweepBatch = 1000

// Sweep forgets the runs that were last saved longer ago than Keep, by the days of the server, and returns
// how many it forgot, and records of outcomes that are older than 400 days. Processes may sweep at once; each
// takes other rows.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	err := s.schema.ready(ctx, s.pool)
	if err == nil {
		err = s.sweepRecords(ctx)
	}
	if err != nil || s.keep < 0 {
		return 0, s.told(ctx, err)
	}
	days := int((s.keep + 24*time.Hour - 1) / (24 * time.Hour))
	for n := 0; ; {
		done, err := s.pool.Exec(ctx, `DELETE FROM aside_run WHERE name IN (SELECT name FROM aside_run `+
			`WHERE saved < current_date - $1::int LIMIT $2 FOR UPDATE SKIP LOCKED)`, days, sweepBatch)
		if err != nil {
			return n, fmt.Errorf("forget old runs: %w", s.told(ctx, err))
		}
		if n += int(done.RowsAffected()); done.RowsAffected() == 0 {
			return n, nil
		}
	}
}

// told adds to an error what a person needs to know of it. Where the tables are gone, since the server is
// another one or was emptied, the next call makes them, as after a start.
func (s *Store) told(ctx context.Context, err error) error {
	var said *pgconn.PgError
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		err = errors.Join(ctx.Err(), err)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the database has not answered in time: %w", err)
	case errors.As(err, &said) && said.Code == "42P01": // undefined_table
		s.schema.known.Store(false)
	case errors.As(err, &said) && (said.Code == "26000" || said.Code == "42P05"):
		return fmt.Errorf("%w: behind a pooler that does not know prepared statements, "+
			"default_query_exec_mode=exec must stand in the connection string", err)
	}
	return err
}
