//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestServeFailover: the server of the database dies in the middle of conversations, and a replica takes
// over. The URL names both servers of PostgreSQL, or a sentinel of Redis. Until then /readyz tells it,
// requests pass or are refused, and a process starts; then all conversations go on with the texts that they
// held, and with new ones (S13).
func TestServeFailover(t *testing.T) {
	t.Parallel()
	for name, begin := range testkit.Few(map[string]func(t *testing.T) (states []string, die, over func()){
		"postgres": func(t *testing.T) ([]string, func(), func()) {
			first := servers.NewPostgres(t, "fsync=off")
			states := []string{first.Database(t), first.Database(t)}
			replica := first.Replica(t, true)
			for i, url := range states {
				states[i] = strings.Replace(url, first.Addr, first.Addr+","+replica.Addr, 1) +
					"?target_session_attrs=read-write"
			}
			return states, first.Kill, func() { replica.Promote(t) }
		},
		"redis": func(t *testing.T) ([]string, func(), func()) {
			first, replica := servers.NewRedis(t, "--save", ""), servers.NewRedis(t, "--save", "")
			host, port, _ := strings.Cut(first.Addr, ":")
			first.Do(t, "config", "set", "repl-diskless-sync-delay", "0")
			replica.Do(t, "replicaof", host, port)
			replica.Await(t, "master_link_status:up", "info", "replication")
			sentinel := servers.NewSentinel(t, first)
			sentinel.Await(t, "slaves=1", "info", "sentinel")
			at := "redis://" + sentinel.Addr
			return []string{at + "/0?master_set=runs", at + "/1?master_set=runs"}, func() {
				first.Do(t, "set", "probe", "arrived") // and all that was acknowledged before
				replica.Await(t, "arrived", "get", "probe")
				first.Kill()
			}, func() {} // the sentinel has the replica take over
		},
	}, 1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, die, over := begin(t)
			statuses := map[string]string{"closed": "unready", "open": "degraded"}
			fleets, all := map[string]*fleet{}, map[string][]*talk{}
			for fail := range statuses {
				f := newFleet(t, 2, t.TempDir(), "--rules", "rules", "--state", states[len(fleets)], "--fail",
					fail)
				f.sticky, f.closed = fail == "open", fail == "closed"
				fleets[fail], all[fail] = f, f.talks(4, "Solve "+fail+" %d.")
				take(2, all[fail])
			}
			ready := func(status func(fail string) string) time.Duration {
				begun := time.Now()
				for fail, f := range fleets {
					for _, s := range f.all {
						process.Eventually(t, func() bool {
							return strings.Contains(s.Ask("GET", "/readyz", ""), `"status":"`+status(fail)+`"`)
						})
					}
				}
				return time.Since(begun)
			}
			die()
			t.Log("/readyz tells it within ", ready(func(fail string) string { return statuses[fail] }))
			take(1, all["open"])
			for _, f := range fleets {
				f.all = append(f.all, exe.Serve(t, f.dir, nil, f.args...))
			}
			over()
			t.Log("all are ready behind the failover within ", ready(func(string) string { return "ready" }))
			fleets["open"].all = fleets["open"].all[:2] // each goes on with its conversations
			for fail, f := range fleets {
				take(2, all[fail])
				f.check(all[fail])
				for i, c := range all[fail] {
					want := []string{"It is turn 1.", "It is turn 2.", "It is turn 3.", "It is turn 4."}
					if !slices.Equal(c.texts, want) {
						t.Errorf("%s: conversation %d holds %q", fail, i, c.texts)
					}
				}
			}
		})
	}
}
