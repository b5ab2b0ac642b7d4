package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestAgentsMoment runs coding agents, as people install them, with a model that insists on a call and on its
// end: the call is held back once and then goes through, and the agent is kept at work once.
//
// ASIDE_AGENTS says which, as for TestAgents.
func TestAgentsMoment(t *testing.T) {
	sh, bin, asked := realAgents(t)
	for _, c := range []hookCase{{agent: "claude-code", scope: "user"}, {agent: "codex", scope: "user"},
		{agent: "gemini", scope: "project"}, {agent: "copilot", scope: "user"}, {agent: "qwen",
			scope: "project"}, {agent: "opencode", scope: "user"}, {agent: "kilo", scope: "user"},
		{agent: "pi", scope: "user"}, {agent: "grok", scope: "user"},
		{agent: "kimi-code", scope: "user"}} {
		if asked(c.agent) {
			t.Run(c.agent, func(t *testing.T) { c.insist(t, sh, bin) })
			t.Run(c.agent+"-for-ever", func(t *testing.T) { c.insistForEver(t, sh, bin) })
		}
	}
}

// insistForEver runs a session whose model makes each of three calls again and again, and ends again and
// again. The first two calls are held back once each, the end once, and the session is over after the second
// end.
func (c hookCase) insistForEver(t *testing.T, sh, bin string) {
	const calls, pauses, times, ends = 3, 2, 4, 8
	dir := t.TempDir()
	for _, d := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const pause, end = "Nobody agreed to a forced push.", "The tests did not run."
	process.Put(t, dir, "home/.aside/reminders/pause.md",
		"---\nwhen: before_tool:@shell(git push*--force*)\npause: true\n---\n"+pause+"\n")
	process.Put(t, dir, "home/.aside/reminders/end.md", "---\nwhen: stopping\n---\n"+end+"\n")
	c.aside(t, bin, dir, "install")
	var sc script
	for n := range calls * times {
		sc.Turns = append(sc.Turns, []item{toolsOf(c.agent).shell(n+1,
			fmt.Sprintf("git push --force origin b%d 2>&1; printf %%s-%%s went through", n/times))})
	}
	for n := range pauses { // it has read the reason by then, which some agents tell by nothing else
		sc.Delay = append(sc.Delay, n*times+1)
	}
	for n := range ends {
		sc.Turns = append(sc.Turns, []item{say(fmt.Sprint("end ", n))})
	}
	s := session{prompt: "go", script: sc}
	o := s.run(t, sh, c.agent, dir, address{}, []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")})
	requests, held, kept, ran := 0, 0, 0, 0
	for _, h := range o.got {
		if !asks(h) {
			continue
		}
		body := distinct(t, h.body)
		requests++
		held, kept = bytes.Count(body, []byte(pause)), bytes.Count(body, []byte(end))
		ran = bytes.Count(body, []byte("went-through"))
	}
	wantRequests, wantKept := calls*times+2, 1
	if !holdsEnd(t, c.agent) {
		wantRequests, wantKept = calls*times+1, 0
	}
	wantRan := calls*times - pauses
	if requests != wantRequests || held != pauses || kept != wantKept || ran != wantRan || o.code != 0 {
		t.Errorf("%d requests, want %d; %d calls held back, want %d; %d ran, want %d; the end's text %d times, "+
			"want %d; exit code %d\n%s%s", requests, wantRequests, held, pauses, ran, wantRan, kept, wantKept,
			o.code, o.out, o.stderr)
	}
}

// holdsEnd reports whether our hooks can keep an agent at work.
func holdsEnd(t *testing.T, name string) bool {
	t.Helper()
	a, ok := agent.Host(name)
	if !ok {
		t.Fatal(name)
	}
	return len(a.Hold(agent.Event{Moment: fact.Stopping}, "why")) > 0
}

// insist runs a session whose model makes the same call twice and ends twice.
func (c hookCase) insist(t *testing.T, sh, bin string) {
	dir := t.TempDir()
	if keep := os.Getenv("ASIDE_AGENTS_KEEP"); keep != "" {
		dir = filepath.Join(keep, strings.ReplaceAll(t.Name(), "/", "_"))
	}
	for _, d := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{"pause": "Nobody agreed to a forced push.", "end": "The tests did not run.",
		"along": "It is a push."}
	for id, head := range map[string]string{"pause": "when: before_tool:@shell(git push*--force*)\npause: true",
		"end": "when: stopping", "along": "when: before_tool:@shell(git push*)"} {
		process.Put(t, dir, "home/.aside/reminders/"+id+".md", "---\n"+head+"\n---\n"+texts[id]+"\n")
	}
	c.aside(t, bin, dir, "install", "--mode", c.mode)
	push := func(n int) []item {
		return []item{toolsOf(c.agent).shell(n, "git push --force 2>&1; printf '%s-%s' went through")}
	}
	s := session{prompt: "go", script: script{Turns: [][]item{push(1), push(2), {say("first end")},
		{say("second end")}, {say("third end")}}, Delay: []int{1}}}
	o := s.run(t, sh, c.agent, dir, address{}, []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")})
	var got []string
	var last []byte
	for _, h := range o.got {
		if !asks(h) {
			continue
		}
		body := distinct(t, h.body)
		last = h.body
		got = append(got, fmt.Sprint(bytes.Count(body, []byte(texts["pause"])), min(bytes.Count(body,
			[]byte("went-through")), 1), bytes.Count(body, []byte(texts["end"]))))
	}
	// how often each request holds the reason, the output of the call, and the words that kept it at work
	want := []string{"0 0 0", "1 0 0", "1 1 0", "1 1 1"}
	along := 2 // with the reason, and then with the call that goes through
	if !holdsEnd(t, c.agent) {
		want = want[:3]
	}
	if c.agent == "kimi-code" { // where the text waits for the next prompt
		along = 1
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q\n%s%s", got, want, o.out, o.stderr)
	}
	if n := bytes.Count(last, []byte(texts["along"])); n != along {
		t.Errorf("the text of the rule that holds nothing back is there %d times", n)
	}
	if o.code != 0 {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "home/.local/state/aside/hook.log")); err == nil && len(b) > 0 {
		t.Errorf("the log says:\n%s", b)
	}
	state := filepath.Join(dir, "home/.local/state/aside")
	files, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, _ := os.ReadFile(filepath.Join(state, f.Name())); bytes.Contains(b, []byte("git push")) {
			t.Errorf("%s holds the command", f.Name())
		}
	}
}

// realAgents returns the script that runs coding agents, the directory with the programs of this package, and
// which agents ASIDE_AGENTS names. Where it names none, the test is skipped: agents are large, and come from
// the network.
func realAgents(t *testing.T) (sh, bin string, asked func(agent string) bool) {
	t.Helper()
	asked = askedAgents(t)
	bin = t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, ".", "../aside-hook").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return testkit.Data(t, "agents", "run.sh"), bin, asked
}
