package ruletest

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the report as one JSON object, for machines:
//
//	{"passed":2,"failed":1,"mistakes":0,"skipped":0,"files":[{"file":"…","diagnostics":[…],"tests":[
//	  {"name":"…","status":"failed","line":3,"column":5,"checks":[
//	    {"step":1,"line":8,"what":"fires","expected":["r"],"actual":[],"why":["…"]}],
//	   "divergence":{"step":1,"line":8,"what":"fires","facts":["context_usage"],"turns":[…],"why":[…]}}]}],
//	 "coverage":{"percent":87.5,"reminders":[{"id":"r","file":"…","line":2,"turns":9,"fires":1,"parts":[
//	   {"of":"trigger","text":"context_usage > 75%","line":2,"column":7,"true":1,"false":8,"unknown":0}]}]}}
//
// Diagnostics have the form of aside check --json. There is coverage only if it was asked for.
func (r *Report) WriteJSON(w io.Writer) error {
	type diagnostic struct {
		File      string `json:"file"`
		Line      int    `json:"line"`
		Column    int    `json:"column"`
		EndLine   int    `json:"endLine"`
		EndColumn int    `json:"endColumn"`
		Severity  string `json:"severity"`
		Code      string `json:"code"`
		Message   string `json:"message"`
		Hint      string `json:"hint"`
	}
	type test struct {
		Test
		Line   int `json:"line"`
		Column int `json:"column"`
	}
	type file struct {
		File        string       `json:"file"`
		Diagnostics []diagnostic `json:"diagnostics"`
		Tests       []test       `json:"tests"`
	}
	var out struct {
		Passed   int    `json:"passed"`
		Failed   int    `json:"failed"`
		Mistakes int    `json:"mistakes"`
		Skipped  int    `json:"skipped"`
		Files    []file `json:"files"`
		Coverage any    `json:"coverage,omitempty"`
	}
	out.Passed, out.Failed, out.Mistakes = r.Counts()
	out.Files = []file{}
	for _, f := range r.Files {
		j := file{File: f.Path, Diagnostics: []diagnostic{}, Tests: []test{}}
		for _, d := range f.Diagnostics {
			j.Diagnostics = append(j.Diagnostics, diagnostic{
				d.File, d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line, d.Range.End.Column,
				d.Severity.String(), string(d.Code), d.Message, d.Hint,
			})
		}
		for _, t := range f.Tests {
			j.Tests = append(j.Tests, test{t, t.Line, t.Column})
		}
		out.Files = append(out.Files, j)
		out.Skipped += f.Skipped
	}
	if c := r.Coverage; c != nil {
		out.Coverage = struct {
			Percent float64 `json:"percent"`
			*Coverage
		}{c.Percent(), c}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
