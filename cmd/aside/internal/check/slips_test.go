package check

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lint"
)

var update = flag.Bool("update", false, "write what the tool says into testdata/slips.txt")

// slip is a mistake that people make, as testdata/slips.txt lists them:
//
//	== NAME
//	file: NAME OF THE FILE
//	LINES
//	-> SEVERITY CODE: MESSAGE → HINT
//
// Without file: the lines are the front matter of a Markdown file. \r and \xNN stand for these bytes.
type slip struct {
	head string // the lines up to the findings
	name string
	path string
	src  string
	want string // the findings, a line each
}

var escapedByte = regexp.MustCompile(`\\x[0-9a-f]{2}|\\r`)

func slips(t *testing.T, file string) (list []slip) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split("\n"+string(b), "\n== ")[1:] {
		at := strings.Index(text, "\n->") + 1
		text = strings.TrimSuffix(text, "\n") + "\n"
		s := slip{head: "== " + text[:at], path: "a.md", want: text[at:]}
		var lines string
		s.name, lines, _ = strings.Cut(text[:at], "\n")
		if named, ok := strings.CutPrefix(lines, "file: "); ok {
			s.path, s.src, _ = strings.Cut(named, "\n")
			s.src = escapedByte.ReplaceAllStringFunc(s.src, func(x string) string {
				var c byte = '\r'
				_, _ = fmt.Sscanf(x, `\x%x`, &c)
				return string([]byte{c})
			})
		} else {
			s.src = "---\n" + lines + "---\ntext\n"
		}
		list = append(list, s)
	}
	return list
}

// TestSlips holds what the tool says about the mistakes that people make, and that the words that a hint
// writes down are right: with them in place of the mistake, or by themselves, the error is gone. No finding
// is without a hint.
func TestSlips(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "slips.txt")
	list := slips(t, file)
	if len(list) < 200 {
		t.Errorf("only %d slips", len(list))
	}
	var out strings.Builder
	for _, s := range list {
		ds := checkAlone(s.path, []byte(s.src), nil, lint.Options{})
		var got strings.Builder
		for _, d := range ds {
			fmt.Fprintf(&got, "-> %s %s: %s → %s\n", d.Severity, d.Code, d.Message, d.Hint)
			if d.Hint == "" {
				t.Errorf("%s: %s has no hint", s.name, d.Message)
			}
			if d.Severity == grammar.Error {
				s.follow(t, d)
			}
		}
		if len(ds) == 0 {
			got.WriteString("-> nothing\n")
		}
		out.WriteString(s.head + got.String())
		if d := cmp.Diff(s.want, got.String()); d != "" && !*update {
			t.Errorf("%s: %s", s.name, d)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// written matches the words that a hint tells to write.
var written = regexp.MustCompile(`^(?:write|did you mean) (.+?)\??$`)

// follow checks that a hint that gives a text leads to a rule without this error.
func (s *slip) follow(t *testing.T, d grammar.Diagnostic) {
	t.Helper()
	if d.Fix != nil {
		at := d.Fix.Range
		out := s.src[:at.Start.Offset] + d.Fix.Text + s.src[at.End.Offset:]
		if s.wrong(out, d) {
			t.Errorf("%s: the fix %q of %q leaves the error:\n%s", s.name, d.Fix.Text, d.Message, out)
		}
		return
	}
	g := written.FindStringSubmatch(d.Hint)
	if g == nil || prose.MatchString(d.Hint) {
		return
	}
	text := strings.Trim(g[1], "`")
	if _, ds := trigger.Compile(text, nil); !ds.HasErrors() {
		return
	}
	from, to := d.Range.Start.Offset, d.Range.End.Offset
	if from <= to && to <= len(s.src) && !s.wrong(s.src[:from]+text+s.src[to:], d) {
		return
	}
	if key, _, ok := strings.Cut(text, ":"); ok {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(key) + `:.*$`)
		if out := line.ReplaceAllLiteralString(s.src, text); out != s.src && !s.wrong(out, d) {
			return
		}
	}
	t.Errorf("%s: the hint %q is not a rule", s.name, d.Hint)
}

// prose matches hints that write no rule.
var prose = regexp.MustCompile(`^write (one|the|a|an|it|at least|this|them|two|\d|what|each|which) `)

// wrong reports whether a text has the finding d at the place where d is.
func (s *slip) wrong(src string, d grammar.Diagnostic) bool {
	for _, x := range checkAlone(s.path, []byte(src), nil, lint.Options{}) {
		if x.Severity == grammar.Error && x.Code == d.Code && x.Range.Start.Line == d.Range.Start.Line {
			return true
		}
	}
	return false
}
