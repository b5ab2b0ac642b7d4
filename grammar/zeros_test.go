package grammar_test

import (
	"testing"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(grammar.And), new(grammar.Arg), new(grammar.Array), new(grammar.Bad),
		new(grammar.Binary), new(grammar.Cadence), new(grammar.CadenceUnit), new(grammar.Call),
		new(grammar.Constant), new(grammar.Diagnostic), new(grammar.Diagnostics), new(grammar.Edit),
		new(grammar.Field), new(grammar.Literal), new(grammar.LiteralKind), new(grammar.Name), new(grammar.Not),
		new(grammar.Op), new(grammar.Or), new(grammar.Position), new(grammar.Range), new(grammar.Severity),
		new(grammar.Shorthand), new(grammar.Trigger), new(grammar.Unary))
}
