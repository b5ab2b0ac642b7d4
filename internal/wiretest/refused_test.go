package wiretest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/wiretest"
)

// row is one thing that an API refuses, next to something like it that it takes.
type row struct {
	name    string
	rule    wiretest.Rule
	good    wiretest.Request
	bad     wiretest.Request
	message string // part of what the vendor says
}

func request(path, body string) wiretest.Request {
	return wiretest.Request{Path: path, Body: []byte(body)}
}

func beta(r wiretest.Request, value string) wiretest.Request {
	r.Header = http.Header{"Anthropic-Beta": {"something-else, " + value}}
	return r
}

func refused(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if no := wiretest.Check(r.good, nil); no != nil {
				t.Errorf("refused: %v\n%s", no, r.good.Body)
			}
			no := wiretest.Check(r.bad, nil)
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
	seen := map[wiretest.Rule]bool{}
	for _, rows := range [][]row{anthropicRows(), thinkingRows(), openaiRows(), geminiRows(), converseRows()} {
		for _, r := range rows {
			seen[r.rule] = true
		}
	}
	for _, rule := range wiretest.Rules() {
		if !seen[rule] && rule != wiretest.NoRoute && rule != wiretest.UnknownResponse &&
			rule != wiretest.UnknownItem &&
			rule != wiretest.TooManyMessages {
			t.Errorf("no row for %q", rule)
		}
	}
}
