package modelapi_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

func generate(model string, contents ...string) modelapi.Request {
	return request("/v1beta/models/"+model+":generateContent", `{"contents":[`+strings.Join(contents, ",")+`]}`)
}

func content(role string, parts ...string) string {
	return `{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
}

func part(s string) string { return `{"text":"` + s + `"}` }

func called(id, name string) string {
	return `{"functionCall":{"id":"` + id + `","name":"` + name + `","args":{}}}`
}

func responded(id, name string) string {
	return `{"functionResponse":{"id":"` + id + `","name":"` + name + `","response":{"output":"ok"}}}`
}

func geminiRows() []row {
	q := content("user", part("q"))
	two := content("model", called("1", "ls"), called("2", "cat"))
	both := content("user", responded("1", "ls"), responded("2", "cat"))
	g := func(contents ...string) modelapi.Request { return generate("gemini-3.8-flash", contents...) }
	ends := "Requests ending with a model turn are not supported."
	return []row{
		{"json", modelapi.NotJSON, g(q), request("/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
			`{`), "Invalid JSON payload received."},
		{"key", modelapi.UnknownKey, g(q), request("/v1beta/models/gemini-3.8-flash:generateContent",
			`{"foo":1,"contents":[`+q+`]}`), `Unknown name "foo": Cannot find field.`},
		{"key of a part", modelapi.UnknownKey, g(content("user", `{"text":"q","thought":true}`)),
			g(content("user", `{"text":"q","cache_control":{}}`)), "at 'contents[0].parts[0]'"},
		{"role", modelapi.BadShape, g(q), g(content("assistant", part("q"))),
			"Please use a valid role: user, model."},
		{"no contents", modelapi.BadShape, g(q), g(), "contents is not specified"},
		{"response that is not an object", modelapi.BadShape, g(q, content("model", called("1", "ls")),
			content("user", responded("1", "ls"))),
			g(q, content("model", called("1", "ls")), content("user",
				`{"functionResponse":{"id":"1","name":"ls","response":"ok"}}`)), "Struct"},
		{"no parts", modelapi.EmptyParts, g(q), g(content("user")), "contents.parts must not be empty"},
		{"empty part", modelapi.EmptyParts, g(q), g(content("user", `{}`)), "must have one initialized field"},
		{"text after functionResponse", modelapi.TextAfterResponse,
			g(q, two, content("user", part("r"), responded("1", "ls"), responded("2", "cat"))),
			g(q, two, content("user", responded("1", "ls"), responded("2", "cat"), part("r"))), ends},
		{"text after functionResponse, own Content", modelapi.TextAfterResponse,
			g(q, two, both, content("user", part("r"))),
			g(q, two, content("user", responded("1", "ls"), part("r"), responded("2", "cat"))), ends},
		{"text after functionResponse, by model", modelapi.TextAfterResponse, generate("gemini-2.5-pro", q, two,
			content("user", responded("1", "ls"), responded("2", "cat"), part("r"))),
			generate("gemini-3.7-flash", q, two, content("user", responded("1", "ls"), responded("2", "cat"),
				part("r"))), ends},
		{"ends with model", modelapi.EndsWithModel, generate("gemini-2.5-pro", q, content("model", part("a"))),
			g(q, content("model", part("a"))), ends},
		{"count", modelapi.ResponseCount, g(q, two, both), g(q, two, content("user", responded("1", "ls"))),
			"number of function response parts is equal"},
		{"response without call", modelapi.ResponseCount, g(q, two, both), g(q, content("model", part("a")), both),
			"immediately after a function call turn"},
		{"name", modelapi.ResponseName, g(q, two, both), g(q, two, content("user", responded("1", "ls"),
			responded("2", "dog"))), `"dog"`},
		{"id", modelapi.ResponseName, g(q, two, content("user", responded("2", "cat"), responded("1", "ls"))),
			g(q, two, content("user", responded("1", "ls"), responded("3", "cat"))), `"3"`},
		{"Content between", modelapi.ResponseMissing, g(q, two, both), g(q, two, content("user", part("r")), both),
			"immediately after a user turn"},
	}
}

func TestGemini(t *testing.T) {
	t.Parallel()
	refused(t, geminiRows())
}

// TestEmptied: gemini-3.5-flash takes text behind a functionResponse, and says nothing.
func TestEmptied(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{})
	q, c := content("user", part("q")), content("model", called("1", "ls"))
	if a := f.Ask(generate("gemini-3.5-flash", q, c, content("user", responded("1", "ls"),
		part("r")))); a.Refusal != nil || len(a.Reply.Parts) != 0 {
		t.Error(a)
	}
	if a := f.Ask(generate("gemini-3.5-flash", q, c, content("user", responded("1", "ls")),
		content("user", part("r")))); a.Refusal != nil || len(a.Reply.Parts) != 1 {
		t.Error(a)
	}
}

// TestOmittedArgs: a call without arguments may come back without them, as genai writes it; other arguments
// may not go.
func TestOmittedArgs(t *testing.T) {
	t.Parallel()
	for args, accepted := range map[string]bool{"{}": true, `{"a":1}`: false} {
		f := modelapi.New(modelapi.Options{Script: modelapi.Turns(modelapi.Reply{Parts: []modelapi.Part{
			modelapi.Use("1", "ls", args)}})})
		q := content("user", part("q"))
		f.Ask(generate("gemini-3.5-flash", q))
		var said struct {
			Candidates []struct{ Content json.RawMessage }
		}
		w := httptest.NewRecorder()
		r := generate("gemini-3.5-flash", q)
		f.ServeHTTP(w, httptest.NewRequest("POST", r.Path, bytes.NewReader(r.Body)))
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || len(said.Candidates) != 1 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		back := strings.Replace(string(said.Candidates[0].Content), `,"args":`+args, "", 1)
		if a := f.Ask(generate("gemini-3.5-flash", q, back, content("user", responded("1", "ls")))); accepted !=
			(a.Refusal == nil) || !accepted && a.Refusal.Rule != modelapi.SignatureModified {
			t.Errorf("%s: %v\n%s", args, a.Refusal, back)
		}
	}
}
