package service_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/service"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
)

// TestManual runs the examples of the manual's page, each against its answer, in which … stands for anything.
func TestManual(t *testing.T) {
	t.Parallel()
	page, _ := manual.Page("service")
	blocks := regexp.MustCompile("(?s)```(yaml|bash|json)\n(.*?)```").FindAllStringSubmatch(page, -1)
	sources, ds := document.Read("rules.yaml", []byte(blocks[0][2]))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	var rules []reminder.Reminder
	for _, s := range sources {
		rules = append(rules, s.Reminder)
	}
	w := open(t, options(), rules...)
	said, examples := "", 0
	for _, b := range blocks[1:] {
		if b[1] == "json" {
			want := strings.Split(strings.ReplaceAll(strings.TrimSpace(b[2]), ",\n", ","), "…")
			for i := range want {
				want[i] = regexp.QuoteMeta(want[i])
			}
			if !regexp.MustCompile("^" + strings.Join(want, ".*") + "\n$").MatchString(said) {
				t.Errorf("%s\nthe page has\n%s", said, b[2])
			}
			continue
		}
		for _, command := range strings.Split(b[2], "\ncurl ") {
			var status int
			if status, said = curl(t, w, "curl "+strings.TrimPrefix(command, "curl ")); status >= 500 {
				t.Errorf("%s: %d %s", command, status, said)
			}
			examples++
		}
	}
	if examples < 10 {
		t.Errorf("%d examples", examples)
	}
	table := page[strings.Index(page, "## Errors"):]
	var told []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1) {
		told = append(told, strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ")...)
	}
	codes := service.Codes()
	slices.Sort(codes)
	slices.Sort(told)
	if !slices.Equal(codes, told) {
		t.Errorf("the page has the problems\n%v, there are\n%v", told, codes)
	}
}

// curl does what the command line asks curl for.
func curl(t *testing.T, w *world, command string) (status int, said string) {
	t.Helper()
	words, err := shell.Fields(command, nil)
	if err != nil {
		t.Fatal(err)
	}
	method, url, body := "GET", "", ""
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-X":
			i++
			method = words[i]
		case "-d":
			if i++; method == "GET" {
				method = "POST"
			}
			body = words[i]
		default:
			url = words[i]
		}
	}
	path, ours := strings.CutPrefix(url, "localhost:7717")
	if !ours {
		t.Fatal(command)
	}
	status, said, _ = w.ask(method, path, body)
	return status, said
}
