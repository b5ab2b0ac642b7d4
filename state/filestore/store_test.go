package filestore_test

import (
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
	"github.com/aside-go/aside/state/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]filestore.Options{"power": {}, "process": {Durability: filestore.Process}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) state.Store {
				s, err := o.Open(filepath.Join(filestore.QuickDir(t), "state"))
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

func TestDefaultDir(t *testing.T) {
	abs, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for xdg, want := range map[string]string{
		abs:        filepath.Join(abs, "aside"),
		"":         filepath.Join(home, ".local", "state", "aside"),
		"relative": filepath.Join(home, ".local", "state", "aside"),
	} {
		t.Setenv("XDG_STATE_HOME", xdg)
		if got, err := filestore.DefaultDir(); got != want || err != nil {
			t.Errorf("with XDG_STATE_HOME=%q: %q, %v, want %q", xdg, got, err, want)
		}
	}
}

func TestOpenNothing(t *testing.T) {
	t.Parallel()
	if _, err := filestore.Open(""); err == nil {
		t.Error("a store in no directory")
	}
}
