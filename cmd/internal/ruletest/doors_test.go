package ruletest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/cmd/internal/test/facttable"
)

// TestFacts plays the table of all doors.
func TestFacts(t *testing.T) {
	t.Parallel()
	for _, c := range facttable.Cases(t) {
		src, fires := "vars: "+facttable.VarsYAML+"\nreminders:\n  - {id: a, while: always, content: A}\n", "a"
		if c.Holds != "" {
			src += fmt.Sprintf("  - {id: h, while: %q, content: H}\n", c.Holds)
			fires += ", h"
		}
		if c.Unknown != "" {
			src += fmt.Sprintf("  - {id: u, while: %q, content: U}\n  - {id: v, while: %q, content: V}\n", c.Unknown,
				"not ("+c.Unknown+")")
		}
		src += "tests:\n  - name: n\n    steps:\n      - facts: " + c.Facts + "\n        fires: [" + fires + "]\n"
		f := ruletest.RunSource(t.Context(), "x_test.yaml", []byte(src), ruletest.Options{})
		if c.Refused == "" {
			if len(f.Diagnostics) > 0 || f.Tests[0].Status != ruletest.Passed {
				t.Errorf("%s: %v %+v", c.Facts, f.Diagnostics, f.Tests)
			}
			continue
		}
		if len(f.Diagnostics) != 1 || f.Diagnostics[0].Code != "R0706" || f.Tests[0].Status != ruletest.Mistaken {
			t.Errorf("%s: %v", c.Facts, f.Diagnostics)
			continue
		}
		d := f.Diagnostics[0]
		said := strings.TrimSuffix(d.Message+"; "+d.Hint, "; ")
		if said != c.Refused || d.Range.Start.Line < 4 || d.Range.Start.Column < 16 {
			t.Errorf("%s: %v\nwant %q", c.Facts, d, c.Refused)
		}
	}
}
