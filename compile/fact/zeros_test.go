package fact_test

import (
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, []string{"Frame", "Schema.Fact"}, new(fact.Call), new(fact.Class), new(fact.Fact),
		new(fact.Frame), new(fact.Gaps), new(fact.ID), new(fact.Kind), new(fact.Mark), new(fact.Memory),
		new(fact.Moment), new(fact.Place), new(fact.Recall), new(fact.Schema), new(fact.Texts), new(fact.Told),
		new(fact.Truth), new(fact.Type), new(fact.UnknownError), new(fact.Use), new(fact.Values))
}
