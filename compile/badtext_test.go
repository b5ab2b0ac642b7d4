// Texts that are no templates: code, place, message, hint, and the edit that follows the hint.
package compile_test

import (
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/cases"
)

var badTexts = []cases.Mistake{
	{`at {{now "15:04"}} {{now .}}`, "R0504", "1:26-27",
		`the dot alone is nothing outside {{with}} and {{range}}`, `write the name of a fact, as in {{.turn_count}}`, ""},
	{`{{with .context_usage}}has {{.turn_count}}{{end}}`, "R0504", "1:30-41",
		`.turn_count is not reached by a plain dot inside {{with}} and {{range}}`, `did you mean $.turn_count?`, `$.turn_count`},
	{`{{range .tool_used}}{{range $.tool_used}}x{{end}}{{end}}`, "R0505", "1:21-42",
		`a range within a range is not allowed`, `use join`, ""},
	{`{{range 10}}x{{end}}`, "R0505", "1:9-11", `range goes directly over a fact that is a set`,
		`as in {{range .tool_used}}{{.}} {{end}}`, ""},
	{`{{range .turn_count}}x{{end}}`, "R0505", "1:9-20", `range goes directly over a fact that is a set`,
		`as in {{range .tool_used}}{{.}} {{end}}`, ""},
	{`{{range .vars}}x{{end}}`, "R0505", "1:9-14", `range goes directly over a fact that is a set`,
		`as in {{range .tool_used}}{{.}} {{end}}`, ""},
	{`{{index .tool_used 0 1}}`, "R0506", "1:3-8", `index does not take 3 values`,
		`as in {{index .tool_used 0}}`, ""},
	{`{{printf "%*d" 1000000 .turn_count}}`, "R0507", "1:10-15", `printf takes no * in its format`,
		`as in {{printf "%d turns" .turn_count}}`, ""},
	{`{{printf "%999999999d" .turn_count}}`, "R0507", "1:10-23", `printf takes no width above 1000`,
		`as in {{printf "%d turns" .turn_count}}`, ""},
	{`{{lt .elapsed "x"}}`, "R0507", "1:15-18", `lt takes a duration beside a duration, not a string`,
		`as in {{lt .turn_count 10}}`, ""},
	{`{{eq .turn_count "x"}}`, "R0507", "1:18-21", `eq takes a number beside a number, not a string`,
		`as in {{eq .thread_type "plan"}}`, ""},
	{`{{eq .tool_used "x"}}`, "R0507", "1:6-16", `eq takes single values, not a set`,
		`as in {{eq .thread_type "plan"}}`, ""},
	{`{{gt .vars.flag true}}`, "R0507", "1:6-16", `gt takes values that have an order, not true or false`,
		`as in {{gt .turn_count 10}}`, ""},
	{`{{.contxt_usage}}`, "R0503", "1:3-16", `there is no fact "contxt_usage"`, `did you mean context_usage?`,
		`.context_usage`},
	{`{{.context_usage.foo}}`, "R0504", "1:3-21", `context_usage has no fields`, `did you mean .context_usage?`,
		`.context_usage`},
	{`{{.vars.nope}}`, "R0503", "1:3-13", `the fact "vars.nope" is not declared`,
		`did you mean vars.name or vars.n?`, `.vars.name`},
	{`{{.vars}}`, "R0503", "1:3-8", `there is no fact "vars"`, `a declared fact is written .vars.NAME`, ""},
	{`{{.}}`, "R0504", "1:3-4", `the dot alone is nothing outside {{with}} and {{range}}`,
		`write the name of a fact, as in {{.turn_count}}`, ""},
	{`{{$}}`, "R0504", "1:3-4", `$ alone is nothing`, `write the name of a fact, as in {{$.turn_count}}`, ""},
	{`{{$x := .prompt}}{{$x.y}}`, "R0504", "1:20-24", `$x has no fields`, ``, ""},
	{`{{$y}}`, "R0501", "1:1-7", `the action cannot be read: undefined variable "$y"`, ``, ""},
	{`{{template "x"}}`, "R0502", "1:1-17", `{{template}} is not allowed in a text`, `write the text out`, ""},
	{`{{define "x"}}a{{end}}b`, "R0502", "1:1-15", `{{define}} is not allowed in a text`,
		`write the text out`, ""},
	{`a{{block "x" .}}a{{end}}b`, "R0502", "1:2-17", `{{block}} is not allowed in a text`,
		`write the text out`, ""},
	{`{{html .prompt}}`, "R0502", "1:3-7", `there is no function "html" in a text`,
		`write the value alone, as in {{.thread_type}}`, ""},
	{`{{print .prompt}}`, "R0502", "1:3-8", `there is no function "print" in a text`,
		`write the value alone, as in {{.thread_type}}`, ""},
	{`{{env "HOME"}}`, "R0502", "1:3-6", `there is no function "env" in a text`,
		`there are and, default, eq, ge, gt, index, join, known, le, len, lower, lt, ne, not, now, or, percent, printf, upper`, ""},
	{`{{fact "prompt"}}`, "R0502", "1:3-7", `there is no function "fact" in a text`,
		`there are and, default, eq, ge, gt, index, join, known, le, len, lower, lt, ne, not, now, or, percent, printf, upper`, ""},
	{`{{call .prompt}}`, "R0502", "1:3-7", `there is no function "call" in a text`,
		`there are and, default, eq, ge, gt, index, join, known, le, len, lower, lt, ne, not, now, or, percent, printf, upper`, ""},
	{`{{slice .prompt 1 2}}`, "R0502", "1:3-8", `there is no function "slice" in a text`,
		`there are and, default, eq, ge, gt, index, join, known, le, len, lower, lt, ne, not, now, or, percent, printf, upper`, ""},
	{`{{percent}}`, "R0506", "1:3-10", `percent does not take 0 values`,
		`as in {{.context_usage | percent}}`, ""},
	{`{{percent .model}}`, "R0507", "1:11-17", `percent takes a number, not a string`,
		`as in {{.context_usage | percent}}`, ""},
	{`{{.model | percent}}`, "R0507", "1:12-19", `percent takes a number, not a string`,
		`as in {{.context_usage | percent}}`, ""},
	{`{{lower .turn_count}}`, "R0507", "1:9-20", `lower takes a string, not a number`,
		`as in {{lower .model}}`, ""},
	{`{{known .prompt}}`, "R0507", "1:3-8", `known takes the quoted name of a fact`,
		`write known "prompt"`, `"prompt"`},
	{`{{known "promt"}}`, "R0503", "1:9-16", `there is no fact "promt"`, `did you mean prompt?`, `"prompt"`},
	{`{{join "a" "b"}}`, "R0507", "1:12-15", `join takes a set, not a string`,
		`as in {{join ", " .tool_used}}`, ""},
	{`{{index .prompt 0}}`, "R0507", "1:9-16", `index takes a set, not a string`,
		`as in {{index .tool_used 0}}`, ""},
	{`{{len .turn_count}}`, "R0507", "1:7-18", `len takes a string or a set, not a number`,
		`as in {{len .tool_used}}`, ""},
	{`{{if .prompt}}a`, "R0501", "1:1-15", `{{if}} is not closed`, `write {{end}} where it ends`, "{{end}}"},
	{"a\nb {{if .prompt}}a{{else}}{{foo\nx", "R0501", "2:26-31", `the action is not closed`,
		`write }} where it ends`, ""},
	{"a\nb {{.prompt |}} c {{.x}}", "R0503", "2:21-23", `there is no fact "x"`,
		`write the name of a fact, as in {{.turn_count}}`, ""},
	{"a\nb {{.prompt", "R0501", "2:3-12", `the action is not closed`, `write }} where it ends`, ""},
	{`é{{.nope}}`, "R0503", "1:4-9", `there is no fact "nope"`,
		`write the name of a fact, as in {{.turn_count}}`, ""},
	{`{{ if .turn_count > 20 }}x{{end}}`, "R0501", "1:1-26",
		`the action cannot be read: unexpected ">" in operand`, `write {{ if gt .turn_count 20 }}`,
		`{{ if gt .turn_count 20 }}`},
	{`{{if .resumed || .compacted}}x{{end}}`, "R0501", "1:1-30",
		`the action cannot be read: unexpected "|" in if`, `write {{if or .resumed .compacted}}`,
		`{{if or .resumed .compacted}}`},
	{`{{.turn_count * 2}}`, "R0501", "1:1-20", `the action cannot be read: unexpected "*" in operand`,
		`a text does not compute: write the value alone, as in {{.turn_count}}`, ""},
	{`{{if .context_usage > 75%}}x{{end}}`, "R0501", "1:1-28",
		`the action cannot be read: unexpected ">" in operand`,
		`an operator is a function here, as in {{if gt .turn_count 20}}`, ""},
	{`{{end}}`, "R0501", "1:1-8", `the action cannot be read: unexpected {{end}}`, ``, ""},
	{`{{nil}}`, "R0504", "1:3-6", `nil is not allowed in a text`, ``, ""},
	{`{{(len .tool_used).x}}`, "R0504", "1:3-21", `what a function returns has no fields`, `write {{"{{"}} for two braces that are meant as they stand`, ""},
	{`{{.prompt 3}}`, "R0506", "1:3-10", `.prompt is a value and takes nothing`,
		`call a function, as in eq .thread_type "plan"`, ""},
	{`{{"x" | .prompt}}`, "R0506", "1:9-16", `.prompt is a value and takes nothing`,
		`call a function, as in eq .thread_type "plan"`, ""},
	{`{{3i}}`, "R0507", "1:3-5", `an imaginary number is not allowed in a text`, ``, ""},
	{`{{prompt}}`, "R0502", "1:3-9", `"prompt" is a fact, not a function`, `did you mean .prompt?`, `.prompt`},
	{`{{continue}}`, "R0501", "1:1-13", `the action cannot be read: {{continue}} outside {{range}}`, ``, ""},
	{`{{if}}x{{end}}`, "R0501", "1:1-7", `the action cannot be read: missing value for if`, ``, ""},
	{`{{try .prompt}}`, "R0502", "1:3-6", `there is no function "try" in a text`,
		`there are and, default, eq, ge, gt, index, join, known, le, len, lower, lt, ne, not, now, or, percent, printf, upper`, ""},
	{`{{js "x"}}`, "R0502", "1:3-5", `there is no function "js" in a text`,
		`write the value alone, as in {{.thread_type}}`, ""},
	{`{{.calls}}`, "R0504", "1:3-9", `calls is a list of calls, which a text cannot show`,
		`write {{join .command}}, {{join .path}} or {{join .tool_used}}`, ""},
	{`{{.prompt}}{{else}}`, "R0501", "1:12-20", `the action cannot be read: unexpected {{else}}`, ``, ""},
}

func TestL4BadTexts(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	cases.Check(t, badTexts, func(src string) grammar.Diagnostics {
		_, diags := compile.FromFiles([]compile.Source{{Reminder: reminder.Reminder{ID: "r", Text: src},
			File: "r.md"}}, compile.Options{Schema: s})
		for i := range diags {
			if diags[i].File != "r.md" {
				t.Errorf("%v has no file", diags[i])
			}
		}
		return diags
	})
}
