package filestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
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
				s, err := filestore.Open(filepath.Join(filestore.QuickDir(t), "state"), o)
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

// TestS10File: the file of a run by a released version loads, and the next save continues the run.
func TestS10File(t *testing.T) {
	t.Parallel()
	const run = "claude-code:5b0c2f6e-8a41-4c1d-9d5e-2f60c1a7e901"
	if testkit.Update() {
		writeFixture(t, run)
	}
	b, err := os.ReadFile(filepath.Join("testdata", "v2.run"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "run-claude-code%3a5b0c2f6e-8a41-4c1d-9d5e-2f60c1a7e901.run")
	if err := errors.Join(os.Chmod(dir, 0o700), os.WriteFile(file, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := filestore.Open(dir, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snap, rev, err := s.Load(t.Context(), run)
	if err != nil || rev == 0 || snap.Turn() != 5 || snap.Reminder("often").Fires != 5 {
		t.Fatalf("revision %d, turn %d, %v", rev, snap.Turn(), err)
	}
	same := firing.NewRules(fixtureRules)
	if r := firing.Reload(snap, same).Reminder("often"); r.Row != 5 || r.Fires != 5 {
		t.Errorf("the same trigger is taken for another: %+v", r)
	}
	other := firing.NewRules([]reminder.Reminder{{ID: "often", Mode: reminder.While, Trigger: "turn_gt:1"}})
	if r := firing.Reload(snap, other).Reminder("often"); r.Row != 0 || r.Fires != 5 {
		t.Errorf("another trigger is taken for the same: %+v", r)
	}
	next, err := s.Save(t.Context(), run, rev, firing.Remind(snap, "edits"))
	if err != nil || next != rev+1 {
		t.Errorf("saved as %d, %v", next, err)
	}
}

var fixtureRules = []reminder.Reminder{
	{ID: "edits", Trigger: "after_tool:Edit"},
	{ID: "often", Mode: reminder.While, Trigger: "turn_gt:0"},
}

// writeFixture writes the file of a run of five turns.
func writeFixture(t *testing.T, run string) {
	t.Helper()
	dir := t.TempDir()
	s, err := filestore.Open(dir, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var snap *state.Snapshot
	var rev state.Revision
	for n := range 5 {
		snap, _, err = firing.Step(snap, firing.NewRules(fixtureRules), firing.Input{
			Key: fmt.Sprint("turn ", n), At: time.Unix(int64(n), 0), ToolsKnown: true, CallsTold: true,
			Calls: []fact.Call{{Tool: "Edit", Class: fact.Edit}}, UserMessage: fact.Of(n == 0),
			Judge: func(*firing.Run) (trigger, rearm []fact.Truth) {
				return []fact.Truth{fact.Of(n == 2), fact.True}, nil
			},
			Render: func(int) (string, error) { return "You edited a file, \"run\" the tests <now>.", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		if rev, err = s.Save(t.Context(), run, rev, snap); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.run"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", "v2.run"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenNothing(t *testing.T) {
	t.Parallel()
	if _, err := filestore.Open("", filestore.Options{}); err == nil {
		t.Error("a store in no directory")
	}
}
