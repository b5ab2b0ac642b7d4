//go:build unix

package pgstore_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/pgstore"
	"github.com/aside-go/aside/state/storetest"
)

func TestMain(m *testing.M) {
	code := races.Main(m, func(args ...string) (state.Store, error) {
		p, err := pgxpool.New(context.Background(), args[0])
		return pgstore.New(p, pgstore.Options{}), err
	})
	servers.Stop()
	os.Exit(code)
}

// pool connects to a database.
func pool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	p, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestStore: as a client speaks by default, and as behind a pooler that keeps no prepared statements.
func TestStore(t *testing.T) {
	t.Parallel()
	url := servers.Postgres(t)
	admin := pool(t, url)
	var schemas atomic.Int32
	for _, mode := range []string{"cache_statement", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) state.Store {
				schema := fmt.Sprint("store", schemas.Add(1)) // which is made sooner than a database
				if _, err := admin.Exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
					t.Fatal(err)
				}
				return pgstore.New(pool(t, url+"?search_path="+schema+"&default_query_exec_mode="+mode),
					pgstore.Options{})
			})
		})
	}
}

// TestAdd: of runs that several processes add at once each is added once, one that exists stays as it is, and
// what was added goes on like any other.
func TestAdd(t *testing.T) {
	t.Parallel()
	url, ctx := servers.Postgres(t), t.Context()
	first, usual := pgstore.New(pool(t, url), pgstore.Options{}), races.Usual()
	if _, err := first.Save(ctx, "\xff", 0, firing.Remind(nil, "x")); err != nil {
		t.Fatal(err)
	}
	all := map[string]*state.Snapshot{"": usual, "\xff": usual, "a\x00": usual}
	for i := range 100 {
		all[fmt.Sprint(i)] = usual
	}
	var mu sync.Mutex
	added := map[string]int{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			names, err := pgstore.New(pool(t, url), pgstore.Options{}).Add(ctx, all)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			for _, name := range names {
				added[name]++
			}
		})
	}
	wg.Wait()
	for name := range all {
		snap, rev, err := first.Load(ctx, name)
		if err != nil || added[name] != 1 && name != "\xff" ||
			bytes.Equal(snap.Encode(), usual.Encode()) == (name == "\xff") {
			t.Errorf("%q: %v, added %d times", name, err, added[name])
		}
		if _, err := first.Save(ctx, name, rev, usual); err != nil {
			t.Error(err)
		}
	}
	if none, err := first.Add(ctx, all); err != nil || len(none) > 0 || added["\xff"] > 0 {
		t.Error(none, err)
	}
}

// TestS7Databases: siblings over three processes that share nothing but the database, and are killed.
func TestS7Databases(t *testing.T) {
	t.Parallel()
	url := servers.Postgres(t)
	siblings.Share(t, 3, func() state.Store { return pgstore.New(pool(t, url), pgstore.Options{}) })
}

// TestS1Race: of all clients of all processes that race for an edge, one fires it.
func TestS1Race(t *testing.T) {
	t.Parallel()
	race := races.Race{Processes: 3, Clients: testkit.Repeat(4, 16), Rounds: testkit.Repeat(5, 20),
		Args: []string{servers.Postgres(t)}}
	if testkit.Long() {
		race.Clients, race.Rounds = 64, 100
	}
	if r := race.Run(t); r.Once != race.Rounds || r.Twice+r.Lost > 0 || !r.Linearizable {
		t.Errorf("%+v", r)
	} else {
		t.Logf("%+v", r)
	}
}

// TestS1RaceBlind takes the comparison of revisions out of the same test: it must see that.
func TestS1RaceBlind(t *testing.T) {
	t.Parallel()
	race := races.Race{Processes: 2, Clients: 3, Rounds: 400, Blind: true,
		Args: []string{servers.Postgres(t)}}
	if r := race.Run(t); r.Twice+r.Lost == 0 || r.Linearizable {
		t.Errorf("%+v", r)
	}
}

// TestS8Cuts: a connection that is cut at any byte of a load or a save.
func TestS8Cuts(t *testing.T) {
	t.Parallel()
	url := servers.Postgres(t)
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := servers.NewProxy(t, net.JoinHostPort(cfg.ConnConfig.Host, fmt.Sprint(cfg.ConnConfig.Port)))
	url = strings.Replace(url, fmt.Sprint(":", cfg.ConnConfig.Port, "/"),
		proxy.Addr[strings.LastIndex(proxy.Addr, ":"):]+"/", 1)
	races.Cuts(t, pgstore.New(pool(t, url), pgstore.Options{}), proxy, testkit.Repeat(20, 150))
}

// TestS8Kills: a server that loses its power.
func TestS8Kills(t *testing.T) {
	t.Parallel()
	server := servers.NewPostgres(t, "fsync=on")
	kills := testkit.Repeat(1, 4)
	if testkit.Long() {
		kills = 50
	}
	races.Kills(t, pgstore.New(pool(t, server.Database(t)), pgstore.Options{}), server, kills)
}
