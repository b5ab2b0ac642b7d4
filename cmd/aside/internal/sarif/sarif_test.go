package sarif_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/cmd/aside/internal/sarif"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/test/testkit"
)

func at(line, column, endLine, endColumn int) grammar.Range {
	return grammar.Range{Start: grammar.Position{Line: line, Column: column},
		End: grammar.Position{Line: endLine, Column: endColumn}}
}

var tool = sarif.Tool{Name: "aside", Version: "1.2.3", URI: "https://example.org/aside", Rules: []sarif.Rule{
	{ID: "R0204", Title: "a share above 100%", Text: "Shares go from 0% to 100%.",
		Markdown: "Shares go from `0%` to `100%`."},
	{ID: "R1003", Title: "a repetition without an end", Text: "It stays true."},
}}

var findings = grammar.Diagnostics{
	{Code: "R0204", File: "rules/full.md", Range: at(2, 23, 2, 25), Message: "a ratio cannot be above 100%",
		Hint: "did you mean 75%?",
		Fix:  &grammar.Edit{Range: at(2, 23, 2, 25), Text: "75%"}},
	{Code: "R1003", Severity: grammar.Info, File: "/home/ann/a b.md", Range: at(3, 1, 3, 1),
		Message: "context_usage is <b> & \"more\"", Hint: "remove it",
		Fix: &grammar.Edit{Range: at(3, 1, 4, 1)}},
	{Code: "R0440", Severity: grammar.Warning, File: "gone.md", Message: "cannot be read",
		Hint: "write {{.turn_count}}"},
	{Code: "R9999", Message: "no file at all"},
}

func written(t testing.TB, dir string, ds grammar.Diagnostics) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := sarif.Write(&b, tool, dir, ds); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSchema: the output follows the schema of the standard, which lies in testdata as OASIS publishes it.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string][]byte{
		"findings": written(t, "/src/project", findings), "none": written(t, "", nil),
	} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	// The schema refuses text that is no SARIF: the test can fail.
	if v, _ := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.Replace(written(t, "", findings),
		[]byte(`"level": "error"`), []byte(`"level": "fatal"`), 1))); schema.Validate(v) == nil {
		t.Error("a level that there is not is taken")
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	got := written(t, "/src/my project", findings)
	testkit.Golden(t, filepath.Join("testdata", "golden.sarif"), string(got))
}

// TestEmpty: no findings are an empty list, and not none: a scanner takes the latter for a run that failed.
func TestEmpty(t *testing.T) {
	t.Parallel()
	var log struct {
		Runs []struct{ Results []any }
	}
	if err := json.Unmarshal(written(t, "", nil), &log); err != nil || len(log.Runs) != 1 ||
		log.Runs[0].Results == nil {
		t.Errorf("%+v, %v", log, err)
	}
}
