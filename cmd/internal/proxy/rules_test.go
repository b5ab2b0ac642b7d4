package proxy_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
)

// watching is a proxy whose rules are in a directory, and what is logged.
type watching struct {
	*world
	dir   string
	again chan struct{}
	said  <-chan string
}

func watch(t *testing.T, sources func(dir string) ([]load.Source, error)) *watching {
	t.Helper()
	opts := unreachable(t)
	log, said := told()
	opts.Log = log
	w := &watching{world: open(t, nil, opts), dir: t.TempDir(), again: make(chan struct{}), said: said}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.put("first", "First.")
	began := load.Load([]load.Source{{Path: w.dir}}, load.Options{})
	w.ev.Reload(began.Set)
	now := make(chan time.Time)
	close(now)
	rs := &proxy.Rules{Proxy: w.proxy, Began: began,
		Sources: func() ([]load.Source, error) { return sources(w.dir) },
		Load:    load.Options{After: func(time.Duration) <-chan time.Time { return now }}}
	go func() { defer close(done); rs.Run(ctx, w.again) }()
	t.Cleanup(func() { stop(); <-done })
	return w
}

func (w *watching) put(name, text string) {
	w.t.Helper()
	tmp := filepath.Join(w.t.TempDir(), name+".md") // elsewhere: a file that is not a rule would be named
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(w.dir, name+".md")); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watching) names(want ...string) {
	w.t.Helper()
	if got := w.ev.Names(); !slices.Equal(got, want) {
		w.t.Errorf("%q, want %q", got, want)
	}
}

// until waits for reloads until these are the rules. A reload can fall between two changes, and show neither
// the rules before nor those after: a file that is removed while its directory is read is unreadable until
// the next reload.
func (w *watching) until(want ...string) {
	w.t.Helper()
	for {
		await(w.t, w.said, "rules reloaded")
		if slices.Equal(w.ev.Names(), want) {
			return
		}
	}
}

func one(dir string) ([]load.Source, error) { return []load.Source{{Path: dir}}, nil }

// TestRulesVanish: where a directory that somebody has named vanishes or is emptied, its rules stay in use,
// and that is said and stands in /readyz; the rules of other directories change meanwhile. When it is back,
// its rules are.
func TestRulesVanish(t *testing.T) {
	t.Parallel()
	for how, take := range map[string]func(dir, aside string) error{
		"renamed": os.Rename,
		"emptied": func(dir, aside string) error {
			return errors.Join(os.Rename(dir, aside), os.Mkdir(dir, 0o700))
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			other := t.TempDir()
			w := watch(t, func(dir string) ([]load.Source, error) {
				return []load.Source{{Path: dir, Keep: true}, {Path: other, Keep: true}}, nil
			})
			w.put("second", "Second.")
			w.until("first", "second")
			aside := w.dir + ".gone"
			if err := take(w.dir, aside); err != nil {
				t.Fatal(err)
			}
			await(t, w.said, "rule")
			w.names("first", "second")
			if _, body := w.do("GET", "/readyz", ""); !strings.Contains(body, "those before stay in use") {
				t.Error(body)
			}
			if err := os.WriteFile(filepath.Join(other, "third.md"), []byte("Third."), 0o600); err != nil {
				t.Fatal(err)
			}
			w.until("first", "second", "third")
			w.again <- struct{}{} // a reload takes nothing away either
			if err := errors.Join(os.Remove(filepath.Join(aside, "first.md")), os.RemoveAll(w.dir),
				os.Rename(aside, w.dir)); err != nil {
				t.Fatal(err)
			}
			w.until("second", "third")
			if _, body := w.do("GET", "/readyz", ""); strings.Contains(body, "stay in use") {
				t.Error(body)
			}
		})
	}
}

// TestReload: files that change are read again; a bad one keeps what it had, and stops no other.
func TestReload(t *testing.T) {
	t.Parallel()
	w := watch(t, one)
	w.again <- struct{}{} // the watch is there when this was taken
	await(t, w.said, "rules read anew")
	w.put("second", "Second.")
	w.until("first", "second")
	if _, body := w.do("GET", "/metrics", ""); !strings.Contains(body, "\naside_rules_loaded 2\n") ||
		!strings.Contains(body, "\naside_rules_last_reload_successful 1\n") {
		t.Error(body)
	}
	w.put("second", "---\nwhen: turn_cuont > 3\n---\nSecond.\n")
	await(t, w.said, "rule")
	w.names("first", "second")
	if _, body := w.do("GET", "/metrics", ""); !strings.Contains(body,
		"\naside_rules_last_reload_successful 0\n") {
		t.Error(body)
	}
	w.again <- struct{}{}
	await(t, w.said, "rules have errors, those before stay in use")
	w.names("first", "second")
	w.put("third", "Third.")
	w.until("first", "second", "third")
	if err := os.Remove(filepath.Join(w.dir, "first.md")); err != nil {
		t.Fatal(err)
	}
	w.until("second", "third")
}

// TestRuleFileVanishes: the rules of a file that somebody has named stay as well, and after a reload.
func TestRuleFileVanishes(t *testing.T) {
	t.Parallel()
	alone := filepath.Join(t.TempDir(), "alone.md")
	w := watch(t, func(dir string) ([]load.Source, error) {
		return []load.Source{{Path: dir}, {Path: alone, Keep: true}}, nil
	})
	if err := os.WriteFile(alone, []byte("Alone."), 0o600); err != nil {
		t.Fatal(err)
	}
	w.until("alone", "first")
	if err := os.Remove(alone); err != nil {
		t.Fatal(err)
	}
	await(t, w.said, "rule")
	for range 2 {
		w.again <- struct{}{}
		await(t, w.said, "rules have errors, those before stay in use")
	}
	w.names("alone", "first")
	w.put("second", "Second.")
	w.until("alone", "first", "second")
}

// TestReloadFaulty: a file that was faulty from its beginning keeps nothing from being read anew, however
// often that is asked for.
func TestReloadFaulty(t *testing.T) {
	t.Parallel()
	w := watch(t, func(dir string) ([]load.Source, error) {
		return []load.Source{{Path: dir, Keep: true}}, nil
	})
	w.put("second", "---\nwhen: turn_cuont > 3\n---\nSecond.\n")
	await(t, w.said, "rule")
	for range 3 {
		w.again <- struct{}{}
		await(t, w.said, "rules read anew")
	}
	w.names("first")
}

// TestReloadAskedFor: all is read anew when told to; with a new error everything stays.
func TestReloadAskedFor(t *testing.T) {
	t.Parallel()
	fail := false
	dirs := make(chan string, 1)
	w := watch(t, func(dir string) ([]load.Source, error) {
		if fail {
			return nil, errors.New("hush")
		}
		select {
		case d := <-dirs:
			return []load.Source{{Path: d}}, nil
		default:
			return one(dir)
		}
	})
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "other.md"), []byte("Other."), 0o600); err != nil {
		t.Fatal(err)
	}
	w.again <- struct{}{} // the first look is over when this was taken
	await(t, w.said, "rules read anew")
	dirs <- other
	w.again <- struct{}{}
	await(t, w.said, "rules read anew")
	await(t, w.said, "rules reloaded")
	w.names("other")

	if err := os.WriteFile(filepath.Join(w.dir, "first.md"), []byte("---\nwhen: (\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.again <- struct{}{}
	await(t, w.said, "rules have errors, those before stay in use")
	w.names("other")
	fail = true
	w.again <- struct{}{}
	await(t, w.said, "rules could not be read, those before stay in use")
	w.names("other")
}

// TestSilent: rules of moments that a proxy is not told of are named.
func TestSilent(t *testing.T) {
	t.Parallel()
	var rules []reminder.Reminder
	for id, trigger := range map[string]string{"a": "before_tool:Bash", "b": "stopping and turn_count > 3",
		"c": "always",
		"d": "after_tool:Bash"} {
		rules = append(rules, reminder.Reminder{ID: id, Trigger: trigger, Text: "x"})
	}
	set, diags := compile.New(rules, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var got []string
	for _, s := range proxy.Silent(set) {
		got = append(got, s.ID+": "+s.Why)
	}
	const others = "; hooks of agents are, and hosts of the evaluation API report it"
	want := []string{"a: a proxy is not told of the moment before_tool" + others,
		"b: a proxy is not told of the moment stopping" + others}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
