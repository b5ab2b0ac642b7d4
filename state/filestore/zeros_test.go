package filestore_test

import (
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/filestore"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(filestore.Durability), new(filestore.Options), new(filestore.Store))
}
