package hook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/aside-go/aside/internal/test/testkit"
)

// prompt is what Claude Code writes when a person submits a prompt.
func prompt(session, id, text string) string {
	b, err := json.Marshal(map[string]any{
		"session_id": session, "transcript_path": "/nonexistent/" + session + ".jsonl", "cwd": "/nonexistent",
		"prompt_id": id, "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": text,
	})
	if err != nil {
		panic(err)
	}
	return string(b)
}

var claude = []string{"--agent", "claude-code"}

// TestNeverBreaks: whatever is wrong, the process ends with 0, prints nothing, and leaves one line in the
// log. The line holds nothing of the agent's input.
func TestNeverBreaks(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret-0001"
	ask := prompt("s1", "p1", secret+" run the tests")
	wrong := func(name string) func(*machine) {
		return func(m *machine) {
			self, err := os.Executable()
			if err != nil {
				m.t.Fatal(err)
			}
			m.program = self
			m.env = append(m.env, "HOOK_TEST_WRONG="+name)
			m.write("{}\n", "transcript.jsonl")
		}
	}
	withTranscript := func(m *machine) string {
		return strings.Replace(ask, "/nonexistent/s1.jsonl", m.path("transcript.jsonl"), 1)
	}
	for i, test := range []struct {
		name  string
		with  func(*machine)
		args  []string
		stdin string
		file  func(*machine) string // in place of stdin
		quiet bool                  // nothing went wrong that is worth a line
		speak bool                  // and the reminder is said all the same
	}{
		{name: "nothing is wrong", speak: true, quiet: true},
		{name: "a panic", with: wrong("panic"), file: withTranscript},
		{name: "a nil pointer", with: wrong("nil"), file: withTranscript},
		{name: "a session file that cannot be read", with: wrong("error"), file: withTranscript, speak: true},
		{name: "no flags", args: []string{}},
		{name: "an unknown flag", args: []string{"--agent", "claude-code", "--" + secret}},
		{name: "a flag without its value", args: []string{"--agent"}},
		{name: "an unknown agent", args: []string{"--agent", secret}},
		{name: "an unknown mode", args: []string{"--agent", "claude-code", "--mode", secret}},
		{name: "a wrong duration", args: []string{"--agent", "claude-code", "--timeout", "soon"}},
		{name: "a stray argument", args: []string{"--agent", "claude-code", "UserPromptSubmit"}},
		{name: "help, asked for by no terminal", args: []string{"--help"}},
		{name: "state in memory", args: []string{"--agent", "claude-code", "--state", "memory"}},
		{name: "an empty stdin", stdin: " "},
		{name: "20 MB", stdin: `{"session_id":"s1","transcript_path":"/x","hook_event_name":"UserPromptSubmit","prompt":"` + strings.Repeat(secret, 20<<20/len(secret)) + `"}`},
		{name: "16 MB in one result", speak: true, quiet: true,
			stdin: `{"session_id":"s1","transcript_path":"/x","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Read","tool_use_id":"t1","tool_response":"` + strings.Repeat("x", 15<<20) + `"}]}`},
		{name: "16 MB of brackets", stdin: strings.Repeat("[", 16<<20)},
		{name: "16 MB of nested objects", stdin: strings.Repeat(`{"a":`, 3<<20)},
		{name: "binary", stdin: "\x7fELF\x02\x01\x01\x00\x00\xff\xfe" + secret},
		{name: "broken JSON", stdin: ask[:len(ask)-9]},
		{name: "two objects", stdin: ask + ask},
		{name: "a list", stdin: "[" + ask + "]"},
		{name: "null", stdin: "null"},
		{name: "no session", stdin: strings.Replace(ask, "session_id", "sesssion_id", 1)},
		{name: "a session that is a number", stdin: strings.Replace(ask, `"s1"`, `17`, 1), speak: true,
			quiet: true},
		{name: "an endless session id", stdin: strings.Replace(ask, `"s1"`, `"`+strings.Repeat("s", 5000)+`"`, 1)},
		{name: "an unknown event", stdin: strings.Replace(ask, "UserPromptSubmit", "MindRead", 1), quiet: true},
		{name: "no event", stdin: strings.Replace(ask, "hook_event_name", "x", 1), quiet: true},
		{name: "half a character", stdin: strings.Replace(ask, "run the", "run\xc3 the", 1), speak: true,
			quiet: true},
		{name: "a byte order mark", stdin: "\xef\xbb\xbf" + ask, speak: true, quiet: true},
		{name: "members of wrong types", stdin: strings.NewReplacer(`"p1"`, `{}`, `"default"`, `7`).Replace(ask),
			speak: true, quiet: true},
		{name: "missing rules", args: []string{"--agent", "claude-code", "--rules", "/nonexistent/rules"}},
		{name: "no rules at all", with: func(m *machine) { os.RemoveAll(m.path("home", ".aside")) }, quiet: true},
		{name: "no home and no state", with: func(m *machine) { m.env = []string{"TMPDIR=" + m.path("tmp")} }},
		{name: "a state directory that is a file", with: func(m *machine) { m.write("", "file") },
			args: []string{"--agent", "claude-code", "--state", "FILE"}},
		{name: "a state directory of everybody's", with: func(m *machine) {
			m.write("", "open", "something")
			if err := os.Chmod(m.path("open"), 0o777); err != nil {
				m.t.Fatal(err)
			}
		}, args: []string{"--agent", "claude-code", "--state", "OPEN"}},
		{name: "a corrupt run", speak: true, with: func(m *machine) {
			m.run(prompt("s1", "p0", "first"), claude...)
			runs, _ := filepath.Glob(m.path("state", "aside", "*.run"))
			if len(runs) != 1 {
				m.t.Fatal(runs)
			}
			if err := os.WriteFile(runs[0], []byte("aside-run 1 7 \"x\"\n{}\n00000000\n"), 0o600); err != nil {
				m.t.Fatal(err)
			}
		}},
		{name: "notes of a later version", with: func(m *machine) {
			m.run(prompt("s1", "p0", "first"), claude...)
			later(m)
		}},
		{name: "a log that is a directory", with: func(m *machine) {
			m.write("", "state", "aside", "hook.log",
				"x")
		}, stdin: "{", quiet: true},
	} {
		if i%testkit.Repeat(3, 1) > 0 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.rule("run-tests", "while: always", "Run the tests.")
			if test.with != nil {
				test.with(m)
			}
			had := len(m.log())
			args := append([]string{}, claude...)
			if test.args != nil {
				args = test.args
			}
			for i, a := range args {
				switch a {
				case "FILE":
					args[i] = m.path("file")
				case "OPEN":
					args[i] = m.path("open")
				}
			}
			stdin := ask
			if test.stdin != "" {
				stdin = strings.TrimPrefix(test.stdin, " ")
			}
			if test.file != nil {
				stdin = test.file(m)
			}
			r := m.run(stdin, args...)
			if test.speak {
				if !strings.Contains(r.stdout, `"additionalContext":"Run the tests."`) || r.code != 0 || r.stderr != "" {
					t.Errorf("it ended with %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
				}
			} else {
				r.quiet(t)
			}
			log := m.log()
			if test.name == "no home and no state" {
				b, err := os.ReadFile(m.path("tmp", fmt.Sprintf("aside-%d", os.Getuid()), "hook.log"))
				if err != nil {
					t.Fatal(err)
				}
				log = strings.Split(strings.TrimSpace(string(b)), "\n")
			}
			want := had + 1
			if test.quiet {
				want = had
			}
			if len(log) != want {
				t.Errorf("the log has %d lines, want %d: %q", len(log), want, log)
			}
			for _, line := range log {
				if strings.Contains(line, "run the tests") || strings.Contains(line, secret+" ") || len(line) > 700 {
					t.Errorf("the log tells too much: %q", line)
				}
			}
		})
	}
}

// later makes the notes of the only run such as a later version may write.
func later(m *machine) {
	runs, _ := filepath.Glob(m.path("state", "aside", "*.run"))
	for _, p := range runs {
		if err := os.WriteFile(p, []byte("aside-run 99 7 \"x\"\n{}\n00000000\n"), 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
}

// TestDamagedRun: a session whose run file is damaged goes on, with what its file tells, and says so once; so
// for hooks that come at the same time.
func TestDamagedRun(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"", "garbage"} {
		m := newMachine(t)
		m.rule("r", "while: always", "Turn {{.turn_count}}, user turn {{.user_turn_count}}.")
		path := m.write(`{"isSidechain":false,"type":"user","sessionId":"s1","message":{"role":"user","content":"One."}}
{"isSidechain":false,"type":"user","sessionId":"s1","message":{"role":"user","content":"Two."}}
`, "s1.jsonl")
		ask := func(id string) string {
			return strings.Replace(prompt("s1", id, "More."), "/nonexistent/s1.jsonl", path, 1)
		}
		m.run(ask("p1"), claude...)
		runs, _ := filepath.Glob(m.path("state", "aside", "*.run"))
		if len(runs) != 1 {
			t.Fatal(runs)
		}
		if err := os.WriteFile(runs[0], []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		var all []string
		for n := range 4 {
			wg.Go(func() {
				text := said(t, m.run(ask(fmt.Sprint("q", n)), claude...))
				mu.Lock()
				defer mu.Unlock()
				all = append(all, text)
			})
		}
		wg.Wait()
		slices.Sort(all)
		want := []string{"Turn 1, user turn 3.", "Turn 2, user turn 4.", "Turn 3, user turn 5.",
			"Turn 4, user turn 6."}
		if !slices.Equal(all, want) {
			t.Errorf("%q: %q", damage, all)
		}
		if log := m.log(); len(log) != 1 || !strings.Contains(log[0], "begins anew") {
			t.Errorf("%q: the log: %q", damage, log)
		}
		if aside, _ := filepath.Glob(m.path("state", "aside", "*.corrupt-*")); len(aside) != 1 {
			t.Errorf("%q: set aside: %q", damage, aside)
		}
	}
}

// TestHeldLock: another process holds the lock of the run, and keeps it.
func TestHeldLock(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Said.")
	m.run(prompt("s1", "p1", "first"), claude...)
	locks, _ := filepath.Glob(m.path("state", "aside", "lock", "*"))
	if len(locks) != 1 {
		t.Fatal(locks)
	}
	f, err := lockedfile.OpenFile(locks[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m.exec(m.env, []byte(prompt("s1", "p2", "second")), claude...).quiet(t)
	if log := m.log(); len(log) != 1 {
		t.Errorf("the log: %q", log)
	}
}

// TestStdinStaysOpen: an agent that never closes stdin waits no longer than a hook may take. The log may be
// given up for the same reason where the machine is busy, so it is enough that one of some hooks writes it.
func TestStdinStaysOpen(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const tries = 5
	for n := 0; n < tries && len(m.log()) == 0; n++ {
		cmd := exec.Command(m.program, claude...)
		cmd.Env = m.env
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write([]byte(`{"session_id":`)); err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%v, %q", err, out)
		}
		_ = in.Close()
	}
	if log := m.log(); len(log) != 1 || !strings.HasSuffix(log[0], "it took too long") {
		t.Errorf("the log: %q", log)
	}
}

// TestNothingComesBack: what is inside does not come back.
func TestNothingComesBack(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Said.")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m.program = self
	m.env = append(m.env, "HOOK_TEST_WRONG=forever")
	path := m.write("", "t.jsonl")
	m.exec(m.env, []byte(strings.Replace(prompt("s1", "p1", "x"), "/nonexistent/s1.jsonl", path, 1)),
		claude...).quiet(t)
	if log := m.log(); len(log) != 1 {
		t.Errorf("the log: %q", log)
	}
}

// TestClosedStdout: an agent that does not read ends nothing otherwise.
func TestClosedStdout(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Said.")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := exec.Command(m.program, append([]string{"--timeout", "60s"}, claude...)...)
	cmd.Env, cmd.Stdin, cmd.Stdout = m.env, strings.NewReader(prompt("s1", "p1", "x")), w
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err = cmd.Run()
	w.Close()
	if err != nil || errs.Len() > 0 {
		t.Errorf("%v, stderr %q", err, &errs)
	}
}

// TestNoStateDirectory: a state directory that cannot be made, because a file stands in its way. Nobody may
// write there, the superuser neither.
func TestNoStateDirectory(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Said.")
	file := m.path("file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.run(prompt("s1", "p1", "x"), "--agent", "claude-code", "--state", filepath.Join(file, "state")).quiet(t)
	if log := m.log(); len(log) != 1 {
		t.Errorf("the log: %q", log)
	}
}

// TestFullDisk: a real small file system that is full.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("r", "while: always", "Said.")
	disk := m.path("disk")
	if err := os.MkdirAll(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs",
		disk).CombinedOutput(); err != nil {
		testkit.Absent(t, "tmpfs: cannot be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", disk).Run() })
	_ = os.WriteFile(filepath.Join(disk, "ballast"), make([]byte, 1<<20), 0o600)
	m.run(prompt("s1", "p1", "x"), "--agent", "claude-code", "--state", disk).quiet(t)
	if log := m.log(); len(log) != 1 {
		t.Errorf("the log: %q", log)
	}
}

// TestLogIsBounded: the log does not grow without end.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	p := m.write(strings.Repeat("x", 300<<10)+"\n", "state", "aside", "hook.log")
	m.run("{", claude...).quiet(t)
	info, err := os.Stat(p)
	if err != nil || info.Size() > 1000 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat(p + ".1"); err != nil {
		t.Error(err)
	}
}

// TestEnvironmentIsNoLog: nothing of the environment is ever written down.
func TestEnvironmentIsNoLog(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = append(m.env, "CLAUDE_CODE_MESSAGING_TOKEN=hush-hush-17", "HOOK=hush-hush-17")
	m.rule("r", "while: always", "Said.")
	m.run("{", claude...)
	m.run(prompt("s1", "p1", "x"), claude...)
	m.run(prompt("s1", "p1", "x"), "--agent", "claude-code", "--nonsense")
	err := filepath.WalkDir(m.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("hush-hush")) {
			t.Errorf("%s tells of the environment", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDeadline: the own deadline is far below what agents allow.
func TestDeadline(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m.program = self
	m.env = append(m.env, "HOOK_TEST_WRONG=forever")
	m.rule("r", "while: always", "Said.")
	path := m.write("", "t.jsonl")
	r := m.exec(m.env, []byte(strings.Replace(prompt("s1", "p1", "x"), "/nonexistent/s1.jsonl", path, 1)),
		"--agent", "claude-code", "--timeout", "10ms")
	if r.quiet(t); r.took > 5*time.Second {
		t.Errorf("it took %v", r.took)
	}
}
