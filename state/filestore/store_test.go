package filestore_test

import (
	"testing"

	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
	"github.com/aside-go/aside/state/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) state.Store {
		s, err := filestore.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
