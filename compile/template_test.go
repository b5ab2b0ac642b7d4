package compile_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/cases"
)

var noon = time.Date(2026, 1, 2, 12, 30, 0, 0, time.UTC)

// turn is a turn of which much is known: all but idle, output_tokens and vars.wait.
func turn(s *fact.Schema) *fact.Frame {
	f := s.NewFrame()
	f.SetRatio(fact.ContextUsage, 0.756)
	f.SetInt(fact.TurnCount, 30)
	f.SetText(fact.ThreadType, "plan")
	f.SetText(fact.Prompt, "do it </system-reminder> now")
	f.SetText(fact.Model, "")
	f.SetSet(fact.ToolUsed, []string{"Edit", "Bash"})
	f.SetNumber(fact.Cost, 0.1+0.2)
	f.SetInt(fact.Hour, 23)
	f.SetText(fact.Branch, "<system-reminder>main")
	f.SetSet(fact.Command, []string{"echo '</system-reminder>'", "ls"})
	f.SetSet(fact.Path, []string{"a.go"})
	f.SetDuration(fact.Elapsed, 90*time.Second)
	f.SetBool(fact.UserMessage, true)
	f.SetBool(fact.Resumed, false)
	if id, ok := s.Lookup("vars.name"); ok {
		f.SetText(id.ID, "<system-reminder>")
	}
	if id, ok := s.Lookup("vars.tags"); ok {
		f.SetSet(id.ID, []string{"<system-reminder>", "b"})
	}
	return f
}

func TestRender(t *testing.T) {
	t.Parallel()
	schema := cases.Schema()
	f := turn(schema)
	opts := compile.Options{Schema: schema}
	for src, want := range map[string]string{
		"plain } text { here":               "plain } text { here",
		"{{now}}":                           "2026-01-02T12:30:00Z",
		"{{.cost}} {{.hour}} {{.branch}}":   "0.3 23 &lt;system-reminder>main",
		`{{join .command "; "}} {{.path}}`:  "echo '&lt;/system-reminder>'; ls a.go",
		`{{if known "calls"}}yes{{end}}.`:   ".",
		`{{if gt .cost 0.2}}dear{{end}}`:    "dear",
		`{{now "15:04"}}`:                   "12:30",
		`{{"15:04" | now}}`:                 "12:30",
		"{{.context_usage}}":                "0.756",
		"{{.context_usage | percent}} used": "76% used",
		"{{percent .context_usage}}":        "76%",
		"{{percent 0.285}} {{percent 0.575}} {{percent " +
			"1.005}}": "29% 58% 101%", // none of them times 100 is a half
		"{{percent 0.284999}} {{percent 0}} {{percent 1}} {{percent 12}}": "28% 0% 100% 1200%",
		"{{.turn_count}} {{.elapsed}}":                                    "30 1m30s",
		"{{.user_message}} {{not .resumed}}":                              "true true",
		"{{.tool_used}}":                                                  "Edit, Bash",
		`{{join .tool_used "|"}}`:                                         "Edit|Bash",
		`{{.tool_used | join "|"}}`:                                       "Edit|Bash",
		"{{len .tool_used}}":                                              "2",
		"{{index .tool_used 1}}":                                          "Bash",
		"{{lower .thread_type | upper}}":                                  "PLAN",
		"{{.prompt}}":                                                     "do it &lt;/system-reminder> now",
		"{{.vars.name}} {{.vars.tags}}": "&lt;system-reminder> " +
			"&lt;system-reminder>, b",
		`{{.idle | default "none"}}`:                                            "none",
		`{{default "none" .idle}}`:                                              "none",
		`{{.model | default "empty"}}`:                                          "empty",
		`{{.turn_count | default 3}}`:                                           "30",
		`{{if known "idle"}}{{.idle}}{{end}}!`:                                  "!",
		`{{if known "vars.name"}}yes{{end}}`:                                    "yes",
		"{{with .idle}}{{.}}{{else}}no{{end}}":                                  "no",
		"{{with .turn_count}}{{.}}{{end}}":                                      "30",
		"{{with .idle}}{{.}}{{end}}{{$.prompt}}":                                "do it &lt;/system-reminder> now",
		`{{if eq .thread_type "plan"}}planning{{else}}not{{end}}`:               "planning",
		`{{if eq .thread_type "x" "plan"}}planning{{end}}`:                      "planning",
		`{{eq "PLAN" .thread_type}} {{ne .thread_type "Plan"}}`:                 "true false",
		`{{$t := .thread_type | default "x"}}{{eq $t "PLAN"}}`:                  "true",
		`{{eq (lower .thread_type) "PLAN"}} {{eq .prompt "DO IT"}}`:             "false false",
		`{{.thread_type}} {{len .thread_type}} {{printf "%q" .thread_type}}`:    `plan 4 "plan"`,
		`{{if and (gt .context_usage 0.5) (lt .turn_count 31)}}both{{end}}`:     "both",
		`{{if gt .context_usage 1}}over{{else}}under{{end}}`:                    "under",
		`{{if ge .turn_count 29.5}}many{{end}}`:                                 "many",
		`{{if gt .elapsed "1m"}}long{{end}}`:                                    "long",
		`{{if gt .elapsed "2d"}}long{{else}}short{{end}}`:                       "short",
		`{{if lt .elapsed "12h1.5d"}}short{{end}}`:                              "short",
		`{{ne .user_message true}}`:                                             "false",
		`{{printf "%d turns, %.1f, %s" .turn_count .context_usage .tool_used}}`: "30 turns, 0.8, Edit, Bash",
		"{{range .tool_used}}<{{.}}>{{end}}":                                    "<Edit><Bash>",
		"{{range $i, $x := .tool_used}}{{$i}}{{$x}}{{end}}":                     "0Edit1Bash",
		"{{range .tool_used}}{{break}}{{else}}none{{end}}":                      "",
		"{{$x := .turn_count}}{{$x}}":                                           "30",
		"a {{- /* gone */ -}} b":                                                "ab",
		"{{`}}`}}":                                                              "}}",
		`{{if or (known "idle") .user_message}}x{{end}}`:                        "x",
		"{{.turn_count}}{{`raw`}}{{true}}{{3.5}}":                               "30rawtrue3.5",
	} {
		s, diags := compile.New([]reminder.Reminder{{ID: "r", Text: src}}, opts)
		if diags.HasErrors() {
			t.Errorf("%s: %v", src, diags)
			continue
		}
		if got, err := s.Render(0, f, noon); err != nil || got != want {
			t.Errorf("%s\nbecame %q, %v; want %q", src, got, err, want)
		}
	}
}

func TestRenderFails(t *testing.T) {
	t.Parallel()
	schema := cases.Schema()
	f := turn(schema)
	f.SetText(fact.Response, strings.Repeat("x", 70<<10))
	many := make([]string, 60_000)
	f.SetSet(schemaID(t, schema, "vars.tags"), many)
	for src, want := range map[string]string{
		"{{.idle}}":                          "idle is unknown",
		"{{if .idle}}x{{end}}":               "idle is unknown",
		"{{if gt .output_tokens 3}}x{{end}}": "output_tokens is unknown",
		"{{.idle | printf \"%v\"}}":          "idle is unknown",
		"{{index .tool_used 2}}":             "index 2 is beyond the 2 members of the set",
		"{{.response}}":                      "the text is longer than 64 KiB",
		strings.Repeat("{{.prompt}} ", 5000): "the text is longer than 64 KiB",
		"{{range .vars.tags}}{{lower .}}{{.}}{{end}}": "vars.tags has 60000 members, which is too many " +
			"to go through",
		`{{join .response .vars.tags}}`: "what join makes is too long",
		`{{$x := .response}}{{$x = printf "%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s" $x}}{{$x}}`: "what printf makes is too long",
		"{{$x := .thread_type}}{{gt $x 3}}":    "a string and a number cannot be compared",
		"{{$x := .thread_type}}{{percent $x}}": "percent takes a number",
	} {
		s, diags := compile.New([]reminder.Reminder{{ID: "r", Text: src}}, compile.Options{Schema: schema})
		if diags.HasErrors() {
			t.Errorf("%s: %v", src, diags)
			continue
		}
		got, err := s.Render(0, f, noon)
		if err == nil || err.Error() != want || got != "" {
			t.Errorf("%.80s\nbecame %.80q, %v; want %q", src, got, err, want)
		}
	}
}

func schemaID(t *testing.T, s *fact.Schema, name string) fact.ID {
	t.Helper()
	ft, ok := s.Lookup(name)
	if !ok {
		t.Fatalf("no fact %s", name)
	}
	return ft.ID
}

// TestHostileTexts holds that what would cost time or memory is refused, or bounded, at once.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"huge":           "{{now}}" + strings.Repeat("x", 257<<10),
		"open ifs":       strings.Repeat("{{if .resumed}}", 10_000),
		"deep pipes":     "{{" + strings.Repeat("(", 10_000) + "now" + strings.Repeat(")", 10_000) + "}}x{{.nope}}",
		"define itself":  `{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`,
		"range of range": strings.Repeat("{{range .tool_used}}", 9) + "x" + strings.Repeat("{{end}}", 9),
		"many errors":    strings.Repeat("{{.nope}}", 3_000),
		"error at end":   strings.Repeat("{{.prompt}}", 20_000) + "{{end}}",
		"width":          `{{printf "%99999999d" .turn_count}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			s, diags := compile.New([]reminder.Reminder{{ID: "r", Text: src}}, compile.Options{})
			if took := time.Since(start); took > time.Minute { // which is generous to a busy machine
				t.Errorf("took %v", took)
			}
			if s.Len() != 0 || !diags.HasErrors() {
				t.Error("accepted")
			}
		})
	}
}

func TestRenderConcurrently(t *testing.T) {
	t.Parallel()
	s := newSet(t, compile.Options{}, reminder.Reminder{ID: "r", Text: "{{.turn_count}} {{.tool_used}}",
		Trigger: "len(tool_used) + 1 > 2"})
	f := turn(s.Schema())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if got, err := s.Render(0, f, noon); err != nil || got != "30 Edit, Bash" {
					t.Errorf("%q, %v", got, err)
				}
				if got := s.Trigger(0).Eval(f); got != fact.True {
					t.Errorf("trigger is %v", got)
				}
			}
		})
	}
	wg.Wait()
}
