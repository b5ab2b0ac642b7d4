package ruletest_test

import (
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/ruletest"
)

// element is what two published schemas say of an element of a JUnit report: junit-10.xsd of Jenkins' xunit
// plugin, which GitLab's reader takes as well, and JUnit.xsd of Ant's reports (windyroad/JUnit-Schema). Held
// here is what both allow.
type element struct {
	required map[string]string // attributes and what they look like; no others are allowed by both
	children []string          // in this order
	many     string            // the child there may be any number of, or none
	text     bool
}

var junitElements = map[string]element{
	"testsuites": {children: []string{"testsuite"}, many: "testsuite"},
	"testsuite": {
		required: map[string]string{
			"name": `.+`, "package": `.+`, "id": `\d+`, "timestamp": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`, "hostname": `.+`,
			"tests": `\d+`, "failures": `\d+`, "errors": `\d+`, "time": `\d{1,3}\.\d+`,
		},
		children: []string{"properties", "testcase", "system-out", "system-err"}, many: "testcase",
	},
	"properties": {}, "system-out": {text: true}, "system-err": {text: true},
	"testcase": {required: map[string]string{"name": `.*`, "classname": `.+`, "time": `\d+\.\d+`},
		children: []string{"error", "failure"}, many: "one of them"},
	"failure": {required: map[string]string{"type": `.+`, "message": `.*`}, text: true},
	"error":   {required: map[string]string{"type": `.+`, "message": `.*`}, text: true},
}

type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []node     `xml:",any"`
}

func (n node) check(t *testing.T) {
	t.Helper()
	name := n.XMLName.Local
	e, ok := junitElements[name]
	if !ok {
		t.Fatalf("an element %s", name)
	}
	var seen []string
	for _, a := range n.Attrs {
		form, ok := e.required[a.Name.Local]
		if !ok || !regexp.MustCompile(`^(?s:`+form+`)$`).MatchString(a.Value) {
			t.Errorf("%s has %s=%q", name, a.Name.Local, a.Value)
		}
		seen = append(seen, a.Name.Local)
	}
	if len(seen) != len(e.required) {
		t.Errorf("%s has only %v", name, seen)
	}
	if !e.text && strings.TrimSpace(n.Text) != "" {
		t.Errorf("%s holds %q", name, n.Text)
	}
	var kids []string
	for _, k := range n.Nodes {
		if kid := k.XMLName.Local; len(kids) == 0 || kids[len(kids)-1] != kid || kid != e.many {
			kids = append(kids, kid)
		}
		k.check(t)
	}
	switch {
	case e.many == "one of them":
		if len(kids) > 1 || len(kids) == 1 && !slices.Contains(e.children, kids[0]) {
			t.Errorf("%s holds %v", name, kids)
		}
	case slices.Equal(kids, e.children), slices.Equal(kids, slices.DeleteFunc(slices.Clone(e.children),
		func(s string) bool { return s == e.many })):
	default:
		t.Errorf("%s holds %v", name, kids)
	}
}

// failing is a file of which every kind of thing is wrong, names and texts included.
const failing = "reminders: [{id: r, while: context_usage > 75%, content: " +
	"\"R\\e[31m\"}]\ntests:\n  - {name: " +
	"\"a \\e[2J]0;x\\a \\u202E & <b>\", steps: [{fires: [r], text: {r: \"\\e[0m\"}}]}\n" +
	"  - {name: '', steps: [{facts: {context_usage: 0.8, model: \"\\e[5m\"}}]}\n  - {name: mistaken, stepz: " +
	"[]}\n  - {name: holds, steps: [{}]}\n  - {steps: []}\n"

// TestJUnit holds the report to both schemas, whatever is in a file.
func TestJUnit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := write(t, dir, "x_test.yaml", failing)
	empty := write(t, dir, "e_test.yaml", "")
	for name, paths := range map[string][]string{
		"nothing": nil, "golden": {filepath.Join("testdata", "report_test.yaml")}, "hostile": {bad, empty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep, _ := run(t, paths...)
			var b strings.Builder
			if err := rep.WriteJUnit(&b); err != nil {
				t.Fatal(err)
			}
			var root node
			if err := xml.Unmarshal([]byte(b.String()), &root); err != nil {
				t.Fatal(err)
			}
			if root.XMLName.Local != "testsuites" || len(root.Nodes) != len(paths) {
				t.Errorf("%s with %d suites", root.XMLName.Local, len(root.Nodes))
			}
			root.check(t)
		})
	}
}

// TestJUnitTimes holds that times come from the clock that is given.
func TestJUnitTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.FixedZone("", 3600))
	clock := func() time.Time { now = now.Add(250 * time.Millisecond); return now }
	rep, err := ruletest.Run(t.Context(), []string{filepath.Join("testdata", "report_test.yaml")},
		ruletest.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := rep.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`timestamp="2026-02-03T03:05:06"`, `name="holds" time="0.250"`,
		`errors="2" time="5.250"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%.500s", want, b.String())
		}
	}
}

// TestReportIsHarmless holds that no name, text or fact of a test can write to a terminal.
func TestReportIsHarmless(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "x_test.yaml", failing)
	rep, err := ruletest.Run(t.Context(), []string{path}, ruletest.Options{Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]func(io.Writer) error{"text": rep.WriteText, "JSON": rep.WriteJSON,
		"JUnit": rep.WriteJUnit} {
		var b strings.Builder
		if err := form(&b); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool {
			return r < ' ' && r != '\n' ||
				r == 0x7f
		}); i >= 0 {
			t.Errorf("%s: a control character in %q", name, b.String()[max(i-20, 0):i+20])
		}
		if name == "text" && strings.ContainsRune(b.String(), '\u202E') {
			t.Error("text turns round")
		}
	}
}

// TestWriteFails holds that an error of the writer comes back.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	rep, _ := run(t, filepath.Join("testdata", "report_test.yaml"))
	for name, form := range map[string]func(io.Writer) error{"text": rep.WriteText, "JSON": rep.WriteJSON,
		"JUnit": rep.WriteJUnit} {
		if err := form(full{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
