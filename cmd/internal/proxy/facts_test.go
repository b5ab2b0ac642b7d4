package proxy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/facttable"
	"github.com/aside-go/aside/compile/reminder"
)

// TestFacts plays the table of all doors, but for the facts that a host declares.
func TestFacts(t *testing.T) {
	t.Parallel()
	cases := slices.DeleteFunc(facttable.Cases(t), func(c facttable.Case) bool {
		return strings.Contains(c.Facts, "vars") || strings.Contains(c.Refused, "did you mean vars")
	})
	var rs []reminder.Reminder
	add := func(id, trigger string) {
		rs = append(rs, reminder.Reminder{ID: id, Mode: reminder.While, Trigger: trigger, Text: "T"})
	}
	for i, c := range cases {
		if c.Holds != "" {
			add(fmt.Sprint("holds-", i), c.Holds)
		}
		if c.Unknown != "" {
			add(fmt.Sprint("unknown-", i), c.Unknown)
			add(fmt.Sprint("opposite-", i), "not ("+c.Unknown+")")
		}
	}
	w := open(t, nil, unreachable(t), rs...)
	for i, c := range cases {
		_, body := w.do("POST", fmt.Sprintf("/v1/runs/%d/turns", i), `{"facts":`+c.Facts+`}`)
		var got struct {
			Fired  []struct{ ID string }
			Errors []string
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err, body)
		}
		if c.Refused != "" {
			if len(got.Errors) != 1 || got.Errors[0] != "facts: "+c.Refused || len(got.Fired) > 0 {
				t.Errorf("%s: %s\nwant %q", c.Facts, body, c.Refused)
			}
			continue
		}
		fired := func(kind string) bool {
			return slices.ContainsFunc(got.Fired, func(f struct{ ID string }) bool {
				return f.ID == fmt.Sprint(kind,
					i)
			})
		}
		if len(got.Errors) > 0 || fired("holds-") != (c.Holds != "") || fired("unknown-") || fired("opposite-") {
			t.Errorf("%s: %s", c.Facts, body)
		}
	}
}
