package api

import (
	"slices"
	"strings"
	"testing"
)

// TestItems: the items of a response, in each form in which it comes, and none of one that did not end.
func TestItems(t *testing.T) {
	t.Parallel()
	const call, word = `{"type":"function_call","id":"fc_1","call_id":"c"}`, `{"type":"message","id":"msg_1"}`
	done := func(item string) string { return `{"type":"response.output_item.done","item":` + item + `}` }
	for name, c := range map[string]struct {
		values []string
		want   string
		ids    []string
	}{
		"whole": {[]string{`{"id":"resp_1","object":"response","output":[` + call + "," + word + `]}`},
			"[" + call + "," + word + "]", []string{"fc_1", "msg_1"}},
		"a stream whose end has them": {[]string{done(call), `{"type":"response.completed","response":{"output":[` +
			word + `]}}`}, "[" + word + "]", []string{"msg_1"}},
		"a stream whose end has none": {[]string{`{"type":"response.created","response":{"output":[]}}`, done(call),
			`{"type":"response.output_text.delta","item":{}}`, done(word),
			`{"type":"response.incomplete","response":{"output":[]}}`}, "[" + call + "," + word + "]",
			[]string{"fc_1", "msg_1"}},
		"too many": {[]string{done(call), done(`{"id":"` + strings.Repeat("x", mostItems) + `"}`),
			`{"type":"response.completed","response":{}}`}, "", nil},
		"no items":         {[]string{`{"id":"resp_1","output":[]}`}, "[]", nil},
		"it failed":        {[]string{done(call), `{"type":"response.failed","response":{"output":[]}}`}, "", nil},
		"it was cut off":   {[]string{done(call)}, "", nil},
		"not of this API":  {[]string{`{"type":"message","content":[]}`}, "", nil},
		"not what it says": {[]string{done("3"), `{"type":"response.completed","response":7}`}, "[]", nil},
	} {
		var i Items
		for _, v := range c.values {
			i.Read([]byte(v))
		}
		if got := string(i.List(nil)); got != c.want || !slices.Equal(i.IDs(), c.ids) {
			t.Errorf("%s: %s %q", name, got, i.IDs())
		}
	}
}
