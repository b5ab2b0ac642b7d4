package transport_test

import (
	"testing"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, []string{"Transport.Middleware"}, new(transport.Copy), new(transport.Count),
		new(transport.Coverage), new(transport.Fire), new(transport.Lost), new(transport.Options),
		new(transport.Report), new(transport.Request), new(transport.Response), new(transport.Stand),
		new(transport.Transport), new(transport.Usage))
}
