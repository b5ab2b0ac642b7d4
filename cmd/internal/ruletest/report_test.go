package ruletest_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestReport holds what a person and machines read of a file that mostly does not hold.
func TestReport(t *testing.T) {
	t.Parallel()
	rep, _ := run(t, filepath.Join("testdata", "report_test.yaml"))
	if rep.OK() {
		t.Error("the report is fine")
	}
	passed, failed, mistakes := rep.Counts()
	if passed != 1 || failed != 8 || mistakes != 2 {
		t.Errorf("%d passed, %d failed, %d mistakes", passed, failed, mistakes)
	}
	for name, write := range map[string]func(io.Writer) error{
		"report.txt": rep.WriteText, "report.json": rep.WriteJSON, "report.xml": rep.WriteJUnit,
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, filepath.Join("testdata", name), b.String())
	}
}

// TestReportIsRead holds that the reports for machines are what they say they are.
func TestReportIsRead(t *testing.T) {
	t.Parallel()
	rep, _ := run(t, filepath.Join("testdata", "report_test.yaml"))
	var b strings.Builder
	if err := rep.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var x struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &x); err != nil || len(x.Suites) != 1 ||
		x.Suites[0].Tests != 11 || x.Suites[0].Failures != 8 || x.Suites[0].Errors != 2 {
		t.Errorf("%+v, %v", x, err)
	}
	b.Reset()
	if err := rep.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var j struct{ Passed, Failed, Mistakes int }
	if err := json.Unmarshal([]byte(b.String()), &j); err != nil || j.Passed != 1 || j.Failed != 8 ||
		j.Mistakes != 2 {
		t.Errorf("%+v, %v", j, err)
	}
}

func TestReportOfNothing(t *testing.T) {
	t.Parallel()
	rep := &ruletest.Report{}
	var b strings.Builder
	if err := rep.WriteJSON(&b); err != nil ||
		b.String() != `{"passed":0,"failed":0,"mistakes":0,"skipped":0,"files":[]}`+"\n" {
		t.Errorf("%s %v", b.String(), err)
	}
}
