package ruletest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/ruletest"
)

type mistake struct{ name, src, want string }

// mistakes are files in which something is wrong, each with what is said first.
func mistakes() []mistake {
	const r = "reminders: [{id: r, when: always, content: R}]\n"
	one := func(test string) string { return r + "tests:\n  - {name: n, " + test + "}\n" }
	return []mistake{
		{"nothing", "", `^1:1 R0701 .*empty`},
		{"not YAML", "tests: [", `^\d+:\d+ R0701 `},
		{"a tab", "tests:\n\t- name: n\n", `^\d+:\d+ R0701 `},
		{"two documents", one("steps: [{fires: [r]}]") + "---\ntests: []\n", `^4:1 R0701 .*second document`},
		{"an open quote", "tests:\n  - name: 'x\n", `^2:11 R0701 the quote ' is not`},
		{"a line separator", "tests:\n  - name: a\u2028    steps: []\n", `^2:12 R\d+ .*U\+2028 ends a line for YAML`},
		{"a next line", "tests:\n  - name: a\u0085    steps: []\n", `^2:12 R\d+ .*U\+0085 ends a line for YAML`},
		{"a carriage return alone", "tests:\r  - name: a\r", `^1:7 R\d+ .*carriage return stands alone`},
		{"a line separator that spoils YAML", "tests: [\u2028", `^1:9 R\d+ .*U\+2028`},
		{"an alias", "tests: &a []\nvars: *a\n", `^1:8 R0701 .*anchor`},
		{"a list", "- a\n", `^1:1 R0703 .*mapping`},
		{"no tests", r, `^1:1 R0704 .*no test`},
		{"an empty list of tests", r + "tests: []\n", `^1:1 R0704 .*no test`},
		{"an unknown key of the file", r + "test: []\n", `^2:1 R0702 .*"test".*tests`},
		{"an unknown key of a test", one("step: [{}]"), `^3:15 R0702 .*"step".*steps`},
		{"an unknown key of a step", one("steps: [{fire: [r]}]"), `^3:24 R0702 .*"fire".*fires`},
		{"a key twice", one("steps: [{fires: [r]}], steps: []"), `^3:38 R0702 .*twice`},
		{"no name", r + "tests:\n  - {steps: [{fires: [r]}]}\n", `^3:5 R0704 .*name`},
		{"no reminders", "tests:\n  - {name: n, steps: [{}]}\n", `^2:5 R0704 .*reminders`},
		{"nothing to check", one("start: 2026-01-01T00:00:00Z"), `^3:5 R0704 .*checks nothing`},
		{"no steps", one("steps: []"), `^3:5 R0704 .*checks nothing`},
		{"reloads alone", one("steps: [{reload: []}]"), `^3:5 R0704 .*checks nothing`},
		{"an empty series", one("series: {}, fires_at: {}"), `^3:5 R0704 .*checks nothing`},
		{"fires_at without series", one("fires_at: {r: [1]}"), `^3:25 R0702 .*without series`},
		{"steps and series", one("steps: [{}], series: {turn_count: [1]}, fires_at: {}"),
			`^3:36 R0702 .*steps and series`},
		{"an error of nothing", "tests:\n  - {name: n, error: x}\n", `^2:5 R0704 `},
		{"error beside steps", one("trigger: always, error: x, steps: [{}]"), `^3:49 R0702 .*steps`},
		{"an error that is not a pattern", one("trigger: alwas, error: '('"), `^3:38 R0703 .*regular`},
		{"a reminder that is not there", one("steps: [{fires: [s]}]"), `^3:32 R0705 .*"s"`},
		{"a reminder nearly there", r[:len(r)-2] +
			", {id: warning, content: W}]\ntests:\n  - {name: n, steps: [{due: " +
			"[warnin]}]}\n", `^3:30 R0705 .*"warnin".*warning`},
		{"a text of nobody", one("steps: [{fires: [r], text: {s: R}}]"), `^3:43 R0705 .*"s"`},
		{"remind nobody", one("steps: [{remind: [s]}]"), `^3:33 R0705 .*"s"`},
		{"a turn of nobody", one("series: {turn_count: 1+1x3}, fires_at: {s: [1]}"), `^3:55 R0705 .*"s"`},
		{"a reminder twice", one("steps: [{fires: [r, r]}]"), `^3:35 R0703 .*twice`},
		{"fires is a word", one("steps: [{fires: r}]"), `^3:31 R0703 .*list.*\[r\]`},
		{"an unknown fact", one("steps: [{facts: {contxt_usage: 0.5}, fires: [r]}]"),
			`^3:32 R0706 .*context_usage`},
		{"an undeclared fact", one("steps: [{facts: {vars: {todos: 5}}, fires: [r]}]"), `^3:39 R0706 .*vars.todos`},
		{"a fact of another type", one("steps: [{facts: {turn_count: many}, fires: [r]}]"), `^3:44 R0706 .*int`},
		{"a decimal for a whole fact", one("steps: [{facts: {turn_count: 1.5}, fires: [r]}]"), `^3:44 R0706 `},
		{"a word for a bool", one("steps: [{facts: {user_message: yes}, fires: [r]}]"),
			`^3:46 R0706 .*true, false or unknown`},
		{"nothing for a fact", one("steps: [{facts: {turn_count: }, fires: [r]}]"), `^3:\d+ R0706 .*unknown`},
		{"not a number", one("steps: [{facts: {context_usage: .nan}, fires: [r]}]"), `^3:47 R0706 `},
		{"infinity", one("steps: [{facts: {context_usage: .inf}, fires: [r]}]"), `^3:47 R0706 `},
		{"a ratio below 0", one("steps: [{facts: {context_usage: -0.5}, fires: [r]}]"), `^3:47 R0706 `},
		{"a percentage without its sign", one("steps: [{facts: {context_usage: 80}, fires: [r]}]"),
			`^3:47 R0706 .*80%`},
		{"a percentage beyond all", one("steps: [{facts: {context_usage: 8e3}, fires: [r]}]"),
			`^3:47 R0706 .*0\.8 and 80%`},
		{"a series of them", one("series: {context_usage: 50+5x2}, fires_at: {r: [1]}"), `^3:39 R0706 .*50%`},
		{"tools is a word", one("steps: [{facts: {tools: Edit}, fires: [r]}]"), `^3:39 R0706 .*\["Edit"\]`},
		{"a number for a text", one("steps: [{facts: {model: 4}, fires: [r]}]"), `^3:39 R0706 .*"4"`},
		{"calls beside tools", one("steps: [{facts: {calls: [], tools: [A]}, fires: [r]}]"),
			`^3:50 R0706 .*beside`},
		{"a call without a tool", one("steps: [{facts: {calls: [{command: ls}]}, fires: [r]}]"),
			`^3:40 R0706 .*without a tool`},
		{"a call with another key", one("steps: [{facts: {calls: [{tool: A, comand: ls}]}, fires: [r]}]"),
			`^3:50 R0706 .*command`},
		{"a class that is none", one("steps: [{before: {tool: A, class: shel}, fires: [r]}]"),
			`^3:49 R0706 .*shell`},
		{"a result before the call", one("steps: [{before: {tool: A, output: x}, fires: [r]}]"),
			`^3:42 R0706 .*about to be executed`},
		{"an order that is none", one("options: {order: teir}, steps: [{fires: [r]}]"),
			`^3:32 R0703 .*order is priority or tier.*tier`},
		{"a holdout that is none", one("options: {holdout: hold}, steps: [{fires: [r]}]"),
			`^3:34 R0703 .*holdout is sent or held.*held`},
		{"an outcome that is none", one("steps: [{fires: [r], outcomes: {r: heded}}]"),
			`^3:50 R0703 .*an outcome is heeded, ignored or open.*heeded`},
		{"two moments", one("steps: [{before: {tool: A}, stopping: true, fires: [r]}]"),
			`^3:43 R0702 .*two moments`},
		{"a moment with a key", one("steps: [{stopping: true, key: a, fires: [r]}]"), `^3:40 R0702 .*not a turn`},
		{"a moment and a part", one("steps: [{before: {tool: A}, more: true, fires: [r]}]"),
			`^3:43 R0702 .*not a turn`},
		{"an outcome that is none", one("steps: [{fires: [r], outcomes: {r: heded}}]"), `^3:50 R0703 .*heeded`},
		{"an outcome of nobody", one("steps: [{fires: [r], outcomes: {s: heeded}}]"), `^3:47 R0705 .*"s"`},
		{"nobody paused", one("steps: [{fires: [r], paused: [s]}]"), `^3:45 R0705 .*"s"`},
		{"a refused turn that pauses", one("steps: [{key: a, refused: true, paused: [r]}]"),
			`^3:47 R0702 .*refused`},
		{"a holdout that is none", "options: {holdout: hold}\n" + one("steps: [{fires: [r]}]"),
			`^1:20 R0703 .*held`},
		{"a kind that is none", "vars: {x: {type: int, kind: counts}}\n" + one("steps: [{fires: [r]}]"),
			`^1:29 R0703 .*counter`},
		{"a declaration without a type", "vars: {x: {kind: counter}}\n" + one("steps: [{fires: [r]}]"),
			`^1:11 R0703 .*type`},
		{"an hour that is none", one("steps: [{facts: {hour: 24}, fires: [r]}]"), `^3:38 R0706 .*23`},
		{"a day that is none", one("steps: [{facts: {weekday: Mon}, fires: [r]}]"), `^3:41 R0706 .*mon`},
		{"failed that was not used", one("steps: [{facts: {tools: [Edit], failed: [Bash]}, fires: [r]}]"),
			`^3:56 R0706 .*"Bash"`},
		{"failed without tools", one("steps: [{facts: {failed: [Bash]}, fires: [r]}]"), `^3:41 R0706 .*"Bash"`},
		{"a negative count", one("steps: [{facts: {context_tokens: -5}, fires: [r]}]"),
			`^3:48 R0706 .*counts tokens and cannot be -5`},
		{"failed twice", one("steps: [{facts: {tools: [A], failed: [A], last_tool_call_failed: false}, fires: " +
			"[r]}]"), `^3:52 R0706 .*beside`},
		{"tools twice", one("steps: [{facts: {tools: [A], tool_used: [A]}, fires: [r]}]"), `^3:39 R0706 .*beside`},
		{"an advance without sign", one("steps: [{at: 10m, fires: [r]}]"), `^3:28 R0703 .*\+10m`},
		{"an advance that goes back", one("steps: [{at: +-10m, fires: [r]}]"), `^3:28 R0703 `},
		{"a start that is no time", one("start: noon, steps: [{fires: [r]}]"), `^3:22 R0703 `},
		{"an order that is none", "options: {order: teir}\n" + one("steps: [{fires: [r]}]"), `^1:18 R0703 .*tier`},
		{"a budget below 0", "options: {budget: {turn: -1}}\n" + one("steps: [{fires: [r]}]"), `^1:26 R0703 `},
		{"a type that is none", "vars: {x: integer}\n" + one("steps: [{fires: [r]}]"), `^1:11 R0703 .*int`},
		{"a name that is none", "vars: {x-y: int}\n" + one("steps: [{fires: [r]}]"), `^1:8 R0703 `},
		{"discard is a word", one("steps: [{fires: [r], discard: yes}]"), `^3:45 R0703 `},
		{"refused and fires", one("steps: [{key: a, fires: [r], refused: true}]"), `^3:32 R0702 .*refused`},
		{"reload and facts", one("steps: [{reload: [], facts: {}}, {fires: []}]"), `^3:24 R0702 .*own`},
		{"an empty key", one("steps: [{key: '', fires: [r]}]"), `^3:29 R0703 `},
		{"a series that is a word", one("series: {turn_count: many}, fires_at: {}"), `^3:36 R0703 .*0.5\+0.05x10`},
		{"a series of an unknown fact", one("series: {turncount: [1]}, fires_at: {}"), `^3:24 R0706 .*turn_count`},
		{"a series without end", one("series: {turn_count: 1+1x999999999999}, fires_at: {}"),
			`^3:36 R0703 .*100000`},
		{"a turn behind the end", one("series: {turn_count: 1+1x3}, fires_at: {r: [5]}"), `^3:59 R0703 .*4 turns`},
		{"turns that fall", one("series: {turn_count: 1+1x3}, fires_at: {r: [2, 1]}"), `^3:62 R0703 .*rise`},
		{"a file that is not there", "reminders: [./nowhere/*.md]\ntests:\n  - {name: n, steps: [{}]}\n",
			`^1:13 R0707 .*nowhere`},
		{"an item that is a list", "reminders: [[a]]\ntests:\n  - {name: n, steps: [{}]}\n", `^1:13 R0703 `},
		{"a mistake in a reminder", "reminders: [{id: r, when: contxt_usage > 50%, content: R}]\n" +
			"tests:\n  - {name: n, steps: [{}]}\n", `^1:27 R0\d+ .*context_usage`},
		{"a mistake in reminders of nobody", "reminders: [{id: q, when: contxt_usage > 50%, content: R}]\n" +
			"tests:\n  - {name: n, reminders: [], steps: [{}]}\n", `^1:27 R0\d+ .*context_usage`},
		{"a mistake in a reload", one("steps: [{fires: [r]}, {reload: [{id: r, when: alwas, content: R}]}]"),
			`^3:\d+ R0\d+ `},
	}
}

// TestMistakes holds that whatever is wrong in a test file is said with its place, and that the report is not
// fine then.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range mistakes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "m_test.yaml")
			if err := os.WriteFile(file, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			rep, text := run(t, file)
			if rep.OK() {
				t.Error("the report is fine")
			}
			if len(rep.Files[0].Diagnostics) == 0 {
				t.Fatalf("nothing is said\n%s", text)
			}
			d := rep.Files[0].Diagnostics[0]
			said := strings.TrimPrefix(d.String(), file+":")
			said = regexp.MustCompile(`^(\d+:\d+): error\[(\w+)\]:`).ReplaceAllString(said, "$1 $2")
			if !regexp.MustCompile(c.want).MatchString(said) {
				t.Errorf("said %s\nwant %s\n%s", said, c.want, text)
			}
		})
	}
}

// TestOneMistake holds that a mistake in one test leaves the others as they were.
func TestOneMistake(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "m_test.yaml")
	src := "reminders: [{id: r, when: always, content: R}]\ntests:\n  - {name: a, steps: [{fire: [r]}]}\n  - " +
		"{name: b, steps: [{fires: [r]}]}\n"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, text := run(t, file)
	got := []ruletest.Status{rep.Files[0].Tests[0].Status, rep.Files[0].Tests[1].Status}
	if got[0] != ruletest.Mistaken || got[1] != ruletest.Passed || rep.OK() {
		t.Errorf("%v\n%s", got, text)
	}
}

// TestNameTwice holds that a second test of one name is told of, and run like any other.
func TestNameTwice(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"tests:\n  - {name: n, steps: [{fires: [r]}]}\n  - {name: m, steps: [{fires: [r]}]}\n  - " +
			"{name: n, steps: " +
			"[{fires: []}]}\n": `5:12: warning[R0708]: a second test is called "n"`,
		"tests:\n  - name: n m\n    steps: [{fires: [r]}]\n  - name: m\n    steps: [{fires: [r]}]\n  - name: 'n " +
			"m'\n    steps: [{fires: []}]\n": `7:11: warning[R0708]: a second test is called "n m"`,
	} {
		file := filepath.Join(t.TempDir(), "n_test.yaml")
		if err := os.WriteFile(file, []byte("reminders: [{id: r, when: always, content: R}]\n"+src),
			0o600); err != nil {
			t.Fatal(err)
		}
		rep, text := run(t, file)
		ds := rep.Files[0].Diagnostics
		if len(ds) != 1 || !strings.HasPrefix(ds[0].String(), file+":"+want) ||
			!strings.Contains(ds[0].Hint, "line 3") {
			t.Errorf("%v, want %s\n%s", ds, want, text)
		}
		if passed, failed, mistakes := rep.Counts(); passed != 2 || failed != 1 || mistakes != 0 {
			t.Errorf("%d passed, %d failed, %d mistakes\n%s", passed, failed, mistakes, text)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "g_test.yaml")
	if err := os.WriteFile(good, []byte("tests:\n  - {name: n, reminders: [], steps: [{}]}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := ruletest.Run(context.Background(), []string{"nowhere.yaml", good}, ruletest.Options{})
	if !errors.Is(err, fs.ErrNotExist) || len(rep.Files) != 1 {
		t.Errorf("%v, %d files", err, len(rep.Files))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ruletest.Run(ctx, []string{good}, ruletest.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestWarningIsNoError holds that a set that loads is not the error that a test asks for, whatever its
// warnings say.
func TestWarningIsNoError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "w_test.yaml")
	src := "tests:\n  - {name: w, reminders: [{id: r, while: always, tier: safety, max_fires: 1, " +
		"content: R}], " +
		"error: max_fires}\n" +
		"  - {name: x, reminders: [{id: r, while: always, tier: safety, max_fires: 1, content: R}], " +
		"steps: [{fires: " +
		"[r]}, {fires: [r]}]}\n"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, text := run(t, file)
	if got := rep.Files[0].Tests; got[0].Status != ruletest.Failed || got[1].Status != ruletest.Passed ||
		len(rep.Files[0].Diagnostics) == 0 {
		t.Errorf("%+v\n%s", got, text)
	}
}
