package pgstore_test

import (
	"os"
	"testing"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/pgstore"
)

// TestS8Full: a server whose disk is full, and that goes on when there is room.
func TestS8Full(t *testing.T) {
	if !testkit.Long() || os.Geteuid() != 0 {
		t.Log("it needs -long, and root to mount a disk")
		return
	}
	disk := servers.NewDisk(t, 100<<20)
	server := servers.NewPostgres(t, "fsync=on", "wal_recycle=off", "max_wal_size=32MB", "min_wal_size=32MB")
	races.Full(t, pgstore.New(pool(t, server.Database(t)), pgstore.Options{}), func() { disk.Fill(t) },
		func() {
			server.Kill()
			disk.Free()
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
		})
}
