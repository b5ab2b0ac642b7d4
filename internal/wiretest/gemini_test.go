package wiretest_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/wiretest"
)

func generate(model string, contents ...string) wiretest.Request {
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
	g := func(contents ...string) wiretest.Request { return generate("gemini-3.8-flash", contents...) }
	ends := "Requests ending with a model turn are not supported."
	return []row{
		{"json", wiretest.NotJSON, g(q), request("/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
			`{`), "Invalid JSON payload received."},
		{"key", wiretest.UnknownKey, g(q), request("/v1beta/models/gemini-3.8-flash:generateContent",
			`{"foo":1,"contents":[`+q+`]}`), `Unknown name "foo": Cannot find field.`},
		{"key of a part", wiretest.UnknownKey, g(content("user", `{"text":"q","thought":true}`)),
			g(content("user", `{"text":"q","cache_control":{}}`)), "at 'contents[0].parts[0]'"},
		{"role", wiretest.BadShape, g(q), g(content("assistant", part("q"))),
			"Please use a valid role: user, model."},
		{"no contents", wiretest.BadShape, g(q), g(), "contents is not specified"},
		{"response that is no object", wiretest.BadShape, g(q, content("model", called("1", "ls")),
			content("user", responded("1", "ls"))),
			g(q, content("model", called("1", "ls")), content("user",
				`{"functionResponse":{"id":"1","name":"ls","response":"ok"}}`)), "Struct"},
		{"no parts", wiretest.EmptyParts, g(q), g(content("user")), "contents.parts must not be empty"},
		{"empty part", wiretest.EmptyParts, g(q), g(content("user", `{}`)), "must have one initialized field"},
		{"text after functionResponse", wiretest.TextAfterResponse,
			g(q, two, content("user", part("r"), responded("1", "ls"), responded("2", "cat"))),
			g(q, two, content("user", responded("1", "ls"), responded("2", "cat"), part("r"))), ends},
		{"text after functionResponse, own Content", wiretest.TextAfterResponse,
			g(q, two, both, content("user", part("r"))),
			g(q, two, content("user", responded("1", "ls"), part("r"), responded("2", "cat"))), ends},
		{"text after functionResponse, by model", wiretest.TextAfterResponse, generate("gemini-2.5-pro", q, two,
			content("user", responded("1", "ls"), responded("2", "cat"), part("r"))),
			generate("gemini-3.7-flash", q, two, content("user", responded("1", "ls"), responded("2", "cat"),
				part("r"))), ends},
		{"ends with model", wiretest.EndsWithModel, generate("gemini-2.5-pro", q, content("model", part("a"))),
			g(q, content("model", part("a"))), ends},
		{"count", wiretest.ResponseCount, g(q, two, both), g(q, two, content("user", responded("1", "ls"))),
			"number of function response parts is equal"},
		{"response without call", wiretest.ResponseCount, g(q, two, both), g(q, content("model", part("a")), both),
			"immediately after a function call turn"},
		{"name", wiretest.ResponseName, g(q, two, both), g(q, two, content("user", responded("1", "ls"),
			responded("2", "dog"))), `"dog"`},
		{"id", wiretest.ResponseName, g(q, two, content("user", responded("2", "cat"), responded("1", "ls"))),
			g(q, two, content("user", responded("1", "ls"), responded("3", "cat"))), `"3"`},
		{"Content between", wiretest.ResponseMissing, g(q, two, both), g(q, two, content("user", part("r")), both),
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
	f := wiretest.New(wiretest.Options{})
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
