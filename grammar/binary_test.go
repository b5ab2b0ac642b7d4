package grammar_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/aside-go/aside/grammar"
)

// TestBinary: what was written is read as the same tree, also of a source with mistakes; what is cut off, or has one byte changed, is
// read as an error or some tree, and never panics.
func TestBinary(t *testing.T) {
	t.Parallel()
	sources := append(canonical(t), "", "context_usage >", "(a or", "tool_used in [Bash, \"Edit\", 3, 1.5, 75%, 3m]", "not (a and not (b or c))", `len(tool_used) > 3`, "every 10m",
		strings.Repeat("compacted or resumed and (", 60)+"compacted"+strings.Repeat(")", 60), strings.Repeat("not ", 60)+"compacted")
	for _, src := range sources {
		tree, _ := grammar.Parse(src)
		b, err := tree.AppendBinary([]byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.Clone(b[1:])
		got, err := grammar.ReadBinary(b)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if !reflect.DeepEqual(tree, got) {
			t.Errorf("%q is read as %q", src, grammar.Format(got))
		}
		for i := range b {
			if _, err := grammar.ReadBinary(b[:i]); err == nil {
				t.Errorf("%q: nothing is wrong with the first %d bytes", src, i)
			}
			for _, x := range []byte{0x01, 0x80, 0xff} {
				changed := bytes.Clone(b)
				changed[i] ^= x
				_, _ = grammar.ReadBinary(changed)
			}
		}
		if _, err := grammar.ReadBinary(append(b, 0)); err == nil {
			t.Errorf("%q: nothing is wrong with a byte too many", src)
		}
	}
}
