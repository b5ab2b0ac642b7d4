package fact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

// TestOnce: a line is read once for each frame, and again after Reset; a place by itself remembers nothing.
func TestOnce(t *testing.T) {
	t.Parallel()
	reads := 0
	once := func(p fact.Place, line string) []string {
		return p.Once(line, func() any {
			reads++
			return strings.Split(line, ";")
		}).([]string)
	}
	f := fact.Builtin().NewFrame()
	f.SetPlace(fact.Place{Project: "/p"})
	f.SetCalls([]fact.Call{{Tool: "Bash"}})
	for range 3 {
		for _, line := range []string{"a;b", "c"} {
			if got := once(f.Place(), line); !slices.Equal(got, strings.Split(line, ";")) {
				t.Errorf("%s: %q", line, got)
			}
		}
	}
	if reads != 2 {
		t.Errorf("two lines were read %d times", reads)
	}
	if f.Place().Project != "/p" {
		t.Errorf("the place is %+v", f.Place())
	}
	f.Reset()
	once(f.Place(), "c")
	if reads != 3 {
		t.Error("Reset does not forget the lines")
	}
	once(fact.Place{}, "c")
	once(fact.Place{}, "c")
	if reads != 5 {
		t.Error("a place without frame remembers lines")
	}
}
