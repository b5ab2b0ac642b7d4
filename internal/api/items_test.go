package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/response"
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
		"too many": {[]string{done(call), done(`{"id":"` + strings.Repeat("x", response.MaxItems) + `"}`),
			`{"type":"response.completed","response":{}}`}, "", nil},
		"no items": {[]string{`{"id":"resp_1","output":[]}`}, "[]", nil},
		"it failed": {[]string{done(call), `{"type":"response.failed","response":{"output":[]}}`}, "",
			[]string{"fc_1"}},
		"it was cut off":   {[]string{done(call)}, "", []string{"fc_1"}},
		"not of this API":  {[]string{`{"type":"message","content":[]}`}, "", nil},
		"not what it says": {[]string{done("3"), `{"type":"response.completed","response":7}`}, "[]", nil},
	} {
		var a response.Answer
		for _, v := range c.values {
			responsesAnswer(&responses.format, []byte(v), &a)
		}
		var ids []string
		for _, i := range a.Items {
			ids = append(ids, i.ID)
		}
		if got := string(Calls(Responses, &a)); got != c.want || !slices.Equal(ids, c.ids) {
			t.Errorf("%s: %s %q", name, got, ids)
		}
	}
}
