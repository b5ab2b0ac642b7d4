package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/vocabulary"
)

// badFile is a rule file with everything that is wrong with it.
type badFile struct {
	name, file, src string
	mended          string // src with the hints followed, where no diagnostic has a fix
	want            []string
}

func allBadFiles() []badFile {
	return slices.Concat(badFront, badYAML, badEaten, badKeys, badValues, badIDs, badSchedules)
}

func TestDocumentDiagnostics(t *testing.T) {
	t.Parallel()
	for _, c := range allBadFiles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, ds := document.Read(c.file, []byte(c.src))
			var got []string
			for _, d := range ds {
				if d.File != c.file {
					t.Errorf("the file is %q", d.File)
				}
				got = append(got, shownWhole(d))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// shownWhole is all of a diagnostic but its file and its fix.
func shownWhole(d grammar.Diagnostic) string {
	s := fmt.Sprintf("%d:%d-%d:%d %s[%s]: %s", d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line,
		d.Range.End.Column, d.Severity, d.Code, d.Message)
	if d.Hint != "" {
		s += " (" + d.Hint + ")"
	}
	return s
}

func TestL4DocumentRangesAndHints(t *testing.T) {
	t.Parallel()
	for _, c := range allBadFiles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, ds := document.Read(c.file, []byte(c.src))
			fixes := 0
			for _, d := range ds {
				inText(t, c.src, d.Range)
				if d.Hint == "" {
					t.Errorf("no hint: %v", d)
				}
				if d.Fix == nil {
					continue
				}
				fixes++
				inText(t, c.src, d.Fix.Range)
				fixed := c.src[:d.Fix.Range.Start.Offset] + d.Fix.Text + c.src[d.Fix.Range.End.Offset:]
				if _, left := document.Read(c.file, []byte(fixed)); countCode(left, string(d.Code)) != countCode(ds,
					string(d.Code))-1 {
					t.Errorf("%v is not mended in %q: %v", d, fixed, left)
				}
			}
			if c.mended == "" {
				if fixes == 0 && !strings.HasSuffix(c.file, ".txt") { // a file cannot name itself anew
					t.Error("neither a fix nor a mended file")
				}
				return
			}
			if rs, left := document.Read(c.file, []byte(c.mended)); len(left) > 0 || len(rs) == 0 {
				t.Errorf("%q is not mended: %v", c.mended, left)
			}
		})
	}
}

func countCode(ds grammar.Diagnostics, code string) (n int) {
	for _, d := range ds {
		if string(d.Code) == code {
			n++
		}
	}
	return n
}

// inText checks that a range lies in a text, on character boundaries, with lines and columns that fit its
// offsets.
func inText(t *testing.T, src string, r grammar.Range) {
	t.Helper()
	if r.Start.Offset > r.End.Offset {
		t.Errorf("%v ends before it begins", r)
	}
	for _, p := range []grammar.Position{r.Start, r.End} {
		if p.Offset < 0 || p.Offset > len(src) {
			t.Fatalf("%v is outside", p)
		}
		before := src[:p.Offset]
		start := strings.LastIndexByte(before, '\n') + 1
		want := grammar.Position{Offset: p.Offset, Line: strings.Count(before, "\n") + 1,
			Column: utf8.RuneCountInString(before[start:]) + 1}
		if p != want {
			t.Errorf("place is %v, want %v", p, want)
		}
		if utf8.ValidString(src) && p.Offset < len(src) && !utf8.RuneStart(src[p.Offset]) {
			t.Errorf("%v is inside a character", p)
		}
	}
}

// TestBadFilesAreMany holds the floor of bad files.
func TestBadFilesAreMany(t *testing.T) {
	t.Parallel()
	all := allBadFiles()
	names := map[string]bool{}
	for _, c := range all {
		if names[c.name] {
			t.Errorf("two of the name %q", c.name)
		}
		names[c.name] = true
		if len(c.want) == 0 {
			t.Errorf("%q wants nothing", c.name)
		}
	}
	if len(all) < 100 {
		t.Errorf("there are %d", len(all))
	}
}

func TestL5BadReminderLeavesOthers(t *testing.T) {
	t.Parallel()
	good := []string{"- {id: good1, content: one}\n", "- {id: good2, when: compacted, content: two}\n"}
	alone, ds := document.Read("a.yaml", []byte("reminders:\n"+good[0]+good[1]))
	if len(ds) > 0 || len(alone) != 2 {
		t.Fatal(ds)
	}
	for _, wrong := range []string{
		"- {id: bad, tier: x, content: " +
			"c}\n", "- {content: c}\n", "- bad\n", "-\n", "- [bad]\n", "- {id: bad}\n", "- {id: good1, content: c}\n",
		"- {id: bad, when: a, while: b, content: c}\n", "- {id: bad, content: c, x: {y: " +
			"[z]}}\n", "- &a {id: bad, content: c}\n", "- !x {id: bad, content: c}\n",
		"- {id: bad, schedule: {kind: x}, content: c}\n", "- {id: bad, id: bad, content: " +
			"c}\n", "- {? [a] : b, id: bad, content: c}\n",
	} {
		rs, ds := document.Read("a.yaml", []byte("reminders:\n"+good[0]+wrong+good[1]))
		if !ds.HasErrors() {
			t.Errorf("%q is not wrong", wrong)
		}
		sound := slices.DeleteFunc(rs, func(r compile.Source) bool { return r.Faulty })
		if diff := cmp.Diff(compared(alone), compared(sound)); diff != "" {
			t.Errorf("%q: %s", wrong, diff)
		}
	}
}

// compared is what can be compared of reminders.
func compared(rs []compile.Source) []string {
	var all []string
	for _, r := range rs {
		all = append(all, fmt.Sprintf("%q %q %v %q %q %v %v %v %d %d %v %v %v %q %q %v %q %d %v %d", r.ID,
			r.Description, r.Mode,
			r.Trigger, r.Rearm, r.For, r.Cooldown, r.Keep,
			r.MaxFires, r.Priority, r.Tier, r.Attach, r.Disabled, r.Text, r.File,
			r.Pause, r.Expect, r.Within, r.Holdout, r.MaxIgnored))
	}
	return all
}

// TestConditionsAsKeys: a fact, or a shorthand, that stands as a key is shown in a trigger that compiles.
func TestConditionsAsKeys(t *testing.T) {
	t.Parallel()
	names := fact.Builtin().Names()
	for _, w := range vocabulary.Shorthands() {
		names = append(names, w.Name)
	}
	for _, name := range names {
		if name == "prompt" { // other tools have a key of that name: content
			continue
		}
		_, ds := document.Read("r.md", []byte("---\n"+name+": 75%\n---\nx\n"))
		_, rest, ok := strings.Cut(ds[0].Hint, "`when: ")
		if _, wrong := trigger.Compile(strings.TrimSuffix(rest, "`"), nil); !ok || wrong.HasErrors() {
			t.Errorf("%s: %s", name, ds[0].Hint)
		}
	}
}
