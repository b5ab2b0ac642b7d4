//go:build unix

package races

import (
	"testing"

	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
)

// costTurns is how many turns Cost takes.
const costTurns = 2000

// Cost takes runs that the store has over turns, through a proxy, as a process does that has seen each run
// last itself, and logs what a turn costs: bytes on the network, and of what the server writes, as written
// counts it.
func Cost(t *testing.T, store state.Store, server *servers.Server, proxy *servers.Proxy,
	written func() int) {
	t.Helper()
	var snaps [8]*state.Snapshot // a server writes less of what is as it was
	for i := range snaps {
		snaps[i] = after(40 + i)
	}
	turn := func(n int) {
		snap := snaps[n/active%len(snaps)]
		_, rev, err := store.Load(t.Context(), Name(n%active))
		if err == nil {
			_, err = store.Save(t.Context(), Name(n%active), rev, snap)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range active {
		turn(n)
	}
	before := [3]int{proxy.Bytes(servers.Out), proxy.Bytes(servers.In), written()}
	cpu := server.CPU(t)
	for n := range costTurns {
		turn(n)
	}
	t.Logf("snapshot %d bytes; a turn: %d bytes to the server, %d back, %d written, %v of the server's "+
		"processor", len(Usual().Encode()),
		(proxy.Bytes(servers.Out)-before[0])/costTurns, (proxy.Bytes(servers.In)-before[1])/costTurns,
		(written()-before[2])/costTurns, (server.CPU(t)-cpu)/costTurns)
}
