package ruletest

import (
	"time"

	"github.com/aside-go/aside/grammar"
)

// Report is what Run found, in the order of the files and of the tests in them.
type Report struct {
	Files    []File
	Coverage *Coverage // nil: not asked for
}

// File is the result of one test file.
type File struct {
	Path        string
	Diagnostics grammar.Diagnostics // of the file and of the reminders it loads
	Tests       []Test
	Skipped     int // tests that Options.Only left out
	Began       time.Time
	Took        time.Duration // 0 without Options.Clock

	sources map[string][]byte // by path, the texts that Diagnostics point into
}

// Status is the result of a test.
type Status string

const (
	// Passed is a test all of whose expectations hold.
	Passed Status = "passed"
	// Failed is a test with an expectation that does not hold.
	Failed Status = "failed"
	// Mistaken is a test that was not run, because there is an error in it, which the file's diagnostics tell.
	Mistaken Status = "error"
)

// Test is the result of one test.
type Test struct {
	Name         string  `json:"name"`
	Line, Column int     `json:"-"`
	Status       Status  `json:"status"`
	Checks       []Check `json:"checks,omitempty"` // the expectations that do not hold
	// Divergence is the first turn on which something fired or was due that should not, or did not or was not that should; nil: none.
	Divergence *Divergence   `json:"divergence,omitempty"`
	Took       time.Duration `json:"-"`
}

// Check is an expectation that does not hold.
type Check struct {
	Step     int      `json:"step,omitempty"` // from 1; 0: the test as a whole
	Line     int      `json:"line"`
	What     string   `json:"what"` // fires, due, text ID, refused, error, reload, fires_at ID
	Expected any      `json:"expected"`
	Actual   any      `json:"actual"` // nil: there is none
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
