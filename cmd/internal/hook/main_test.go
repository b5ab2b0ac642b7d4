package hook_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestMain is also the hook itself, for tests of a hook with a fault inside. The environment variable
// HOOK_TEST_WRONG names the fault.
func TestMain(m *testing.M) {
	if wrong := os.Getenv("HOOK_TEST_WRONG"); wrong != "" {
		hook.Main(os.Args[1:], wrongs[wrong])
		os.Exit(0)
	}
	if os.Getenv("HOOK_TEST_SERVE") != "" {
		announce()
		os.Exit(0)
	}
	code := m.Run()
	testkit.RemoveScratch()
	os.Exit(code)
}

// wrongs are readers of the past with something wrong.
var wrongs = map[string]hook.Reader{
	"panic": func(context.Context, session.File) (session.Facts, error) {
		panic("a panic with sk-secret-0001 in it")
	},
	"nil": func(context.Context, session.File) (session.Facts, error) {
		return *(*session.Facts)(nil), nil
	},
	"error": func(context.Context, session.File) (p session.Facts, err error) {
		return p, errors.New("cannot be read")
	},
	"forever": func(context.Context, session.File) (session.Facts, error) { select {} },
	"none":    nil,
}

// machine is an empty machine of a person.
type machine struct {
	t       testing.TB
	program string
	dir     string
	env     []string
	now     time.Time     // of the event before; zero: hooks have the time of the machine
	gap     time.Duration // with now, how much later the next event comes; 0: ten seconds
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{t: t, program: testkit.Built(t, "aside-hook"), dir: t.TempDir()}
	m.env = []string{"HOME=" + m.path("home"), "XDG_STATE_HOME=" + m.path("state"), "TMPDIR=" + m.path("tmp"),
		"PATH=/nonexistent", "GORACE=atexit_sleep_ms=0"}
	for _, dir := range []string{"home", "tmp"} {
		if err := os.MkdirAll(m.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *machine) path(names ...string) string {
	return filepath.Join(append([]string{m.dir}, names...)...)
}

// write writes a file below the machine's directory.
func (m *machine) write(text string, names ...string) string {
	m.t.Helper()
	p := m.path(names...)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return p
}

// rule writes a reminder of the user's own.
func (m *machine) rule(id, head, text string) {
	m.t.Helper()
	m.write("---\n"+head+"\n---\n"+text+"\n", "home", ".aside", "reminders", id+".md")
}

// result is how a process ended.
type result struct {
	stdout, stderr string
	code           int
	took           time.Duration
}

// run runs the hook. A test waits for it longer than an agent would: the machine may be busy.
func (m *machine) run(stdin string, args ...string) result {
	m.t.Helper()
	if !m.now.IsZero() {
		m.now = m.now.Add(cmp.Or(m.gap, 10*time.Second))
		return m.at(m.now, stdin, args...)
	}
	return m.exec(m.env, []byte(stdin), append(args[:len(args):len(args)], "--timeout", "60s")...)
}

// at runs a hook in this process at a time.
func (m *machine) at(now time.Time, stdin string, args ...string) result {
	m.t.Helper()
	call := hook.Call{}
	for i := 0; i < len(args); i += 2 {
		switch args[i] {
		case "--agent":
			call.Agent = args[i+1]
		case "--event":
			call.Event = args[i+1]
		}
	}
	host := &hook.Host{Home: m.path("home"), Session: session.Read, Clock: func() time.Time { return now },
		Env: func(name string) string {
			for _, v := range m.env {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}}
	out, err := host.Run(m.t.Context(), call, []byte(stdin))
	if err != nil {
		m.t.Error(err)
	}
	return result{stdout: string(out)}
}

func (m *machine) exec(env []string, stdin []byte, args ...string) result {
	m.t.Helper()
	cmd := exec.Command(m.program, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = env, m.path("home"), bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	var x *exec.ExitError
	if err != nil && !errors.As(err, &x) && cmd.ProcessState == nil {
		m.t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode(), time.Since(began)}
}

// quiet fails the test unless a hook printed nothing at all and ended with 0.
func (r result) quiet(t testing.TB) {
	t.Helper()
	if r != (result{took: r.took}) {
		t.Errorf("it ended with %d, stdout %.300q, stderr %.300q", r.code, r.stdout, r.stderr)
	}
}

// log returns the lines of the log.
func (m *machine) log() []string {
	b, err := os.ReadFile(m.path("state", "aside", "hook.log"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}
