package compile_test

import (
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, []string{"Set.Expect", "Set.Rearm", "Set.Reminder", "Set.Render", "Set.Trigger"},
		new(compile.CallReads), new(compile.Options), new(compile.Set), new(compile.Source),
		new(compile.Truths))
}
