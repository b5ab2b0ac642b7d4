package trigger_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
)

// TestOwnSchema: over a host's own facts the words that read built-in ones are not there.
func TestOwnSchema(t *testing.T) {
	t.Parallel()
	schema, err := fact.OwnSchema(fact.Fact{Name: "load", Type: fact.Number}, fact.Fact{Name: "name",
		Type: fact.String})
	if err != nil {
		t.Fatal(err)
	}
	for src, wrong := range map[string]string{
		"load > -0.5 and name == x":   "",
		"every 3 turns":               "",
		`turns_since("r") > 2`:        "",
		`name contains "x" or load<2`: "",
		"turn_count > 3":              "R0201",
		"after_tool:Edit":             "R0210",
		"before_tool:Edit":            "R0210",
		"turn_gt:3":                   "R0210",
		"thread:plan":                 "R0210",
		`used("Bash")`:                "R03",
		"load > 75%":                  "R02",
	} {
		p, diags := trigger.Compile(src, schema)
		if wrong == "" && (p == nil || diags.HasErrors()) ||
			wrong != "" && (!diags.HasErrors() || !strings.HasPrefix(string(diags[0].Code), wrong)) {
			t.Errorf("%s: %v, want %q", src, diags, wrong)
		}
	}
}

// TestFrameOfAnotherSchema: a frame of another schema makes a trigger unknown, and Err says why; a frame of a
// schema with the same facts is as good as one of its own.
func TestFrameOfAnotherSchema(t *testing.T) {
	t.Parallel()
	declare := func(name string, typ fact.Type) *fact.Schema {
		s, err := fact.NewSchema(fact.Fact{Name: name, Type: typ})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	p, diags := trigger.Compile("vars.a > 1", declare("vars.a", fact.Int))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for name, c := range map[string]struct {
		schema *fact.Schema
		same   bool
	}{
		"the same facts": {declare("vars.a", fact.Int), true},
		"another name":   {declare("vars.b", fact.Int), false},
		"another type":   {declare("vars.a", fact.Number), false},
		"fewer facts":    {fact.Builtin(), false},
	} {
		f := c.schema.NewFrame()
		if c.schema.Len() > fact.Builtin().Len() {
			if err := f.SetValue(c.schema.Names()[c.schema.Len()-1], 2); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Eval(f); (got == fact.True) != c.same || (p.Err(f) == nil) != c.same {
			t.Errorf("%s: %v, %v", name, got, p.Err(f))
		}
	}
}
