package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/aside-go/aside/internal/readset"
)

var _ readset.Finder = (*Store)(nil)

// finds reports whether the tables find runs. Those that an older program has made do not until Migrate,
// which this process sees within a second.
func (s *Store) finds(ctx context.Context) bool {
	if s.schema.ready(ctx, s.pool) != nil {
		return false
	}
	now := time.Now().Unix()
	was := s.schema.asked.Load()
	if !s.schema.finds.Load() && was < now && s.schema.asked.CompareAndSwap(was, now) {
		if at, _, err := version(ctx, s.pool); err == nil {
			s.schema.finds.Store(at >= keys)
		}
	}
	return s.schema.finds.Load()
}

// lost reports whether a statement with keys has failed because somebody took back the change keys.
func (s *Store) lost(err error) bool {
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != "42703" { // undefined_column
		return false
	}
	s.schema.finds.Store(false)
	return true
}

// keyed are the statements that also set the keys of a run, by those that do not.
var keyed = map[string]string{
	insert: `INSERT INTO aside_run (name, revision, saved, snapshot, keys, values) ` +
		`VALUES ($1, $2, current_date, $3, $4, $5) ON CONFLICT (name) DO NOTHING`,
	update: `UPDATE aside_run SET revision = $2, saved = current_date, snapshot = $3, keys = $5, values = $6 ` +
		`WHERE name = $1 AND revision = $4`,
}

// literal returns an array in the notation of PostgreSQL, which has no numbers without a sign. Arrays of
// several lengths cannot be one parameter in another way.
func literal(list []uint64) string {
	b := []byte("{")
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(append(b, '}'))
}

// Find returns runs that have a key, at most limit, each with the values of the key there, see state.Store.
func (s *Store) Find(ctx context.Context, key uint64, limit int) (map[string][]uint64, error) {
	if !s.finds(ctx) {
		return nil, errors.ErrUnsupported
	}
	found := map[string][]uint64{}
	if limit == 0 {
		return found, nil
	}
	rows, err := s.pool.Query(ctx, `SELECT name, array(SELECT v FROM unnest(keys, values) AS pairs (k, v) `+
		`WHERE k = $1) FROM aside_run WHERE keys @> ARRAY[$1::bigint] LIMIT $2`, int64(key), limit)
	if err == nil {
		var name []byte
		var values []int64
		_, err = pgx.ForEachRow(rows, []any{&name, &values}, func() error {
			for _, v := range values {
				found[string(name)] = append(found[string(name)], uint64(v))
			}
			return nil
		})
	}
	switch {
	case err != nil && s.lost(err):
		return nil, errors.ErrUnsupported
	case err != nil:
		return nil, fmt.Errorf("find runs: %w", s.told(ctx, err))
	}
	return found, nil
}
