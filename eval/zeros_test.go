package eval_test

import (
	"testing"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestZeros: no zero value panics.
func TestZeros(t *testing.T) {
	t.Parallel()
	testkit.Zeros(t, nil, new(eval.Control), new(eval.Decision), new(eval.Evaluator), new(eval.Explanation),
		new(eval.FactError), new(eval.Observer), new(eval.Options), new(eval.Rollout), new(eval.Turn),
		new(eval.UnknownError), new(eval.Usage))
}
