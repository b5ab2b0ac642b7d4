package filestore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// TestHolderAmongMany: who holds a lock is known wherever it stands in the list of the kernel, also while
// other locks come and go.
func TestHolderAmongMany(t *testing.T) {
	t.Parallel()
	dir := quickDir(t)
	lock := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			return nil
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			t.Error(err)
		}
		return f
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	for g := range 4 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					lock(fmt.Sprint("other", g)).Close()
				}
			}
		})
	}
	defer others.Wait()
	defer close(stop)
	const held = 240 // so that the list comes in several pieces
	for n := range held {
		defer lock(fmt.Sprint("held", n)).Close()
	}
	want := fmt.Sprintf("process %d ", os.Getpid())
	for n := 0; n < held; n += testkit.Repeat(8, 1) {
		for range testkit.Repeat(1, 4) {
			if got := holderOf(filepath.Join(dir, fmt.Sprint("held", n))); !strings.HasPrefix(got, want) {
				t.Fatalf("lock %d of %d is held by %q, want %q", n, held, got, want)
			}
		}
	}
}
