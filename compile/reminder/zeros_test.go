package reminder_test

import (
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(reminder.Attach), new(reminder.Budget), new(reminder.Decision),
		new(reminder.Due), new(reminder.Held), new(reminder.Holdout), new(reminder.Keep),
		new(reminder.KeepUnit), new(reminder.Mode), new(reminder.Order), new(reminder.Outcome),
		new(reminder.Record), new(reminder.Reminder), new(reminder.Span), new(reminder.TextError),
		new(reminder.Tier))
}
