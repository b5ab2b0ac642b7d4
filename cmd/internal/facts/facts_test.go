package facts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/test/facttable"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
)

// inYAML returns the value of a YAML text.
func inYAML(t *testing.T, src string) facts.Value {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		t.Fatal(err)
	}
	return facts.FromYAML(doc.Content[0])
}

func inJSON(t *testing.T, src string) facts.Value {
	t.Helper()
	v, err := facts.FromJSON([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func said(problems []facts.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return strings.Join(all, "\n")
}

// TestCases plays the table of all doors by JSON and by YAML.
func TestCases(t *testing.T) {
	t.Parallel()
	r := facts.Reader{Schema: facttable.Schema(t)}
	for _, c := range facttable.Cases(t) {
		for form, v := range map[string]facts.Value{"JSON": inJSON(t, c.Facts), "YAML": inYAML(t, c.Facts)} {
			values, problems := r.Facts(v)
			if got := said(problems); got != c.Refused {
				t.Errorf("%s as %s: %q\nwant %q", c.Facts, form, got, c.Refused)
				continue
			}
			frame := r.Schema.NewFrame()
			for name, x := range values {
				if err := frame.SetValue(name, x); err != nil {
					t.Errorf("%s as %s: %v", c.Facts, form, err)
				}
			}
			for src, want := range map[string]fact.Truth{c.Holds: fact.True, c.Unknown: fact.Unknown} {
				p, ds := trigger.Compile(src, r.Schema)
				if src == "" {
					continue
				}
				if ds.HasErrors() {
					t.Errorf("%s: %v", src, ds)
				} else if got := p.Eval(frame); got != want {
					t.Errorf("%s as %s: %s is %v, want %v", c.Facts, form, src, got, want)
				}
			}
		}
	}
}

// TestSameInBothForms: each key with each value has the same facts and problems in JSON as in YAML.
func TestSameInBothForms(t *testing.T) {
	t.Parallel()
	values := strings.Split(`null|true|false|0|-0|1|-1|23|24|1.5|-1.5|1e3|1E3|1e-3|1e400|-1e400|10.0|`+
		`123456789012345678901234567890|0.1234567890123456789|""|" "|"x"|"mon"|"unknown"|"true"|"null"|"5"|"5%"|"%"|`+
		`"$5"|"$-5"|"4k"|"4K"|"-4k"|"2d"|"-2d"|"1h30m"|"\u0000é\n"|"2026-01-01"|[]|["a"]|["a","a"]|[1]|[null]|`+
		`["unknown"]|{}|{"tool":"x"}|[{"tool":"x"}]|[{"tool":"Bash","command":"ls","failed":null}]|`+
		`[{"tool":"x","class":"edit","path":["a",null]}]|[{"tool":1}]|[[]]|{"type":"int"}|[[[[]]]]`, "|")
	r := facts.Reader{Schema: facttable.Schema(t)}
	taken := 0
	for _, key := range append(r.Schema.Names(), facts.Tools, facts.Failed, "vars", "vars.x", "",
		"tool_failed") {
		for _, v := range values {
			src := fmt.Sprintf("{%q: %s}", key, v)
			one, saidOne := r.Facts(inJSON(t, src))
			other, saidOther := r.Facts(inYAML(t, src))
			if said(saidOne) != said(saidOther) || !cmp.Equal(one, other) {
				t.Errorf("%s: %v %q, in YAML %v %q", src, one, said(saidOne), other, said(saidOther))
			}
			if len(saidOne) > 0 {
				continue
			}
			taken++
			for name, x := range one {
				if err := r.Schema.NewFrame().SetValue(name, x); err != nil {
					t.Errorf("%s is taken, and then refused: %v", src, err)
				}
			}
		}
	}
	if taken < 200 {
		t.Errorf("only %d are taken", taken)
	}
}

// TestYAMLAlone: forms that JSON does not have.
func TestYAMLAlone(t *testing.T) {
	t.Parallel()
	r := facts.Reader{Schema: facttable.Schema(t)}
	for src, want := range map[string]string{
		"context_usage: 80%":                  "",
		"context_tokens: 4k":                  "",
		"cost: $5":                            "",
		"model: unknown":                      "",
		"model: ~":                            "",
		"tools: unknown":                      "",
		"calls: [{tool: B, path: unknown}]":   "",
		"turn_count:":                         `fact "turn_count" is an int, nothing is none; write unknown for a fact that is not known`,
		"turn_count: 1_000":                   `fact "turn_count": 1_000 is not how an int is written; write 1000`,
		"turn_count: 0x10":                    `fact "turn_count": 0x10 is not how an int is written; write 16`,
		"turn_count: +5":                      `fact "turn_count": +5 is not how an int is written; write 5`,
		"context_usage: .5":                   `fact "context_usage": .5 is not how a ratio is written; write 0.5`,
		"context_usage: .nan":                 `fact "context_usage": .nan is not a finite number; write unknown for a fact that is not known`,
		"context_usage: .inf":                 `fact "context_usage": .inf is not a finite number; write unknown for a fact that is not known`,
		"context_usage: -.inf":                `fact "context_usage": -.inf is not a finite number; write unknown for a fact that is not known`,
		"compacted: True":                     `fact "compacted" is a bool, True is none; true, false or unknown`,
		"calls: [{tool: unknown_}, {tool: }]": `the tool of a call must be a text, nothing is none`,
	} {
		if _, problems := r.Facts(inYAML(t, src)); said(problems) != want {
			t.Errorf("%s: %q\nwant %q", src, said(problems), want)
		}
	}
}

// TestPlaces: a problem stands at its value, or at the key that is wrong.
func TestPlaces(t *testing.T) {
	t.Parallel()
	r := facts.Reader{Schema: facttable.Schema(t)}
	for src, column := range map[string]int{
		"turn_count: many":                  13,
		"turn_cuont: 3":                     1,
		"tools: [a, 3]":                     12,
		"{tools: [a], failed: [b]}":         23,
		"vars: {i: x}":                      11,
		"vars: {j: x}":                      8,
		"calls: [{tool: x, class: y}]":      26,
		"{calls: [], tools: [x]}":           20,
		"calls: [{tool: a}, {command: ls}]": 20,
		"calls: [{tool: a, tool: b}]":       19,
	} {
		_, problems := r.Facts(inYAML(t, src))
		if len(problems) != 1 || problems[0].At.Node == nil || problems[0].At.Node.Column != column {
			t.Errorf("%s: %q at %+v, want column %d", src, said(problems), problems, column)
		}
	}
}

// TestValues: the facts come in the forms that eval.Turn takes.
func TestValues(t *testing.T) {
	t.Parallel()
	r := facts.Reader{Schema: facttable.Schema(t), Place: fact.Place{Project: "/p"}}
	long := strings.Repeat("x", 3*fact.OutputHead)
	cut := long[:fact.OutputHead] + "\n" + long[:fact.OutputHead]
	for src, want := range map[string]map[string]any{
		`{"idle": "2h1d", "elapsed": "1.5d"}`: {"idle": 26 * time.Hour, "elapsed": 36 * time.Hour},
		`{"resumed": true, "turn_count": 3, "context_usage": 0.5, "idle": "90s", "model": "m", "cost": "$2"}`: {
			"resumed": true, "turn_count": int64(3), "context_usage": 0.5, "idle": 90 * time.Second, "model": "m",
			"cost": 2.0},
		`{"tools": ["Edit", "Skill"], "failed": ["Edit"]}`: {"tool_used": []fact.Call{
			{Tool: "Edit", Class: fact.Edit, Failed: fact.True}, {Tool: "Skill", Failed: fact.False}},
			"last_tool_call_failed": true, "tool_failed": []string{"Edit"}},
		`{"tools": ["Edit"], "failed": null}`: {"tool_used": []fact.Call{
			{Tool: "Edit", Class: fact.Edit, Failed: fact.Unknown}}},
		`{"calls": [{"tool": "Edit", "path": ["/p/a//b", "/pa/c", "d/../e", "/p"]}, {"tool": "TodoWrite"},
			{"tool": "x", "subject": "{}", "failed": null, "output": "` + long + `"}]}`: {"calls": []fact.Call{
			{Tool: "Edit", Class: fact.Edit, Paths: []string{"a/b", "/pa/c", "e", "/p"}, Told: true},
			{Tool: "TodoWrite", Class: fact.Todo},
			{Tool: "x", Subject: "{}", Told: true, Failed: fact.Unknown, Output: cut,
				OutputTold: true}}},
		`{"output": ["` + long + `"]}`: {"output": []string{cut}},
	} {
		got, problems := r.Facts(inJSON(t, src))
		if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
			t.Errorf("%.200s: %s %s", src, diff, said(problems))
		}
	}
}

// TestBefore: a call that is about to be executed has neither result nor failure.
func TestBefore(t *testing.T) {
	t.Parallel()
	r := facts.Reader{Schema: facttable.Schema(t)}
	c, problems := r.Before(inJSON(t, `{"tool": "Bash", "command": "git push"}`))
	want := &fact.Call{Tool: "Bash", Class: fact.Shell, Command: "git push", Told: true}
	if diff := cmp.Diff(want, c); diff != "" || len(problems) > 0 {
		t.Errorf("%s %s", diff, said(problems))
	}
	for src, want := range map[string]string{
		`{"tool": "Bash", "output": "x"}`: "a call that is about to be executed has no output",
		`{"command": "x"}`:                "a call without a tool; write {tool: NAME}",
		`"Bash"`:                          "before must be a mapping; write {tool: NAME}",
		`{"tool": "Bash", "tol": 3}`:      `a call has no "tol"; did you mean tool?`,
	} {
		if _, problems := r.Before(inJSON(t, src)); said(problems) != want {
			t.Errorf("%s: %q, want %q", src, said(problems), want)
		}
	}
}

func TestFromJSON(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		``:      "not JSON: the text ends too early",
		`{"a"`:  "not JSON: the text ends too early",
		`{} {}`: "not JSON: more than one value",
		`{"a": NaN}`: "not JSON: invalid character 'N' looking for beginning of value; NaN and " +
			"Infinity are not values, leave out what is not known",
		`{"a": .5}`:                "not JSON: invalid character '.' looking for beginning of value",
		strings.Repeat("[", 1<<20): "not JSON: invalid character '[' exceeded max depth",
	} {
		if _, err := facts.FromJSON([]byte(src)); err == nil || err.Error() != want {
			t.Errorf("%.20s: %v, want %s", src, err, want)
		}
	}
}

// TestDeclaration: the forms of a declaration, and what is wrong with others.
func TestDeclaration(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]fact.Fact{
		"x: int":                             {Name: "vars.x", Type: fact.Int},
		"x: set of string":                   {Name: "vars.x", Type: fact.Set},
		"x: {type: duration, kind: counter}": {Name: "vars.x", Type: fact.Duration, Kind: fact.Counter},
		"x: {kind: event, type: bool}":       {Name: "vars.x", Type: fact.Bool, Kind: fact.Event},
		"x: {type: dollars}":                 {Name: "vars.x", Type: fact.Dollars},
	} {
		v := inYAML(t, src)
		got, problems := facts.Declaration(v.Keys[0], v.Items[0])
		if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
			t.Errorf("%s: %s %s", src, diff, said(problems))
		}
	}
	const types = "the type of a fact is one of bool, int, number, ratio, dollars, duration, string, set, not "
	for src, want := range map[string]string{
		"x: itn":                     types + `"itn"; did you mean int?`,
		"x:":                         types + "nothing",
		"x: [int]":                   types + "a list",
		"x: {kind: event}":           types + "nothing",
		"x: {type: calls}":           types + `"calls"`,
		"x: {type: int, kind: }":     "the kind of a fact is one of gauge, counter, event, attribute, not nothing",
		"x: {type: int, kind: evnt}": `the kind of a fact is one of gauge, counter, event, attribute, not "evnt"; did you mean event?`,
		"x: {typ: int, type: int}":   `a declaration has no "typ"; did you mean type?`,
		"x-y: int":                   `fact "vars.x-y": the name of a declared fact is vars. and a word`,
	} {
		v := inYAML(t, src)
		if _, problems := facts.Declaration(v.Keys[0], v.Items[0]); said(problems) != want {
			t.Errorf("%s: %q\nwant %q", src, said(problems), want)
		}
	}
}

// TestCounts: each built-in number that counts has a unit, which the message about a negative one names.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := fact.Builtin()
	for i := range s.Len() {
		if ft := s.Fact(fact.ID(i)); ft.Type == fact.Int && ft.Unit == "" && ft.ID != fact.Hour {
			t.Errorf("%s counts nothing", ft.Name)
		}
	}
}
