package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "aside")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := filestore.Open(dir, filestore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if _, err := store.Save(ctx, "run", 0, firing.Remind(nil, "commit-often")); err != nil {
		fmt.Println(err)
		return
	}
	snap, _, err := store.Load(ctx, "run") // by another process, perhaps
	fmt.Println(snap.Queued(), err)
	// Output: [commit-often] <nil>
}

// Hooks that would rather be fast than outlive a loss of power, and runs that are remembered for a week.
func ExampleOpen_options() {
	dir, err := os.MkdirTemp("", "aside")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := filestore.Open(dir, filestore.Options{Durability: filestore.Process, Keep: 7 * 24 * time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	// a lock that is held is not waited for longer
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	rev, err := store.Save(ctx, "run", 0, firing.Remind(nil, "commit-often"))
	fmt.Println(rev != 0, err)
	_, err = store.Save(ctx, "run", 0, firing.Remind(nil, "too-late"))
	fmt.Println(errors.Is(err, state.ErrConflict))
	// Output:
	// true <nil>
	// true
}
