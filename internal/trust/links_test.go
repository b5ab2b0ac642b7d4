//go:build unix

package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/internal/trust"
)

// TestLinksAsTheSystem builds projects of directories and links to anywhere, and compares where a review says
// that each file lies with where the system finds it. What lies elsewhere is refused.
func TestLinksAsTheSystem(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := &world{t: t, base: filepath.Join(base, fmt.Sprint(n)), project: filepath.Join(base,
			fmt.Sprint(n), "work")}
		w.store = trust.Open(filepath.Join(base, "state"))
		w.put("outside/a.md", "outside")
		for _, d := range []string{dir, "b/c", "d"} {
			w.put("work/"+d+"/a.md", "in "+d)
		}
		for i := range rapid.IntRange(1, 8).Draw(t, "links") {
			at := rapid.SampledFrom([]string{dir, "b", "b/c", "d", "."}).Draw(t, "in")
			name := fmt.Sprintf("l%d", i)
			if at == dir {
				name += ".md"
			}
			var to string
			steps := rapid.SliceOfN(rapid.SampledFrom([]string{"..", "..", "..", ".", "b", "c", "d", "l0", "l1", "l2",
				"l3", "a.md", "l1.md", ".aside", "work", "outside"}), 1, 6).Draw(t, "to")
			for _, s := range steps {
				to += s + "/"
			}
			to = to[:len(to)-1]
			if rapid.IntRange(0, 4).Draw(t, "absolute") == 0 {
				to = w.project + "/" + to
			}
			w.try(os.Symlink(to, filepath.Join(w.project, at, name)))
		}
		r, err := w.store.Review(w.project)
		w.try(err)
		for _, f := range r.Files {
			real, err := filepath.EvalSymlinks(filepath.Join(w.project, filepath.FromSlash(f.Name)))
			rel, ok := "", false
			if err == nil {
				rel, err = filepath.Rel(w.project, real)
				ok = err == nil && filepath.IsLocal(rel)
			}
			if f.Status == trust.Refused {
				continue
			}
			found++
			if want := f.Real; !ok || rel != want && (want != "" || rel != f.Name) {
				t.Fatalf("%s: %q, and the system says %q", f.Name, f.Real, real)
			}
			if b, err := os.ReadFile(real); err != nil || string(b) != string(f.Src) {
				t.Fatalf("%s: %q, and the system says %q", f.Name, f.Src, b)
			}
		}
	})
	if found < n {
		t.Errorf("%d files in %d projects", found, n)
	}
}
