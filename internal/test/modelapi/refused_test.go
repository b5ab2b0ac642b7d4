package modelapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// row is one thing that an API refuses, next to something like it that it takes.
type row struct {
	name    string
	rule    modelapi.Rule
	good    modelapi.Request
	bad     modelapi.Request
	message string // part of what the vendor says
}

func request(path, body string) modelapi.Request {
	return modelapi.Request{Path: path, Body: []byte(body)}
}

func beta(r modelapi.Request, value string) modelapi.Request {
	r.Header = http.Header{"Anthropic-Beta": {"something-else, " + value}}
	return r
}

func refused(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if no := modelapi.Check(r.good, nil); no != nil {
				t.Errorf("refused: %v\n%s", no, r.good.Body)
			}
			no := modelapi.Check(r.bad, nil)
			switch {
			case no == nil:
				t.Errorf("accepted, want %q\n%s", r.rule, r.bad.Body)
			case no.Rule != r.rule:
				t.Errorf("refused as %q, want %q\n%v", no.Rule, r.rule, no)
			case no.Status != 400 || !strings.Contains(no.Message, r.message):
				t.Errorf("%v\nwant 400 and %q", no, r.message)
			}
		})
	}
}

// TestRules: each rule has a row of its own.
func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[modelapi.Rule]bool{}
	for _, rows := range [][]row{anthropicRows(), thinkingRows(), openaiRows(), geminiRows(), converseRows()} {
		for _, r := range rows {
			seen[r.rule] = true
		}
	}
	for _, rule := range modelapi.Rules() {
		if !seen[rule] && rule != modelapi.NoRoute && rule != modelapi.UnknownResponse &&
			!slices.Contains(modelapi.ThreadRules(), rule) && // TestThreads
			rule != modelapi.UnknownItem &&
			rule != modelapi.TooManyMessages {
			t.Errorf("no row for %q", rule)
		}
	}
}
