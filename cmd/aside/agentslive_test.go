package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// liveRules are of every kind. Each text says of which rule and which turn it is (liveText).
var liveRules = map[string]string{
	"always":     "while: always",
	"user":       "when: user_message",
	"started":    "when: started",
	"resumed":    "when: resumed",
	"first":      "when: user_message and turn_count <= 1",
	"deploy":     `when: prompt matches "(?i)\bdeploy\b"`,
	"asked":      `while: user_message and prompt contains "again"`,
	"every3":     "while: every 3 turns",
	"everyuser":  "while: every 2 user turns",
	"turngt":     "when: turn_gt:5",
	"usergt":     "when: user_turn_gt:2",
	"cool":       "while: after_tool:@shell\ncooldown: 3 turns",
	"cooluser":   "while: always\ncooldown: 2 user turns",
	"twice":      "while: always\nmax_fires: 2",
	"for2":       "when: last_tool_call_failed\nfor: 2 turns",
	"for3":       "while: after_tool:*\nfor: 3 turns",
	"tool":       "when: after_tool:*",
	"edit":       "when: after_tool:@edit",
	"name":       "when: after_tool:SHELL",
	"pattern":    "when: after_tool:@shell(echo t*)",
	"file":       "when: after_tool:@edit(*.txt)",
	"task":       "when: after_tool:@task",
	"failed":     "when: last_tool_call_failed",
	"failedcall": `when: tool_failed:@shell(*exit 3*)`,
	"row":        "when: failures_in_row >= 3",
	"norow":      "when: failures_in_row == 0 and turn_count > 3",
	"half":       "when: context_usage > 50%\nrearm: context_usage < 30%",
	"full":       "while: context_tokens > 60k\ncooldown: 4 turns",
	"answer":     "while: last_response_tokens > 100",
	"sum":        "when: output_tokens > 150",
	"expect":     "when: after_tool:@shell\nexpect: after_tool:@edit\nwithin: 1 turns\nmax_ignored: 2",
	"count":      `when: tool_count("@shell") >= 5`,
	"used":       `when: used("@shell(echo five*)")`,
	"since":      `while: turns_since_tool("@edit") == 2`,
	"sinceid":    `while: turns_since("every3") == 1`,
	"called":     `when: called_since("@edit", "@shell(echo two*)")`,
	"chain":      "when: repeated_tool_chain:SHELL|4",
	"calls":      "when: tool_calls >= 9",
	"output":     `when: output contains "three"`,
	"any":        `when: any(calls, .failed and .command contains "exit 3")`,
	"root":       "while: thread:root and every 5 turns",
	"sub":        "when: not thread:root",
	"cwd":        `when: cwd endsWith "project"`,
	"mode":       `when: mode != "plan" and thread:root`, // files of subagents do not have it
	"written":    `when: written contains "MADE=1"`,
	"wrote":      `while: written startsWith "x"`,
	"byshell":    "when: after_tool:@edit(*made.txt)",
	"identical":  "when: identical_calls >= 2",
	"input":      `when: any(calls, .input.command contains "four" or .input.cmd contains "four")`,
	"along":      "when: before_tool:@shell(git status*)",
	"hold":       "when: before_tool:@shell(git push*--force*)\npause: true",
	"end":        "when: stopping and user_turn_count == 3",
}

// liveText finds the firings in a request.
var liveText = regexp.MustCompile(`Live (\w+) of turn (\d+)\.`)

// moments are the rules of liveRules that are no turn's: their texts stand in the request after.
var moments = []string{"along", "hold", "end"}

// liveCase is an agent whose firings are held against those of replay.
type liveCase struct {
	hookCase          // agent, scope, flags, and again, with "PROMPT" where the prompt is to stand
	files    string   // its session files, below the home; "": the requests are replayed; "none": nothing is
	shell    string   // the name of its tool for commands, as its hooks have it
	silent   []string // moments after which comes a turn in which its hooks can say nothing
	differ   []string // rules whose facts are told by one of the two alone
	without  []string // rules that are left out
	apart    []string // conversations whose turns nobody can tell
	starts   []string // conversations in whose first turn its hooks can say nothing
	waits    bool     // what fires goes out with the next prompt
	together bool     // the file of a session holds its subagents, too
	alone    bool     // its subagents' requests hold no text of ours, since their hooks do not run
	single   bool     // it has no subagents
	// what is due at a prompt, or behind an end that was held back, goes out with the first result after it, and
	// a call that is held back hides a request
	late bool
}

func liveCases() []liveCase {
	return []liveCase{
		{hookCase: hookCase{agent: "claude-code", scope: "user", again: []string{"-c"}},
			files: ".claude/projects", shell: "Bash", silent: []string{"end"}},
		{hookCase: hookCase{agent: "codex", scope: "user", again: []string{"resume", "--last", "PROMPT"}},
			files: ".codex/sessions", shell: "Bash", silent: []string{"end", "hold"},
			differ: []string{"resumed", "mode"}}, // of which a rollout says nothing
		{hookCase: hookCase{agent: "gemini", scope: "project", again: []string{"--resume", "latest"}},
			files: ".gemini/tmp", shell: "run_shell_command", alone: true, silent: []string{"hold"},
			differ: []string{"cwd"}}, // which its files do not name
		{hookCase: hookCase{agent: "qwen", scope: "project", again: []string{"-c"}}, files: ".qwen/projects",
			shell: "run_shell_command", silent: []string{"end", "hold"}, starts: []string{"sub"},
			differ: []string{"resumed", "mode"}}, // of which its files say nothing
		{hookCase: hookCase{agent: "copilot", scope: "user", again: []string{"--continue"}},
			files: ".copilot/session-state", shell: "bash", together: true,
			silent: []string{"end", "hold"},
			// its hooks are told no usage, and results in the order in which the calls end
			differ: []string{"answer", "sum", "full", "half", "chain"}},
		// its end cannot be held back, and what it exports says neither that a session goes on nor how much the
		// window holds
		{hookCase: hookCase{agent: "opencode", scope: "user", again: []string{"-c"}}, files: "export",
			shell: "bash", differ: []string{"resumed", "end", "half"}},
		{hookCase: hookCase{agent: "kilo", scope: "user", again: []string{"-c"}}, files: "export",
			shell: "bash", differ: []string{"resumed", "end", "half"}},
		{hookCase: hookCase{agent: "pi", scope: "user", again: []string{"-c"}}, files: ".pi/agent/sessions",
			shell: "bash", single: true, differ: []string{"resumed", "half"}},
		// replay reads no file of it
		{hookCase: hookCase{agent: "grok", scope: "user", again: []string{"-c"}}, files: "none",
			shell: "run_terminal_command", late: true},
		{hookCase: hookCase{agent: "kimi-code", scope: "user", again: []string{"-c"}}, files: ".kimi-code/sessions",
			// what a text brings about is seen from the prompt on that says it
			shell: "Bash", waits: true, alone: true, differ: []string{"resumed", "end", "hold", "expect"}},
		// Its command line tells no prompt, resumes no session without a terminal, and holds nothing back; its
		// hooks are told no usage; its files do not say where it works.
		{hookCase: hookCase{agent: "cline", scope: "user"}, files: ".cline/data/sessions", shell: "run_commands",
			starts: []string{"root", "sub", "beside"}, differ: []string{"user", "first", "deploy",
				"asked", "everyuser",
				"usergt", "cooluser", "half", "full", "answer", "sum", "cwd", "along", "hold", "end"}},
	}
}

// long is a session of fifteen model calls and more in four processes, with parallel calls, equal ones, ones
// that fail, edits by a tool and by a command, a subagent, a call that a rule holds back, and an end that a
// rule holds back where the agent asks.
func long(agent, project string) []session {
	h := toolsOf(agent)
	fails := func(n int) item { return h.shell(n, fmt.Sprintf("echo oops%d >&2; exit 3", n)) }
	const made = "cat >made.txt <<'END'\nMADE=1\nEND"
	s := script{Submark: submark, Turns: [][]item{
		{say("first"), h.shell(1, "echo one")},
		{h.shell(2, "echo two"), h.shell(3, "echo three"), fails(4)},
		{fails(5), fails(6)},
		{fails(7)},
		{h.edit(8, filepath.Join(project, "note.txt"))},
		{h.invoke(11)},
		{h.shell(12, "git status --short; sleep "+map[bool]string{true: "8", false: "0"}[agent == "codex"])},
		{say("all done")},
		{h.shell(13, "echo five"), h.edit(14, filepath.Join(project, "other.txt"))}, // resumed
		{h.shell(24, made), h.shell(25, made)},
		{h.shell(15, "git push --force 2>&1; true")},
		{h.shell(16, "git push --force 2>&1; true")},
		{say("again done")},
		{h.shell(17, "echo two")}, // resumed
		{say("nearly done")},
		{say("done")},
		{fails(18), h.shell(19, "echo three")}, // resumed
		{h.shell(20, "echo four")},
		{say("the end")},
		{say("the very end")},
	}, Sub: [][]item{{h.shell(21, "echo sub")}, {h.shell(22, "echo two"), fails(23)}, {say("sub done")}, {say(
		"sub done")}},
		Inputs: []int{3000, 20_000, 70_000, 130_000, 150_000, 40_000, 45_000, 110_000, 120_000, 130_000},
		Delay:  []int{11, 16}}
	if agent == "cline" { // which cannot be resumed without a terminal: all in one process
		s.Turns = slices.DeleteFunc(s.Turns, func(t []item) bool { return len(t) == 1 && t[0]["text"] != nil })
		s.Turns = append(s.Turns, []item{say("the end")})
		return []session{{prompt: "go on", script: s}}
	}
	return []session{{prompt: "go on", script: s}, {prompt: "deploy it", script: s},
		{prompt: "again please", script: s}, {prompt: "once more", script: s}}
}

// beside is another session in the same project, while the long one works.
func beside(agent, project string) session {
	h := toolsOf(agent)
	return session{prompt: "something else", script: script{Turns: [][]item{
		{h.shell(51, "echo two"), h.shell(52, "echo three")}, {h.shell(53, "exit 3"), h.shell(54, "exit 3")},
		{h.edit(55, filepath.Join(project, "beside.txt"))}, {say("done")},
	}, Inputs: []int{100_000, 140_000, 10_000}}}
}

// TestAgentsLive: what fires in the hooks of real agents is what aside replay says of the session files that
// the agents wrote, turn by turn; in the session, in its subagent, and in another session that runs beside
// it.
//
// ASIDE_AGENTS says which, as for TestAgents.
func TestAgentsLive(t *testing.T) {
	sh, bin, asked := realAgents(t)
	if keep := os.Getenv("ASIDE_AGENTS_KEEP"); keep != "" { // what hooks are told and say, too
		hook := filepath.Join(bin, "aside-hook")
		if err := os.Rename(hook, hook+".real"); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(keep, "events.jsonl")
		text := fmt.Sprintf("#!/bin/sh\nin=$(cat)\nout=$(printf %%s \"$in\" | %q \"$@\")\nprintf "+
			"'# %%s\\n%%s\\n    %%s\\n' "+
			"\"$*\" \"$in\" \"$out\" >>%q\nprintf %%s \"$out\"\n", hook+".real", log)
		if err := os.WriteFile(hook, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range liveCases() {
		if asked(c.agent) {
			t.Run(c.agent, func(t *testing.T) { c.live(t, sh, bin) })
		}
	}
}

// live runs the sessions and compares.
func (c liveCase) live(t *testing.T, sh, bin string) {
	dir := t.TempDir()
	if keep := os.Getenv("ASIDE_AGENTS_KEEP"); keep != "" {
		dir = filepath.Join(keep, strings.ReplaceAll(t.Name(), "/", "_"))
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, d := range []string{filepath.Join(one, "home"), filepath.Join(one, "project"), two} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"home", "project"} { // the other session has the same
		if err := os.Symlink(filepath.Join(one, d), filepath.Join(two, d)); err != nil {
			t.Fatal(err)
		}
	}
	for id, head := range liveRules {
		if slices.Contains(c.without, id) {
			continue
		}
		process.Put(t, one, "home/.aside/reminders/"+id+".md", "---\n"+strings.ReplaceAll(head, "SHELL", c.shell)+
			"\n---\nLive "+id+" of turn {{.turn_count}}.\n")
	}
	if c.agent == "gemini" { // which tidies up at its start, and removes a file that another session writes
		process.Put(t, one, "home/.gemini/settings.json", `{"general":{"sessionRetention":{"enabled":false}}}`)
	}
	c.aside(t, bin, one, "install", "--mode", c.mode)
	flags := append([]string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")}, c.flags...)
	project := filepath.Join(one, "project")
	var got, side []hop
	sessions := long(c.agent, project)
	for i, ss := range sessions {
		if i > 0 {
			for _, a := range c.again {
				ss.more = append(ss.more, strings.ReplaceAll(a, "PROMPT", ss.prompt))
			}
		}
		if err := os.Remove(filepath.Join(one, "out", "requests.jsonl")); err != nil && i > 0 {
			t.Fatal(err)
		}
		ended := make(chan outcome, 1)
		go func() {
			defer close(ended)
			ended <- ss.run(t, sh, c.agent, one, address{}, flags)
		}()
		if i == len(sessions)-1 {
			begun(t, filepath.Join(one, "out", "requests.jsonl"))
			o := beside(c.agent, project).run(t, sh, c.agent, two, address{}, flags)
			if side = o.got; o.code != 0 {
				t.Errorf("the other session: exit code %d\n%s", o.code, o.stderr)
			}
		}
		o, ok := <-ended
		if !ok {
			t.FailNow()
		}
		if got = append(got, o.got...); o.code != 0 {
			t.Errorf("session %d: exit code %d\n%s", i+1, o.code, o.stderr)
		}
	}
	if b, err := os.ReadFile(filepath.Join(one, "home/.local/state/aside/hook.log")); err == nil && len(b) > 0 {
		t.Errorf("the log says:\n%s", b)
	}
	c.compare(t, one, got, side)
}

// begun waits for the first request of a session that goes on from an earlier one.
func begun(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(4 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte("Agents0000")) {
			return
		}
	}
	t.Fatal("the session sends no request")
}

// turnsOf are the ids that fired, by turn.
type turnsOf map[int][]string

func (f turnsOf) add(turn int, id string) { f[turn] = append(f[turn], id) }

// until returns the ids of f, each once, at the next of some turns.
func (f turnsOf) until(turns turnsOf) turnsOf {
	all, from := turnsOf{}, 1
	for _, to := range slices.Sorted(maps.Keys(turns)) {
		for ; from <= to; from++ {
			for _, id := range f[from] {
				if !slices.Contains(all[to], id) {
					all.add(to, id)
				}
			}
		}
	}
	return all
}

// mute reports whether a turn is one in which no hook can say anything.
func (c liveCase) mute(f turnsOf, turn int) bool {
	return slices.ContainsFunc(f[turn-1], func(id string) bool { return slices.Contains(c.silent, id) })
}

// compare holds the firings in the requests against those of replay.
func (c liveCase) compare(t *testing.T, dir string, got, side []hop) {
	t.Helper()
	live := map[string]turnsOf{"root": c.fired(t, got, "root"), "sub": c.fired(t, got, "sub"),
		"beside": c.fired(t, side, "beside")}
	if c.files == "none" {
		if len(live["root"]) < 14 || len(live["sub"]) < 2 || len(live["beside"]) < 4 {
			t.Errorf("texts of %d, %d and %d turns", len(live["root"]), len(live["sub"]), len(live["beside"]))
		}
		return
	}
	paths := c.recorded(t, dir, got, side)
	calls := 0
	for name, path := range paths {
		thread := ""
		if c.together && name != "beside" {
			thread = name
		}
		replay, turns := firedInReplay(t, dir, path, thread)
		if name == "root" {
			calls = turns
		}
		if slices.Contains(c.apart, name) {
			continue
		}
		if name == "sub" && c.alone {
			if len(live[name]) > 0 {
				t.Errorf("sub: its requests hold texts of ours: %v", live[name])
			}
			continue
		}
		if c.waits {
			replay = replay.until(live[name])
		}
		for turn := 1; turn <= turns+1; turn++ {
			a, b := c.shared(live[name][turn]), c.shared(replay[turn])
			// nothing could be said: what waits for the next turn must have fired
			if c.mute(live[name], turn) || turn == 1 && slices.Contains(c.starts, name) {
				b = slices.DeleteFunc(b, func(id string) bool { return !slices.Contains(a, id) })
			}
			if !slices.Equal(a, b) {
				t.Errorf("%s, turn %d: only live %v, only in replay %v", name, turn, minus(a, b), minus(b, a))
			}
		}
	}
	conversations := 3
	if c.single {
		conversations = 2
	}
	if calls < 14 || len(paths) != conversations {
		t.Errorf("%d model calls, and files of %v", calls, slices.Sorted(maps.Keys(paths)))
	}
}

// shared leaves the rules whose facts both know, sorted.
func (c liveCase) shared(ids []string) []string {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(c.differ, id) })
	slices.Sort(ids)
	return ids
}

func minus(a, b []string) (left []string) {
	b = slices.Clone(b)
	for _, id := range a {
		if i := slices.Index(b, id); i >= 0 {
			b = slices.Delete(b, i, i+1)
		} else {
			left = append(left, id)
		}
	}
	return left
}

// fired are the firings in the requests of a conversation: what stands in a request and stood in none before
// has fired on its turn, the number of the request, or at a moment before it. No text stands in a request
// twice.
func (c liveCase) fired(t *testing.T, got []hop, name string) turnsOf {
	t.Helper()
	sub, fired, seen, number := name == "sub", turnsOf{}, map[string]bool{}, 0
	late := map[string]int{}
	for _, h := range got {
		if !asks(h) || isSub(trip{in: h}) != sub {
			continue
		}
		number++
		here := map[string]bool{}
		for _, m := range liveText.FindAllSubmatch(distinct(t, h.body), -1) {
			id, mark := string(m[1]), string(m[0])
			moment := slices.Contains(moments, id)
			if here[mark] && id != "end" {
				t.Errorf("request %d holds %q twice", number, mark)
			}
			here[mark] = true
			if seen[mark] {
				continue
			}
			seen[mark] = true
			turn, _ := strconv.Atoi(string(m[2]))
			if c.waits && id != "user" {
				if !slices.Contains(fired[number], id) && !slices.Contains(c.differ, id) {
					fired.add(number, id)
				}
				continue
			}
			before := moment || c.mute(fired, turn) || turn == 1 && slices.Contains(c.starts, name)
			if turn != number && !(turn == number-1 && before) && !(c.late && turn < number && turn >= number-3) {
				late[fmt.Sprintf("turn %d in request %d", turn, number)]++
			}
			fired.add(turn, id)
		}
	}
	if len(late) > 0 && !(sub && slices.Contains(c.apart, "sub")) {
		t.Errorf("texts come first, a subagent's: %t: %v", sub, late)
	}
	return fired
}

// asks reports whether a request is a turn: the agent's model could call a tool, and it is not one in which
// Qwen Code asks what to remember.
func asks(h hop) bool {
	var b struct{ Tools []json.RawMessage }
	return h.method == "POST" && json.Unmarshal(h.body, &b) == nil && len(b.Tools) > 0 &&
		!bytes.Contains(h.body, []byte("Managed memory has TWO directories"))
}

// recorded returns the recording of each conversation: the file that the agent wrote, found by the words of
// the person in it; or the requests, where replay reads no file of the agent's.
func (c liveCase) recorded(t *testing.T, dir string, got, side []hop) map[string]string {
	t.Helper()
	paths := map[string]string{}
	switch c.files {
	case "export":
		c.export(t, dir)
	case "":
		for name, hops := range map[string][]hop{"root": got, "sub": got, "beside": side} {
			var log strings.Builder
			for _, h := range hops {
				if asks(h) && isSub(trip{in: h}) == (name == "sub") {
					line, err := json.Marshal(map[string]any{"method": h.method, "path": h.path, "body": string(h.body)})
					if err != nil {
						t.Fatal(err)
					}
					log.Write(append(line, '\n'))
				}
			}
			process.Put(t, dir, name+".jsonl", log.String())
			paths[name] = filepath.Join(dir, name+".jsonl")
		}
		return paths
	}
	err := filepath.WalkDir(filepath.Join(dir, "home", c.files), func(path string, d fs.DirEntry,
		err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".meta.json") {
			return err
		}
		b, err := os.ReadFile(path)
		name := "" // the words of a person may stand in tags, or in quotes
		switch {
		case bytes.Contains(b, []byte(`go on`)):
			name = "root"
		case bytes.Contains(b, []byte(`something else`)):
			name = "beside"
		case bytes.Contains(b, []byte(submark)):
			name = "sub"
		}
		if name != "" && bytes.Contains(b, []byte("Agents0000")) { // and not a list of prompts
			paths[name] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.together {
		paths["sub"] = paths["root"]
	}
	return paths
}

// firedInReplay returns what fires in a session file as aside replay has it, and how many turns it has.
// thread is "root" or "sub" where the file has both, else "".
func firedInReplay(t *testing.T, dir, path, thread string) (fired turnsOf, turns int) {
	t.Helper()
	r := exe.Invoke(t, dir, nil, "replay", "--json", "--rules", filepath.Join(dir,
		"home/.aside/reminders"), path)
	if r.Code != 0 {
		t.Fatalf("replay: exit code %d: %s", r.Code, r.Err)
	}
	lines := strings.Split(strings.TrimSpace(r.Out), "\n")
	fired = turnsOf{}
	for _, line := range lines[:len(lines)-1] {
		var turn struct {
			Source string
			Thread string `json:"thread_type"`
			Turn   int
			Fired  []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(line), &turn); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, turn.Source) || // a subagent's
			thread != "" && (turn.Thread == "root") != (thread == "root") {
			continue
		}
		for _, f := range turn.Fired {
			fired.add(turn.Turn, f.ID)
		}
		turns = max(turns, turn.Turn)
	}
	return fired, turns
}

// export writes all sessions of opencode into files, which it keeps in a database.
func (c liveCase) export(t *testing.T, dir string) {
	t.Helper()
	sh := testkit.Data(t, "agents", "run.sh")
	at, err := exec.Command(sh, "install", c.agent).Output()
	if err != nil {
		t.Fatal(err)
	}
	opencode := func(args ...string) string { // or its fork
		cmd := exec.Command(filepath.Join(strings.TrimSpace(string(at)), "node_modules/.bin", c.agent), args...)
		cmd.Dir = filepath.Join(dir, "project")
		name := strings.ToUpper(c.agent)
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"),
			name + "_DISABLE_AUTOUPDATE=1", name + "_DISABLE_MODELS_FETCH=1"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	left := regexp.MustCompile(`\bses_\w+`).FindAllString(opencode("session", "list"), -1)
	for done := map[string]bool{}; len(left) > 0; left = left[1:] {
		if id := left[0]; !done[id] {
			done[id] = true
			text := opencode("export", id)
			process.Put(t, dir, "home/export/"+id+".json", text)
			left = append(left, regexp.MustCompile(`\bses_\w+`).FindAllString(text, -1)...)
		}
	}
}
