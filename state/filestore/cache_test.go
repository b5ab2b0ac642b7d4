package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestCache: a load returns the content of the file, whoever wrote it, and decodes it once.
func TestCache(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(quickDir(t), "s")
	ours, theirs := open(t, dir), open(t, dir)
	load := func(s *Store) *state.Snapshot {
		t.Helper()
		snap, _, err := s.Load(t.Context(), "run")
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	first, second := firing.Remind(nil, "a"), firing.Remind(nil, "b")
	rev := save(t, ours, "run", 0, first)
	if load(ours) != first {
		t.Error("what was just saved was decoded")
	}
	read := load(theirs)
	if string(read.Encode()) != string(first.Encode()) || load(theirs) != read {
		t.Error("what was just read was decoded")
	}
	rev = save(t, theirs, "run", rev, second)
	if got := load(ours); string(got.Encode()) != string(second.Encode()) {
		t.Errorf("loaded %s", got.Encode())
	}
	if _, err := ours.Save(t.Context(), "run", rev-1, first); !errors.Is(err, state.ErrConflict) {
		t.Error(err)
	}
	if got := load(ours); string(got.Encode()) != string(second.Encode()) {
		t.Errorf("what was not saved is loaded: %s", got.Encode())
	}
	if err := theirs.Delete(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	if load(ours) != nil {
		t.Error("a run that is deleted is loaded")
	}
	save(t, ours, "run", 0, first)
	file := filepath.Join(dir, fileName("run")+runExt)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[100]++
	b[len(b)/2+100]++
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := theirs.Load(t.Context(), "run"); !errors.Is(err, state.ErrCorrupt) {
		t.Error("damaged:", err)
	}
	if load(ours) != first {
		t.Error("damaged: what is known is not loaded")
	}
}
