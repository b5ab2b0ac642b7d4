package load

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// lastGood remembers each file as it last was without an error.
type lastGood map[string]file

// load is assemble with the last good version of every file that has an error now. It returns the files
// that it used. Files of projects always count as they are now: nobody has approved the combination of old
// and new ones.
func (g *lastGood) load(sources []Source, opts Options) (*Result, []file) {
	keeps := func(s Source) bool { return s.Keep }
	if *g == nil && opts.Good != nil && slices.ContainsFunc(sources, keeps) {
		g.recall(opts)
	}
	files := read(sources, opts, *g)
	res := assemble(files, opts)
	bad := make(map[string]bool)
	for _, d := range res.Diagnostics {
		if d.Severity == grammar.Error {
			bad[d.File] = true
		}
	}
	if *g == nil && len(bad) > 0 && opts.Good != nil {
		g.recall(opts)
	}
	files = g.missing(files)
	var stale []string
	next := make(lastGood, len(files))
	for i, f := range files {
		before, known := (*g)[f.path]
		switch {
		case f.project != "":
		case f.gone:
			next[f.path] = before
			stale = append(stale, f.path)
		case !bad[f.path]:
			next[f.path] = f
		case known:
			next[f.path] = before
			files[i].reminders = before.reminders
			stale = append(stale, f.path)
		}
	}
	*g = next
	if slices.Sort(stale); len(stale) > 0 {
		was := res.Diagnostics
		res = assemble(files, opts)
		res.Diagnostics = merge(was, res.Diagnostics)
	}
	res.Stale = stale
	return res, files
}

// recall takes up the files that the caller has kept.
func (g *lastGood) recall(opts Options) {
	*g = lastGood{}
	parse := opts.parser()
	for path, src := range opts.Good() {
		f := file{path: path, dir: filepath.Dir(path), src: src}
		parse(&f)
		(*g)[path] = f
	}
}

// sources returns the bytes of the files.
func (g lastGood) sources() map[string][]byte {
	all := make(map[string][]byte, len(g))
	for path, f := range g {
		if f.src != nil {
			all[path] = f.src
		}
	}
	return all
}

// gone stands for a source that is kept and has no rule files any more; nil for one that had none.
func (g lastGood) gone(s Source) []file {
	for path, f := range g {
		if path == s.Path || f.dir == s.Path {
			return []file{{path: s.Path, dir: s.Path, ds: grammar.Diagnostics{{Code: code.UnreadableFile, File: s.Path,
				Message: "there are no rules any more: those before stay in use",
				Hint:    "put them back, or name another path and start anew"}}}}
		}
	}
	return nil
}

// missing puts the known files of a source that cannot be read now in its place.
func (g *lastGood) missing(files []file) []file {
	var all []file
	for _, f := range files {
		all = append(all, f)
		if f.path != f.dir || f.project != "" {
			continue
		}
		listed := make(map[string]bool, len(files))
		for _, other := range files {
			listed[other.path] = other.path != other.dir
		}
		for _, path := range slices.Sorted(maps.Keys(*g)) {
			if before := (*g)[path]; (before.dir == f.dir || path == f.path) && !listed[path] {
				before.gone = true
				all = append(all, before)
			}
		}
	}
	return all
}

// merge is all of both, each once.
func merge(a, b grammar.Diagnostics) grammar.Diagnostics {
	all := slices.Concat(a, b)
	all.Sort()
	return slices.CompactFunc(all, equal)
}

func equal(a, b grammar.Diagnostic) bool { return a.String() == b.String() }
