//go:build unix

package pgstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/pgstore"
)

// TestS8Pauses: a server whose machine hangs.
func TestS8Pauses(t *testing.T) {
	t.Parallel()
	server := servers.NewPostgres(t, "fsync=off")
	n := testkit.Repeat(2, 6)
	if testkit.Long() {
		n = 200
	}
	races.Pauses(t, pgstore.New(pool(t, server.Database(t)), pgstore.Options{}), server, n)
}

// TestS8Failover: a server that dies, and whose replica takes over. Where commits wait for the replica,
// nothing is lost; where they do not, the log says how much is.
func TestS8Failover(t *testing.T) {
	t.Parallel()
	failover := func(t *testing.T, synchronous bool) (acknowledged, lost int) {
		first := servers.NewPostgres(t, "fsync=off")
		url := first.Database(t)
		replica := first.Replica(t, synchronous)
		proxy := servers.NewProxy(t, first.Addr)
		store := pgstore.New(pool(t, strings.Replace(url, first.Addr, proxy.Addr, 1)), pgstore.Options{})
		return races.Failover(t, store, first.Kill, func() {
			replica.Promote(t)
			proxy.To(replica.Addr)
		})
	}
	times := 1
	if testkit.Long() {
		times = 10
	}
	for range times {
		if all, lost := failover(t, true); lost > 0 {
			t.Errorf("%d of %d turns that were acknowledged are lost", lost, all)
		}
	}
	if testkit.Long() {
		for range times {
			all, lost := failover(t, false)
			t.Logf("asynchronous: %d turns acknowledged, %d of them lost", all, lost)
		}
	}
}

// TestCost logs what a turn costs, for the page about fleets.
func TestCost(t *testing.T) {
	if !testkit.Long() {
		t.Log("it measures, with -long")
		return
	}
	server := servers.NewPostgres(t, "fsync=on")
	url := server.Database(t)
	proxy, direct := servers.NewProxy(t, server.Addr), pool(t, url)
	store := pgstore.New(pool(t, strings.Replace(url, server.Addr, proxy.Addr, 1)), pgstore.Options{})
	races.Cost(t, store, server, proxy, func() (n int) {
		if err := direct.QueryRow(t.Context(), `SELECT pg_current_wal_lsn() - '0/0'::pg_lsn`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	})
}

// TestLate: of a database that does not answer in time, the error says so.
func TestLate(t *testing.T) {
	t.Parallel()
	store := pgstore.New(pool(t, servers.Postgres(t)), pgstore.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, _, err := store.Load(ctx, "run")
	if err == nil || !strings.Contains(err.Error(), "not answered in time") {
		t.Error(err)
	}
}
