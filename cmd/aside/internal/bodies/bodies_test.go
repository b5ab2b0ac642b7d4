package bodies

import "testing"

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		`{"a":[1]}`:        "",
		"":                 "1:1: empty, not JSON",
		" \n":              "1:1: empty, not JSON",
		"{\n  \"é\": x}":   "2:8: not JSON: invalid character 'x' looking for beginning of value",
		`{"a":1} {}`:       "1:9: not JSON: invalid character '{' after top-level value",
		`{"a"`:             "1:4: not JSON: unexpected end of JSON input",
		"\x00":             `1:1: not JSON: invalid character '\x00' looking for beginning of value`,
		"{\"a\":\"\n\"}\n": `1:7: not JSON: invalid character '\n' in string literal`,
	} {
		got := ""
		if err := checkJSON([]byte(s)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
