package words_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/words"
)

func ExampleLines() {
	lines := words.Lines("after a commit", nil).Lines
	fmt.Println(strings.Join(lines, "\n"))
	// Output:
	// after_tool:@shell(git commit*)
	// before_tool:@shell(git commit*) and not called_since("@shell(git diff*)", "@edit")
	// tool_count("@edit") >= 20 and not used("@shell(git commit*)")
}

// TestSentence: a sentence has a moment and what is said at it, in either order. A ban is about the
// moment before.
func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"after a commit, remind me to push":           {"after a commit", "Push."},
		"Remind it to run the tests before it stops!": {"before it stops!", "Run the tests."},
		"when the context is full, write down what is open": {"when the context is full",
			"Write down what is open."},
		"every 20 turns tell it to keep answers short": {"every 20 turns", "Keep answers short."},
		"when I say deploy remind it of the checklist": {"when I say deploy", "Remember the checklist."},
		"the agent must not use rm -rf": {"before use rm -rf",
			"The agent must not use rm -rf."},
		"on fridays don't deploy":                          {"fridays before deploy", "On fridays don't deploy."},
		"in plan mode, never edit files":                   {"in plan mode before edit files", "Never edit files."},
		"after reading secrets, do not print it":           {"after reading secrets", "Do not print it."},
		"don't push to main":                               {"before push to main", "Don't push to main."},
		"after an edit of a.go, b.go or c.go, say so":      {"after an edit of a.go, b.go or c.go", "Say so."},
		"before a commit, if I sleep, wait":                {"before a commit, if I sleep", "Wait."},
		"use pnpm instead of npm":                          {"before npm", "Use pnpm instead of npm."},
		"run tests before you say you are done":            {"before you say you are done", "Run tests."},
		"each time a component is edited check it":         {"each time a component is edited", "Check it."},
		"when editing tests, do not change fixtures":       {"when editing tests", "Do not change fixtures."},
		"when it reads .env, tell it not to print secrets": {"when it reads .env", "Do not print secrets."},
		"on friday afternoon remind me not to deploy": {"friday afternoon before deploy",
			"On friday afternoon remind me not to deploy."},
		"no commits on fridays":             {"before commits on fridays", "No commits on fridays."},
		"after 18:00 no new features":       {"after 18:00", "No new features."},
		"on the weekend don't page anyone":  {"on the weekend", "Don't page anyone."},
		"after 20 turns with no commit, do": {"after 20 turns with no commit", "Do."},
		"don't install packages without asking": {"before install packages",
			"Don't install packages without asking."},
		"monday to friday answer formally": {"monday to friday", "Answer formally."},
		"tell me when the context is at 90 percent": {"when the context is at 90 percent",
			"Tell me when the context is at 90 percent."},
		"keep notes on progress every 10 turns": {"every 10 turns", "Keep notes on progress."},
		"every 3 user messages recap":           {"every 3 user messages", "Recap."},
		"when the tests run":                    {"when the tests run", "When the tests run."},
		"no more than 100 turns":                {"more than 100 turns", "No more than 100 turns."},
		"after the third failure stop":          {"after the third failure", "Stop."},
		"on mondays plan the week":              {"on mondays", "Plan the week."},
		"if the todo list is older than 15 turns update it": {"if the todo list is older than 15 turns",
			"Update it."},
		"before you read a secret":               {"before you read a secret", "Before you read a secret."},
		"while on main, never commit":            {"on main before commit", "Never commit."},
		"tell me to lint before every commit":    {"before every commit", "Lint."},
		"late at night tell me to sleep":         {"late at night", "Sleep."},
		"every 20 minutes, say where we stand":   {"every 20 minutes", "Say where we stand."},
		"in the frontend directory, use pnpm":    {"in the frontend directory", "Use pnpm."},
		"when it commits tell me the hash":       {"when it commits", "Tell me the hash."},
		"only for opus: be thorough":             {"only for opus", "Be thorough."},
		"note: use tabs":                         {"", "Note: use tabs."},
		"no emojis":                              {"", "No emojis."},
		"don't use npm, we use pnpm":             {"before use npm", "Don't use npm, we use pnpm."},
		"never push before the tests":            {"before the tests", "Never push."},
		"when the todo list is empty":            {"when the todo list is empty", "When the todo list is empty."},
		"if it installs a package, ask me first": {"if it installs a package", "Ask me first."},
		"when it says done and no tests ran": {"when it says done and no tests ran",
			"When it says done and no tests ran."},
		"warn me when I am asleep": {"when I am asleep", "Warn me when I am asleep."},
		"après":                    {"", "Après."},
		"run the tests":            {"", "Run the tests."},
		"never":                    {"", "Never."},
		"":                         {"", ""},
	} {
		when, said := words.Sentence(text)
		if when != want[0] || said != want[1] {
			t.Errorf("%q: %q, %q", text, when, said)
		}
	}
}

// TestFile: each word of a kind that is looked up leads to its meaning, and no word stands twice.
func TestFile(t *testing.T) {
	t.Parallel()
	for _, m := range words.All() {
		if m.Text == "" && m.Kind != "stop" {
			t.Errorf("%s %v: no meaning", m.Kind, m.Words)
		}
		want := m.Text
		if m.Kind == words.Fact {
			want = m.Name()
		}
		for _, w := range m.Words {
			whole := []words.Kind{"line", "recipe", "stop", "call", "frame", words.Kin}
			if got := words.Of(m.Kind, w); got != want && !slices.Contains(whole, m.Kind) {
				t.Errorf("%s %q means %q, want %q", m.Kind, w, got, want)
			}
			if m.Kind == words.Fact && words.Of(words.Fact, strings.ReplaceAll(w, " ", "_")) != want {
				t.Errorf("%q is no name of %s", w, want)
			}
		}
	}
}

// TestForms: a word is known by its stem, however it is written.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"before a commit", "before committing", "before_commit", "beforeCommit",
		"pre-commit", "Before Commits", "before git commit"} {
		a := words.Lines(text, nil)
		if len(a.Lines) == 0 || a.Lines[0] != "before_tool:@shell(git commit*)" || !a.Sure {
			t.Errorf("%q: %+v", text, a)
		}
	}
}

// TestQuantity: what a text counts stands in the first line, what grows by fractions is reached and not
// equalled, and a unit behind a number is no fact.
func TestQuantity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"as soon as 80% of the context is used": "context_usage > 80%",
		"the cost is 3 dollars":                 "cost > $3",
		"after an hour":                         "elapsed > 1h",
		"turn count is 7":                       "turn_count == 7",
		"after ten edits":                       `tool_count("@edit") >= 10`,
		"commits > 3":                           `tool_count("@shell(git commit*)") > 3`,
		"more than 20 edits since the commit":   `tool_count("@edit") > 20`,
		"each 10th turn":                        "every 10 turns",
		"after 20 turns without tests": `turns_since_tool("@shell(*test*)") > 20 ` +
			`or turn_count > 20 and not used("@shell(*test*)")`,
		"answer is longer than 2000 tokens":     "last_response_tokens > 2000",
		"once 50k tokens of output are written": "output_tokens > 50k",
		"after 20 edits without a commit":       `tool_count("@edit") >= 20 and not used("@shell(git commit*)")`,
		"every day at 9":                        "hour >= 9",
		"every second user turn":                "every 2 user turns",
		"after 3 web searches":                  `tool_count("@web") >= 3`,
		"it hasn't committed for 30 turns": `turns_since_tool("@shell(git commit*)") > 30 ` +
			`or turn_count > 30 and not used("@shell(git commit*)")`,
		"before delete files in migrations/": "before_tool:@shell(rm*migrations/*)",
		"every 3 user messages":              "every 3 user turns",
		"on mondays and thursdays":           "weekday in [mon, thu]",
		"when the provider is bedrock":       `provider == "bedrock"`,
		"once 3 files were changed":          `tool_count("@edit") >= 3`,
		"if the user asks a question":        `prompt contains "?"`,
		"when the context was compacted":     "compacted",
		"on branch release/*":                `branch startsWith "release/"`,
		"tests_run == false":                 `not used("@shell(*test*)")`,
		"model contains any of opus, sonnet": `model matches "opus|sonnet"`,
		"the model is haiku keep it simple":  `model contains "haiku"`,
		"context > three quarters":           "context_usage > 75%",
		"before 9am":                         "hour < 9",
		"hour between 9 and 17":              "hour >= 9 and hour <= 17",
		"cost between 2 and 5 dollars":       "cost >= $2 and cost <= $5",
		"elapsed between 10 and 20 minutes":  "elapsed >= 10m and elapsed <= 20m",
		"user turns modulo 3 = 1":            "every 3 user turns",
		"used Bash in last 3 turns":          `turns_since_tool("Bash") <= 3`,
		"the agent is stuck":                 "tool_failed:@shell and failures_in_row >= 3",
		"after_tool:Bash(npm test) failed":   "tool_failed:Bash(npm test)",
		"path == *.go":                       `path endsWith ".go"`,
		"branch != *-wip*":                   `branch not contains "-wip"`,
		"prompt =~ /deploy/i":                `prompt matches "(?i)deploy"`,
		"each turn":                          "every 1 turn",
		"every commit":                       "after_tool:@shell(git commit*)",
		"every day":                          "every 1d",
		"the deploy finished":                "after_tool:@shell(*deploy*)",
		"start editing":                      "before_tool:@edit",
		"npm start":                          "after_tool:@shell(npm start*)",
		"the build passed":                   "after_tool:@shell(*build*) and not tool_failed:@shell(*build*)",
		"the first commit":                   `tool_count("@shell(git commit*)") == 1`,
		"before the first push":              `before_tool:@shell(git push*) and not used("@shell(git push*)")`,
		"response contains all done":         `response contains "all done"`,
	} {
		if lines := words.Lines(text, nil).Lines; len(lines) == 0 || lines[0] != want {
			t.Errorf("%s: %q, want %q", text, lines, want)
		}
	}
}

// TestWithout: each line says what of the text it leaves out; words that only join others do not count.
func TestWithout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"turns since a deploy after 4pm":       `turns_since_tool("@shell(*deploy*)") > 5 [4pm]`,
		"on fridays after 4pm deploys":         "after_tool:@shell(*deploy*) and hour >= 16 and weekday == fri []",
		"when it has read more than 20 files":  `tool_count("@read") > 20 []`,
		"edits of /etc/hosts":                  "after_tool:@edit(/etc/hosts/**) []",
		"edits below ~/.config":                "after_tool:@edit(~/.config/**) [below]",
		"if it reads the same file 3 times":    `tool_count("@read") >= 3 [same]`,
		"if it has been working for an hour":   "elapsed > 1h []",
		"when it greps the entire source":      "after_tool:@search [source]",
		"when a shell command times out":       "tool_failed:@shell []",
		"after every web search":               "after_tool:@web []",
		"in the tests directory":               `cwd contains "tests" []`,
		"after the github mcp server is used":  "after_tool:mcp__github__* []",
		"an hour passed since my last message": "idle > 1h []",
		"in plan mode after 10 turns":          "mode == plan and turn_count > 10 []",
		"a command runs longer than 2 minutes": "any(calls, .duration > 2m) []",
		"before you say you are done":          "stopping []",
		"once it has committed":                "after_tool:@shell(git commit*) []",
		"if i'm idle for an hour":              "idle > 1h []",
		"when it runs rm or sudo":              "after_tool:@shell(rm*),@shell(sudo*) []",
		"if two edits in a row fail":           "tool_failed:@edit and failures_in_row >= 2 []",
		"after every third edit":               `after_tool:@edit and tool_count("@edit") % 3 == 0 []`,
		"idle for a quarter of an hour":        "idle > 15m []",
		"more than two hundred turns":          "turn_count > 200 []",
		"20 edits without a failure":           `tool_count("@edit") >= 20 [failure]`,
		"30 tool calls without asking":         "tool_calls > 30 [asking]",
		"yarn.lock without package.json":       `not called_since("@edit(package.json)", "@edit(yarn.lock)") []`,
		"edits of .github/workflows":           "after_tool:@edit(.github/workflows/**) []",
		"when it has 20k tokens left":          "context_window - context_tokens < 20k []",
		"if no test ran in the last 10 turns": `turns_since_tool("@shell(*test*)") > 10 ` +
			`or turn_count > 10 and not used("@shell(*test*)") []`,
	} {
		a := words.Lines(text, nil)
		if len(a.Lines) == 0 || len(a.Without) != len(a.Lines) {
			t.Errorf("%s: %+v", text, a)
		} else if got := a.Lines[0] + " " + fmt.Sprint(a.Without[0]); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestLeft: what no line answers to is said, and where that is most of a text, no line is shown.
func TestLeft(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"min_turns: 3":          `turn_count > 3 [min]`,
		"same error twice":      `failures_in_row >= 2 [same]`,
		"test_failures >= 2":    `tool_failed:@shell(*test*) and failures_in_row >= 2 []`,
		"cached_tokens < 1000":  `context_tokens < 1000 [cached]`,
		"after the compaction":  `compacted []`,
		"before compaction":     `compacted [before]`,
		"the diff is 500 lines": `[500 lines]`,
		"an install without uv": `[install without uv]`,
		"says done":             `prompt contains "done" []`,
		"the quick brown fox":   `[quick brown fox]`,
		"no push for an hour":   `not used("@shell(git push*)") [hour]`, // no fact has the time since a call
		"hours_since_edit > 2":  `elapsed > 2h [since edit]`,
		"the server is started": `[server]`, // which is not the run's start
		"the task is finished":  `stopping [task]`,
	} {
		a := words.Lines(text, nil)
		got := strings.Join(a.Lines[:min(1, len(a.Lines))], "") + " " + fmt.Sprint(a.Left)
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestDenied: what is denied is what stands beside the denial, and the whole of it.
func TestDenied(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"not at midnight":    "not (hour >= 22 or hour < 6)",
		"not on the weekend": "weekday not in [sat, sun]",
		"not on a workday":   "weekday in [sat, sun]",
		"not on main":        "branch != main",
		"no commit in 20 turns": `turns_since_tool("@shell(git commit*)") > 20 ` +
			`or turn_count > 20 and not used("@shell(git commit*)")`,
		"stopping without tests":  `stopping and not used("@shell(*test*)")`,
		"no tests since the edit": `not called_since("@shell(*test*)", "@edit")`,
		"edits without a commit":  `not called_since("@shell(git commit*)", "@edit")`,
		"outside working hours":   "not (hour >= 9 and hour < 17)",
	} {
		if lines := words.Lines(text, nil).Lines; len(lines) == 0 || lines[0] != want {
			t.Errorf("%s: %q, want %q", text, lines, want)
		}
	}
}

// TestJoinedOnce: a day and an hour beside a call are one line, in one order.
func TestJoinedOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, line := range words.Lines("friday afternoon before a deploy", nil).Lines {
		parts := strings.Split(line, " and ")
		slices.Sort(parts)
		if key := strings.Join(parts, " and "); seen[key] {
			t.Errorf("%s stands twice", line)
		} else {
			seen[key] = true
		}
	}
}

// TestJoined: the line of a moment names the call and what holds at it.
func TestJoined(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"on fridays don't deploy":                     "before_tool:@shell(*deploy*) and weekday == fri",
		"in plan mode, never edit files":              "before_tool:@edit and mode == plan",
		"if it is after 6pm do not npm publish":       "before_tool:@shell(npm publish*) and hour >= 18",
		"if the context is full, do not read":         "before_tool:@read and context_usage > 75%",
		"when the cost is over 2 dollars, never edit": "before_tool:@edit and cost > $2",
		"after a commit, remind me to push":           "after_tool:@shell(git commit*)",
		"never merge on fridays":                      "before_tool:@shell(git merge*) and weekday == fri",
		"never commit directly to main":               "before_tool:@shell(git commit*) and branch == main",
		"no push late at night":                       "before_tool:@shell(git push*) and (hour >= 22 or hour < 6)",
		"monday morning":                              "weekday == mon and hour >= 5 and hour < 12",
		"when a subagent is started, greet it":        "started and thread_type != root",
		"every time it edits css, look at it":         "after_tool:@edit(*.css)",
		"when it says it is done but no tests ran":    `response contains "done"`,
		"when cwd is the frontend, use pnpm":          `cwd contains "frontend"`,
		"in the frontend directory, use pnpm":         `cwd contains "frontend"`,
		"when a pull request is made, link it":        "after_tool:@shell(gh pr create*)",
		"when switching branches, stash":              "branch == main",
		"late at night, keep it small":                "hour >= 22 or hour < 6",
		"when on the billing branch, take care":       `branch contains "billing"`,
		"when it leaves a TODO, ask for a ticket":     `written contains "TODO"`,
		"when it writes more than 500 lines, stop":    `tool_count("@edit") >= 10`,
	} {
		when, whole := words.Sentence(text)
		if when == "" {
			when = whole
		}
		if lines := words.Lines(when, nil).Lines; len(lines) == 0 || lines[0] != want {
			t.Errorf("%s: %q, want %q", text, lines, want)
		}
	}
}

// TestCommandLine: what stands behind a program is of its command, and a flag may stand anywhere in it.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, m := range words.All() {
		for _, program := range m.Words {
			if m.Kind != words.Program {
				continue
			}
			for text, want := range map[string]string{program + " frobnicate": program + " frobnicate*",
				program + "_frobnicate":    program + " frobnicate*",
				program + " -x":            program + "*-x*",
				program + " frob --dry-it": program + " frob*--dry-it*"} {
				want = "before_tool:@shell(" + want + ")"
				if lines := words.Lines("before "+text, nil).Lines; len(lines) == 0 || lines[0] != want {
					t.Errorf("before %s: %q, want %q", text, lines, want)
				}
			}
		}
	}
	for text, want := range map[string]string{"after a .sql file": "after_tool:@edit(*.sql)",
		"after editing python files": "after_tool:@edit(*.py)", "after .env files": "after_tool:@edit(.env)",
		"pushing on friday": "before_tool:@shell(git push*) and weekday == fri",
		"in src/legacy":     "after_tool:@edit(src/legacy/**)"} {
		if lines := words.Lines(text, nil).Lines; len(lines) == 0 || lines[0] != want {
			t.Errorf("%s: %q, want %q", text, lines, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, m := range words.All() {
		f.Add(m.Text)
		f.Add("before " + m.Words[0] + " 5m or " + m.Words[len(m.Words)-1])
	}
	for _, text := range []string{
		"", "time > 99:99", "/a/", "calls.some(c => c.failed)", "*/5 * * * *", "[", "'",
		"É"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > words.MaxLine {
			return
		}
		a, again := words.Lines(text, nil), words.Lines(text, nil)
		if len(a.Lines) > 3 || a.Sure && (len(a.Lines) == 0 || a.Left != nil) || !reflect.DeepEqual(a, again) {
			t.Errorf("%q: %+v, then %+v", text, a, again)
		}
		if when, said := words.Sentence(text); len(when) > len(text)+len("before ") || len(said) > len(text)+4 {
			t.Errorf("%q: %q, %q", text, when, said)
		}
		for at := range len(text) + 1 {
			if from, to := words.Clause(text, at); from < 0 || to < from || to > len(text) {
				t.Errorf("%q at %d: %d to %d", text, at, from, to)
			}
		}
	})
}
