//go:build unix

package pgstore_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state/pgstore"
)

// TestPooler: behind PgBouncer that lends a connection for a transaction at a time.
func TestPooler(t *testing.T) {
	t.Parallel()
	url := servers.Pooled(t, servers.Postgres(t)) + "?default_query_exec_mode=exec"
	race := races.Race{Processes: 2, Clients: 8, Rounds: 10, Args: []string{url}}
	if r := race.Run(t); r.Once != race.Rounds || r.Twice > 0 || !r.Linearizable {
		t.Errorf("%+v", r)
	}
}

// TestPoolerUnprepared: without the setting that such a pooler needs, the error names it.
func TestPoolerUnprepared(t *testing.T) {
	t.Parallel()
	p := pool(t, servers.Pooled(t, servers.Postgres(t)))
	var (
		wg   sync.WaitGroup
		errs [8]error
	)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range errs {
		store := pgstore.New(p, pgstore.Options{})
		wg.Go(func() {
			for n := 0; n < 1000 && ctx.Err() == nil; n++ {
				if _, _, errs[i] = store.Load(ctx, "run"); errs[i] != nil && ctx.Err() == nil {
					cancel()
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && strings.Contains(err.Error(), "default_query_exec_mode=exec") {
			return
		}
	}
	t.Errorf("%v", errs)
}
