package service_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// described is the OpenAPI document that is served. Its schemas are JSON Schema 2020-12, and are read by a
// validator of that.
type described struct {
	doc   any
	paths map[string]any
	c     *jsonschema.Compiler
}

func read(t testing.TB, s http.Handler) *described {
	t.Helper()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest("GET", "http://localhost/v1/openapi.json", nil))
	doc, err := jsonschema.UnmarshalJSON(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	d := &described{doc: doc, c: jsonschema.NewCompiler()}
	d.c.DefaultDraft(jsonschema.Draft2020)
	d.c.AssertFormat()
	if err := d.c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	d.paths = doc.(map[string]any)["paths"].(map[string]any)
	return d
}

// exchange checks an answer, and the request if it was answered well.
func (d *described) exchange(r *http.Request, body string, rec *httptest.ResponseRecorder) error {
	if strings.Contains(rec.Body.String(), "no-such-path") || rec.Code == http.StatusMethodNotAllowed {
		return d.holds("/components/schemas/Problem", rec.Body.String()) // of no operation
	}
	at, ok := d.operation(r)
	if !ok {
		return fmt.Errorf("no operation is described")
	}
	op := d.at(at).(map[string]any)
	if rec.Code < 400 && body != "" {
		if err := d.holds(at+"/requestBody/content/application~1json/schema", body); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	for name := range r.URL.Query() {
		params, _ := op["parameters"].([]any)
		known := slices.ContainsFunc(params, func(p any) bool { return p.(map[string]any)["name"] == name })
		if rec.Code < 400 && !known {
			return fmt.Errorf("no parameter %s is described", name)
		}
	}
	response := fmt.Sprintf("%s/responses/%d", at, rec.Code)
	if r, ok := d.at(response).(map[string]any); !ok {
		return fmt.Errorf("no status %d is described", rec.Code)
	} else if to, ok := r["$ref"].(string); ok {
		response = strings.TrimPrefix(to, "#")
	}
	content, _ := d.at(response + "/content").(map[string]any)
	kind := rec.Header().Get("Content-Type")
	if content == nil && kind == "" && rec.Body.Len() == 0 {
		return nil
	}
	if content[kind] == nil {
		return fmt.Errorf("no answer of type %s is described", kind)
	}
	return d.holds(response+"/content/"+escape(kind)+"/schema", rec.Body.String())
}

// operation returns the place of the operation that a request asks for.
func (d *described) operation(r *http.Request) (at string, ok bool) {
	is := strings.Split(r.URL.EscapedPath(), "/")
	for path, item := range d.paths {
		want := strings.Split(path, "/")
		match := len(want) == len(is)
		for i := 0; match && i < len(want); i++ {
			match = want[i] == is[i] || strings.HasPrefix(want[i], "{")
		}
		if method := strings.ToLower(r.Method); match && item.(map[string]any)[method] != nil {
			return "/paths/" + escape(path) + "/" + method, true
		}
	}
	return "", false
}

func escape(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }

// at returns the part of the document at a JSON Pointer; nil where there is none.
func (d *described) at(pointer string) (v any) {
	v = d.doc
	for _, name := range strings.Split(pointer, "/")[1:] {
		m, _ := v.(map[string]any)
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return v
}

// holds checks a text by the schema at a JSON Pointer.
func (d *described) holds(pointer, text string) error {
	schema, err := d.c.Compile("openapi.json#" + pointer)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
