package engine_test

import (
	"testing"

	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(engine.Engine), new(engine.Event), new(engine.Options), new(engine.Run))
}
