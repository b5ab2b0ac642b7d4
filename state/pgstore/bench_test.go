//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/pgstore"
)

// BenchmarkAimPostgres: a turn costs what a client's bare read and update of the same row cost, and it costs
// the same however many runs there are.
func BenchmarkAimPostgres(b *testing.B) {
	many := 20_000
	if testkit.Long() {
		many = 1_000_000
	}
	encoded := races.Usual().Encode()
	filled := func(runs int) (*pgxpool.Pool, *pgstore.Store) {
		p := pool(b, servers.Postgres(b))
		store := pgstore.New(p, pgstore.Options{})
		if _, _, err := store.Load(b.Context(), ""); err != nil { // makes the table
			b.Fatal(err)
		}
		if _, err := p.Exec(b.Context(), `INSERT INTO aside_run SELECT convert_to('run-' || `+
			`lpad((n - 1)::text, 9, '0'), 'UTF8'), n, current_date, $2 FROM generate_series(1, $1::int) n`,
			runs, encoded); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Exec(b.Context(), `VACUUM ANALYZE aside_run`); err != nil {
			b.Fatal(err)
		}
		return p, store
	}
	_, few := filled(races.Few)
	p, store := filled(many)
	b.Run(races.Name(many), func(b *testing.B) {
		races.BenchTurn(b, few, store, many, func(ctx context.Context, run string) error {
			var rev int64
			var was []byte
			if err := p.QueryRow(ctx, `SELECT revision, snapshot FROM aside_run WHERE name = $1`,
				[]byte(run)).Scan(&rev, &was); err != nil {
				return err
			}
			done, err := p.Exec(ctx, `UPDATE aside_run SET revision = $2, snapshot = $3 WHERE name = $1 `+
				`AND revision = $4`, []byte(run), rev+1, encoded, rev)
			if err == nil && done.RowsAffected() != 1 {
				err = errors.New("the row was not updated")
			}
			return err
		})
		var bytes int64
		if err := p.QueryRow(b.Context(), `SELECT pg_total_relation_size('aside_run')`).Scan(&bytes); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(bytes)/float64(many), "B/run")
		b.ReportMetric(float64(len(encoded)), "B/snapshot")
	})
}
