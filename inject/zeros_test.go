package inject_test

import (
	"testing"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(inject.Block), new(inject.Message), new(inject.Options), new(inject.Segment))
}
