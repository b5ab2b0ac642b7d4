package starter_test

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/ruletest"
	"github.com/aside-go/aside/cmd/aside/internal/starter"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/document"
)

// TestFiles holds the files to what is promised of them: they load without a remark, are in canonical form, and the rule test
// that goes with them holds, both here and where it is written to.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range starter.Files() {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Text, 0o644); err != nil {
			t.Fatal(err)
		}
		if f.Name == starter.Test {
			continue
		}
		if out, ds := document.Format(f.Name, f.Text); len(ds) > 0 || string(out) != string(f.Text) {
			t.Errorf("%s: not in canonical form: %v\n%s", f.Name, ds, out)
		}
	}
	rep, err := ruletest.Run(context.Background(), []string{"starter_test.yaml", filepath.Join(dir, starter.Test)}, ruletest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil || !rep.OK() {
		t.Errorf("%v\n%s", err, b.String())
	}
	if passed, _, _ := rep.Counts(); passed < 20 {
		t.Errorf("only %d tests", passed)
	}
}

// TestCovered fails for a reminder that no rule test sees fire.
func TestCovered(t *testing.T) {
	t.Parallel()
	var test string
	for _, f := range starter.Files() {
		if f.Name == starter.Test {
			test = string(f.Text)
		}
	}
	for _, f := range starter.Files() {
		id := strings.TrimSuffix(path.Base(f.Name), ".md")
		fires := regexp.MustCompile(`fires: \[` + id + `\]|fires_at: \{` + id + `: \[\d`)
		if f.Name != starter.Test && !fires.MatchString(test) {
			t.Errorf("%s: no test", id)
		}
	}
}

func TestReminders(t *testing.T) {
	t.Parallel()
	rs, ds := starter.Reminders()
	set, more := compile.New(rs, compile.Options{})
	if len(ds)+len(more) > 0 || set.Len() != len(rs) || set.Len() < 8 {
		t.Errorf("%d reminders, %d in the set, %v %v", len(rs), set.Len(), ds, more)
	}
	for _, r := range rs {
		if r.Description == "" || strings.Contains(r.Text, "!") || strings.ToUpper(r.Text) == r.Text {
			t.Errorf("%s: %q, %q", r.ID, r.Description, r.Text)
		}
	}
}
