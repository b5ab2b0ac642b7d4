// Package facttable has the table of facts that all doors play: what one refuses, all refuse, with the same
// words.
package facttable

import (
	"os"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/test/testkit"
)

// Case is one row of testdata/facts/cases.yaml.
type Case struct {
	Facts   string // in JSON
	Refused string // the message; "": they are taken
	Holds   string // a trigger that is true over the facts; "": none is asked
	Unknown string // a trigger that is unknown over the facts
}

// Cases returns all rows.
func Cases(t testing.TB) []Case {
	t.Helper()
	src, err := os.ReadFile(testkit.Data(t, "facts", "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	if err := yaml.Unmarshal(src, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if (c.Refused != "") == (c.Holds+c.Unknown != "") {
			t.Errorf("%s is neither refused nor taken", c.Facts)
		}
	}
	return cases
}

// Vars are the declared facts of the table, as --var takes them.
func Vars() []string {
	return []string{"b:bool", "i:int", "n:number", "r:ratio", "d:duration", "m:dollars", "s:string", "l:set",
		"e:bool:event"}
}

// VarsYAML are the same, as a rule test declares them.
const VarsYAML = "{b: bool, i: int, n: number, r: ratio, d: duration, m: dollars, s: string, l: set, " +
	"e: {type: bool, kind: event}}"

// Schema returns the facts of the table.
func Schema(t testing.TB) *fact.Schema {
	t.Helper()
	s, err := fact.NewSchema(fact.Fact{Name: "vars.b", Type: fact.Bool}, fact.Fact{Name: "vars.i",
		Type: fact.Int},
		fact.Fact{Name: "vars.n", Type: fact.Number}, fact.Fact{Name: "vars.r", Type: fact.Ratio},
		fact.Fact{Name: "vars.d", Type: fact.Duration}, fact.Fact{Name: "vars.m", Type: fact.Dollars},
		fact.Fact{Name: "vars.s", Type: fact.String}, fact.Fact{Name: "vars.l", Type: fact.Set},
		fact.Fact{Name: "vars.e", Type: fact.Bool, Kind: fact.Event})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
