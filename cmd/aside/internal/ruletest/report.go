package ruletest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
)

// Report is what Run found, in the order of the files and of the tests in them.
type Report struct{ Files []File }

// File is what one test file came to.
type File struct {
	Path        string
	Diagnostics grammar.Diagnostics // of the file and of the reminders it loads
	Tests       []Test

	sources map[string][]byte
}

// Status is what became of a test.
type Status string

const (
	// Passed stands for a test all of which holds.
	Passed Status = "passed"
	// Failed stands for a test that does not hold.
	Failed Status = "failed"
	// Mistaken stands for a test that was not run, because something in it is wrong; the file's diagnostics say what.
	Mistaken Status = "error"
)

// Test is what became of one test.
type Test struct {
	Name         string  `json:"name"`
	Line, Column int     `json:"-"`
	Status       Status  `json:"status"`
	Checks       []Check `json:"checks,omitempty"` // what does not hold
}

// Check is an expectation that does not hold.
type Check struct {
	Step     int      `json:"step,omitempty"` // from 1; 0 is the test as a whole
	Line     int      `json:"line"`
	What     string   `json:"what"` // fires, due, text ID, refused, error, fires_at ID
	Expected any      `json:"expected"`
	Actual   any      `json:"actual"` // nil: not there
	Why      []string `json:"why,omitempty"`
}

// Counts returns how many tests passed, how many failed, and how many mistakes there are: diagnostics of severity error.
func (r *Report) Counts() (passed, failed, mistakes int) {
	for _, f := range r.Files {
		for _, t := range f.Tests {
			switch t.Status {
			case Passed:
				passed++
			case Failed:
				failed++
			}
		}
		mistakes += f.mistakes()
	}
	return passed, failed, mistakes
}

func (f *File) mistakes() int {
	n := 0
	for _, d := range f.Diagnostics {
		if isError(d) {
			n++
		}
	}
	return n
}

// OK reports whether everything holds and nothing is wrong in any file.
func (r *Report) OK() bool {
	_, failed, mistakes := r.Counts()
	return failed == 0 && mistakes == 0
}

// WriteText writes the report for a person: diagnostics, then each test that does not hold with what was expected and what
// came side by side, then one line a file.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Files {
		for _, d := range f.Diagnostics {
			b.WriteString(strings.TrimRight(d.Render(f.sources[d.File]), "\n") + "\n")
		}
		passed, failed := 0, 0
		for _, t := range f.Tests {
			switch t.Status {
			case Passed:
				passed++
				continue
			case Failed:
				failed++
			}
			fmt.Fprintf(&b, "%s %s (%s:%d)\n", map[Status]string{Failed: "FAIL", Mistaken: "NOT RUN"}[t.Status], t.Name, f.Path, t.Line)
			t.write(&b)
		}
		switch mistakes := f.mistakes(); {
		case failed > 0 || mistakes > 0:
			fmt.Fprintf(&b, "FAIL %s: %d passed, %d failed, %s\n", f.Path, passed, failed, count(mistakes, "mistake"))
		default:
			fmt.Fprintf(&b, "ok   %s: %s\n", f.Path, count(passed, "test"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// maxCell is how many characters of a value still stand side by side with another; longer ones stand one above the other.
const maxCell = 40

func (c *Check) long() bool {
	return utf8.RuneCountInString(show(c.Expected)) > maxCell || utf8.RuneCountInString(show(c.Actual)) > maxCell
}

// write writes what does not hold as a table.
func (t *Test) write(b *strings.Builder) {
	wide, what := len("expected"), 0
	for _, c := range t.Checks {
		if c.long() {
			continue
		}
		wide = max(wide, utf8.RuneCountInString(show(c.Expected)))
		what = max(what, utf8.RuneCountInString(c.What))
	}
	row := func(a, e, g string) { fmt.Fprintf(b, "    %-*s  %-*s  %s\n", what, a, wide, e, g) }
	step, headed := -1, false
	for _, c := range t.Checks {
		if c.Step != step {
			step, headed = c.Step, false
			if step > 0 {
				fmt.Fprintf(b, "  step %d (line %d)\n", step, c.Line)
			}
		}
		if c.long() {
			fmt.Fprintf(b, "    %s\n      expected  %s\n      actual    %s\n", c.What, show(c.Expected), show(c.Actual))
		} else {
			if !headed {
				headed = true
				row("", "expected", "actual")
			}
			row(c.What, show(c.Expected), show(c.Actual))
		}
		for _, why := range c.Why {
			fmt.Fprintf(b, "      %s\n", why)
		}
	}
}

// show is a value on one line.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "(not there)"
	case string:
		return strconv.Quote(v)
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case []int:
		return strings.ReplaceAll(fmt.Sprint(v), " ", ", ")
	default:
		return fmt.Sprint(v)
	}
}

// WriteJSON writes the report as one JSON object, for machines:
//
//	{"passed":2,"failed":1,"mistakes":0,"files":[{"file":"…","diagnostics":[…],"tests":[
//	  {"name":"…","status":"failed","line":3,"column":5,"checks":[
//	    {"step":1,"line":8,"what":"fires","expected":["r"],"actual":[],"why":["…"]}]}]}]}
//
// Diagnostics are as aside check --json prints them.
func (r *Report) WriteJSON(w io.Writer) error {
	type diagnostic struct {
		File      string `json:"file"`
		Line      int    `json:"line"`
		Column    int    `json:"column"`
		EndLine   int    `json:"endLine"`
		EndColumn int    `json:"endColumn"`
		Severity  string `json:"severity"`
		Code      string `json:"code"`
		Message   string `json:"message"`
		Hint      string `json:"hint"`
	}
	type test struct {
		Test
		Line   int `json:"line"`
		Column int `json:"column"`
	}
	type file struct {
		File        string       `json:"file"`
		Diagnostics []diagnostic `json:"diagnostics"`
		Tests       []test       `json:"tests"`
	}
	var out struct {
		Passed   int    `json:"passed"`
		Failed   int    `json:"failed"`
		Mistakes int    `json:"mistakes"`
		Files    []file `json:"files"`
	}
	out.Passed, out.Failed, out.Mistakes = r.Counts()
	out.Files = []file{}
	for _, f := range r.Files {
		j := file{File: f.Path, Diagnostics: []diagnostic{}, Tests: []test{}}
		for _, d := range f.Diagnostics {
			j.Diagnostics = append(j.Diagnostics, diagnostic{
				d.File, d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line, d.Range.End.Column,
				d.Severity.String(), d.Code, d.Message, d.Hint,
			})
		}
		for _, t := range f.Tests {
			j.Tests = append(j.Tests, test{t, t.Line, t.Column})
		}
		out.Files = append(out.Files, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// WriteJUnit writes the report in JUnit's XML: a suite a file, a case a test. What is wrong in a file is an error of a case named
// after the file.
func (r *Report) WriteJUnit(w io.Writer) error {
	type problem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *problem `xml:"failure"`
		Error   *problem `xml:"error"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	out := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Suites   []suite  `xml:"testsuite"`
	}{}
	for _, f := range r.Files {
		s := suite{Name: f.Path}
		for _, t := range f.Tests {
			c := testcase{Class: f.Path, Name: t.Name}
			switch t.Status {
			case Failed:
				var b strings.Builder
				t.write(&b)
				c.Failure = &problem{count(len(t.Checks), "expectation") + " not met", b.String()}
				s.Failures++
			case Mistaken:
				c.Error = &problem{Message: "not run: the test has a mistake"}
				s.Errors++
			}
			s.Cases = append(s.Cases, c)
		}
		if n := f.mistakes(); n > 0 {
			var b strings.Builder
			for _, d := range f.Diagnostics {
				b.WriteString(d.String() + "\n")
			}
			s.Cases = append(s.Cases, testcase{Class: f.Path, Name: f.Path, Error: &problem{count(n, "mistake"), b.String()}})
			s.Errors++
		}
		s.Tests = len(s.Cases)
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Errors += s.Errors
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
