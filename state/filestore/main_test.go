package filestore

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/testkit"
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

// child is a process of a test.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *strings.Builder
}

// prepare returns the process that does args, not yet started. It ends with the test.
func prepare(t testing.TB, args ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.CommandContext(t.Context(), os.Args[0]), err: &strings.Builder{}}
	c.Env = append(os.Environ(), asProcess+"="+strings.Join(args, "\n"), "GOMAXPROCS=1")
	c.Stderr = c.err
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	return c
}

func start(t testing.TB, args ...string) *child {
	t.Helper()
	c := prepare(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.in.Close(); _ = c.Wait() })
	return c
}

// line reads one line of the output of the process.
func (c *child) line() (string, error) {
	s, err := c.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, c.err)
	}
	return strings.TrimSuffix(s, "\n"), nil
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
