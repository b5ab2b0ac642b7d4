//go:build unix

package redisstore_test

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/redisstore"
)

// TestS8Pauses: a server whose machine hangs.
func TestS8Pauses(t *testing.T) {
	t.Parallel()
	server := servers.NewRedis(t, "--save", "")
	n := testkit.Repeat(10, 20)
	if testkit.Long() {
		n = 500
	}
	races.Pauses(t, redisstore.New(client(t, option(server.Addr)), redisstore.Options{}), server, n)
}

// TestS8EverySecond: a server that syncs once a second, and is killed. While it syncs, it puts off what it
// writes, so that turns may be lost without a loss of power, too: the log says how many. The run goes on from
// there.
func TestS8EverySecond(t *testing.T) {
	t.Parallel()
	times := 1
	if testkit.Long() {
		times = 30
	}
	for range times {
		server := servers.NewRedis(t, "--appendonly", "yes", "--appendfsync", "everysec")
		store := redisstore.New(client(t, option(server.Addr)), redisstore.Options{})
		all, lost := races.Failover(t, store, server.Kill, func() {
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%d turns acknowledged, %d of them lost", all, lost)
	}
}

// TestS8Failover: a server that dies, and whose replica takes over. Replication is asynchronous: the log says
// how much is lost, and the run goes on from there.
func TestS8Failover(t *testing.T) {
	t.Parallel()
	times := 2
	if testkit.Long() {
		times = 20
	}
	for range times {
		first, replica := servers.NewRedis(t, "--save", ""), servers.NewRedis(t, "--save", "",
			"--repl-diskless-sync-delay", "0")
		follow(t, replica, first)
		proxy := servers.NewProxy(t, first.Addr)
		store := redisstore.New(client(t, option(proxy.Addr)), redisstore.Options{})
		all, lost := races.Failover(t, store, first.Kill, func() {
			replica.Do(t, "replicaof", "no", "one")
			proxy.To(replica.Addr)
		})
		if t.Logf("%d turns acknowledged, %d of them lost", all, lost); lost == all {
			t.Error("the replica has nothing")
		}
	}
}

// follow makes a server the replica of another one, and waits until it has all.
func follow(t *testing.T, replica, of *servers.Server) {
	t.Helper()
	of.Do(t, "config", "set", "repl-diskless-sync-delay", "0")
	host, port := split(of.Addr)
	replica.Do(t, "replicaof", host, port)
	for _, by := range []string{"copied", "streamed"} { // a link that is up may carry nothing for a second
		of.Do(t, "set", "probe", by)
		replica.Await(t, by, "get", "probe")
	}
}

// TestSentinel: a client finds the server through a sentinel, and the replica that the sentinel has put in
// its place.
func TestSentinel(t *testing.T) {
	t.Parallel()
	first, replica := servers.NewRedis(t, "--save", ""), servers.NewRedis(t, "--save", "")
	follow(t, replica, first)
	sentinel := servers.NewSentinel(t, first)
	o := option(sentinel.Addr)
	o.Sentinel = rueidis.SentinelOption{MasterSet: "runs"}
	store := redisstore.New(client(t, o), redisstore.Options{})
	if !testkit.Long() {
		races.Take(t, store, "1")
		races.Take(t, store, "2")
		return
	}
	sentinel.Await(t, "slaves=1", "info", "sentinel")
	all, lost := races.Failover(t, store, first.Kill, func() {
		replica.Await(t, "role:master", "info", "replication")
	})
	t.Logf("%d turns acknowledged, %d of them lost", all, lost)
}

func split(addr string) (host, port string) {
	host, port, _ = net.SplitHostPort(addr)
	return host, port
}

// TestCost logs what a turn costs, for the page about fleets.
func TestCost(t *testing.T) {
	if !testkit.Long() {
		t.Log("it measures, with -long")
		return
	}
	server := servers.NewRedis(t, "--appendonly", "yes", "--appendfsync", "everysec",
		"--auto-aof-rewrite-percentage", "0")
	proxy := servers.NewProxy(t, server.Addr)
	store := redisstore.New(client(t, option(proxy.Addr)), redisstore.Options{})
	races.Cost(t, store, server, proxy, func() (n int) {
		_, rest, _ := strings.Cut(server.Do(t, "info", "persistence"), "aof_current_size:")
		n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	})
}
