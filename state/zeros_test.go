package state_test

import (
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(state.Memory), new(state.Revision), new(state.Snapshot))
}
