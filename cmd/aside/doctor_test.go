package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state/filestore"
)

type finding struct{ Check, Agent, Status, What, Remedy string }

// examined runs doctor in a directory, and returns its findings; each that is wrong must come with a remedy.
func examined(t *testing.T, dir string, args ...string) (all []finding) {
	t.Helper()
	got := exe.Invoke(t, dir, nil, append([]string{"doctor", "--json"}, args...)...)
	var report struct {
		OK       bool
		Findings []finding
	}
	if err := json.Unmarshal([]byte(got.Out), &report); err != nil {
		t.Fatalf("%v\n%s%s", err, got.Out, got.Err)
	}
	wrong := 0
	for _, f := range report.Findings {
		if f.Status == "wrong" {
			wrong++
			if f.Remedy == "" {
				t.Errorf("%s: no remedy for %q", f.Check, f.What)
			}
		}
	}
	if report.OK != (wrong == 0) || report.OK != (got.Code == 0) {
		t.Errorf("ok %v, %d wrong, exit code %d", report.OK, wrong, got.Code)
	}
	return report.Findings
}

// logFindings returns the findings about the log.
func logFindings(all []finding) (lines []string) {
	for _, f := range all {
		if f.Check == "log" {
			lines = append(lines, f.Status+" "+f.What)
		}
	}
	return lines
}

// TestDoctorForgets: a failure of a hook is wrong until the agent has taken a turn since, or what it runs was
// changed, and each home has its own.
func TestDoctorForgets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	process.Put(t, dir, "home/.aside/reminders/a.md", "A.\n")
	program, err := exec.LookPath("aside")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "bin", "aside") // one whose age can be set
	process.Put(t, dir, "bin/aside", string(b))
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := exe.Invoke(t, dir, nil, "install", "claude-code", "--program", program); got.Code != 0 {
		t.Fatal(got.Err)
	}
	ago := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }
	age := func(path string, d time.Duration) {
		t.Helper()
		at := time.Now().Add(-d)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(home, ".claude", "settings.json")
	log := "home/.local/state/aside/hook.log"
	hour := ago(time.Hour)
	process.Put(t, dir, log, hour+" claude-code the disk is full\n"+hour+" claude-code the disk is full\n"+
		hour+" codex it took too long\n"+ago(8*24*time.Hour)+" claude-code too old\n")

	// the program is older than the failures, and so is the configuration
	age(settings, 2*time.Hour)
	age(program, 3*time.Hour)
	lines := logFindings(examined(t, dir))
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "wrong ") ||
		!strings.HasSuffix(lines[0], "claude-code the disk is full (2 times)") {
		t.Errorf("the failure of an agent that is set up: %q", lines)
	}
	if lines = logFindings(examined(t, dir, "--agent", "codex")); len(lines) != 1 ||
		!strings.HasPrefix(lines[0], "ok ") {
		t.Errorf("the failure of an agent without hooks: %q", lines)
	}

	// a turn that was taken since
	const event = `{"session_id":"s1","cwd":"/","hook_event_name":"UserPromptSubmit","prompt_id":"p1",` +
		`"prompt":"hello"}`
	if got := exe.Invoke(t, dir, strings.NewReader(event), "hook", "--agent", "claude-code"); got.Code != 0 {
		t.Fatal(got.Err)
	}
	lines = logFindings(examined(t, dir))
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "ok no hook fails: 3 failures of late") {
		t.Errorf("after a turn: %q", lines)
	}

	// a text that cannot be written is not over by turns, but by another file
	const failed = ` claude-code the text of reminder "a" could not be written: aside why a says more` + "\n"
	process.Put(t, dir, log, hour+failed)
	age(filepath.Join(home, ".aside/reminders/a.md"), 2*time.Hour)
	age(filepath.Join(home, ".aside/reminders"), 2*time.Hour)
	if lines = logFindings(examined(t, dir)); len(lines) != 1 || !strings.HasPrefix(lines[0], "wrong ") {
		t.Errorf("a text that cannot be written: %q", lines)
	}
	process.Put(t, dir, "home/.aside/reminders/a.md", "B.\n")
	if lines = logFindings(examined(t, dir)); len(lines) != 1 || !strings.HasPrefix(lines[0], "ok ") {
		t.Errorf("after the rule was changed: %q", lines)
	}

	// a configuration that was written since
	process.Put(t, dir, log, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+" claude-code a failure\n")
	if lines = logFindings(examined(t, dir)); len(lines) != 1 || !strings.HasPrefix(lines[0], "wrong ") {
		t.Errorf("a failure after the turn: %q", lines)
	}
	age(settings, -2*time.Hour)
	if lines = logFindings(examined(t, dir)); len(lines) != 1 || !strings.HasPrefix(lines[0], "ok ") {
		t.Errorf("after another installation: %q", lines)
	}
}

// TestDoctorStuck: doctor names state that cannot be written once, and not the failures that follow from it.
func TestDoctorStuck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "home/.local/state/aside")
	process.Put(t, dir, "home/.aside/reminders/a.md", "---\nwhile: user_message\n---\nA.\n")
	process.Put(t, dir, "home/.claude/settings.json", "{}\n")
	if got := exe.Invoke(t, dir, nil, "install", "claude-code"); got.Code != 0 {
		t.Fatal(got.Err)
	}
	process.Put(t, dir, "home/.local/state/aside/lock", "a file in the place of a directory")
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	process.Put(t, dir, "home/.local/state/aside/hook.log",
		now+" claude-code open "+state+"/lock/1: not a directory\n"+
			now+" claude-code save run: "+state+"/lock/2: not a directory\n")
	var wrong []string
	for _, f := range examined(t, dir) {
		if f.Status == "wrong" {
			wrong = append(wrong, f.What)
		}
		if f.Check == "log" {
			t.Error(f)
		}
	}
	if len(wrong) != 1 || !strings.HasSuffix(wrong[0],
		".local/state/aside: not a directory. So nothing is remembered, and hooks say nothing") {
		t.Errorf("%q", wrong)
	}
}

// TestDoctorRemedies: whatever is wrong comes with something to do.
func TestDoctorRemedies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		check string
		words string
	}{
		"nothing": {func(*testing.T, string) {}, "agent", "no agent is set up"},
		"a configuration that is a directory": {func(t *testing.T, dir string) {
			process.Put(t, dir, "home/.codex/hooks.json/x", "")
		}, "agent", "is a directory"},
		"state that is a file": {func(t *testing.T, dir string) {
			process.Put(t, dir, "home/.local/state/aside", "")
		}, "state", "is not a directory"},
		"state that others may enter": {func(t *testing.T, dir string) {
			process.Put(t, dir, "home/.local/state/aside/x", "")
		}, "state", "others may enter"},
		"a rule that is a link out of the project": {func(t *testing.T, dir string) {
			process.Put(t, dir, ".aside/reminders/a.md", "A.\n")
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, ".aside/reminders/b.md")); err != nil {
				t.Fatal(err)
			}
		}, "trust", "is not used"},
		"an unknown failure": {func(t *testing.T, dir string) {
			process.Put(t, dir, "home/.local/state/aside/hook.log",
				time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+" - strange\n")
		}, "log", "strange"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			process.Put(t, dir, "home/x", "")
			c.spoil(t, dir)
			for _, f := range examined(t, dir) {
				if f.Check == c.check && f.Status == "wrong" && strings.Contains(f.What, c.words) {
					return
				}
			}
			t.Errorf("nothing of %q: %v", c.words, examined(t, dir))
		})
	}
}

// TestDoctorReadsOwnLog: where hooks of a home can write no log in it, what they log is seen by a doctor of
// that home alone.
func TestDoctorReadsOwnLog(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	homes := []string{t.TempDir(), t.TempDir()}
	run := func(home, stdin string, args ...string) string {
		cmd := exec.Command("aside", args...)
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(stdin)
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + tmp, "GORACE=atexit_sleep_ms=0"}
		out, _ := cmd.Output() // doctor finds that no agent is set up
		return string(out)
	}
	process.Put(t, homes[0], ".local", "") // a file in the way
	process.Put(t, homes[0], ".cache", "")
	run(homes[0], "{", "hook", "--agent", "claude-code")
	run(homes[0], "{", "hook", "--agent", "claude-code")
	logs, _ := filepath.Glob(filepath.Join(tmp, "aside-*", "*", "hook.log"))
	if len(logs) != 1 {
		t.Fatalf("the logs: %q", logs)
	}
	for i, want := range []string{"2 failures of late", "no hook has failed of late"} {
		if out := run(homes[i], "", "doctor"); !strings.Contains(out, want) {
			t.Errorf("home %d: no %q in\n%s", i, want, out)
		}
	}
}

// TestDoctorCountsRuns: a response that serve keeps beside a run is no run.
func TestDoctorCountsRuns(t *testing.T) {
	dir := t.TempDir()
	store, err := filestore.Open(filepath.Join(dir, "home/.local/state/aside"), filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := firing.Note(nil, json.RawMessage("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", response.KeptPrefix + "0123456789abcdef"} {
		if _, err := store.Save(t.Context(), name, 0, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range examined(t, dir) {
		if f.Check == "state" && f.Status == "ok" && strings.HasSuffix(f.What, ": 1 run remembered") {
			return
		}
	}
	t.Error("doctor does not tell 1 run")
}

// TestDoctorProbes: a text goes all the way through the hooks of each agent, and through a server, and doctor
// says where it is lost; nothing of that stays.
func TestDoctorProbes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "home/.aside/reminders/a.md", "---\nwhen: manual\n---\nSay \"please\".\n\nAlways.\n")
	for _, a := range []string{"claude-code", "gemini", "codex", "opencode"} {
		if got := exe.Invoke(t, dir, nil, "install", a); got.Code != 0 {
			t.Fatal(got.Err)
		}
	}
	delivery := func() (lines string) {
		for _, f := range examined(t, dir) {
			if f.Check == "delivery" && !strings.Contains(f.What, "session yet") {
				lines += f.Agent + " " + f.Status + " " + f.What + "\n"
			}
		}
		return lines
	}
	hooks := `claude-code ok a prompt that fires a by hand comes back from the hooks with its text
codex ok a prompt that fires a by hand comes back from the hooks with its text
gemini ok a prompt that fires a by hand comes back from the hooks with its text
opencode note no prompt was sent through the hooks of opencode: ` +
		"this agent takes texts at other events, in a form that doctor does not write\n"
	if got := delivery(); got != hooks {
		t.Errorf("got\n%s\nwant\n%s", got, hooks)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "home/.local/state/aside/run-*")); len(kept) > 0 {
		t.Errorf("runs stay: %q", kept)
	}
	s := exe.Serve(t, dir, nil, "--upstream", "http://127.0.0.1:1")
	address := strings.TrimSpace(strings.TrimPrefix(s.URL, "http://"))
	want := hooks + " ok a request that fires a by hand leaves aside serve on " + address + " with its text\n"
	if got := delivery(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Signal(os.Interrupt)
	if s.End(); strings.Contains(s.Said.String(), "called a model") {
		t.Errorf("a probe was counted:\n%s", &s.Said)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "home/.local/state/aside/run-*")); len(kept) > 0 {
		t.Errorf("runs stay: %q", kept)
	}
}
