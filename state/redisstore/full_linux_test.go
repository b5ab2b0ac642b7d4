package redisstore_test

import (
	"os"
	"testing"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/redisstore"
)

// TestS8Full: a server whose disk is full, and that goes on when there is room.
func TestS8Full(t *testing.T) {
	if !testkit.Long() || os.Geteuid() != 0 {
		t.Log("it needs -long, and root to mount a disk")
		return
	}
	for _, sync := range []string{"always", "everysec"} {
		t.Run(sync, func(t *testing.T) {
			disk := servers.NewDisk(t, 20<<20)
			server := servers.NewRedis(t, "--appendonly", "yes", "--appendfsync", sync)
			store := redisstore.New(client(t, option(server.Addr)), redisstore.Options{})
			races.Full(t, store, func() { disk.Fill(t) }, func() {
				disk.Free()
				if sync == "everysec" { // it refuses writes, and goes on by itself
					return
				}
				server.Kill() // it has ended itself
				if err := server.Start(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
