package load

import (
	"maps"
	"slices"

	"github.com/aside-go/aside/grammar"
)

// lastGood remembers each file as it last was without an error.
type lastGood map[string]file

// load is assemble, with every file that has an error now as it last was without one. It gives the files it made it of. Files of
// projects are only ever what they are now: nobody has approved both.
func (g *lastGood) load(files []file, opts Options) (*Result, []file) {
	files = g.missing(files)
	res := assemble(files, opts)
	bad := make(map[string]bool)
	for _, d := range res.Diagnostics {
		if d.Severity == grammar.Error {
			bad[d.File] = true
		}
	}
	var stale []string
	next := make(lastGood, len(files))
	for i, f := range files {
		before, known := (*g)[f.path]
		switch {
		case f.project:
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
	slices.Sort(stale)
	if res.Stale = stale; len(stale) > 0 {
		was := res.Diagnostics
		res = assemble(files, opts)
		res.Diagnostics = merge(was, res.Diagnostics)
		res.Stale = stale
	}
	return res, files
}

// missing puts the known files of a directory that cannot be read now in its place.
func (g *lastGood) missing(files []file) []file {
	var all []file
	for _, f := range files {
		all = append(all, f)
		if f.path != f.dir || f.project {
			continue
		}
		listed := make(map[string]bool, len(files))
		for _, other := range files {
			listed[other.path] = true
		}
		for _, path := range slices.Sorted(maps.Keys(*g)) {
			if before := (*g)[path]; before.dir == f.dir && !listed[path] {
				before.gone = true
				all = append(all, before)
			}
		}
	}
	return all
}

// merge is all of both, each once.
func merge(a, b grammar.Diagnostics) grammar.Diagnostics {
	seen := make(map[string]bool, len(a))
	for _, d := range a {
		seen[d.String()] = true
	}
	for _, d := range b {
		if s := d.String(); !seen[s] {
			seen[s] = true
			a = append(a, d)
		}
	}
	a.Sort()
	return a
}
