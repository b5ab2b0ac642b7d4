package check

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// The corpus is testdata/faulty, rule files with mistakes that people make, and testdata/good, rule files
// without any.
//
// Each finding of a faulty file stands in the file itself, on a line of its own that no reader of rules looks
// at: a comment of the YAML, beside the mistake, or where a comment would change that, at the end of the
// front matter or of the file:
//
//	# want: LINE:COLUMN CODE HINT
//
// A file has these findings and no others. "# check: FLAGS" names the flags of "aside check" that the file is
// checked with. A directory below faulty is checked as one directory of rules, each of its files holding its
// findings.
var (
	wantLine  = regexp.MustCompile(`(?m)^[ \t]*# want: (\d+:\d+ R\d{4}(?: .*?)?)\r?$`)
	checkLine = regexp.MustCompile(`(?m)^[ \t]*# check: (.*?)\r?$`)
)

// corpus are the files below a directory of testdata, in units that are checked at once: a file, or a
// directory of several.
func corpus(t testing.TB, name string) (units [][]string) {
	t.Helper()
	root := filepath.Join("..", "..", "..", "..", "testdata", name)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, en := range entries {
		path := filepath.Join(root, en.Name())
		if !en.IsDir() {
			units = append(units, []string{path})
			continue
		}
		files, err := rules.Expand(path)
		if err != nil || len(files) == 0 {
			t.Fatal(path, err)
		}
		units = append(units, files)
	}
	return units
}

// checked returns the findings of "aside check" in a unit.
func checked(t testing.TB, unit []string, srcs map[string][]byte) grammar.Diagnostics {
	t.Helper()
	var args []string
	for _, name := range unit {
		if m := checkLine.FindSubmatch(srcs[name]); m != nil {
			args = append(args, strings.Fields(string(m[1]))...)
		}
	}
	var flags struct {
		Agent     string
		Allow     []string
		Var       []string `sep:"none"`
		MaxTokens int
	}
	k, err := kong.New(&flags)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Parse(args); err != nil {
		t.Fatalf("%v: %v", unit, err)
	}
	c := Cmd{Agent: flags.Agent, Allow: flags.Allow, Var: flags.Var, MaxTokens: flags.MaxTokens}
	opts, err := c.lints()
	if err != nil {
		t.Fatal(err)
	}
	c.Paths = unit
	if len(unit) > 1 {
		c.Paths = []string{filepath.Dir(unit[0])}
	}
	f, err := c.findings(&command.Env{Out: bufio.NewWriter(io.Discard), Err: io.Discard}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f.ds
}

func sources(t testing.TB, unit []string) map[string][]byte {
	t.Helper()
	srcs := map[string][]byte{}
	for _, name := range unit {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		srcs[name] = b
	}
	return srcs
}

// told is a finding as the corpus writes it.
func told(d grammar.Diagnostic) string {
	d = rules.Anchored(d)
	hint := strings.ReplaceAll(d.Hint, filepath.Join("..", "..", "..", "..", "testdata",
		"faulty")+string(filepath.Separator), "")
	return strings.TrimSpace(fmt.Sprintf("%s:%d:%d %s %s", d.File, d.Range.Start.Line, d.Range.Start.Column,
		d.Code, hint))
}

// TestFaulty: each faulty file has the findings that it says it has, and no others.
func TestFaulty(t *testing.T) {
	t.Parallel()
	files := 0
	seen := map[string]int{}
	for _, unit := range corpus(t, "faulty") {
		srcs := sources(t, unit)
		var want, got []string
		for _, name := range unit {
			files++
			for _, m := range wantLine.FindAllSubmatch(srcs[name], -1) {
				want = append(want, name+":"+string(m[1]))
			}
		}
		for _, d := range checked(t, unit, srcs) {
			got = append(got, told(d))
			seen[string(d.Code)]++
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(want) == 0 {
			t.Errorf("%v: nothing is wanted", unit)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	if files < 300 {
		t.Errorf("only %d files", files)
	}
	for _, c := range code.All() {
		switch c.ID[:3] {
		case "R07", "R08", "R11": // of rule tests, of transcripts and of configurations
			continue
		}
		if why := elsewhere[string(c.ID)]; (why == "") != (seen[string(c.ID)] > 0) {
			t.Errorf("%s is found %d times, and elsewhere since %q", c.ID, seen[string(c.ID)], why)
		}
	}
}

// elsewhere are codes that no file of a size for people causes, with the reason.
var elsewhere = map[string]string{
	"R0101": "an empty trigger is R0414 in a file", "R0199": "never seen",
	"R0221": "a host says which tools it has",
	"R0312": "R0125 comes first", "R0403": "such a file is not read", "R0440": "a file that cannot be " +
		"read", "R0441": "no regular file", "R0442": "10,000 reminders",
	"R0443": "two directories", "R0444": "two directories", "R0508": "a text of more than 64 " +
		"KiB", "R0601": "R0420 in a file", "R0602": "R0422 in a file", "R0603": "R0421 in a file",
	"R0604": "code alone", "R0605": "code alone", "R0606": "code alone", "R0607": "code alone",
	"R0610": "R0442 in files", "R0618": "R0427 in a file",
	"R0445": "the directory has to be named", "R0446": "the directory has to be named",
}

// TestGood: the files that serve as examples have no finding at all, and are in canonical form.
func TestGood(t *testing.T) {
	t.Parallel()
	files := 0
	for _, unit := range corpus(t, "good") {
		files += len(unit)
		srcs := sources(t, unit)
		ds := slices.DeleteFunc(checked(t, unit, srcs), func(d grammar.Diagnostic) bool {
			return d.Code == code.NoTrigger // some examples are one-shot
		})
		if len(ds) > 0 {
			t.Errorf("%v", ds)
		}
		for name, src := range srcs {
			if out, _ := document.Format(name, src); !bytes.Equal(out, src) {
				t.Errorf("%s is not in canonical form\n%s", name, cmp.Diff(string(src), string(out)))
			}
		}
	}
	if files < 100 {
		t.Errorf("only %d files", files)
	}
}

// applied is src with an edit.
func applied(src []byte, e *grammar.Edit) []byte {
	return slices.Concat(src[:e.Range.Start.Offset], []byte(e.Text), src[e.Range.End.Offset:])
}

// TestL4Hints: following the hint of an error makes it go away, and brings no other.
func TestL4Hints(t *testing.T) {
	t.Parallel()
	errors, fixes, warnings, mended := 0, 0, 0, 0
	without := map[string]int{}
	for _, unit := range corpus(t, "faulty") {
		srcs := sources(t, unit)
		before := checked(t, unit, srcs)
		for _, d := range before {
			if d.Severity == grammar.Error {
				errors++
			} else {
				warnings++
			}
			if d.Fix == nil {
				if d.Severity == grammar.Error {
					without[string(d.Code)]++
				}
				continue
			}
			if d.Severity == grammar.Error {
				fixes++
			} else {
				mended++
			}
			follow(t, d, before, srcs)
		}
	}
	t.Logf("%d of %d errors and %d of %d other findings carry a fix; errors without: %v", fixes, errors, mended,
		warnings, without)
}

// stage is when a mistake is found: those of a later stage are told once there are none of the earlier ones
// in the same trigger.
func stage(d grammar.Diagnostic) int {
	return map[string]int{"R04": 0, "R01": 1, "R02": 2, "R03": 2, "R05": 2, "R06": 3, "R09": 4,
		"R10": 4}[string(d.Code)[:3]]
}

// follow applies the fix of d, one of before.
func follow(t *testing.T, d grammar.Diagnostic, before grammar.Diagnostics, srcs map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	var unit []string
	fixed := map[string][]byte{}
	for name, src := range srcs {
		if name == d.File {
			src = applied(src, d.Fix)
		}
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, src, 0o644); err != nil {
			t.Fatal(err)
		}
		unit, fixed[path] = append(unit, path), src
	}
	slices.Sort(unit)
	left := map[string]int{}
	for _, o := range before {
		left[string(o.Code)+" "+o.Message]++
	}
	left[string(d.Code)+" "+d.Message]--
	for _, o := range checked(t, unit, fixed) {
		key := string(o.Code) + " " + o.Message
		if left[key]--; left[key] < 0 && (o.Severity == grammar.Error || o.Code == d.Code) && stage(o) <= stage(d) {
			t.Errorf("%v\nfollowed by %q there is\n%v\n%s", d, d.Fix.Text, o, fixed[o.File])
		}
	}
}

// TestFix: a file after --fix has fewer mistakes, and a second --fix changes nothing; a good file stays
// as it is.
func TestFix(t *testing.T) {
	t.Parallel()
	schema := fact.Builtin()
	count := func(ds grammar.Diagnostics) (errors int) {
		for _, d := range ds {
			if d.Severity == grammar.Error {
				errors++
			}
		}
		return errors
	}
	clean, faulty := 0, 0
	for _, dir := range []string{"faulty", "good"} {
		for _, unit := range corpus(t, dir) {
			for name, src := range sources(t, unit) {
				out, n := mended(name, src, schema, lint.Options{})
				before, after := count(checkAlone(name, src, schema, lint.Options{})), count(checkAlone(name, out, schema,
					lint.Options{}))
				if again, m := mended(name, out, schema, lint.Options{}); m > 0 || !bytes.Equal(again, out) {
					t.Errorf("%s: a second time makes more of it:\n%s\n%s", name, out, again)
				}
				switch {
				case n == 0 && !bytes.Equal(src, out), n > 0 && bytes.Equal(src, out):
					t.Errorf("%s: %d mended\n%s", name, n, out)
				case dir == "good" && n > 0 && !checkLine.Match(src):
					t.Errorf("%s is good, and becomes\n%s", name, out)
				case after > before:
					t.Errorf("%s has %d errors, and then %d:\n%s", name, before, after, out)
				}
				if before > 0 {
					faulty++
					if after == 0 {
						clean++
					}
				}
			}
		}
	}
	t.Logf("%d of %d files with errors have none after --fix", clean, faulty)
}

// hookAgent returns the error with which "aside hook" refuses an agent.
func hookAgent(name string) error {
	_, err := hook.Parse([]string{"--agent", name})
	return err
}

// TestHosts: check knows the agents that hook knows, and serve.
func TestHosts(t *testing.T) {
	t.Parallel()
	var want []string
	for _, a := range agent.All() {
		if err := hookAgent(a.Name); err == nil {
			want = append(want, a.Name)
		}
	}
	want = append(want, "serve")
	got := agent.Names(agent.Hosts())
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFollowHints: of edits that touch each other one is made, those that ask for a choice are not.
func TestFollowHints(t *testing.T) {
	t.Parallel()
	edit := func(from, to int, text string) grammar.Diagnostic {
		return grammar.Diagnostic{Code: "R0110", Fix: &grammar.Edit{Range: grammar.Range{Start: grammar.Position{
			Offset: from}, End: grammar.Position{Offset: to}}, Text: text}}
	}
	remark, part := edit(0, 1, "X"), edit(0, 1, "X")
	remark.Severity, part.Severity, part.Fix = grammar.Info, grammar.Warning, part.Fix.Doubtful()
	for _, c := range []struct {
		ds   grammar.Diagnostics
		want string
		n    int
	}{
		{nil, "abcdef", 0},
		{grammar.Diagnostics{edit(1, 2, "B")}, "aBcdef", 1},
		{grammar.Diagnostics{edit(3, 4, "D"), edit(1, 2, "")}, "acDef", 2},
		{grammar.Diagnostics{edit(1, 4, "_"), edit(2, 3, "C"), edit(4, 5, "E")}, "a_Ef", 2},
		{grammar.Diagnostics{edit(6, 6, "g"), edit(6, 6, "h"), edit(0, 0, "0")}, "0abcdefg", 2},
		{grammar.Diagnostics{edit(4, 9, "x"), remark, part, {Code: "R0110"}}, "abcdef", 0},
	} {
		if got, n := lint.Follow([]byte("abcdef"), c.ds); string(got) != c.want || n != c.n {
			t.Errorf("%v: %q, %d, want %q, %d", c.ds, got, n, c.want, c.n)
		}
	}
}
