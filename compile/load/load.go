package load

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// Options say how files are read and compiled. The zero value reads all but those of projects, against the built-in facts.
type Options struct {
	compile.Options

	// Trusted reads the files of projects' sources. nil trusts nobody: none of them is opened.
	Trusted Gate

	// Read reads the reminders of one file as document.Read does; it is that function, or one that remembers what that has read. nil
	// is document.Read. It may be called concurrently.
	Read func(path string, src []byte) ([]compile.Reminder, grammar.Diagnostics)

	// Memory knows files that have not changed since they were read; nil knows none. Those of projects are read in any case.
	Memory Memory

	// After is the clock of Watch: a channel that is sent to after a while. nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Memory spares reading the user's own files again. Its methods may be called concurrently.
type Memory interface {
	// Recall returns the reminders of a file, if it surely is as it was when they were read. info is what the machine says of it now.
	Recall(path string, info fs.FileInfo) ([]compile.Reminder, bool)
	// Remember is told that a file was read, after Options.Read and where that found no mistake. info is what the machine said of the
	// open file before the first byte of it was read.
	Remember(path string, info fs.FileInfo)
}

// Result is what a number of sources gave. Nobody changes it once it is made.
type Result struct {
	Set         *compile.Set
	Reminders   []compile.Reminder  // those of Set and those that are disabled, by id
	Diagnostics grammar.Diagnostics // of all files and of compiling them
	Files       map[string][]byte   // what was parsed, by path; not what Options.Memory knew
	Overrides   map[string][]string // by id: the files whose reminder of that id it hides, lowest precedence first
	Stale       []string            // of Watch: files that are read as they last were without an error
	Untrusted   []Untrusted         // files of projects that are not used, in order of precedence
}

// Load reads the reminders of sources, lowest precedence first: the same id in a later one overrides. A directory that is not
// there is nothing; a file that cannot be read or compiled is a diagnostic, and leaves all others as they were without it, those
// that it would have overridden included.
func Load(sources []Source, opts Options) *Result {
	return assemble(read(sources, opts), opts)
}

// Dir reads the reminders of one directory or file.
func Dir(path string) (*compile.Set, grammar.Diagnostics) {
	r := Load([]Source{{Path: path}}, Options{})
	return r.Set, r.Diagnostics
}

// assemble decides which reminder of each id counts and compiles them. files is in order of precedence.
func assemble(files []file, opts Options) *Result {
	res := &Result{Files: make(map[string][]byte, len(files)), Overrides: make(map[string][]string)}
	byID := make(map[string][]candidate, len(files)) // lowest precedence first
	var faulty []compile.Reminder                    // for what else is wrong with them: they override nothing
	over := 0
	for _, f := range files {
		if f.refused != nil {
			res.Untrusted = append(res.Untrusted, Untrusted{Path: f.path, Why: f.refused})
			continue
		}
		if f.src != nil {
			res.Files[f.path] = f.src
		}
		res.Diagnostics = append(res.Diagnostics, f.ds...)
		for _, r := range f.reminders {
			if r.Faulty {
				faulty = append(faulty, r)
				continue
			}
			cs := byID[r.ID]
			if i := slices.IndexFunc(cs, func(c candidate) bool { return c.dir == f.dir }); i >= 0 {
				res.Diagnostics = append(res.Diagnostics, sameID(r, cs[i]))
				continue
			}
			if len(cs) == 0 && len(byID) == maxReminders {
				if over++; over == 1 {
					res.Diagnostics = append(res.Diagnostics, grammar.Diagnostic{Code: codeTooMany, File: f.path,
						Range: r.Place("id"), Message: fmt.Sprintf("more than %d reminders: %q and those behind it are left out", maxReminders, r.ID), Hint: "remove some"})
				}
				continue
			}
			byID[r.ID] = append(cs, candidate{r, f.dir, f.project})
		}
	}
	winners := make([]candidate, 0, len(byID))
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		cs, ds := keepSafe(byID[id], opts)
		top, more := winner(cs, opts)
		res.Diagnostics = append(append(res.Diagnostics, ds...), more...)
		winners = append(winners, cs[top])
		for _, c := range cs[:top] {
			res.Overrides[id] = append(res.Overrides[id], c.File)
		}
	}
	res.Diagnostics = append(res.Diagnostics, rankBelow(winners)...)
	res.Reminders = make([]compile.Reminder, 0, len(winners))
	for _, c := range winners {
		res.Reminders = append(res.Reminders, c.Reminder)
	}
	var ds grammar.Diagnostics
	res.Set, ds = compile.New(slices.Concat(res.Reminders, faulty), opts.Options)
	res.Diagnostics = append(res.Diagnostics, ds...)
	res.Diagnostics.Sort()
	return res
}

// A candidate is a reminder that counts unless one of a later source has its id.
type candidate struct {
	compile.Reminder
	dir     string
	project bool
}

func sameID(r compile.Reminder, first candidate) grammar.Diagnostic {
	at := r.Place("id")
	return grammar.Diagnostic{Code: codeSameID, File: r.File, Range: at,
		Message: fmt.Sprintf("duplicate id %q: it is taken by %s in the same directory", r.ID, filepath.Base(first.File)),
		Hint:    fmt.Sprintf("give it another id than the one in %s", first.File)}
}
