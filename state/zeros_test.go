package state_test

import (
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, []string{"Rules.Reminder", "Rules.Version", "Run.CallCount", "Run.CalledSince",
		"Run.TurnsSinceCall"}, new(state.Decision), new(state.Held), new(state.Holdout), new(state.Input),
		new(state.Memory), new(state.Outcome), new(state.Record), new(state.ReminderState), new(state.Revision),
		new(state.Rules), new(state.Run), new(state.Snapshot), new(state.TextError))
}
