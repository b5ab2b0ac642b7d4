package compile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lint"
)

// answer is how a trigger that does not say what its author means is answered.
type answer int

const (
	leads    answer = iota // to the expected name
	fair                   // says that something is wrong, and proposes nothing
	misleads               // proposes something else
	silent
)

// TestSlips counts the answers to testdata/slips.txt.
func TestSlips(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "slips.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var count [4]int
	all := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		at := strings.LastIndex(line, " => ")
		if strings.HasPrefix(line, "# ") || at < 0 {
			continue
		}
		src, want := line[:at], strings.Split(line[at+len(" => "):], " | ")
		set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}}, compile.Options{})
		ds = lint.Run(set, ds, nil, lint.Options{})
		ds = slices.DeleteFunc(ds, func(d grammar.Diagnostic) bool { return d.Severity == grammar.Info })
		a := judge(src, ds, want)
		count[a]++
		all++
		if a != leads {
			t.Logf("%d %s => %s\n%v", a, src, want, ds)
		}
	}
	t.Logf("of %d slips %d lead to the rule, %d are fair, %d mislead, %d are silent", all, count[leads],
		count[fair], count[misleads], count[silent])
	if all < 200 || count[misleads]*100 > 3*all || count[silent]*100 > 3*all {
		t.Errorf("of %d slips %d mislead and %d are silent, at most 3 %% each may", all, count[misleads],
			count[silent])
	}
}

// proposed matches what a hint says to write.
var proposed = regexp.MustCompile("^(?:write|perhaps|did you mean) (?:one of )?`?(.+?)`?\\??$")

func judge(src string, ds grammar.Diagnostics, want []string) answer {
	if len(ds) == 0 {
		return silent
	}
	a := fair
	for _, d := range ds {
		said := d.Hint
		if d.Fix != nil {
			said += "\n" + src[:d.Fix.Range.Start.Offset] + d.Fix.Text + src[d.Fix.Range.End.Offset:]
		}
		if slices.ContainsFunc(want, func(w string) bool { return strings.Contains(said, w) }) {
			return leads
		}
		if d.Fix != nil {
			a = misleads
		} else if m := proposed.FindStringSubmatch(d.Hint); m != nil {
			if _, wrong := trigger.Compile(m[1], nil); !wrong.HasErrors() {
				a = misleads
			}
		}
	}
	return a
}
