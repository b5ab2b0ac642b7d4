// Package patch owns what a patch says: which files it names, and what it adds to them. It reads unified
// diffs, the form of apply_patch, and blocks whose new text stands between ======= and a line that ends with
// REPLACE. It is pure.
package patch

import (
	"slices"
	"strings"
)

// Begin is how a patch in the form of apply_patch begins.
const Begin = "*** Begin Patch"

// Files returns the files that a patch in the form of apply_patch, or a unified diff, names, in their order.
func Files(patch string) (files []string) {
	add := func(name string) {
		name, _, _ = strings.Cut(name, "\t") // and the time
		if name = strings.TrimSpace(name); name != "/dev/null" && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	before, old := "", false
	for line := range strings.Lines(patch) {
		for _, header := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ",
			"*** Move to: ", "rename from ", "rename to "} {
			if file, ok := strings.CutPrefix(line, header); ok {
				add(file)
			}
		}
		if after, ok := strings.CutPrefix(line, "+++ "); ok && old { // a line "--- " alone is one that is removed
			add(strings.TrimPrefix(before, "a/"))
			add(strings.TrimPrefix(after, "b/"))
		}
		before, old = strings.CutPrefix(line, "--- ")
	}
	return files
}

// Added returns the lines that a patch adds, one text for each file to which it adds some.
func Added(patch string) (texts []string) {
	var text strings.Builder
	end := func() {
		if text.Len() > 0 {
			texts = append(texts, text.String())
			text.Reset()
		}
	}
	replacing := false
	for line := range strings.Lines(patch) {
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case replacing && strings.HasSuffix(bare, " REPLACE"):
			replacing = false
			end()
		case replacing:
			text.WriteString(line)
		case bare == "=======":
			replacing = true
		case strings.HasPrefix(line, "*** "), strings.HasPrefix(line, "+++ "):
			end()
		case strings.HasPrefix(line, "+"):
			text.WriteString(line[1:])
		}
	}
	end()
	return texts
}
