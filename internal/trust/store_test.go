package trust_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/trust"
)

func (w *world) review() *trust.Review {
	w.t.Helper()
	r, err := w.store.Review(w.project)
	w.try(err)
	return r
}

// shown is a review in short.
func shown(r *trust.Review) []string {
	var all []string
	for _, f := range r.Files {
		s := fmt.Sprintf("%s %s %q was %d", strings.TrimPrefix(f.Name, dir+"/"), f.Status, f.Src, f.Was)
		if f.Real != "" {
			s += " at " + f.Real
		}
		all = append(all, s)
	}
	return all
}

func TestReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("work/.claude/reminders/c.md", "c")
	w.put("work/docs/d.txt", "d")
	w.try(os.Symlink("../../docs/d.txt", w.in("d.md")))
	w.put("work/"+dir+"/notes.txt", "no rule")
	want := []string{`.claude/reminders/c.md new "c" was -1`, `d.md new "d" was -1 at docs/d.txt`,
		`evil.md new "harmless" was -1`, `good.md new "good" was -1`}
	r := w.review()
	if diff := cmp.Diff(want, shown(r)); diff != "" || r.Fine() || !r.Since.IsZero() || r.Project != w.project {
		t.Error(diff, r.Fine(), r.Since, r.Project)
	}
	if _, err := os.Lstat(w.state); err == nil {
		t.Error("a review writes")
	}
	w.try(w.store.Approve(r, when))
	for i := range want {
		want[i] = strings.Replace(want[i], "new", "trusted", 1)
		want[i] = strings.Replace(want[i], "was -1", fmt.Sprint("was ", len(r.Files[i].Src)), 1)
	}
	r = w.review()
	if diff := cmp.Diff(want, shown(r)); diff != "" || !r.Fine() || !r.Since.Equal(when) {
		t.Error(diff, r.Fine(), r.Since)
	}
	w.put("work/docs/d2.txt", "d")
	w.try(os.Remove(w.in("d.md")))
	w.try(os.Symlink("../../docs/d2.txt", w.in("d.md")))
	if got := shown(w.review())[1]; got != `d.md changed "d" was 1 at docs/d2.txt` {
		t.Error(got)
	}
	w.put("work/"+dir+"/evil.md", "other")
	w.put("work/"+dir+"/new.md", "new")
	w.try(os.Remove(w.in("good.md")))
	w.try(os.Remove(w.in("d.md")))
	w.try(os.Symlink("/etc/passwd", w.in("d.md")))
	r = w.review()
	if diff := cmp.Diff([]string{`.claude/reminders/c.md trusted "c" was 1`, `d.md refused "" was 1`,
		`evil.md changed "other" was 8`, `good.md gone "" was 4`, `new.md new "new" was -1`}, shown(
		r)); diff != "" || r.Fine() {
		t.Error(diff)
	}
	w.try(w.store.Approve(r, when.Add(time.Hour)))
	w.put("work/"+dir+"/good.md", "good")
	if diff := cmp.Diff([]string{`.claude/reminders/c.md trusted "c" was 1`, `d.md refused "" was 1`,
		`evil.md trusted "other" was 5`, `good.md new "good" was -1`, `new.md trusted "new" was 3`}, shown(
		w.review())); diff != "" {
		t.Error("what is gone is not forgotten:", diff)
	}
}

// TestWhatItWas: a review of a file that has changed holds what was approved, if that is still there and is
// that.
func TestWhatItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust(w.project)
	w.put("work/"+dir+"/evil.md", "other")
	was := func() string {
		for _, f := range w.review().Files {
			if f.Status == trust.Changed {
				return string(f.Old)
			}
		}
		t.Error("nothing has changed")
		return ""
	}
	if got := was(); got != "harmless" {
		t.Errorf("was %q", got)
	}
	r := w.review()
	r.Files = r.Files[1:] // good.md alone: what was approved of evil.md stays
	w.try(w.store.Approve(r, when))
	if got := was(); got != "harmless" {
		t.Errorf("was %q", got)
	}
	texts := strings.TrimSuffix(w.store.Path(w.project), ".json") + ".texts"
	b, err := os.ReadFile(texts)
	w.try(err)
	for _, junk := range []string{strings.Replace(string(b), "aGFybWxlc3M=", "aGFybWxlc1M=", 1), "",
		"{", "null"} {
		w.try(os.WriteFile(texts, []byte(junk), 0o600))
		if got := was(); got != "" {
			t.Errorf("%q was %q", junk, got)
		}
		if texts, _ := loaded(w.store, w.project); texts["good"] != "good" {
			t.Error(texts)
		}
	}
	w.trust(w.project)
	if _, err := w.store.Revoke(w.project); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(texts); err == nil {
		t.Error("the texts stay")
	}
}

// TestReadingIsBounded: of a file that grows to 10 GB while it is read, no more is read than shows that it is
// too big.
func TestReadingIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust(w.project)
	got, grown := 0, false
	_, why := loaded(w.store.Seen(func(op, name string) {
		switch {
		case op == "Read" && name == dir+"/evil.md" && !grown:
			grown = true
			w.try(os.Truncate(w.in("evil.md"), 10<<30))
		case op == "got" && grown:
			n, err := strconv.Atoi(name)
			w.try(err)
			got += n
		}
	}), w.project)
	if !grown || got > 256<<10+1+len("good") || !strings.Contains(why[dir+"/evil.md"], "262144 are allowed") {
		t.Errorf("%d bytes, %q", got, why)
	}
}

// TestReviewIsBounded: a project cannot fill the memory of who looks at it.
func TestReviewIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.Repeat("x", 256<<10)
	for i := range 70 {
		w.put(fmt.Sprintf("work/.claude/reminders/r%02d.md", i), text)
	}
	total, refused := 0, 0
	for _, f := range w.review().Files {
		total += len(f.Src)
		if f.Status == trust.Refused {
			refused++
		}
	}
	if total < 16<<20 || total > 16<<20+256<<10 || refused < 5 {
		t.Errorf("%d bytes, %d refused", total, refused)
	}
}

// TestT2ApproveWhatWasShown: bytes that changed after a person had looked at them are not approved.
func TestT2ApproveWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.review()
	w.put("work/"+dir+"/evil.md", "harmlesS")
	w.put("work/"+dir+"/evil2.md", "evil")
	w.try(w.store.Approve(r, when))
	texts, why := loaded(w.store, w.project)
	if diff := cmp.Diff(map[string]string{"good": "good"}, texts); diff != "" || len(why) != 2 {
		t.Error(diff, why)
	}
	w.put("work/"+dir+"/evil.md", "harmless")
	if texts, _ := loaded(w.store, w.project); texts["evil"] != "harmless" {
		t.Error("what was approved is not trusted when it is there again")
	}
}

func TestLinksInsideAreFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("work/docs/a.txt", "a")
	for name, to := range map[string]string{"rel.md": "../../docs/a.txt", "abs.md": w.at("work/docs/a.txt"),
		"far.md": "../../link/../docs/a.txt"} {
		w.try(os.Symlink(to, w.in(name)))
	}
	w.try(os.Mkdir(w.at("work/x"), 0o755))
	w.try(os.Symlink("x", w.at("work/link")))
	w.try(os.Symlink(".aside", w.at("work/.claude")))
	w.trust(w.project)
	texts, why := loaded(w.store, w.project)
	if diff := cmp.Diff(map[string]string{"good": "good", "evil": "harmless", "rel": "a", "abs": "a",
		"far": "a"}, texts); diff != "" || len(why) > 0 {
		t.Error(diff, why)
	}
}

// TestT5OneProjectManyPaths: every path that leads to a project is that project.
func TestT5OneProjectManyPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.try(os.Symlink("work", w.at("link")))
	w.trust(w.at("link"))
	for _, name := range []string{"work", "link", "link/", "./link/.", "outside/../work", "link/../work"} {
		if texts, why := loaded(w.store, w.base+"/"+name); len(texts) != 2 {
			t.Errorf("%s: %q %q", name, texts, why)
		}
	}
	if !w.store.Covers(load.Source{Project: w.at("link"), Path: w.at("link/" + dir)}) {
		t.Error("not covered")
	}
	for _, s := range []load.Source{
		{Project: w.project, Path: w.at("work/.claude/reminders")}, {Project: w.at("outside"),
			Path: w.at("outside/" + dir)},
		{Project: w.at("none"), Path: w.at("none/" + dir)}, {Project: w.project,
			Path: w.at("outside")}, {Project: w.project, Path: w.at("work/.aside/remind")},
	} {
		if w.store.Covers(s) {
			t.Errorf("%v is covered", s)
		}
		if s.Path == w.at("outside") {
			if files := w.store.Read(s); len(files) != 1 || !errors.Is(files[0].Err, trust.ErrRefused) {
				t.Errorf("%v", files)
			}
		} else if files := w.store.Read(s); len(files) > 0 {
			t.Errorf("%v: %v", s, files)
		}
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("other/"+dir+"/a.md", "a")
	if was, err := w.store.Revoke(w.project); was || err != nil {
		t.Error(was, err)
	}
	w.trust(w.project)
	w.trust(w.at("other"))
	ps, err := w.store.Projects()
	if diff := cmp.Diff([]trust.Project{{Path: w.at("other"), At: when, Files: []string{dir + "/a.md"}},
		{Path: w.project, At: when, Files: []string{dir + "/evil.md", dir + "/good.md"}}}, ps); diff != "" ||
		err != nil {
		t.Error(diff, err)
	}
	w.try(os.RemoveAll(w.at("other")))
	for _, name := range []string{"work", "other"} {
		if was, err := w.store.Revoke(w.at(name)); !was || err != nil {
			t.Error(name, was, err)
		}
	}
	if ps, err := w.store.Projects(); len(ps) > 0 || err != nil {
		t.Error(ps, err)
	}
	if texts, why := loaded(w.store, w.project); len(texts) > 0 || len(why) != 2 {
		t.Error(texts, why)
	}
}

// TestCorruptIsKeptAside: a record that cannot be read trusts nothing, is told, and is there after the next
// approval.
func TestCorruptIsKeptAside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.store.Path(w.project)
	for i, junk := range []string{"{", "[]"} {
		w.trust(w.project)
		w.try(os.WriteFile(path, []byte(junk), 0o600))
		r := w.review()
		if !errors.Is(r.Broken, trust.ErrCorrupt) || !strings.Contains(r.Broken.Error(), path) || r.Fine() {
			t.Error(r.Broken, r.Fine())
		}
		if ps, err := w.store.Projects(); len(ps) > 0 || !errors.Is(err, trust.ErrCorrupt) {
			t.Error(ps, err)
		}
		w.try(w.store.Approve(r, when))
		if texts, why := loaded(w.store, w.project); len(texts) != 2 {
			t.Error(texts, why)
		}
		aside := path + ".bad"
		if i > 0 {
			aside += "1"
		}
		if b, err := os.ReadFile(aside); string(b) != junk || err != nil {
			t.Errorf("%q %v", b, err)
		}
	}
}

func TestNewerStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trust(w.project)
	path := w.store.Path(w.project)
	const newer = `{"version":3,"all":true}`
	w.try(os.WriteFile(path, []byte(newer), 0o600))
	r := w.review()
	if err := w.store.Approve(r, when); !errors.Is(err, trust.ErrNewer) || !errors.Is(r.Broken, trust.ErrNewer) {
		t.Error(err, r.Broken)
	}
	if _, err := w.store.Revoke(w.project); !errors.Is(err, trust.ErrNewer) {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); string(b) != newer || err != nil {
		t.Errorf("%q %v", b, err)
	}
}

// TestModes: the store's files are for nobody else, and what a killed process left is swept.
func TestModes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.try(os.MkdirAll(w.state, 0o755))
	w.put("state/aside/trust/.x.json.aside-tmp-123", "half")
	w.trust(w.project)
	entries, err := os.ReadDir(w.state)
	w.try(err)
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		w.try(err)
		names = append(names, fmt.Sprint(e.Name(), " ", info.Mode()))
	}
	if diff := cmp.Diff([]string{filepath.Base(w.store.Path(w.project)) + " -rw-------",
		strings.TrimSuffix(filepath.Base(w.store.Path(w.project)), ".json") +
			".texts -rw-------", "lock -rw-------"}, names); diff != "" {
		t.Error(diff)
	}
	for p := w.state; p != w.base; p = filepath.Dir(p) {
		if info, err := os.Stat(p); err != nil || p == w.state && info.Mode().Perm() != 0o700 {
			t.Error(p, info.Mode(), err)
		}
	}
}

// TestT3StoreInsideIsNotMade: an approval does not put a store into the project that it is about.
func TestT3StoreInsideIsNotMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := trust.Open(w.at("work/.state/trust"))
	r, err := s.Review(w.project)
	w.try(err)
	if err := s.Approve(r, when); !errors.Is(err, trust.ErrUnsafe) || !errors.Is(r.Broken, trust.ErrUnsafe) {
		t.Error(err, r.Broken)
	}
	if _, err := os.Lstat(w.at("work/.state")); err == nil {
		t.Error("it was made")
	}
}

// TestApproveAtOnce: many approve many projects at the same time, while others read; each record is whole at
// any time.
func TestApproveAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const projects, rounds = 6, 5
	for i := range projects {
		w.put(fmt.Sprintf("p%d/%s/a.md", i, dir), "a")
	}
	w.trust(w.project)
	var wg sync.WaitGroup
	for i := range projects {
		wg.Go(func() {
			s := trust.Open(w.state)
			for range rounds {
				for _, p := range []string{w.at(fmt.Sprint("p", i)), w.project} {
					r, err := s.Review(p)
					if err == nil {
						err = s.Approve(r, when)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
		wg.Go(func() {
			for range rounds {
				if texts, why := loaded(trust.Open(w.state), w.project); len(texts) != 2 {
					t.Error(texts, why)
				}
			}
		})
	}
	wg.Wait()
	if ps, err := w.store.Projects(); len(ps) != projects+1 || err != nil {
		t.Error(len(ps), err)
	}
}

// A text that is written over an approved one is trusted in its place; one over anything else is not.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keep := func(name, from, to string, want bool) {
		t.Helper()
		kept, err := w.store.Keep(w.project, dir+"/"+name, []byte(from), []byte(to))
		w.try(err)
		if kept != want {
			t.Errorf("%s, %q over %q: kept is %t", name, to, from, kept)
		}
	}
	keep("good.md", "good", "better", false) // nothing is trusted yet
	if _, err := os.Lstat(w.state); err == nil {
		t.Error("a store is made for nothing")
	}
	w.trust(w.project)
	keep("evil.md", "another", "harmful", false)
	keep("none.md", "good", "better", false)
	keep("good.md", "good", strings.Repeat("x", 256<<10+1), false)
	keep("good.md", "good", "better", true)
	keep("good.md", "good", "worse", false) // that is no longer what was approved
	texts, why := loaded(w.store, w.project)
	if len(texts) != 1 || texts["evil"] != "harmless" || why[dir+"/good.md"] == "" {
		t.Error(texts, why)
	}
	w.put("work/"+dir+"/good.md", "better")
	if texts, why = loaded(w.store, w.project); texts["good"] != "better" || len(why) != 0 {
		t.Error(texts, why)
	}
	if r := w.review(); !r.Since.Equal(when) {
		t.Error("a person looked at it on", r.Since)
	}
}
