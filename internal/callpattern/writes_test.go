package callpattern_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// TestWrites: a command changes the files that it says, and writes what it says. "+" is that there are more.
func TestWrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, paths, texts string }{
		{"echo a > f", "f", "a\n"},
		{"echo a b >> 'x y'", "x y", "a b\n"},
		{"echo -n a >| f", "f", "a"},
		{"printf 'a\\tb\\n' > f", "f", "a\tb\n"},
		{"printf %s a > f", "f", "a"},
		{"make > log 2>&1", "log", "+"},
		{"make &> log", "log", "+"},
		{"make 2> err", "err", "+"},
		{"make > /dev/null 2>&1", "", ""},
		{"cat < f", "", ""},
		{"> f", "f", ""},
		{`echo a > "$OUT"`, "+", "a\n"},
		{"echo a > *.go", "+", "a\n"},
		{"echo $X > f", "f", "+"},
		{"cat <<'EOF' > f\na\n$X\nEOF", "f", "a\n$X\n"},
		{"cat > f <<EOF\n$(sed -i s/a/b/ g)\nEOF", "g f", "+ $(sed -i s/a/b/ g)\n"},
		{"cat <<-'EOF' | tee f g\na\nEOF", "f g", "a\n a\n"},
		{"make | tee -a log", "log", "+"},
		{"tee f <<< hi", "f", "hi\n"},
		{"sed -i s/a/b/ f g", "f g", "+"},
		{"sed -i.bak -e s/a/b/ f", "f", "+"},
		{"sed -ni -f s.sed f", "f", "+"},
		{"sed s/a/b/ f", "", ""},
		{"sed -e -i f", "", ""},
		{"sed -i '' s/a/b/ f", "f", "+"},
		{"sed --in-place=.bak --expression s/a/b/ f", "f", "+"},
		{"perl -Ilib f", "", ""},
		{"perl -0777pi -e 's/a/b/' f", "f", "+"},
		{"x=$(rm f)", "f", ""},
		{"make > \"$(rm f)\"", "+ f", "+"},
		{"touch -r a -d '1 day ago' f", "f", ""},
		{"cp -S .bak a b", "b", "+"},
		{"perl -pi -e 's/a/b/' f", "f", "+"},
		{"perl -e 'print'", "", ""},
		{"cp a b", "b", "+"},
		{"cp -r a d/", "d/a", "+"},
		{"cp x/a b d", "d/a d/b", "+"},
		{"cp -t d a", "d/a", "+"},
		{"mv a b", "a b", "+"},
		{"rm -rf a b/", "a b", ""},
		{"touch f", "f", ""},
		{"git rm --cached f", "f", ""},
		{"git mv a b", "a b", "+"},
		{"git apply x.patch", "+", "+"},
		{"git apply --check x.patch", "", ""},
		{"git rm -n f", "", ""},
		{"mv -n a b", "a b", "+"},
		{"git -C d rm f; touch g", "d/f g", ""},
		{"git -C $D rm f; touch g", "+ g", ""},
		{"git apply <<'E'\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n--- x\n-y\n+z\nE", "f", "z\n"},
		{"patch -p1 <<'E'\n--- a/f\tnow\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\nE", "f", ""},
		{"patch --dry-run -p1 < x.diff", "", ""},
		{"patch f x.diff", "f", "+"},
		{"patch -i x.diff -p1", "+", "+"},
		{"git status", "", ""},
		{"patch -p1 < x.diff", "+", "+"},
		{"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n-a\n+b\n*** End Patch\nEOF", "f", "b\n"},
		{"cd d && echo a > f", "d/f", "a\n"},
		{"(cd d; echo a > f); echo b > g", "d/f g", "a\n b\n"},
		{"cd $D && echo a > f", "+", "a\n"},
		{"cd d > f; touch g", "f d/g", "+"},
		{"sh -c 'cd d; touch f'; touch g", "d/f g", ""},
		{"x=$(cd d; rm f); touch g", "d/f g", ""},
		{"cd $D && echo a > /f", "/f", "a\n"},
		{"sudo tee f < x", "f", "+"},
		{"bash -c 'echo a > f'", "f", "a\n"},
		{"ls | xargs rm", "+", ""},
		{"find . -name x -exec rm {} +", "+", ""},
		{"if true; then echo a > f; fi", "f", "a\n"},
		{"echo 'rm -rf f > g'", "", ""},
		{"echo a > f && ls > f", "f", "+ a\n"},
		{"git push", "", ""},
		{"make >/dev/null 2>&1; echo a >f", "f", "a\n"},
		{"ls 2>&- >>f", "f", "+"},
		{"r'm' f", "f", ""},
		{"/bin/rm f", "f", ""},
		{"echo $'\\x3e' >&f", "f", ">\n"},
		{strings.Repeat("a && ", 2000) + "rm f", "f", ""},
		{"rm f" + strings.Repeat(" && a", 2000), "f", ""},
		{"echo 'unclosed > f", "", ""},
	} {
		call := fact.Call{Class: fact.Shell, Command: c.line, Told: true}
		callpattern.Writes(&call, path.Clean)
		paths, texts := slices.Clone(call.Paths), slices.Clone(call.Written)
		if call.Unsaid {
			paths = append([]string{"+"}, paths...)
		}
		if call.Edits && !call.WrittenTold {
			texts = append([]string{"+"}, texts...)
		}
		if p, w := strings.Join(paths, " "), strings.Join(texts, " "); p != c.paths || w != c.texts ||
			call.Edits != (c.paths != "") {
			t.Errorf("%s\nchanges %q and writes %q, want %q and %q", c.line, p, w, c.paths, c.texts)
		}
	}
}

// TestWritesOfOthers: only a command line that is told is looked into.
func TestWritesOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []fact.Call{
		{Class: fact.Shell, Command: "rm f"},
		{Class: fact.NoClass, Command: "rm f", Told: true},
		{Class: fact.Edit, Paths: []string{"rm"}, Told: true},
	} {
		if callpattern.Writes(&c, path.Clean); c.Edits || len(c.Paths) > 1 {
			t.Errorf("%+v", c)
		}
	}
}
