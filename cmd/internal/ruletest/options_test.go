package ruletest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/ruletest"
)

// write writes a file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOnly holds that a test that is not asked for is neither run nor read: what is wrong in it is not said.
func TestOnly(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "o_test.yaml", `
reminders: [{id: r, when: always, content: R}]
tests:
  - {name: one, steps: [{fires: [r]}]}
  - {name: two fails, steps: [{}]}
  - {name: three is mistaken, stepz: [{}]}
  - {steps: [{fires: [r]}]}
`)
	for _, c := range []struct {
		only                  string
		tests, failed, wrongs int
		skipped               int
	}{
		{"one", 1, 0, 0, 3},
		{"^(one|two)", 2, 1, 0, 2},
		{"three", 1, 0, 1, 3},
		{"nothing", 0, 0, 0, 4},
		{".", 3, 1, 1, 1},
		{"", 4, 1, 2, 0},
	} {
		rep, err := ruletest.Run(context.Background(), []string{path},
			ruletest.Options{Only: regexp.MustCompile(c.only)})
		if err != nil {
			t.Fatal(err)
		}
		_, failed, mistakes := rep.Counts()
		if f := rep.Files[0]; len(f.Tests) != c.tests || failed != c.failed || mistakes != c.wrongs ||
			f.Skipped != c.skipped {
			t.Errorf("%q: %d tests, %d failed, %d mistakes, %d left out; want %+v", c.only, len(f.Tests), failed,
				mistakes, f.Skipped, c)
		}
	}
}

// TestOnlyLeavesTheRemindersAlone holds that reminders of the file that nobody asked for are not compiled.
func TestOnlyLeavesTheRemindersAlone(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "o_test.yaml", `
reminders: [{id: r, when: alwas, content: R}]
tests:
  - {name: one, reminders: [{id: r, when: always, content: R}], steps: [{fires: [r]}]}
  - {name: two, steps: [{fires: [r]}]}
`)
	rep, err := ruletest.Run(context.Background(), []string{path},
		ruletest.Options{Only: regexp.MustCompile("one")})
	if err != nil || !rep.OK() {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestCoverage holds which parts are told, where, and as what.
func TestCoverage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "rules"), 0o700); err != nil {
		t.Fatal(err)
	}
	md := write(t, dir, "rules/full.md",
		"---\ndescription: x\nwhen: >-\n  context_usage>75% and\n  !(user_message or message_count > 3)\nrearm: "+
			"context_usage < 60%\n---\nFull.\n")
	write(t, dir, "rules/list.yaml",
		"reminders:\n  - {id: always, when: always, content: A}\n  - {id: tools, while: "+
			"'after_tool:A,B', content: "+
			"T}\n  - {id: never-seen, when: prompt == x, content: N}\n")
	one := write(t, dir, "one_test.yaml", `
reminders: [rules/*]
tests:
  - name: first
    steps:
      - {facts: {context_usage: 0.5, user_message: false}, fires: [always]}
      - {facts: {context_usage: 0.8, user_message: false, message_count: 2, tools: [A]}, fires: [full, tools]}
      - {facts: {context_usage: 0.8, tools: []}}
  - name: of its own
    reminders: [{id: own, when: turn_count > 9, content: O}]
    steps: [{}]
`)
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	two := write(t, sub, "two_test.yaml",
		"reminders: [../rules/full.md]\ntests:\n  - name: second\n    steps: [{facts: {user_message: true}}]\n")
	rep, err := ruletest.Run(context.Background(), []string{one, two}, ruletest.Options{Coverage: true,
		Named: []string{dir}})
	if err != nil || !rep.OK() {
		var b strings.Builder
		_ = rep.WriteText(&b)
		t.Fatalf("%v\n%s", err, b.String())
	}
	var got []string
	for _, r := range rep.Coverage.Reminders {
		got = append(got, fmt.Sprintf("%s %s:%d %d turns %d fires", r.ID, filepath.Base(r.File), r.Line,
			r.Turns, r.Fires))
		for _, p := range r.Parts {
			got = append(got, fmt.Sprintf("  %s %d:%d %s: %d true %d false %d unknown %s", p.Of, p.Line, p.Column,
				p.Text, p.True, p.False, p.Unknown, p.Missing()))
		}
	}
	want := []string{
		"own one_test.yaml:10 1 turns 0 fires",
		"  trigger 10:33 turn_count > 9: 0 true 1 false 0 unknown never true",
		"full full.md:3 4 turns 1 fires",
		"  trigger 4:3 context_usage > 75% and not (user_message or message_count > 3): 1 true 2 false 1 unknown ",
		"  trigger 4:3 context_usage > 75%: 2 true 1 false 1 unknown ",
		"  trigger 5:5 user_message or message_count > 3: 1 true 1 false 2 unknown ",
		"  trigger 5:5 user_message: 1 true 2 false 1 unknown ",
		"  trigger 5:21 message_count > 3: 0 true 1 false 3 unknown never true",
		"  rearm 6:8 context_usage < 60%: 1 true 2 false 1 unknown ",
		"always list.yaml:2 3 turns 1 fires",
		"tools list.yaml:3 3 turns 1 fires",
		"  trigger 3:25 after_tool:A,B: 1 true 1 false 1 unknown ",
		"never-seen list.yaml:4 3 turns 0 fires",
		"  trigger 4:28 prompt == x: 0 true 0 false 3 unknown never decided",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	seen, all := rep.Coverage.Outcomes()
	if seen != 14 || all != 18 || rep.Coverage.Percent() != 100*14.0/18 {
		t.Errorf("%d of %d, %v%%", seen, all, rep.Coverage.Percent())
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	said := b.String()[strings.Index(b.String(), "coverage:"):]
	wantText := "coverage: 77.8% of triggers, 14 of 18 outcomes in 5 reminders\n" +
		"  own: never fired on 1 turn\n    " + one + ":10:33  never true  turn_count > 9\n" +
		"  full: fired 1 time on 4 turns\n    " + md + ":5:21  never true  message_count > 3\n" +
		"  never-seen: never fired on 3 turns\n    " + filepath.Join(dir, "rules/list.yaml") +
		":4:28  never decided  prompt == x\n"
	if diff := cmp.Diff(wantText, said); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	b.Reset()
	if err := rep.WriteJSON(&b); err != nil || !strings.Contains(b.String(), `"coverage":{"percent":77.7`) ||
		!strings.Contains(b.String(), `"text":"prompt == x","line":4,"column":28,"true":0,"false":0,"unknown":3}`) {
		t.Errorf("%v %s", err, b.String())
	}
}

// TestCoverageKnowsTexts holds that a prompt, which no state keeps, is seen all the same.
func TestCoverageKnowsTexts(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "p_test.yaml", `
reminders: [{id: r, when: prompt contains "deploy", content: R}]
tests:
  - {name: n, steps: [{facts: {prompt: deploy it}, fires: [r]}, {facts: {prompt: hello}, discard: true}, {facts: {prompt: hello}}]}
`)
	rep, err := ruletest.Run(context.Background(), []string{path}, ruletest.Options{Coverage: true})
	if err != nil || !rep.OK() || rep.Coverage.Percent() != 100 {
		t.Errorf("%+v %v", rep.Coverage, err)
	}
}

// TestRunSource holds that a file in an editor is run as it stands there, beside the files on disk that it
// names.
func TestRunSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "r.md", "---\nwhen: turn_count > 1\n---\nR\n")
	path := filepath.Join(dir, "unsaved_test.yaml")
	f := ruletest.RunSource(t.Context(), path,
		[]byte("reminders: [r.md]\ntests:\n  - {name: n, steps: [{}, {fires: [r]}]}\n  - {name: m, steps: "+
			"[{fires: [r]}]}\n"), ruletest.Options{})
	if f.Path != path || len(f.Diagnostics) > 0 || len(f.Tests) != 2 || f.Tests[0].Status != ruletest.Passed ||
		f.Tests[1].Divergence.Line != 4 {
		t.Errorf("%+v", f)
	}
}

// TestCoverageMissing holds each way in which something can be missing, and that one file named in two ways
// is one.
func TestCoverageMissing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "r.md", "---\nwhile: turn_count > 0 and (turn_count > 9 or message_count > 3)\n---\nR\n")
	path := write(t, dir, "a_test.yaml", `
reminders: [r.md]
tests:
  - name: n
    steps: [{}, {reload: [{id: late, when: turn_count > 5, content: L}]}]
`)
	t.Chdir(dir)
	rep, err := ruletest.Run(context.Background(), []string{path, filepath.Base(path)},
		ruletest.Options{Coverage: true})
	if err != nil || !rep.OK() {
		t.Fatal(rep, err)
	}
	got := map[string]string{}
	for _, r := range rep.Coverage.Reminders {
		for _, p := range r.Parts {
			got[r.ID+" "+p.Text] = fmt.Sprintf("%s on %d", p.Missing(), r.Turns)
		}
	}
	want := map[string]string{
		"r turn_count > 0 and (turn_count > 9 or message_count > 3)": "never decided on 2",
		"r turn_count > 0":                      "never false on 2",
		"r turn_count > 9 or message_count > 3": "never decided on 2",
		"r turn_count > 9":                      "never true on 2",
		"r message_count > 3":                   "never decided on 2",
		"late turn_count > 5":                   "never evaluated on 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestCallsShown holds how calls stand in a report, for people and for machines.
func TestCallsShown(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "c_test.yaml", `
reminders: [{id: r, while: 'any(calls, .failed)', content: R}, {id: p, when: 'before_tool:Bash', pause: true, content: P}]
tests:
  - name: n
    steps:
      - {facts: {calls: [{tool: Bash, command: ls}, {tool: Edit, path: [a, b], failed: true}, {tool: Read}]}}
      - {before: {tool: Bash, command: x}, fires: [p], paused: []}
      - {facts: {}, fires: [r]}
      - {before: {tool: Bash, command: x}, fires: [p], outcomes: {p: open}}
`)
	rep, text := run(t, path)
	for _, want := range []string{
		"  [Bash(ls), Edit(a, b) failed, Read]  []        [r]\n",
		"    paused    []         [p]\n",
		"p did not fire: answered: it has spoken about this already: ",
		"    outcomes  [p: open]  []\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	var b strings.Builder
	if err := rep.WriteJSON(&b); err != nil ||
		!strings.Contains(b.String(), `"facts":{"calls":["Bash(ls)","Edit(a, b) failed","Read"]}`) {
		t.Error(err, b.String())
	}
}
