package ruletest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// WriteJSON writes the report as one JSON object, for machines:
//
//	{"passed":2,"failed":1,"mistakes":0,"skipped":0,"files":[{"file":"…","diagnostics":[…],"tests":[
//	  {"name":"…","status":"failed","line":3,"column":5,"checks":[
//	    {"step":1,"line":8,"what":"fires","expected":["r"],"actual":[],"why":["…"]}],
//	   "divergence":{"step":1,"line":8,"what":"fires","facts":["context_usage"],"turns":[…],"why":[…]}}]}],
//	 "coverage":{"percent":87.5,"reminders":[{"id":"r","file":"…","line":2,"turns":9,"fires":1,"parts":[
//	   {"of":"trigger","text":"context_usage > 75%","line":2,"column":7,"true":1,"false":8,"unknown":0}]}]}}
//
// Diagnostics have the form of aside check --json. There is coverage only if it was asked for.
func (r *Report) WriteJSON(w io.Writer) error {
	type file struct {
		File        string `json:"file"`
		Diagnostics []any  `json:"diagnostics"`
		Tests       []Test `json:"tests"`
	}
	var out struct {
		Passed   int    `json:"passed"`
		Failed   int    `json:"failed"`
		Mistakes int    `json:"mistakes"`
		Skipped  int    `json:"skipped"`
		Files    []file `json:"files"`
		Coverage any    `json:"coverage,omitempty"`
	}
	out.Passed, out.Failed, out.Mistakes = r.Counts()
	out.Files = []file{}
	for _, f := range r.Files {
		out.Files = append(out.Files, file{f.Path, rules.JSON(f.Diagnostics), f.Tests})
		out.Skipped += f.Skipped
	}
	if c := r.Coverage; c != nil {
		out.Coverage = struct {
			Percent float64 `json:"percent"`
			*Coverage
		}{c.Percent(), c}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// The elements of JUnit's XML that a report needs.
type (
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
	}
	junitSuite struct {
		Name       string      `xml:"name,attr"`
		Package    string      `xml:"package,attr"`
		ID         int         `xml:"id,attr"`
		Timestamp  string      `xml:"timestamp,attr"`
		Host       string      `xml:"hostname,attr"`
		Tests      int         `xml:"tests,attr"`
		Failures   int         `xml:"failures,attr"`
		Errors     int         `xml:"errors,attr"`
		Time       string      `xml:"time,attr"`
		Properties struct{}    `xml:"properties"`
		Cases      []junitCase `xml:"testcase"`
		Out        struct{}    `xml:"system-out"`
		Err        struct{}    `xml:"system-err"`
	}
)

// WriteJUnit writes the report as JUnit's XML: a suite for each file, a case for each test. The diagnostics
// of a file are an error of a case named after the file. The XML is valid by the schema of Jenkins (its xunit
// plugin's junit-10.xsd; GitLab reads the same) and by that of Ant's reports, which is stricter: it has no
// totals at the root, and requires times, a host and the empty elements.
func (r *Report) WriteJUnit(w io.Writer) error {
	out := struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}{}
	for i, f := range r.Files {
		s := f.suite()
		s.ID = i
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

// suite returns the file as a suite, without its ID.
func (f *File) suite() junitSuite {
	s := junitSuite{
		Name: f.Path, Package: f.Path, Host: "localhost", Time: seconds(f.Took),
		Timestamp: f.Began.UTC().Format("2006-01-02T15:04:05"), // the schemas allow no zone
	}
	for _, t := range f.Tests {
		c := junitCase{Class: f.Path, Name: t.Name, Time: seconds(t.Took)}
		switch t.Status {
		case Failed:
			var b strings.Builder
			t.write(&b)
			c.Failure = &junitProblem{"expectation", terminal.Count(len(t.Checks), "expectation") +
				" not met", b.String()}
			s.Failures++
		case Mistaken:
			c.Error = &junitProblem{Type: "mistake", Message: "not run: the test has a mistake"}
			s.Errors++
		}
		s.Cases = append(s.Cases, c)
	}
	if n := f.mistakes(); n > 0 {
		var b strings.Builder
		for _, d := range f.Diagnostics {
			b.WriteString(d.Render(f.sources[d.File]) + "\n")
		}
		s.Cases = append(s.Cases, junitCase{Class: f.Path, Name: f.Path, Time: seconds(0),
			Error: &junitProblem{"mistake", terminal.Count(n, "mistake"), b.String()}})
		s.Errors++
	}
	s.Tests = len(s.Cases)
	return s
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(d, 0).Seconds()) }
