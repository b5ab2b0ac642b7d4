package fact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

// TestCommands: a line is split once for each frame, and again after Reset; a place by itself remembers
// nothing.
func TestCommands(t *testing.T) {
	t.Parallel()
	splits := 0
	split := func(line string) []string {
		splits++
		return strings.Split(line, ";")
	}
	f := fact.Builtin().NewFrame()
	f.SetPlace(fact.Place{Project: "/p"})
	f.SetCalls([]fact.Call{{Tool: "Bash"}})
	for range 3 {
		for _, line := range []string{"a;b", "c"} {
			if got := f.Place().Commands(line, split); !slices.Equal(got, strings.Split(line, ";")) {
				t.Errorf("%s: %q", line, got)
			}
		}
	}
	if splits != 2 {
		t.Errorf("two lines were split %d times", splits)
	}
	if f.Place().Project != "/p" {
		t.Errorf("the place is %+v", f.Place())
	}
	f.Reset()
	f.Place().Commands("c", split)
	if splits != 3 {
		t.Error("Reset does not forget the commands")
	}
	fact.Place{}.Commands("c", split)
	fact.Place{}.Commands("c", split)
	if splits != 5 {
		t.Error("a place without frame remembers commands")
	}
}
