package wire_test

import (
	"testing"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(wire.Options), new(wire.Windows))
}
