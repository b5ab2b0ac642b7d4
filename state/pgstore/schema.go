package pgstore

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/aside-go/aside/state"
)

// published are the changes of the tables, each in a file N_NAME.sql, from 1 without a gap, and what takes it
// back in N_NAME.down.sql. A change that was published is never edited; a further one is added. Its first
// line "-- reader N" names the change that a program must know at least to use the tables behind it: itself
// where there is no such line.
//
//go:embed *.sql
var published embed.FS

// oldest is the change that this program cannot do without. It must be able to use the tables of the version
// before, so a change becomes the oldest in the version after the one that brought it.
const oldest = 2

// lockKey is the advisory lock that is held while tables are changed: "aside" in ASCII.
const lockKey = 0x6173696465

// change is a change of the tables.
type change struct {
	number, reader int
	name           string
	up, down       string // SQL; down is "" where the change cannot be taken back
}

// read returns the changes of a directory, in order.
func read(dir fs.FS) (all []change, err error) {
	names, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, file := range names {
		name := strings.TrimSuffix(file, ".sql")
		if strings.HasSuffix(name, ".down") {
			continue
		}
		up, err := fs.ReadFile(dir, file)
		if err != nil {
			return nil, err
		}
		down, err := fs.ReadFile(dir, name+".down.sql")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		c := change{name: name, up: string(up), down: string(down)}
		if _, err := fmt.Sscanf(name, "%d_", &c.number); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		c.reader = c.number
		_, _ = fmt.Sscanf(c.up, "-- reader %d", &c.reader) // the line may be absent
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.number, b.number) })
	return all, nil
}

// schema knows whether the tables are such that this program can use them.
type schema struct {
	dir   fs.FS
	known atomic.Bool
	finds atomic.Bool  // the tables have the change keys
	asked atomic.Int64 // when that was read last, in seconds since 1970
	mu    sync.Mutex
}

// keys is the change by which runs are found by keys. Programs that do not know it do not find them so.
const keys = 3

// ready makes sure, once in the life of a process, that the tables can be used. It carries out the changes
// that they lack, up to the first after which a program of the version before could not use them: that one
// waits for Migrate. After an error the next call tries again.
func (s *schema) ready(ctx context.Context, pool *pgxpool.Pool) error {
	if s.known.Load() {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known.Load() {
		return nil
	}
	err := s.check(ctx, pool)
	s.known.Store(err == nil)
	return err
}

func (s *schema) check(ctx context.Context, pool *pgxpool.Pool) error {
	all, err := read(s.dir)
	if err != nil {
		return err
	}
	at, reader, err := version(ctx, pool)
	if err != nil {
		return err
	}
	to := at
	for _, c := range all[min(at, len(all)):] {
		if at > 0 && c.number > oldest && c.reader == c.number {
			break
		}
		to = c.number
	}
	if to == at {
		s.finds.Store(at >= keys)
		return usable(at, reader, len(all))
	}
	err = migrate(ctx, pool, all, to)
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "42501" && at >= oldest { // insufficient_privilege: the owner will
		to, err = at, nil
	}
	s.finds.Store(to >= keys)
	return err
}

// usable returns an error if a program that knows so many changes cannot use the tables.
func usable(at, reader, known int) error {
	if known >= reader {
		return nil
	}
	return fmt.Errorf("the tables are of version %d, %w, for programs that know version %d; this one knows "+
		"%d, and the newer one's \"asided state migrate --to %[4]d\" takes them back", at, state.ErrNewer,
		reader, known)
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version returns the number of the last change, 0 where there are no tables, and the one that a program must
// know at least.
func version(ctx context.Context, q querier) (at, reader int, err error) {
	// The column is absent where the tables were made by a program that did not know it, and they had no
	// change since.
	err = q.QueryRow(ctx, `SELECT s.version, coalesce((to_jsonb(s)->>'reader')::int, s.version) `+
		`FROM aside_schema s ORDER BY s.version DESC LIMIT 1`).Scan(&at, &reader)
	var said *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &said) && said.Code == "42P01" { // undefined_table
		return 0, 0, nil
	}
	return at, reader, err
}

// migrate brings the tables to a version, forth or back, wholly or not at all. Another process may have done
// so meanwhile.
func migrate(ctx context.Context, pool *pgxpool.Pool, all []change, to int) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockKey)); err != nil {
			return err
		}
		const table = `CREATE TABLE IF NOT EXISTS aside_schema (version int PRIMARY KEY); ` +
			`ALTER TABLE aside_schema ADD COLUMN IF NOT EXISTS reader int`
		if _, err := tx.Exec(ctx, table, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		at, reader, err := version(ctx, tx)
		if err == nil && at > len(all) { // what came since, nobody here can take back
			err = usable(at, max(reader, at), len(all))
		}
		if err != nil {
			return err
		}
		for ; at < to; at++ {
			c := all[at]
			if err := run(ctx, tx, c.name+".sql", c.up, `INSERT INTO aside_schema VALUES ($1, $2)`, c.number,
				c.reader); err != nil {
				return err
			}
		}
		for ; at > to; at-- {
			c := all[at-1]
			if c.down == "" {
				return fmt.Errorf("change %s cannot be taken back", c.name)
			}
			if err := run(ctx, tx, c.name+".down.sql", c.down, `DELETE FROM aside_schema WHERE version = $1`,
				c.number); err != nil {
				return err
			}
		}
		return nil
	})
}

// run carries out the SQL of a file, and notes it.
func run(ctx context.Context, tx pgx.Tx, name, sql, note string, args ...any) error {
	if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err := tx.Exec(ctx, note, args...)
	return err
}

// Migrate brings the tables of a store to a version, forth or back; a negative one is the newest that this
// program knows. It returns the versions before and after. Programs that cannot use the tables then say so
// at their next start; those that run already are not told, so stop them first. Those that know the version
// use it within a second.
func Migrate(ctx context.Context, s *Store, to int) (from, at int, err error) {
	all, err := read(s.schema.dir)
	if err != nil {
		return 0, 0, err
	}
	if to < 0 {
		to = len(all)
	}
	if from, _, err = version(ctx, s.pool); err != nil {
		return 0, 0, s.told(ctx, err)
	}
	if to > len(all) || to < oldest {
		return from, from, fmt.Errorf("there is no version %d of the tables: this program knows those from %d "+
			"to %d", to, oldest, len(all))
	}
	if err := migrate(ctx, s.pool, all, to); err != nil {
		return from, from, s.told(ctx, err)
	}
	s.schema.known.Store(false)
	return from, to, nil
}
