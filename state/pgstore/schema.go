package pgstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// changes are the changes of the tables, each in a file N_NAME.sql, from 1 without a gap. A change that was
// published is never edited; a further one is added.
//
//go:embed *.sql
var changes embed.FS

// lockKey is the advisory lock that is held while tables are changed: "aside" in ASCII.
const lockKey = 0x6173696465

// schema knows whether the tables are as this program needs them. The zero schema does not know yet.
type schema struct {
	known atomic.Bool
	mu    sync.Mutex
}

// ready brings the tables up to date, once in the life of a process. After an error the next call tries
// again.
func (s *schema) ready(ctx context.Context, pool *pgxpool.Pool) error {
	if s.known.Load() {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known.Load() {
		return nil
	}
	files, err := fs.Glob(changes, "*.sql")
	if err != nil {
		return err
	}
	at, err := version(ctx, pool)
	if err == nil && at < len(files) {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return migrate(ctx, tx, files) })
	}
	if err == nil && at > len(files) {
		err = fmt.Errorf("the tables are of version %d, made by a newer program: this one knows %d", at, len(files))
	}
	s.known.Store(err == nil)
	return err
}

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version returns the number of the last change, 0 where there are no tables.
func version(ctx context.Context, q querier) (n int, err error) {
	err = q.QueryRow(ctx, `SELECT max(version) FROM aside_schema`).Scan(&n)
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "42P01" { // undefined_table
		return 0, nil
	}
	return n, err
}

// migrate carries out the changes that the tables lack. Another process may have done so meanwhile.
func migrate(ctx context.Context, tx pgx.Tx, files []string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockKey)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS aside_schema (version int PRIMARY KEY)`); err != nil {
		return err
	}
	var at int
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM aside_schema`).Scan(&at); err != nil {
		return err
	}
	for _, name := range files {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		if n <= at {
			continue
		}
		change, err := changes.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, string(change), pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO aside_schema VALUES ($1)`, n); err != nil {
			return err
		}
	}
	return nil
}
