package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// hook is the program that Hook has built.
var hook struct {
	once sync.Once
	dir  string
	err  error
}

// Hook returns the path of the program aside-hook. It is built once; TestMain removes it by RemoveHook.
func Hook(t testing.TB) string {
	t.Helper()
	hook.once.Do(func() {
		if hook.dir, hook.err = os.MkdirTemp("", "aside-hook"); hook.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", hook.dir,
			"github.com/aside-go/aside/cmd/aside/aside-hook").CombinedOutput()
		if err != nil {
			hook.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if hook.err != nil {
		t.Fatal(hook.err)
	}
	return filepath.Join(hook.dir, "aside-hook")
}

// RemoveHook removes what Hook has built.
func RemoveHook() {
	if hook.dir != "" {
		os.RemoveAll(hook.dir)
	}
}
