package testkit

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Scratch returns a folder that lives until RemoveScratch, which is for TestMain.
var Scratch = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "aside")
	if err != nil {
		panic(err)
	}
	scratch = dir
	return dir
})

var scratch string // the folder of Scratch; "" without one

// RemoveScratch removes the folder of Scratch.
func RemoveScratch() { os.RemoveAll(scratch) }

// programs holds how to get the programs of this repository by name. Each is built once.
var programs = map[string]func(root string) (string, error){
	"aside":      build("./cmd/aside"),
	"aside-hook": build("./cmd/aside-hook"),
	"asided":     build("./cmd/asided"),
}

func build(where string) func(root string) (string, error) {
	var once sync.Once
	var file string
	var err error
	return func(root string) (string, error) {
		once.Do(func() {
			// A program that "go run" has linked stays in the build cache: the tests of other packages need not link
			// it again, which takes seconds of the processor.
			file = filepath.Join(Scratch(), path.Base(where))
			args := []string{"run", "-C", root, "-ldflags=-s -w", "-exec", "cp"}
			if runtime.GOOS == "windows" {
				file += ".exe"
				args[len(args)-1] = "cmd /c copy"
			}
			if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, raceBuild) {
				args = append(args, "-race")
			}
			out, no := exec.Command("go", append(args, where, file)...).CombinedOutput()
			if no != nil {
				err = fmt.Errorf("%w: %s", no, out)
			}
		})
		return file, err
	}
}

// raceBuild says of a test that it looks for races: then the programs that it runs do so too.
var raceBuild = debug.BuildSetting{Key: "-race", Value: "true"}

// Built returns the path of a program of this repository, which is built in Scratch.
func Built(t testing.TB, program string) string {
	t.Helper()
	file, err := Build(program)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Build is Built for TestMain.
func Build(program string) (path string, err error) {
	dir, err := top()
	if err != nil {
		return "", err
	}
	return programs[program](dir)
}

// foreign matches the variables of the environment by which clients of APIs would be led elsewhere, and who
// looks for the files of coding agents.
var foreign = regexp.MustCompile("^(ANTHROPIC|OPENAI|AZURE|GOOGLE|GEMINI|AWS|" +
	"CLAUDE|CODEX|COPILOT|GROK|KIMI|OPENCODE|PI|QWEN)_")

// Main runs the tests of a package that has clients of APIs, or reads the files of agents, removes Scratch,
// and exits.
func Main(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); foreign.MatchString(name) {
			_ = os.Unsetenv(name)
		}
	}
	code := m.Run()
	RemoveScratch()
	os.Exit(code)
}

// Serve starts the command serve of a program, "aside" or "asided", with arguments and with a home, and
// returns its address. It ends with the test, and must end well.
func Serve(t *testing.T, program, home string, args ...string) string {
	t.Helper()
	return ServeTo(t, new(bytes.Buffer), program, home, args...)
}

// ServeTo is Serve with what the program writes to stderr, which is all there once the test has ended it.
func ServeTo(t *testing.T, log *bytes.Buffer, program, home string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "addr")
	c := exec.Command(Built(t, program),
		append([]string{"serve", "--listen", "127.0.0.1:0", "--addr-file", file}, args...)...)
	c.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home)
	c.Stderr = log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil {
			t.Errorf("%s serve: %v\n%s", program, err, log.Bytes())
		} else if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		if b, err := os.ReadFile(file); err == nil && len(b) > 0 {
			return strings.TrimSpace(string(b))
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s serve: %v\n%s", program, err, log.Bytes())
		case <-ctx.Done():
			t.Fatalf("%s serve does not listen", program)
		case <-look.C:
		}
	}
}
