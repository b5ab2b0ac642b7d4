package filestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// TestAnew: a corrupt run begins anew where that is asked for, once, and the damaged file stays aside; a run
// that can be read, and one that does not exist, stay as they are.
func TestAnew(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), quickDir(t)
	s := open(t, dir)
	old, next := firing.Remind(nil, "old"), firing.Remind(nil, "next")
	rev := save(t, s, "run", 0, old)
	for _, run := range []string{"run", "none"} {
		if begun, err := s.Anew(ctx, run, next); begun || err != nil {
			t.Errorf("%s: %v, %v", run, begun, err)
		}
	}
	if _, at, err := s.Load(ctx, "run"); at != rev || err != nil {
		t.Error(at, err)
	}
	for n, damage := range []string{"", "aside-run 2"} {
		file := s.path(fileName("run") + runExt)
		if err := os.WriteFile(file, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir) // another process
		if n == 1 {      // it was set aside by a save
			if _, err := s.Save(ctx, "run", 0, old); !errors.Is(err, state.ErrCorrupt) {
				t.Error(err)
			}
		}
		for again := range 2 {
			if begun, err := s.Anew(ctx, "run", next); begun != (again == 0) || err != nil {
				t.Errorf("%q, %d: %v, %v", damage, again, begun, err)
			}
		}
		snap, at, err := open(t, dir).Load(ctx, "run")
		if err != nil || at == 0 || string(snap.Encode()) != string(next.Encode()) {
			t.Errorf("%q: %v, %v", damage, at, err)
		}
		if b, err := os.ReadFile(s.path(corruptName(fileName("run"), n+1))); err != nil || string(b) != damage {
			t.Errorf("%q is not kept: %q, %v", damage, b, err)
		}
	}
}

// TestS9Corrupt damages the file of a run in each way: it is an error, it is kept aside, and it is an error
// ever after, for loading and for saving, until the run is deleted.
func TestS9Corrupt(t *testing.T) {
	t.Parallel()
	snap := firing.Remind(firing.Remind(nil, "b"), "a")
	file := func(c content) []byte { return newFile(encode(c), durable) }
	whole := file(content{run: "run", rev: 5, snapshot: snap.Encode()})
	record := encode(content{run: "run", rev: 5, snapshot: snap.Encode()})
	damaged := map[string][]byte{
		"of an earlier format": bytes.Replace(whole, []byte("aside-run 2"), []byte("aside-run 1"), 2),
		"empty":                {},
		"of zeros":             make([]byte, len(whole)),
		"cut in the middle":    whole[:len(whole)/2],
		"cut by one byte":      whole[:len(whole)-1],
		"something behind":     append(append([]byte{}, whole...), '\n'),
		"of another run":       file(content{run: "other", rev: 5, snapshot: snap.Encode()}),
		"no snapshot":          file(content{run: "run", rev: 5}),
		"no revision":          file(content{run: "run", snapshot: snap.Encode()}),
		"a snapshot of null":   file(content{run: "run", rev: 5, snapshot: []byte("null")}),
	}
	for i := range record {
		b := append([]byte{}, whole...)
		b[i] ^= 0x04
		if at, err := decode(b); !errors.Is(err, state.ErrNewer) &&
			(err != nil || !at.torn || string(at.snapshot) != string(snap.Encode())) {
			t.Errorf("bit 2 of byte %d (%q) turned round: %+v, %v, want the other half", i, whole[i], at, err)
		}
		b[len(b)/2+i] ^= 0x04
		if _, err := decode(b); err == nil {
			t.Errorf("bit 2 of byte %d (%q) of both halves turned round: no error", i, whole[i])
		}
	}
	for name, b := range damaged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := quickDir(t)
			s := open(t, dir)
			rev := save(t, s, "run", 0, snap)
			file := s.path(fileName("run") + runExt)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			known := s
			s = open(t, dir) // another process
			if _, _, err := s.Load(t.Context(), "run"); !errors.Is(err, state.ErrCorrupt) {
				t.Fatalf("Load: %v", err)
			}
			kept, err := os.ReadFile(s.path(corruptName(fileName("run"), 1)))
			if err != nil || string(kept) != string(b) {
				t.Fatalf("set aside: %q, %v, want %q", kept, err, b)
			}
			for range 2 {
				if _, _, err := open(t, dir).Load(t.Context(), "run"); !errors.Is(err, state.ErrCorrupt) {
					t.Errorf("Load after it was set aside: %v", err)
				}
				for _, prev := range []state.Revision{0, rev} {
					if _, err := s.Save(t.Context(), "run", prev, snap); !errors.Is(err, state.ErrCorrupt) {
						t.Errorf("Save on %d after it was set aside: %v", prev, err)
					}
				}
			}
			// the process that knows what was there goes on from it
			if got, now, err := known.Load(t.Context(), "run"); err != nil || now != rev || got != snap {
				t.Errorf("Load of what is known = %v, %d, %v", got, now, err)
			}
			again := save(t, known, "run", rev, snap)
			if _, now, err := open(t, dir).Load(t.Context(), "run"); err != nil || now != again {
				t.Errorf("after that: Load = %d, %v", now, err)
			}
			if err := s.Delete(t.Context(), "run"); err != nil {
				t.Fatal(err)
			}
			save(t, s, "run", 0, snap)
		})
	}
	t.Run("found by a save", func(t *testing.T) {
		t.Parallel()
		s := open(t, quickDir(t))
		rev := save(t, s, "run", 0, snap)
		if err := os.Truncate(s.path(fileName("run")+runExt), 40); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, s.dir).Save(t.Context(), "run", rev, snap); !errors.Is(err, state.ErrCorrupt) {
			t.Fatalf("Save: %v", err)
		}
		if _, err := os.Stat(s.path(corruptName(fileName("run"), 1))); err != nil {
			t.Error(err)
		}
	})
}

// TestS10Newer leaves files of a later version as they are.
func TestS10Newer(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"file":     []byte("aside-run 3 whatever may come\nthen"),
		"snapshot": newFile(encode(content{run: "run", rev: 5, snapshot: []byte(`{"v":5}`)}), durable),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, quickDir(t))
			file := s.path(fileName("run") + runExt)
			if name == "file" {
				b = []byte("aside-run 3 7 \"run\"\n")
			}
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Load(t.Context(), "run"); !errors.Is(err, state.ErrNewer) {
				t.Errorf("Load: %v", err)
			}
			if _, err := s.Save(t.Context(), "run", 5, firing.Remind(nil, "x")); !errors.Is(err, state.ErrNewer) {
				t.Errorf("Save: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != string(b) {
				t.Errorf("the file is now %q, %v", after, err)
			}
		})
	}
}

// TestS9CorruptAsides puts corrupt files back again and again: the first is kept, and there are never more
// than three.
func TestS9CorruptAsides(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	for i := range 2 * maxCorrupt {
		if err := os.WriteFile(s.path(fileName("run")+runExt), []byte(strconv.Itoa(i)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Load(t.Context(), "run"); !errors.Is(err, state.ErrCorrupt) {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(s.path("*" + corruptExt + "*"))
	if err != nil || len(kept) != maxCorrupt {
		t.Errorf("%q, %v, want %d files", kept, err, maxCorrupt)
	}
	for n, want := range map[int]string{1: "0", maxCorrupt: strconv.Itoa(2*maxCorrupt - 1)} {
		if b, err := os.ReadFile(s.path(corruptName(fileName("run"), n))); err != nil || string(b) != want {
			t.Errorf("aside %d is %q, %v, want %q", n, b, err, want)
		}
	}
}

// TestS9NotAFile puts something else than a file in the place of a run: the error is not about a run, and no
// call waits.
func TestS9NotAFile(t *testing.T) {
	t.Parallel()
	s := open(t, quickDir(t))
	if err := os.Mkdir(s.path(fileName("run")+runExt), 0o700); err != nil {
		t.Fatal(err)
	}
	if snap, rev, err := s.Load(t.Context(), "run"); err == nil || errors.Is(err, state.ErrCorrupt) {
		t.Errorf("Load = %v, %d, %v", snap, rev, err)
	}
	if _, err := s.Save(t.Context(), "run", 0, firing.Remind(nil, "x")); err == nil ||
		errors.Is(err, state.ErrIndeterminate) {
		t.Errorf("Save: %v", err)
	}
	// A file that no run can have is not read to the end: sparse, it takes no room.
	if err := os.WriteFile(s.path(fileName("huge")+runExt), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.path(fileName("huge")+runExt), 10<<30); err != nil {
		testkit.Absent(t, "no sparse file of 10 GiB: %v", err)
	}
	if _, _, err := s.Load(t.Context(), "huge"); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("Load of 10 GiB: %v", err)
	}
}

// TestS9TooLarge: a save refuses a snapshot that no load could read. It writes 64 MiB of JSON, for which
// nobody waits.
func TestS9TooLarge(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		return
	}
	s := open(t, quickDir(t))
	next, err := firing.Note(nil, json.RawMessage(`"`+strings.Repeat("x", maxFile)+`"`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), "run", 0, next); err == nil || errors.Is(err, state.ErrIndeterminate) {
		t.Errorf("Save of %d bytes: %v", maxFile, err)
	}
}
