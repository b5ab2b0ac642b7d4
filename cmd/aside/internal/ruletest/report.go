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

// File is what one test file came to.
type File struct {
	Path        string
	Diagnostics grammar.Diagnostics // of the file and of the reminders it loads
	Tests       []Test
	Skipped     int // tests that Options.Only left out
	Began       time.Time
	Took        time.Duration // 0 without Options.Clock

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
	// Divergence is the first turn on which something fired, or was due, that should not, or the other way round; nil if there is none.
	Divergence *Divergence   `json:"divergence,omitempty"`
	Took       time.Duration `json:"-"`
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
