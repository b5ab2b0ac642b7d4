package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/trust"
)

var when = time.Date(2026, 2, 11, 9, 30, 0, 0, time.UTC)

const dir = ".aside/reminders"

// tester is what a test is to its world, be it one of package testing or of rapid.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Error(args ...any)
	Skip(args ...any)
}

// world is a user with a project. In it lie good.md, which nobody attacks, and evil.md, both approved; beside
// it lies what is none of its business.
type world struct {
	t       tester
	base    string
	state   string // the store's directory
	store   *trust.Store
	project string
	secret  string // a file outside
}

func newWorld(t testing.TB) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, base: base, state: filepath.Join(base, "state", "aside", "trust"),
		project: filepath.Join(base, "work"), secret: filepath.Join(base, "outside", "secret.md")}
	w.store = trust.Open(w.state)
	w.put("work/"+dir+"/good.md", "good")
	w.put("work/"+dir+"/evil.md", "harmless")
	w.put("outside/secret.md", "secret")
	// whatever is written from now on has another time
	for _, p := range []string{w.in("good.md"), w.in("evil.md"), w.secret} {
		w.try(os.Chtimes(p, when, when))
	}
	return w
}

// in is a path below the reminders of the project.
func (w *world) in(name string) string {
	return filepath.Join(w.project, filepath.FromSlash(dir), name)
}

// at is a path below the world.
func (w *world) at(name string) string { return filepath.Join(w.base, filepath.FromSlash(name)) }

func (w *world) put(name, text string) {
	w.t.Helper()
	p := w.at(name)
	w.try(os.MkdirAll(filepath.Dir(p), 0o755))
	w.try(os.WriteFile(p, []byte(text), 0o644))
}

func (w *world) try(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// trust approves what is there.
func (w *world) trust(project string) {
	w.t.Helper()
	r, err := w.store.Review(project)
	w.try(err)
	w.try(w.store.Approve(r, when))
}

// evil puts something else in the place of evil.md.
func (w *world) evil(how func(path string) error) {
	w.t.Helper()
	w.try(os.Remove(w.in("evil.md")))
	w.try(how(w.in("evil.md")))
}

// loaded is what a host would get of a project: texts by id, and why other files are not used, by their place
// below the project.
func loaded(s load.Gate, project string) (texts, why map[string]string) {
	r := load.Load(load.Standard("", project), load.Options{Trusted: s})
	texts, why = map[string]string{}, map[string]string{}
	for i := range r.Set.Len() {
		texts[r.Set.Reminder(i).ID] = r.Set.Reminder(i).Text
	}
	for _, u := range r.Untrusted {
		why[strings.TrimPrefix(strings.TrimPrefix(u.Path, filepath.Clean(project)), "/")] = u.Why.Error()
	}
	return texts, why
}
