//go:build unix

package transport_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/pgstore"
	"github.com/aside-go/aside/state/redisstore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	servers.Stop()
	os.Exit(code)
}

// TestS7Databases: siblings over three processes that share nothing but a database, and are killed.
func TestS7Databases(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) func() state.Store{
		"postgres": onPostgres, "redis": onRedis,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			o := kinds()[0]
			o.Seed, o.Habits = 12, client.Habits{Think: 60, Fail: 15, Parallel: true}
			s := newSiblings(every(t), 3, 8, counters(differing(1)))
			s.store, s.kills = store, 8
			s.hold(t, 5, o, 8)
		})
	}
}

func onPostgres(t *testing.T) func() state.Store {
	url := servers.Postgres(t)
	return func() state.Store {
		pool, err := pgxpool.New(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pgstore.New(pool, pgstore.Options{})
	}
}

func onRedis(t *testing.T) func() state.Store {
	addr := servers.Redis(t)
	return func() state.Store {
		c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{addr}, DisableRetry: true,
			DisableCache: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return redisstore.New(c, redisstore.Options{})
	}
}
