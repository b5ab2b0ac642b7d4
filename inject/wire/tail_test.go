package wire_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject/wire"
)

// TestTailAgrees: read from its end or from its beginning, a body becomes the same.
func TestTailAgrees(t *testing.T) {
	t.Parallel()
	tails, all := 0, 0
	eachVendor(t, func(t *rapid.T, body []byte, due []terms.Due, opts wire.Options) {
		if rapid.Bool().Draw(t, "tail only") {
			for i := range due {
				due[i].Attach = terms.Tail
			}
			opts.KeepForged = true
		}
		if all++; holdAgrees(t, body, due, opts) {
			tails++
		}
	})
	if tails*4 < all {
		t.Errorf("%d of %d were read from the end", tails, all)
	}
}

func holdAgrees(t rapid.TB, body []byte, due []terms.Due, opts wire.Options) (tail bool) {
	want, err := wire.Inject(body, due, opts)
	if err != nil {
		t.Fatal(err)
	}
	before := []byte("before")
	got, report, err := wire.AppendInject(before, body, due, opts)
	if err != nil || !bytes.Equal(got[len(before):], want) || string(got[:len(before)]) != string(before) {
		t.Fatalf("%s %+v %+v: %v\nbody     %q\nforward  %q\nbackward %q", show(opts), due, report, err, body, want, got)
	}
	return report.Tail
}
