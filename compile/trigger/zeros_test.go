package trigger_test

import (
	"testing"

	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(trigger.Need), new(trigger.Part), new(trigger.Predicate), new(trigger.Survey))
}
