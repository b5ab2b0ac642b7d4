package load_test

import (
	"testing"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(load.Document), new(load.File), new(load.Options), new(load.Result),
		new(load.Source), new(load.Unread), new(load.Untrusted))
}
