package load

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// Options say how files are read and compiled. The zero Options read no files of projects, and know the built-in facts.
type Options struct {
	compile.Options

	// Trusted reads the files of projects. If it is nil, no project is trusted, and none of their files is opened.
	Trusted Gate

	// Read reads the reminders of one file exactly as document.Read does, for example from a cache. nil is document.Read. It must
	// be safe for concurrent use.
	Read func(path string, src []byte) ([]compile.Source, grammar.Diagnostics)

	// After is the timer of Watch. nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Result is what was read from a list of sources. It is immutable.
type Result struct {
	Set         *compile.Set
	Reminders   []compile.Source    // those of Set and the disabled ones, by id
	Diagnostics grammar.Diagnostics // what is wrong with the files, and with the reminders in them
	Files       map[string][]byte   // the bytes that were parsed, by path
	Overrides   map[string][]string // for the id of a reminder, the files with reminders of that id which it overrides, in order of precedence
	Stale       []string            // for Watch, files that have errors by now and count as they last were without
	Tests       []string            // rule tests among the files: they have no reminders, and nothing is said of them
	Untrusted   []Untrusted         // files of projects that are not used, in order of precedence
}

// Load reads the reminders of sources, which are in order of precedence, the lowest first. A reminder overrides those of the same
// id in the sources before its own. A directory that does not exist has no reminders. A file that cannot be read, and a reminder
// that cannot be compiled, is a diagnostic. It makes no difference to the others, and does not override any.
func Load(sources []Source, opts Options) *Result {
	return assemble(read(sources, opts), opts)
}

// Dir reads the reminders of one directory or file, with zero Options.
func Dir(path string) (*compile.Set, grammar.Diagnostics) {
	r := Load([]Source{{Path: path}}, Options{})
	return r.Set, r.Diagnostics
}

// assemble decides which reminder of each id counts, and compiles those. files is in order of precedence, the lowest first.
func assemble(files []file, opts Options) *Result {
	res := &Result{Files: make(map[string][]byte, len(files)), Overrides: make(map[string][]string)}
	byID, faulty := res.collect(files)
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
	res.Reminders = make([]compile.Source, 0, len(winners))
	for _, c := range winners {
		res.Reminders = append(res.Reminders, c.Source)
	}
	var ds grammar.Diagnostics
	res.Set, ds = compile.FromFiles(slices.Concat(res.Reminders, faulty), opts.Options)
	res.Diagnostics = append(res.Diagnostics, ds...)
	res.Diagnostics.Sort()
	return res
}

// collect takes the files into res. It returns the candidates for each id, those of the lowest precedence first, and the faulty
// reminders, which override nothing and are compiled only to find what else is wrong with them.
func (res *Result) collect(files []file) (byID map[string][]candidate, faulty []compile.Source) {
	byID = make(map[string][]candidate, len(files))
	tooMany := false
	for _, f := range files {
		if f.refused != nil {
			res.Untrusted = append(res.Untrusted, Untrusted{Path: f.path, Why: f.refused})
			continue
		}
		if f.src != nil {
			res.Files[f.path] = f.src
		}
		if f.test {
			res.Tests = append(res.Tests, f.path)
		}
		res.Diagnostics = append(res.Diagnostics, f.ds...)
		for _, r := range f.reminders {
			cs := byID[r.ID]
			inDir := slices.IndexFunc(cs, func(c candidate) bool { return c.dir == f.dir })
			switch {
			case r.Faulty:
				faulty = append(faulty, r)
			case inDir >= 0:
				res.Diagnostics = append(res.Diagnostics, sameID(r, cs[inDir]))
			case len(cs) > 0 || len(byID) < maxReminders:
				byID[r.ID] = append(cs, candidate{r, f.dir, f.project})
			case !tooMany:
				tooMany = true
				res.Diagnostics = append(res.Diagnostics, grammar.Diagnostic{Code: code.ManyReminders, File: f.path,
					Range: r.Place("id"), Message: fmt.Sprintf("more than %d reminders: %q and those behind it are left out", maxReminders, r.ID), Hint: "remove some"})
			}
		}
	}
	return byID, faulty
}

// A candidate is a reminder that counts unless a source of higher precedence has one with its id.
type candidate struct {
	compile.Source
	dir     string
	project bool
}

func sameID(r compile.Source, first candidate) grammar.Diagnostic {
	at := r.Place("id")
	return grammar.Diagnostic{Code: code.TakenID, File: r.File, Range: at,
		Message: fmt.Sprintf("duplicate id %q: it is taken by %s in the same directory", r.ID, filepath.Base(first.File)),
		Hint:    fmt.Sprintf("give it another id than the one in %s", first.File)}
}
