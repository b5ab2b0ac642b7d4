package filestore_test

import (
	"context"
	"fmt"
	"os"

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
	store, err := filestore.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if _, err := store.Save(ctx, "run", 0, state.Remind(nil, "commit-often")); err != nil {
		fmt.Println(err)
		return
	}
	snap, _, err := store.Load(ctx, "run") // by another process, perhaps
	fmt.Println(snap.Queued(), err)
	// Output: [commit-often] <nil>
}
