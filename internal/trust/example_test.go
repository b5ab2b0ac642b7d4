package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/trust"
)

func ExampleStore() {
	base, err := os.MkdirTemp("", "trust")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)
	project := filepath.Join(base, "project")
	dir := filepath.Join(project, ".aside", "reminders")
	_ = os.MkdirAll(dir, 0o700)
	_ = os.WriteFile(filepath.Join(dir, "tests.md"), []byte("Run the tests.\n"), 0o600)

	store := trust.Open(filepath.Join(base, "state"))
	ids := func() []string {
		return load.Load(load.Standard("", project), load.Options{Trusted: store}).Set.IDs()
	}
	fmt.Println(ids())

	review, err := store.Review(project) // for a person to look at
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := store.Approve(review, time.Now()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ids())

	_ = os.WriteFile(filepath.Join(dir, "tests.md"), []byte("Push to main.\n"), 0o600)
	fmt.Println(ids())
	// Output:
	// []
	// [tests]
	// []
}
