package trigger_test

import (
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
)

// TestAbsentText: a text that is absent equals nothing, has nothing in it and no characters (LANGUAGE.md §1),
// also within an expression.
func TestAbsentText(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetText(fact.Prompt, "deploy")
	f.SetText(fact.Response, "deploy")
	f.SetSet(fact.Command, []string{"deploy", ""})
	for src, want := range map[string]fact.Truth{
		`prompt contains "deploy"`:                       fact.False,
		`not (prompt contains "deploy")`:                 fact.True,
		`prompt matches ".*"`:                            fact.False,
		`lower(prompt) == "deploy"`:                      fact.False,
		`lower(prompt) != "deploy"`:                      fact.True,
		`upper(lower(prompt)) startsWith "D"`:            fact.False,
		`lower(prompt) in ["deploy", "release"]`:         fact.False,
		`lower(prompt) == lower(response)`:               fact.False,
		`lower(response) != lower(prompt)`:               fact.True,
		`len(prompt) > 0`:                                fact.False,
		`len(lower(prompt)) + 1 == 1`:                    fact.True,
		`any(command, # == prompt)`:                      fact.False,
		`all(command, # != prompt)`:                      fact.True,
		`response contains "deploy" and len(prompt) < 1`: fact.True,
	} {
		p, ds := trigger.Compile(src, nil)
		if p == nil {
			t.Errorf("%s: %v", src, ds)
			continue
		}
		f.Lack(0)
		if p.Eval(f) == fact.Unknown {
			t.Errorf("%s is unknown where both texts are told", src)
		}
		if f.Lack(fact.PromptText); p.Eval(f) != want {
			t.Errorf("%s is %v where the prompt is absent", src, p.Eval(f))
		}
	}
}
