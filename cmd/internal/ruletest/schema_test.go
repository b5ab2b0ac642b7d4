package ruletest_test

import (
	"errors"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/schemas"
)

// unseen are the mistakes that the schema of rule tests cannot see, and why.
var unseen = map[string]string{
	"two documents":                    "what stands behind the first document",
	"an alias":                         "gone before a schema sees the value",
	"an error that is not a pattern":   "a regular expression of another kind",
	"a reminder that is not there":     "ids",
	"a reminder nearly there":          "ids",
	"a text of nobody":                 "ids",
	"remind nobody":                    "ids",
	"a turn of nobody":                 "ids",
	"an undeclared fact":               "what vars declares",
	"failed that was not used":         "two lists compared",
	"failed without tools":             "two lists compared",
	"a turn behind the end":            "how long the series is",
	"turns that fall":                  "order",
	"a series of them":                 "what the series comes to",
	"a series without end":             "how many turns it comes to",
	"a file that is not there":         "files",
	"a mistake in a reminder":          "triggers",
	"a mistake in reminders of nobody": "triggers",
	"a mistake in a reload":            "triggers",
	"no reminders":                     "whether the file or the test gives them",
	"an outcome of nobody":             "ids",
	"nobody paused":                    "ids",
	"an hour that is none":             "what a number means",
	"a day that is none":               "what a word means",
	"nothing for a fact":               "null, which says that a fact is unknown",
	"an error of nothing":              "whether the file or the test gives them",
}

// TestSchemaSeesMistakes holds that the schema refuses what the reader refuses, but for what it cannot see.
func TestSchemaSeesMistakes(t *testing.T) {
	t.Parallel()
	s, err := schemas.Compile("test")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range mistakes() {
		err := schemas.Check(s, "x_test.yaml", []byte(c.src))
		if seen := err != nil && !errors.Is(err, schemas.ErrUnseen); seen == (unseen[c.name] != "") {
			t.Errorf("%s: seen %v, %v\n%s", c.name, seen, err, c.src)
		}
	}
}
