package check

import (
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
func (c *Options) fixFiles(e *command.Env, opts lint.Options) (changed bool, err error) {
	if slices.Contains(c.Paths, "-") {
		return false, command.Usage("--fix cannot rewrite stdin")
	}
	f, err := c.findings(e, opts)
	if err != nil {
		return false, err
	}
	names := make([]string, 0, len(f.files))
	for name := range f.files {
		if !slices.Contains(f.tests, name) && name != f.config {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		out, n := mended(name, f.files[name], f.schema, opts)
		if n == 0 {
			continue
		}
		changed = true
		if c.Diff {
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

// mended applies the fixes for one file, and returns the result and how many fixes it has. It goes on until
// there is nothing to fix, since a mistake may hide another. A fix that makes nothing better is not applied.
func mended(name string, src []byte, schema *fact.Schema, opts lint.Options) (out []byte, n int) {
	const rounds = 20 // files that people write take three at most
	check := func(src []byte) grammar.Diagnostics { return checkAlone(name, src, schema, opts) }
	ds := check(src)
	for range rounds {
		next, followed := lint.Follow(src, ds)
		if followed == 0 {
			break
		}
		after := check(next)
		for i := 0; i < len(ds) && !better(after, ds); i++ { // then the first fix that helps by itself
			if next, followed = lint.Follow(src, ds[i:i+1]); followed > 0 {
				after = check(next)
			}
		}
		if !better(after, ds) {
			break
		}
		src, ds, n = next, after, n+followed
	}
	return src, n
}

// checkAlone returns the diagnostics of one file by itself.
func checkAlone(name string, src []byte, schema *fact.Schema, opts lint.Options) grammar.Diagnostics {
	rs, ds := document.Read(name, src)
	set, more := compile.FromFiles(rs, compile.Options{Schema: schema})
	return lint.Run(set, slices.Concat(ds, more), map[string][]byte{name: src}, opts)
}

// better reports whether some mistakes of before are gone in after, and no more new ones have come up, as
// hidden mistakes may. Remarks do not count.
func better(after, before grammar.Diagnostics) bool {
	left := map[string]int{}
	for _, d := range before {
		if d.Severity != grammar.Info {
			left[string(d.Code)+d.Message]++
		}
	}
	gone := 0
	for _, n := range left {
		gone += n
	}
	fresh := 0
	for _, d := range after {
		if d.Severity == grammar.Info {
			continue
		}
		if key := string(d.Code) + d.Message; left[key] > 0 {
			left[key]--
			gone--
		} else {
			fresh++
		}
	}
	return gone > 0 && fresh <= gone
}
