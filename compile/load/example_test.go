package load_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aside-go/aside/compile/load"
)

func ExampleLoad() {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	dir := filepath.Join(home, ".aside", "reminders")
	_ = os.MkdirAll(dir, 0o700)
	_ = os.WriteFile(filepath.Join(dir, "tests.md"), []byte("---\nwhen: after_tool:Edit\n---\nRun the tests.\n"),
		0o600)
	_ = os.WriteFile(filepath.Join(dir, "bad.md"), []byte("---\nwhen: turn_count > abc\n---\nx\n"), 0o600)

	r := load.Load(load.Standard(home, ""), load.Options{})
	fmt.Println(r.Set.IDs(), len(r.Diagnostics), filepath.Base(r.Diagnostics[0].File))
	// Output: [tests] 1 bad.md
}
