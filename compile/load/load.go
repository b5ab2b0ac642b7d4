package load

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// Options say how files are read and compiled. The zero Options read no files of projects, and know the
// built-in facts.
type Options struct {
	compile.Options

	// Trusted reads the files of projects. If it is nil, no project is trusted, and none of their files is
	// opened.
	Trusted Gate

	// Read returns the reminders of a file and the mistakes in it. nil is to read the file's bytes; a caller
	// that loads the same files again and again can remember those that did not change. It must be safe for
	// concurrent use.
	Read func(path string, src []byte) ([]compile.Source, grammar.Diagnostics)

	// Good is for a program that loads the files once and ends: it returns those of the user's own as each last
	// was without errors, as an earlier Result.Good has them. Load calls it where a file has errors, which then
	// counts as it was, as with Watch, and where a source is to be kept.
	Good func() map[string][]byte

	// After is the timer of Watch. nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Result holds the reminders of a list of sources. It is immutable.
type Result struct {
	Set         *compile.Set
	Reminders   []compile.Source    // those of Set and the disabled ones, by id
	Diagnostics grammar.Diagnostics // about the files and the reminders in them
	Files       map[string][]byte   // the bytes that were parsed, by path
	// for the id of a reminder, the files with reminders of that id which it overrides, in order of precedence
	Overrides map[string][]string
	// for Watch and with Options.Good, files that have errors by now and count as they last were without
	Stale []string
	// with Options.Good, what that should return from now on, by path
	Good map[string][]byte
	// rule tests among the files: they have no reminders, and nothing is said of them
	Tests     []string
	Untrusted []Untrusted // files of projects that are not used, in order of precedence
}

// Load reads the reminders of sources, which are in order of precedence, the lowest first. A reminder
// overrides those of the same id in the sources before its own. A directory that does not exist has no
// reminders. A file that cannot be read, and a reminder that cannot be compiled, is a diagnostic. It makes no
// difference to the others, and does not override any.
func Load(sources []Source, opts Options) *Result {
	if opts.Good == nil {
		return assemble(read(sources, opts, nil), opts)
	}
	var good lastGood
	res, _ := good.load(sources, opts)
	res.Good = good.sources()
	return res
}

// assemble decides which reminder of each id counts, and compiles those. files is in order of precedence, the
// lowest first.
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

// collect takes the files into res. It returns the candidates for each id, those of the lowest precedence
// first, and the faulty reminders, which override nothing and are compiled only to find their other
// mistakes.
func (res *Result) collect(files []file) (byID map[string][]candidate, faulty []compile.Source) {
	byID = make(map[string][]candidate, len(files))
	tooMany := false
	for _, f := range files {
		if f.refused != nil {
			res.Untrusted = append(res.Untrusted, Untrusted{Path: f.path, Project: f.project, Why: f.refused})
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
			case len(cs) > 0 || len(byID) < maxReminders || r.Tier == reminder.Safety:
				byID[r.ID] = append(cs, candidate{r, f.dir, f.project != ""})
			case !tooMany:
				tooMany = true
				res.Diagnostics = append(res.Diagnostics, grammar.Diagnostic{Code: code.ManyReminders, File: f.path,
					Range: r.Place("id"), Message: fmt.Sprintf("more than %d reminders: %q and those behind it are left out",
						maxReminders, r.ID), Hint: "remove some"})
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
		Message: fmt.Sprintf("duplicate id %q: it is taken by %s in the same directory", r.ID,
			filepath.Base(first.File)),
		Hint: fmt.Sprintf("give it another id than the one in %s", first.File)}
}

// Document is a rule file that the caller has read, such as a document of an editor.
type Document struct {
	Path string
	// the directory that it counts as a part of: within one, no two reminders may have the same id
	Dir     string
	Src     []byte // its bytes, which Result.Files keeps
	Project bool   // whether it belongs to a project, so that it cannot override the user's own safety reminders
}

// Given is Load for files that were read already. docs are in order of precedence, the lowest first, those of
// one directory in the order of their names, and none twice. Given opens no file, and does not ask
// opts.Trusted: all docs are trusted.
func Given(docs []Document, opts Options) *Result {
	parse := opts.parser()
	files := make([]file, len(docs))
	inParallel(len(docs), func(i int) {
		d := &docs[i]
		files[i] = file{path: d.Path, dir: d.Dir, src: d.Src}
		if d.Project {
			files[i].project = d.Dir
		}
		parse(&files[i])
	})
	return assemble(files, opts)
}

// winner returns the last of cs that compiles, else the first, and the diagnostics of those after it: a
// reminder that does not compile overrides nothing.
func winner(cs []candidate, opts Options) (int, grammar.Diagnostics) {
	var told grammar.Diagnostics
	top := len(cs) - 1
	for ; top > 0; top-- {
		_, ds := compile.FromFiles([]compile.Source{cs[top].Source}, opts.Options)
		if !ds.HasErrors() {
			break
		}
		told = append(told, ds...)
	}
	return top, told
}

// keepSafe leaves out of the candidates for one id those of projects, where the user's own is of the safety
// tier and in force: a project can neither replace it nor switch it off (law T7).
func keepSafe(cs []candidate, opts Options) ([]candidate, grammar.Diagnostics) {
	if !slices.ContainsFunc(cs, func(c candidate) bool { return c.project }) {
		return cs, nil
	}
	var own, theirs []candidate
	for _, c := range cs {
		if c.project {
			theirs = append(theirs, c)
		} else {
			own = append(own, c)
		}
	}
	if len(own) == 0 || len(theirs) == 0 {
		return cs, nil
	}
	top, _ := winner(own, opts)
	safe := own[top]
	if safe.Tier != reminder.Safety || safe.Disabled {
		return cs, nil
	}
	var ds grammar.Diagnostics
	for _, c := range theirs {
		what := "replace"
		if c.Disabled {
			what = "switch off"
		}
		ds = append(ds, grammar.Diagnostic{Code: code.ReplacesSafety, Severity: grammar.Warning, File: c.File,
			Range: c.Place("id"),
			Message: fmt.Sprintf("a project cannot %s %q, a safety reminder of your own: this one is left out", what,
				c.ID),
			Hint: "give it another id than the one in " + safe.File})
	}
	return own, ds
}

// rankBelow lowers the priorities of projects' reminders until each stands below the user's own safety
// reminders: no text of a project comes after them, or takes their room (law T7). It reports no equal
// priority, since that is the default of both.
func rankBelow(winners []candidate) grammar.Diagnostics {
	lowest, found := math.MaxInt, false
	for _, c := range winners {
		if !c.project && c.Tier == reminder.Safety && !c.Disabled {
			lowest, found = min(lowest, c.Priority), true
		}
	}
	if !found || lowest == math.MinInt {
		return nil
	}
	var ds grammar.Diagnostics
	for i := range winners {
		c := &winners[i]
		if !c.project || c.Priority < lowest {
			continue
		}
		if c.Priority > lowest {
			ds = append(ds, grammar.Diagnostic{Code: code.OutranksSafety, Severity: grammar.Warning, File: c.File,
				Range: c.Place("priority"),
				Message: fmt.Sprintf("a project cannot outrank your own safety reminders: priority %d counts as %d",
					c.Priority, lowest-1),
				Hint: fmt.Sprintf("write a priority below %d", lowest)})
		}
		c.Priority = lowest - 1
	}
	return ds
}
