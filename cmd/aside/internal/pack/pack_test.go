package pack_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/aside/internal/pack"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
	"github.com/aside-go/aside/internal/test/testkit"
)

// reason is why a recipe is there, as a comment of its file says.
func reason(r pack.Recipe) string {
	_, why, _ := strings.Cut(string(r.Rule), "# Why: ")
	why, _, _ = strings.Cut(why, "\n")
	return why
}

// TestRecipes holds what the cookbook promises of each rule: it is in canonical form, nothing is to be said
// of it, alone or beside the others, it has a reason, and its rule test passes where it is written, sees each
// part of it true and false, and sees it fire.
func TestRecipes(t *testing.T) {
	t.Parallel()
	all := pack.All()
	if len(all) < 30 {
		t.Errorf("%d recipes", len(all))
	}
	var tests []string
	for _, r := range all {
		file := r.ID + ".md"
		if out, ds := document.Format(file, r.Rule); len(ds) > 0 || string(out) != string(r.Rule) {
			t.Errorf("%s: not in canonical form: %v\n%s", r.Name(), ds, out)
		}
		set, ds := compile.FromFiles([]compile.Source{r.Source()}, compile.Options{})
		for _, d := range lint.Run(set, ds, map[string][]byte{file: r.Rule}, lint.Options{}) {
			t.Errorf("%s: %s", r.Name(), d)
		}
		if len(reason(r)) < 20 || r.Source().Description == "" {
			t.Errorf("%s: why %q, description %q", r.Name(), reason(r), r.Source().Description)
		}
		if found, ok := pack.Find(r.Name()); !ok || found.ID != r.ID || found.Pack != r.Pack {
			t.Errorf("%s is not found by its name", r.Name())
		}
		dir := t.TempDir()
		test := filepath.Join(dir, filepath.FromSlash(r.TestFile().Name))
		for name, text := range map[string][]byte{filepath.Join(dir, "reminders", file): r.Rule,
			test: r.TestFile().Text} {
			if os.MkdirAll(filepath.Dir(name), 0o755) != nil || os.WriteFile(name, text, 0o644) != nil {
				t.Fatal("cannot write", name)
			}
		}
		tests = append(tests, test)
	}
	set, sources := whole(t)
	for _, d := range lint.Run(set, nil, sources, lint.Options{}) {
		t.Errorf("all together: %s", d)
	}
	rep, err := ruletest.Run(t.Context(), tests, ruletest.Options{Coverage: true})
	var b strings.Builder
	if err != nil || rep.WriteText(&b) != nil || !rep.OK() || rep.Coverage.Percent() != 100 {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, r := range rep.Coverage.Reminders {
		if r.Fires == 0 {
			t.Errorf("%+v: no test sees it fire", r)
		}
	}
	if _, ok := pack.Find("nothing@git"); ok {
		t.Error("there is a recipe of nothing")
	}
}

// whole returns all recipes as one set, and their files by name.
func whole(t *testing.T) (*compile.Set, map[string][]byte) {
	t.Helper()
	var rs []compile.Source
	sources := map[string][]byte{}
	for _, r := range pack.All() {
		rs = append(rs, r.Source())
		sources[r.ID+".md"] = r.Rule
	}
	set, ds := compile.FromFiles(rs, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return set, sources
}

const head = `# Cookbook: reminders in packs

    aside add push-to-main@git                  # writes the rule and its rule test, for you to change
    aside replay --rules ~/.aside/reminders/push-to-main.md

A rule of the cookbook is yours once it is written, and nothing updates it behind your back. The same command,
given again, shows the difference to the cookbook and asks whether to replace yours.

The tables have, for each rule, the reason for it, and what it does in the sample sessions of this project
(%s in %s, real and made up): how often it fires there, and of the firings with an outcome, how
many were heeded without it. That is too little for a verdict: ` + "`aside replay --effect`" + ` counts in your
own sessions.
`

// TestPage holds the page of the manual to the recipes, and to what they do in the sample sessions.
func TestPage(t *testing.T) {
	t.Parallel()
	set, _ := whole(t)
	rates := baserate.New(set, nil)
	var report *replay.Report
	root := filepath.Join("..", "..", "..", "..")
	if err := replay.Run(t.Context(), replay.Options{Set: set, Views: []replay.View{rates,
		ended(func(r *replay.Report) {
			report = r
		})}, Paths: []string{filepath.Join(root, "testdata", "transcripts"),
		filepath.Join(root, "cmd", "internal", "sample", "sample")}}); err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	for _, r := range report.Reminders {
		if of[r.ID] = "does not fire: " + r.Never; r.Never == "" {
			of[r.ID] = "fires " + strings.Replace(terminal.Many(r.Fires, "time"), "1 time", "once", 1)
		}
	}
	for _, r := range rates.Rates() {
		if r.Settled() > 0 {
			of[r.ID] += fmt.Sprintf(", %d of %d heeded anyway", r.Heeded, r.Settled())
		}
	}
	var page strings.Builder
	fmt.Fprintf(&page, head, terminal.Many(report.Turns, "turn"), terminal.Many(report.Runs, "run"))
	last := ""
	for _, r := range pack.All() {
		if r.Pack != last {
			fmt.Fprintf(&page, "\n## %s\n\n| rule | fires when | why | in the sample sessions |\n|---|---|---|---|\n",
				r.Pack)
			last = r.Pack
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", r.Name(), r.Source().Description, reason(r),
			strings.ReplaceAll(of[r.ID], "|", `\|`))
	}
	testkit.Golden(t, filepath.Join(root, "cmd", "internal", "manual", "cookbook.md"), page.String())
}

// ended is a replay.View that is called at the end.
type ended func(*replay.Report)

func (ended) Turn(*replay.Step)      {}
func (ended) RunOver(*replay.Rest)   {}
func (e ended) End(r *replay.Report) { e(r) }
