package firing_test

import (
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, []string{"Rules.Reminder", "Rules.Version", "Run.CallCount", "Run.CalledSince",
		"Run.TurnsSinceCall"}, new(firing.Input), new(firing.ReminderState), new(firing.Rules), new(firing.Run),
		new(firing.Snapshot))
}
