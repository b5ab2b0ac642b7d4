package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Patterns that regular expressions of hookify's users give.
func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		re    string
		want  string // joined by |; "": none
		wider bool
	}{
		{`rm\s+-rf`, "*rm -rf*", false},
		{`rm\s+-rf|dd\s+if=|mkfs|format`, "*rm -rf*|*dd if=*|*mkfs*|*format*", false},
		{`^git push`, "git push*", false},
		{`\.env$`, "*.env", false},
		{`chmod\s+(777|a\+rwx)`, "*chmod 777*|*chmod a+rwx*", false},
		{`git push.*--force`, "*git push*--force*", false},
		{`npm (i|install)\s`, "*npm i *|*npm install *", false},
		{`colou?r`, "*color*|*colour*", false},
		{`\bsudo\b`, "*sudo*", true},
		{`rm -[a-z]*r`, "*rm -*r*", true},
		{`(unclosed`, "", false},
		{`a(?!b)`, "", false},
		{`.*`, "", false},
		{`\w+`, "", true},
		{`[ab][ab][ab][ab][ab]`, "", false},
	} {
		list, wider, ok := globs(x.re)
		slices.Sort(list)
		want := strings.Split(x.want, "|")
		slices.Sort(want)
		if ok != (x.want != "") || ok && (fmt.Sprint(list) != fmt.Sprint(want) || wider != x.wider) {
			t.Errorf("%s: %q, wider %t, %t", x.re, list, wider, ok)
		}
	}
}
