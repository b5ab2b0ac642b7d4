package check

import (
	"maps"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// fixFiles applies the fixes of the diagnostics and rewrites the files that change, each whole or not at all.
// With --diff it prints the changes instead. changed reports whether anything did, or would.
func (c *Cmd) fixFiles(e *command.Env, opts lint.Options) (changed bool, err error) {
	if slices.Contains(c.Paths, "-") {
		return false, command.Usage("--fix cannot rewrite stdin")
	}
	f, err := c.findings(e, opts)
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if slices.Contains(f.tests, name) || name == f.config {
			continue
		}
		out, n := mended(name, f.files[name], f.schema, opts)
		if n == 0 {
			continue
		}
		changed = true
		if c.DryRun {
			if _, err := e.Out.Write(diff.Diff(e.Below(name)+".orig", f.files[name], e.Below(name), out)); err != nil {
				return changed, err
			}
			continue
		}
		if err := review.Rewrite(e, name, f.files[name], out); err != nil {
			return changed, err
		}
		e.Note("%s: %s mended", e.Below(name), terminal.Count(n, "mistake"))
	}
	return changed, nil
}

// mended applies the fixes for one file, and returns the result and how many fixes it has.
func mended(name string, src []byte, schema *fact.Schema, opts lint.Options) (out []byte, n int) {
	return lint.Mend(src, func(src []byte) grammar.Diagnostics { return checkAlone(name, src, schema, opts) })
}

// checkAlone returns the diagnostics of one file by itself.
func checkAlone(name string, src []byte, schema *fact.Schema, opts lint.Options) grammar.Diagnostics {
	rs, ds := document.Read(name, src)
	set, more := compile.FromFiles(rs, compile.Options{Schema: schema})
	return lint.Run(set, slices.Concat(ds, more), map[string][]byte{name: src}, opts)
}
