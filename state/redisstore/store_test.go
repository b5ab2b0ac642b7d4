//go:build unix

package redisstore_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/redisstore"
	"github.com/aside-go/aside/state/storetest"
)

func TestMain(m *testing.M) {
	code := races.Main(m, func(args ...string) (state.Store, error) {
		c, err := rueidis.NewClient(option(args[0]))
		return redisstore.New(c, redisstore.Options{Prefix: args[1]}), err
	})
	servers.Stop()
	os.Exit(code)
}

func option(addrs ...string) rueidis.ClientOption {
	return rueidis.ClientOption{InitAddress: addrs, DisableRetry: true, DisableCache: true}
}

// client connects to servers.
func client(t testing.TB, o rueidis.ClientOption) rueidis.Client {
	t.Helper()
	c, err := rueidis.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var prefixes atomic.Int64

// prefix returns a prefix that no other test has. Its characters mean something in patterns.
func prefix() string { return fmt.Sprintf("test[%d]*:", prefixes.Add(1)) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) state.Store {
		return redisstore.New(client(t, option(servers.Redis(t))), redisstore.Options{Prefix: prefix()})
	})
}

// TestS7Databases: siblings over three processes that share nothing but the server, and are killed.
func TestS7Databases(t *testing.T) {
	t.Parallel()
	o, opts := option(servers.Redis(t)), redisstore.Options{Prefix: prefix()}
	siblings.Share(t, 3, func() state.Store { return redisstore.New(client(t, o), opts) })
}

// TestCluster: the same on three servers of a cluster.
func TestCluster(t *testing.T) {
	t.Parallel()
	addrs := servers.NewRedisCluster(t)
	storetest.Run(t, func(t testing.TB) state.Store {
		return redisstore.New(client(t, option(addrs...)), redisstore.Options{Prefix: prefix()})
	})
}

// TestS1Race: of all clients of all processes that race for an edge, one fires it.
func TestS1Race(t *testing.T) {
	t.Parallel()
	race := races.Race{Processes: 3, Clients: testkit.Repeat(8, 16), Rounds: testkit.Repeat(10, 20),
		Args: []string{servers.Redis(t), prefix()}}
	if testkit.Long() {
		race.Clients, race.Rounds = 64, 100
	}
	r := race.Run(t)
	if r.Once != race.Rounds || r.Twice+r.Lost > 0 || !r.Linearizable {
		t.Errorf("%+v", r)
	}
	t.Logf("%+v", r)
}

// TestS1RaceBlind takes the comparison of revisions out of the same test: it must see that.
func TestS1RaceBlind(t *testing.T) {
	t.Parallel()
	race := races.Race{Processes: 2, Clients: 3, Rounds: 400, Blind: true,
		Args: []string{servers.Redis(t), prefix()}}
	if r := race.Run(t); r.Twice+r.Lost == 0 || r.Linearizable {
		t.Errorf("%+v", r)
	}
}

// TestS8Cuts: a connection that is cut at any byte of a load or a save.
func TestS8Cuts(t *testing.T) {
	t.Parallel()
	proxy := servers.NewProxy(t, servers.Redis(t))
	o := option(proxy.Addr)
	o.DisableRetry, o.RetryDelay = false, redisstore.ReadAgain
	store := redisstore.New(client(t, o), redisstore.Options{Prefix: prefix()})
	races.Cuts(t, store, proxy, testkit.Repeat(40, 200))
}

// TestS8Kills: a server that loses its power and syncs each write.
func TestS8Kills(t *testing.T) {
	t.Parallel()
	server := servers.NewRedis(t, "--appendonly", "yes", "--appendfsync", "always")
	kills := testkit.Repeat(3, 4)
	if testkit.Long() {
		kills = 50
	}
	races.Kills(t, redisstore.New(client(t, option(server.Addr)), redisstore.Options{}), server, kills)
}

// TestKeep: a key expires when the run was not saved for as long as Keep says, counted from the last save.
func TestKeep(t *testing.T) {
	t.Parallel()
	c := client(t, option(servers.Redis(t)))
	for keep, want := range map[time.Duration]time.Duration{
		0:         30 * 24 * time.Hour,
		time.Hour: time.Hour,
		-1:        -1,
	} {
		p := prefix()
		store := redisstore.New(c, redisstore.Options{Prefix: p, Keep: keep})
		races.Take(t, store, "1")
		keys, err := c.Do(t.Context(), c.B().Scan().Cursor(0).Match("*").Count(100_000).Build()).AsScanEntry()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys.Elements {
			if len(key) < len(p) || key[:len(p)] != p {
				continue
			}
			left := func() time.Duration {
				ms, err := c.Do(t.Context(), c.B().Pttl().Key(key).Build()).AsInt64()
				if err != nil {
					t.Fatal(err)
				}
				return time.Duration(ms) * time.Millisecond
			}
			if got := left(); keep < 0 && got > 0 || keep >= 0 && (got > want || got < want-time.Minute) {
				t.Errorf("with Keep %v the key lives for %v", keep, got)
			}
			if keep > 0 {
				if err := c.Do(t.Context(), c.B().Pexpire().Key(key).Milliseconds(60_000).Build()).Error(); err != nil {
					t.Fatal(err)
				}
				if races.Take(t, store, "2"); left() <= time.Minute {
					t.Errorf("with Keep %v a save leaves the key %v", keep, left())
				}
			}
		}
	}
}
