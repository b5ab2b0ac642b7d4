package filestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// asProcess is a variable of the environment that makes the test binary one of the processes of a test. Its
// value is the name of the process and its arguments.
const asProcess = "ASIDE_TEST_FILESTORE"

// processes are those processes. Each reads and writes the lines that its test expects.
var processes = map[string]func(args []string, in io.Reader, out io.Writer) error{
	"turns":   takeTurns,
	"die":     dieAtStep,
	"commits": commitForEver,
	"hold":    holdLock,
}

func TestMain(m *testing.M) {
	args := strings.Split(os.Getenv(asProcess), "\n")
	if args[0] == "" {
		os.Exit(m.Run())
	}
	do := processes[args[0]]
	if do == nil {
		do = func([]string, io.Reader, io.Writer) error { return errors.New("not on this system") }
	}
	if err := do(args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// prepare returns the process that does args, not yet started. It ends with the test.
func prepare(t testing.TB, args ...string) *testkit.Process {
	t.Helper()
	return testkit.NewProcess(t, append(os.Environ(), asProcess+"="+strings.Join(args, "\n"), "GOMAXPROCS=1"),
		os.Args[0])
}

func start(t testing.TB, args ...string) *testkit.Process {
	t.Helper()
	return prepare(t, args...).Begin(t)
}

// quickDir returns a directory in memory, if there is such a thing and no flag asks for the slow tests.
func quickDir(t testing.TB) string {
	t.Helper()
	if testkit.Thorough() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "aside")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// QuickDir is quickDir for the tests that see the package from outside.
var QuickDir = quickDir
