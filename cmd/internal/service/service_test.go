package service_test

import (
	"encoding/json"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
)

// TestDocument: the document is valid OpenAPI 3.1, and has the operations that there are.
func TestDocument(t *testing.T) {
	t.Parallel()
	w := open(t, options())
	c := jsonschema.NewCompiler()
	file, err := os.Open("testdata/openapi-3.1.json") // https://spec.openapis.org/oas/3.1/schema/2022-10-07
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	schema, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("openapi-3.1.json", schema); err != nil {
		t.Fatal(err)
	}
	valid, err := c.Compile("openapi-3.1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := valid.Validate(w.check.doc); err != nil {
		t.Error(err)
	}
	operations := 0
	for path, item := range w.check.paths {
		for method := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			operations++
			path := strings.NewReplacer("{run}", "nothing", "{id}", "nothing").Replace(path)
			if status, said, _ := w.ask(strings.ToUpper(method), path, ""); strings.Contains(said, "no-such-path") ||
				status == 405 {
				t.Errorf("%s %s: %s", method, path, said)
			}
		}
	}
	_, said, _ := w.ask("GET", "/v1/runs/a/b/c", "") // which lists all that there are
	if got := strings.Count(said, "/v1/"); got != operations {
		t.Errorf("the document has %d operations, there are %s", operations, said)
	}
}

// TestPaths: what each path answers to what it understands, and to what it does not.
func TestPaths(t *testing.T) {
	t.Parallel()
	const fired = `{"fired":[{"id":"full","text":"80% on turn 1","priority":0,"tier":"guidance",` +
		`"attach":"tail","keep":"user turn","manual":false}],"kept":[],"errors":[]}`
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		want                     string // a part of the answer
	}{
		{"facts", "POST", "/new/turns", `{"facts":{"context_usage":0.8}}`, 200, fired},
		{"events", "POST", "/new/turns", `{"events":[{"user_message":"hi"},` +
			`{"response":{"text":"x","tokens":1,"context_tokens":80}},{"call":{"tool":"Bash","failed":true}}],` +
			`"facts":{"context_window":100}}`, 200, fired},
		{"on several lines", "POST", "/new/turns", "{\n\"facts\":\n{}}\n", 200, `"fired":[]`},
		{"a run of any name", "POST", "/a%2Fb%20%C3%A4%3F/turns", `{}`, 200, `"fired":[]`},
		{"the same key", "POST", "/known/turns",
			`{"at":"2026-01-02T00:00:00Z","facts": {"context_usage": 0.8}, "key":"k2"}`, 200, `"id":"full"`},
		{"the same key to prepare", "POST", "/known/turns",
			`{"key":"k2","at":"2026-01-02T00:00:00Z","facts":{"context_usage":0.8},"prepare":true}`, 200, `"id":"full"`},
		{"the same key, another body", "POST", "/known/turns",
			`{"key":"k2","at":"2026-01-02T00:00:00Z","facts":{"context_usage":0.7}}`, 409, "other-body"},
		{"the longest key", "POST", "/known/turns", `{"key":"` + strings.Repeat("k", 256) + `"}`, 200, `"fired":[]`},
		{"too long a key", "POST", "/known/turns", `{"key":"` + strings.Repeat("ä", 129) + `"}`, 422,
			"key: longer than 256 bytes"},
		{"an old key", "POST", "/known/turns", `{"key":"k1"}`, 409, "old-key"},
		{"a further part", "POST", "/known/turns", `{"more":true,"remind":"by-hand"}`, 200, `"id":"by-hand"`},
		{"before a call", "POST", "/known/turns", `{"before":{"tool":"Bash","command":"ls"}}`, 200,
			`"paused":["paused"]`},
		{"before the end", "POST", "/known/turns", `{"stopping":true,"at":"2026-01-02T03:04:05Z"}`, 200, `"fired":[]`},
		{"all that is wrong", "POST", "/known/turns", `{"facts":{"context_usge":1},"kye":1}`, 422,
			`"errors":["facts: there is no fact \"context_usge\"; did you mean context_usage?",` +
				`"unknown key \"kye\"; did you mean key?"]`},
		{"an unknown reminder", "POST", "/known/turns", `{"remind":["by-hnad"]}`, 422, "did you mean by-hand?"},
		{"no JSON", "POST", "/known/turns", `hello`, 422, "not JSON"},
		{"nothing", "POST", "/known/turns", ``, 422, "not JSON: the text ends too early"},
		{"a run in the body", "POST", "/known/turns", `{"run":"other"}`, 422, "run: leave it out"},
		{"too long", "POST", "/known/turns", strings.Repeat(" ", 5<<20), 413, "too-long"},
		{"by GET", "GET", "/known/turns", "", 405, "this path takes POST"},

		{"remind", "POST", "/known/remind/by-hand", "", 202, `{"run":"known","id":"by-hand"}`},
		{"remind what there is not", "POST", "/known/remind/by-hnad", "", 404, `"suggestions":["by-hand"]`},
		{"remind in no run", "POST", "/knwon/remind/by-hand", "", 404, "no-such-run"},

		{"a run", "GET", "/known", "", 200,
			`{"run":"known","turn":2,"at":"2026-01-02T00:00:00Z","reminders":["own"],"queued":[]}`},
		{"no run", "GET", "/knwon", "", 404, "no-such-run"},
		{"runs", "GET", "", "", 200, `"known"`},
		{"a cursor", "GET", "?cursor=", "", 200, `"known"`},
		{"an unknown parameter", "GET", "?cusor=x", "", 400, "did you mean cursor?"},
		{"a parameter twice", "GET", "?cursor=&cursor=", "", 400, "cursor is given twice"},
		{"why", "GET", "/known/why", "", 200, `"id":"own"`},
		{"why one", "GET", "/known/why?id=full", "", 200, `"reminders":[{"id":"full","mode":"when","fired":true`},
		{"why what there is not", "GET", "/known/why?id=fulll", "", 404, `"suggestions":["full"]`},
		{"why in no run", "GET", "/knwon/why", "", 404, "no-such-run"},
		{"why without a turn", "GET", "/begun/why", "", 404, "no-turn"},
		{"forget", "DELETE", "/known", "", 204, ""},
		{"forget nothing", "DELETE", "/nothing", "", 204, ""},

		{"add", "PUT", "/new/reminders/mine", `{"when":"turn_count > 3","content":"x \ud83d\ude00 <b>"}`, 200,
			`{"id":"mine","diagnostics":[]}`},
		{"add by its id", "PUT", "/new/reminders/mine", `{"id":"mine","content":"x"}`, 200, `"id":"mine"`},
		{"add by another id", "PUT", "/new/reminders/mine", `{"id":"its","content":"x"}`, 422, "another id"},
		{"add with a mistake", "PUT", "/new/reminders/mine", `{"when":"turn_cuont > 3","content":"x"}`, 422,
			`"code":"R0201"`},
		{"add with a wrong key", "PUT", "/new/reminders/mine", `{"wehn":"compacted","content":"x"}`, 422,
			"did you mean `when`?"},
		{"add what the rules have", "PUT", "/new/reminders/full", `{"content":"x"}`, 422, `"code":"R0603"`},
		{"add by no id", "PUT", "/new/reminders/a%20b", `{"content":"x"}`, 422, "not-a-reminder"},
		{"add nothing", "PUT", "/new/reminders/mine", ``, 422, "not an object"},
		{"add null", "PUT", "/new/reminders/mine", `null`, 422, "not an object"},
		{"add too much", "PUT", "/new/reminders/mine", strings.Repeat(" ", 5<<20), 413, "too-long"},
		{"remove", "DELETE", "/known/reminders/own", "", 204, ""},
		{"remove what there is not", "DELETE", "/known/reminders/ownn", "", 404, `"suggestions":["own"]`},
		{"remove in no run", "DELETE", "/knwon/reminders/own", "", 404, "no-such-run"},

		{"no path", "GET", "/known/x", "", 404, "POST /v1/runs/{run}/turns"},
		{"no name", "POST", "//turns", "{}", 404, `a name in the path is \"\"`},
		{"no name at the end", "GET", "/", "", 404, `a name in the path is \"\"`},
		{"a name that is a step", "GET", "/.", "", 404, `a name in the path is \".\"`},
		{"the same, encoded", "POST", "/%2E/turns", "{}", 404, `a name in the path is \".\"`},
		{"up", "GET", "/../x", "", 404, `a name in the path is \"..\"`},
		{"up, encoded in part", "POST", "/.%2e/turns", "{}", 404, `a name in the path is \"..\"`},
		{"an id that is a step", "POST", "/known/remind/%2E%2E", "", 404, `a name in the path is \"..\"`},
		{"dots and steps in a name", "POST", "/a%2F..%2Fb.%2F.../turns", "{}", 200, `"fired":[]`},
		{"three dots", "POST", "/%2E../turns", "{}", 200, `"fired":[]`},
		{"two methods", "PATCH", "/known", "", 405, "this path takes GET and DELETE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, options(), full, hand, paused)
			for _, line := range []string{`{"key":"k1","at":"2026-01-01T00:00:00Z"}`,
				`{"key":"k2","at":"2026-01-02T00:00:00Z","facts":{"context_usage":0.8}}`} {
				w.ask("POST", "/v1/runs/known/turns", line)
			}
			w.ask("PUT", "/v1/runs/known/reminders/own", `{"content":"mine","when":"manual"}`)
			w.ask("PUT", "/v1/runs/begun/reminders/own", `{"content":"mine","when":"manual"}`)
			status, said, h := w.ask(c.method, "/v1/runs"+c.path, c.body)
			if status != c.status || !strings.Contains(said, c.want) || c.want == "" && said != "" {
				t.Errorf("%d %s\nwant %d %s", status, said, c.status, c.want)
			}
			if (h.Get("Content-Type") == "application/problem+json") != (status >= 400) {
				t.Error(h)
			}
		})
	}
}

// TestPages: each run is in one page, and what a proxy keeps of responses in none.
func TestPages(t *testing.T) {
	t.Parallel()
	w := open(t, options(), full)
	for i := range 3000 {
		snap := firing.Remind(nil, "full")
		for _, name := range []string{"run-", response.KeptPrefix} {
			if _, err := w.store.Save(t.Context(), name+strconv.Itoa(i), 0, snap); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen, pages := map[string]bool{}, 0
	for next := ""; pages == 0 || next != ""; pages++ {
		_, said, _ := w.ask("GET", "/v1/runs?cursor="+url.QueryEscape(next), "")
		var p struct {
			Runs []string
			Next string
		}
		if err := json.Unmarshal([]byte(said), &p); err != nil {
			t.Fatal(err)
		}
		for _, run := range p.Runs {
			if seen[run] || !strings.HasPrefix(run, "run-") {
				t.Errorf("%s is a run again, or none", run)
			}
			seen[run] = true
		}
		next = p.Next
	}
	if len(seen) != 3000 || pages < 3 {
		t.Errorf("%d runs in %d pages", len(seen), pages)
	}
}

// TestTwoPhases: what is prepared spends nothing, and is committed as it was prepared.
func TestTwoPhases(t *testing.T) {
	t.Parallel()
	w := open(t, options(), full)
	const at, turn = "/v1/runs/r/turns", `{"facts":{"context_usage":0.8},`
	var d struct{ Prepared string }
	for range 2 {
		_, said, _ := w.ask("POST", at, turn+`"prepare":true}`)
		if err := json.Unmarshal([]byte(said), &d); err != nil || d.Prepared == "" ||
			!strings.Contains(said, "80% on turn 1") {
			t.Fatal(said)
		}
	}
	if status, _, _ := w.ask("GET", "/v1/runs/r", ""); status != 404 {
		t.Error("preparing has begun the run")
	}
	commit := turn + `"commit":"` + d.Prepared + `"}`
	if status, said, _ := w.ask("POST", at, commit); status != 200 || !strings.Contains(said, "80% on turn 1") {
		t.Error(status, said)
	}
	if status, said, _ := w.ask("POST", at, commit); status != 409 || !strings.Contains(said, "changed") {
		t.Error(status, said)
	}
	if _, said, _ := w.ask("GET", "/v1/runs/r", ""); !strings.Contains(said, `"turn":1`) {
		t.Error(said)
	}
}
