package starter_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
	"github.com/aside-go/aside/internal/test/testkit"
)

// written writes the files of some reminders and returns the directory.
func written(t *testing.T, ids ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range starter.Files(ids...) {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tests(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*_test.yaml"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	return list
}

// TestFiles holds the files to their promises: they are in canonical form, the rule tests that go
// with them hold, here, where they are written to and one by one, and see every part of every trigger true
// and false.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, f := range starter.Files(starter.All()...) {
		if !strings.HasSuffix(f.Name, ".md") {
			continue
		}
		if out, ds := document.Format(f.Name, f.Text); len(ds) > 0 || string(out) != string(f.Text) {
			t.Errorf("%s: not in canonical form: %v\n%s", f.Name, ds, out)
		}
	}
	paths := append(tests(t, "tests"), tests(t, filepath.Join(written(t, starter.All()...), starter.Tests))...)
	for _, id := range starter.All() {
		paths = append(paths, tests(t, filepath.Join(written(t, id), starter.Tests))...)
	}
	rep, err := ruletest.Run(context.Background(), paths, ruletest.Options{Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil || !rep.OK() {
		t.Errorf("%v\n%s", err, b.String())
	}
	if passed, _, _ := rep.Counts(); passed < 90 || len(rep.Files) != 3*len(starter.All()) {
		t.Errorf("only %d tests in %d files", passed, len(rep.Files))
	}
	if rep.Coverage.Percent() != 100 || slices.ContainsFunc(rep.Coverage.Reminders,
		func(r ruletest.Covered) bool { return r.Fires == 0 }) {
		t.Error(b.String())
	}
}

// TestUnfit holds that exactly the rules that can never fire are known: those about a moment that the agent
// does not tell, and those about facts that it never reports.
func TestUnfit(t *testing.T) {
	t.Parallel()
	failures := []string{"going-in-circles", "repeated-failures"}
	for name, want := range testkit.Few(map[string][]string{
		"claude-code": nil, "serve": nil, "codex": nil, "copilot": {"context-nearly-full"},
		"gemini": {"after-compaction"},
		"crush":  append([]string{"after-compaction", "context-nearly-full", "long-silence"}, failures...),
	}, 3) {
		a, _ := agent.Host(name)
		if !slices.Contains(a.Moments, fact.BeforeTool) {
			want = append(slices.Clone(want), "before-destructive-command", "secret-files")
		}
		if !slices.Contains(a.Moments, fact.Stopping) {
			want = append(slices.Clone(want), "run-tests")
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(starter.Unfit(name))); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestStandIns holds that a stand-in knows the same calls as the reminder in whose place it stands, fires at
// no moment but a turn, and is written by its name alone.
func TestStandIns(t *testing.T) {
	t.Parallel()
	rs, _ := starter.Reminders(starter.All()...)
	trigger := map[string]string{}
	for _, r := range rs {
		trigger[r.ID] = r.Trigger
	}
	found := 0
	for _, id := range starter.All() {
		other := starter.StandIn(id)
		if other == "" {
			continue
		}
		found++
		if slices.Contains(starter.IDs(), other) || !slices.Contains(starter.All(), other) {
			t.Errorf("%s: %s is among the reminders for all, or nowhere", id, other)
		}
		same := strings.NewReplacer("before_tool:", "after_tool:", "stopping and", "and", "stopping", "",
			"after_tool:@shell(git commit*)", "", "\n", " ")
		words := func(s string) string { return strings.Join(strings.Fields(same.Replace(s)), " ") }
		if a, b := words(trigger[id]), words(trigger[other]); strings.TrimPrefix(a, "and ") !=
			strings.TrimPrefix(b, "and ") {
			t.Errorf("%s and %s know other calls:\n%s\n%s", id, other, a, b)
		}
	}
	if found != len(starter.All())-len(starter.IDs()) || found < 3 {
		t.Errorf("%d stand-ins", found)
	}
}

// TestExpected holds that a run of tests by which a reminder does not fire is one by which it is heeded, and
// that each reminder says what it expects but those that cannot be compared with runs that were held out.
func TestExpected(t *testing.T) {
	t.Parallel()
	rs, _ := starter.Reminders(starter.All()...)
	runs, since := 0, regexp.MustCompile(`called_since\("(@shell[^"]*)"`)
	for _, r := range rs {
		if (r.Expect == "") != (r.Tier == reminder.Safety) {
			t.Errorf("%s: expect %q", r.ID, r.Expect)
		}
		for _, calls := range since.FindAllStringSubmatch(r.Trigger, -1) {
			for call := range strings.SplitSeq(calls[1], ", ") {
				if runs++; call != "@task" && !strings.Contains(r.Expect, call) {
					t.Errorf("%s does not expect %s", r.ID, call)
				}
			}
		}
	}
	if runs < 80 {
		t.Errorf("only %d runs of tests", runs)
	}
}

// TestReminders holds that they load, and that nothing is to be said of them, least of all of their wording.
func TestReminders(t *testing.T) {
	t.Parallel()
	rs, ds := starter.Reminders(starter.All()...)
	set, more := compile.FromFiles(rs, compile.Options{})
	if len(ds)+len(more) > 0 || set.Len() != len(rs) || set.Len() < 8 || !slices.Equal(set.IDs(),
		starter.All()) {
		t.Errorf("%d reminders, %v in the set, %v %v", len(rs), set.IDs(), ds, more)
	}
	sources := map[string][]byte{}
	for _, f := range starter.Files(starter.All()...) {
		sources["starter/"+filepath.Base(f.Name)] = f.Text
	}
	for _, d := range lint.Run(set, nil, sources, lint.Options{}) {
		t.Error(d)
	}
	// the names of tools are those of all agents; a fact may be one that an agent never reports
	hosts := agent.Names(agent.Hosts())
	for _, agent := range hosts[:testkit.Repeat(2, len(hosts))] {
		unfit := starter.Unfit(agent)
		for _, d := range lint.Run(set, nil, sources, lint.Options{Agent: agent}) {
			if strings.Contains(d.Message, " only at times: ") {
				continue
			}
			if why := unfit[strings.TrimSuffix(filepath.Base(d.File), ".md")]; d.Code != "R1009" || why == "" {
				t.Errorf("for %s: %s", agent, d)
			}
		}
		for id, why := range unfit {
			if !strings.HasSuffix(why, "so this reminder never fires there") {
				t.Errorf("for %s: %s is left out though it may fire: %s", agent, id, why)
			}
		}
	}
	for _, r := range rs {
		if r.Description == "" || strings.Contains(r.Text, "!") || strings.ToUpper(r.Text) == r.Text {
			t.Errorf("%s: %q, %q", r.ID, r.Description, r.Text)
		}
	}
}
