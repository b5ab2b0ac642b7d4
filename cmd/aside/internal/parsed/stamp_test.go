package parsed_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/parsed"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
)

// change changes a file until the system's clock has gone on since it was changed before: files are remembered here as if they had
// settled, and need not wait for that.
func change(t *testing.T, path string, how func(path string) error) {
	t.Helper()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for {
		probe := filepath.Join(t.TempDir(), "probe")
		if err := os.WriteFile(probe, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if now, err := os.Stat(probe); err != nil {
			t.Fatal(err)
		} else if now.ModTime().After(before.ModTime()) {
			break
		}
	}
	if err := how(path); err != nil {
		t.Fatal(err)
	}
}

// loaded loads rules at a moment, and returns their texts and how many files were read.
func loaded(t *testing.T, memory string, now time.Time, sources ...load.Source) (texts string, reads int) {
	t.Helper()
	m := parsed.Open(memory, "b1", now)
	r := load.Load(sources, load.Options{Memory: m, Read: func(path string, src []byte) ([]compile.Reminder, grammar.Diagnostics) {
		reads++
		return m.Read(path, src)
	}})
	for _, rm := range r.Reminders {
		texts += rm.Text
	}
	for _, d := range r.Diagnostics {
		texts += d.Code
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	return texts, reads
}

const one, two = "---\nwhen: compacted\n---\nOne.\n", "---\nwhen: compacted\n---\nTwo.\n" // of one length

func skipWithoutStamps(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files have no stamps here")
	}
}

// TestChangedFileIsRead: a file that was remembered is not opened, and is read once anything was done to it.
func TestChangedFileIsRead(t *testing.T) {
	t.Parallel()
	skipWithoutStamps(t)
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	for name, how := range map[string]func(path string) error{
		"edited in place": func(path string) error { return write(path, two) },
		"edited in place, with its old time": func(path string) error {
			info, err := os.Stat(path)
			if err == nil {
				err = write(path, two)
			}
			if err != nil {
				return err
			}
			return os.Chtimes(path, info.ModTime(), info.ModTime())
		},
		"replaced": func(path string) error {
			if err := write(path+"~", two); err != nil {
				return err
			}
			return os.Rename(path+"~", path)
		},
		"replaced, with its old time": func(path string) error {
			info, err := os.Stat(path)
			if err == nil {
				err = write(path+"~", two)
			}
			if err == nil {
				err = os.Chtimes(path+"~", info.ModTime(), info.ModTime())
			}
			if err != nil {
				return err
			}
			return os.Rename(path+"~", path)
		},
		"removed and made anew": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return write(path, two)
		},
		"a link to another": func(path string) error {
			if err := write(path+"~", two); err != nil {
				return err
			}
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(path+"~", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, memory, later := t.TempDir(), t.TempDir(), time.Now().Add(time.Hour)
			path := filepath.Join(dir, "a.md")
			if err := write(path, one); err != nil {
				t.Fatal(err)
			}
			for i, reads := range []int{1, 0, 0} {
				if texts, n := loaded(t, memory, later, load.Source{Path: dir}); texts != "One." || n != reads {
					t.Errorf("load %d: %q, and %d files were read", i, texts, n)
				}
			}
			change(t, path, how)
			for i, reads := range []int{1, 0} {
				if texts, n := loaded(t, memory, later, load.Source{Path: dir}); texts != "Two." || n != reads {
					t.Errorf("load %d after the change: %q, and %d files were read", i, texts, n)
				}
			}
		})
	}
}

// TestSwappedFilesAreRead: of two files that change their names neither is taken for the other.
func TestSwappedFilesAreRead(t *testing.T) {
	t.Parallel()
	skipWithoutStamps(t)
	dir, memory, later := t.TempDir(), t.TempDir(), time.Now().Add(time.Hour)
	a, b := filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")
	for path, text := range map[string]string{a: one, b: two} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if texts, _ := loaded(t, memory, later, load.Source{Path: dir}); texts != "One.Two." {
			t.Errorf("%q", texts)
		}
	}
	swap := func() {
		for _, r := range [][2]string{{a, a + "~"}, {b, a}, {a + "~", b}} {
			if err := os.Rename(r[0], r[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, want := range []string{"Two.One.", "One.Two."} {
		swap()
		if texts, _ := loaded(t, memory, later, load.Source{Path: dir}); texts != want {
			t.Errorf("%q, want %q", texts, want)
		}
	}
}

// TestUnsettledFileIsRead: what changed a moment ago, or will have changed, is read each time.
func TestUnsettledFileIsRead(t *testing.T) {
	t.Parallel()
	skipWithoutStamps(t)
	dir, memory := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.md")
	if err := os.WriteFile(path, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	at := info.ModTime()
	for _, now := range []time.Time{at, at.Add(time.Second), at.Add(-time.Hour), at.Add(2*time.Second - 1)} {
		for range 2 {
			if texts, n := loaded(t, memory, now, load.Source{Path: dir}); texts != "One." || n != 1 {
				t.Errorf("at %v: %q, and %d files were read", now.Sub(at), texts, n)
			}
		}
	}
	ahead := at.Add(24 * time.Hour)
	if err := os.Chtimes(path, ahead, ahead); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, n := loaded(t, memory, at.Add(time.Hour), load.Source{Path: dir}); n != 1 {
			t.Error("a file of tomorrow was not read")
		}
	}
	if _, n := loaded(t, memory, ahead.Add(2*time.Second), load.Source{Path: dir}); n != 1 {
		t.Error("a file that has settled was not read once")
	}
	if _, n := loaded(t, memory, at, load.Source{Path: dir}); n != 0 {
		t.Error("a file that has settled was read again")
	}
}

// TestMistakesAreTold: a file with a mistake is read each time, and so is one of a project.
func TestMistakesAreTold(t *testing.T) {
	t.Parallel()
	dir, memory, later := t.TempDir(), t.TempDir(), time.Now().Add(time.Hour)
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("---\nwhen: [\n---\nText.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, _ := loaded(t, memory, later, load.Source{Path: dir})
	for range 2 {
		if texts, n := loaded(t, memory, later, load.Source{Path: dir}); texts != first || texts == "" || n != 1 {
			t.Errorf("%q, at first %q, and %d files were read", texts, first, n)
		}
	}
}

// approved is a gate that lets everything through.
type approved struct{ path string }

func (approved) Covers(load.Source) bool { return true }

func (a approved) Read(load.Source) []load.File {
	src, err := os.ReadFile(a.path)
	return []load.File{{Path: a.path, Src: src, Err: err}}
}

// TestT1ProjectIsRead: a project's file goes through its gate each time, whatever is remembered of it.
func TestT1ProjectIsRead(t *testing.T) {
	t.Parallel()
	dir, memory, later := t.TempDir(), t.TempDir(), time.Now().Add(time.Hour)
	path := filepath.Join(dir, "a.md")
	if err := os.WriteFile(path, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded(t, memory, later, load.Source{Path: dir}) // as the user's own
	m := parsed.Open(memory, "b1", later)
	r := load.Load([]load.Source{{Path: dir, Project: dir}}, load.Options{Memory: m, Read: m.Read})
	if len(r.Reminders) != 0 {
		t.Error("a project's file was used without its gate")
	}
	reads := 0
	r = load.Load([]load.Source{{Path: dir, Project: dir}}, load.Options{Memory: m, Trusted: approved{path}, Read: func(path string, src []byte) ([]compile.Reminder, grammar.Diagnostics) {
		reads++
		return m.Read(path, src)
	}})
	if len(r.Reminders) != 1 || reads != 1 {
		t.Errorf("%d reminders, and %d files were read", len(r.Reminders), reads)
	}
}
