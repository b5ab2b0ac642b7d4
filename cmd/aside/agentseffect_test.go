package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

const (
	heedSent = "A check is due in this session."
	heedHeld = "Nobody ever reads this sentence."
)

// heedRules are a reminder that is sent and one that is held out, which expect the same.
func heedRules() map[string]string {
	const when = "---\nwhen: user_message\nexpect: after_tool:@shell(*checked*)\nwithin: 2 turns\n"
	return map[string]string{"sent": when + "---\n" + heedSent + "\n",
		"held": when + "holdout: 100%\n---\n" + heedHeld + "\n"}
}

// TestAgentsEffect runs coding agents, as people install them, in three sessions with a model that does what
// it is reminded of in two of them: "aside effect" says just that, of a reminder that is sent and of one that
// is held out. No request holds a byte of the latter. It does so with hooks and through "aside serve".
//
// ASIDE_AGENTS says which, as for TestAgents.
func TestAgentsEffect(t *testing.T) {
	sh, bin, asked := realAgents(t)
	for _, c := range []hookCase{{agent: "claude-code", scope: "user"}, {agent: "codex", scope: "user"},
		{agent: "gemini", scope: "project"}, {agent: "copilot", scope: "user"}, {agent: "qwen", scope: "project"},
		{agent: "opencode", scope: "user"}} {
		if asked(c.agent) {
			t.Run(c.agent, func(t *testing.T) { c.heedsByHooks(t, sh, bin) })
		}
	}
	for _, agent := range []string{"claude-code", "gemini"} {
		if asked(agent) {
			t.Run(agent+"/serve", func(t *testing.T) { heedsByServe(t, sh, agent) })
		}
	}
}

func (c hookCase) heedsByHooks(t *testing.T, sh, bin string) {
	dir := t.TempDir()
	for _, d := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for id, text := range heedRules() {
		process.Put(t, dir, "home/.aside/reminders/"+id+".md", text)
	}
	c.aside(t, bin, dir, "install", "--mode", c.mode)
	path := []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")}
	heeds(t, c.agent, filepath.Join(dir, "home"), func(ss session) outcome {
		return ss.run(t, sh, c.agent, dir, address{}, path)
	})
}

// heedsByServe has the agent's requests go through a server, and then through one that holds out all it has:
// what that sends on is what came, to the byte.
func heedsByServe(t *testing.T, sh, agent string) {
	dir := t.TempDir()
	s := newStation(t, dir, heedRules())
	heeds(t, agent, filepath.Join(dir, "serve-home"), func(ss session) outcome {
		return ss.run(t, sh, agent, filepath.Join(dir, "with"), address{s.port, s.url}, nil)
	})
	dir = t.TempDir()
	s = newStation(t, dir, map[string]string{"held": heedRules()["held"]})
	ss := session{prompt: "go", script: script{Turns: [][]item{{toolsOf(agent).shell(1, "echo checked")},
		{say("done")}}}}
	o := ss.run(t, sh, agent, filepath.Join(dir, "with"), address{s.port, s.url}, nil)
	s.stop()
	var fired []string
	for _, x := range s.trips(t, [][]hop{o.got}) {
		if !bytes.Equal(x.in.body, x.out.body) {
			t.Errorf("request %d to %s is not as it came:\n%s\n%s", x.in.n, x.in.path, x.in.body, x.out.body)
		}
		if x.log != nil {
			fired = append(fired, x.log.Fired...)
		}
	}
	if o.code != 0 || !slices.Equal(fired, []string{"held"}) {
		t.Errorf("exit code %d, fired %q\n%s\n%s", o.code, fired, o.stderr, s.text())
	}
}

// heeds takes an agent over the three sessions. home is that of the process that records.
func heeds(t *testing.T, agent, home string, run func(session) outcome) {
	t.Helper()
	for i, word := range []string{"checked", "checked", "other"} {
		shell := toolsOf(agent).shell
		// Gemini CLI names no session to a server: those that begin alike are one until they differ.
		o := run(session{prompt: fmt.Sprint("task ", i), script: script{Turns: [][]item{{shell(10*i+1, "echo one")},
			{shell(10*i+2, "echo "+word)}, {shell(10*i+3, "echo three")}, {say("done")}}}})
		if o.code != 0 || mentions(o.got, heedSent) == 0 || mentions(o.got, heedHeld) > 0 {
			t.Errorf("session %d: exit code %d, the text %d times, the one held out %d times\n%s", i+1, o.code,
				mentions(o.got, heedSent), mentions(o.got, heedHeld), o.stderr)
		}
	}
	cmd := exec.Command("aside", "effect", "--json")
	cmd.Dir, cmd.Env = t.TempDir(), []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	type group struct{ Runs, Firings, Heeded, Ignored, Open int }
	var report []struct {
		ID      string
		Sent    group
		HeldOut group `json:"held_out"`
	}
	if err != nil || json.Unmarshal(out, &report) != nil || len(report) != 2 {
		t.Fatalf("aside effect: %v\n%s", err, out)
	}
	want, none := group{Runs: 3, Firings: 3, Heeded: 2, Ignored: 1}, group{}
	for _, r := range report {
		is, other := r.Sent, r.HeldOut
		if r.ID == "held" {
			is, other = other, is
		}
		if is != want || other != none {
			t.Errorf("%s: %+v and %+v\n%s", r.ID, r.Sent, r.HeldOut, out)
		}
	}
	for path, b := range tree(t, filepath.Join(home, ".local/state/aside")) {
		if bytes.Contains([]byte(b), []byte("echo checked")) {
			t.Errorf("%s holds the command", path)
		}
	}
}
