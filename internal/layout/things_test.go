package layout

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestAPIs: each API has its file, a strict fake, a simulated client, cases of `aside inject`, its name in
// package wire, a word of help, and in WIRE.md a heading and a row in each table of formats.
func TestAPIs(t *testing.T) {
	t.Parallel()
	cases := map[string]int{}
	for _, name := range testkit.DataGlob(t, "conformance", "inject", "*.json") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var c struct{ Args []string }
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(err)
		}
		if i := slices.Index(c.Args, "--api"); i >= 0 {
			cases[c.Args[i+1]]++
		}
	}
	page := pages(t)["inject/wire/WIRE.md"]
	for _, name := range api.Names() {
		stem := strings.TrimPrefix(strings.TrimPrefix(string(name), "openai-"), "gemini-")
		files := []string{"internal/api/" + stem + ".go"}
		if name != api.Messages { // the generic shape is of no vendor, so there is nothing to fake
			files = append(files, "internal/test/modelapi/encode"+stem+".go", "internal/test/client/"+stem+".go")
		}
		for _, f := range files {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(f))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, f := range []string{"inject/wire/wire.go", "cmd/aside/internal/bodies/bodies.go",
			"cmd/aside/CLI.md"} {
			b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(f)))
			if err != nil || !strings.Contains(string(b), string(name)) {
				t.Errorf("%s is not named in %s", name, f)
			}
		}
		if !regexp.MustCompile("(?i)\n##[^\n]*" + stem).MatchString(page) {
			t.Errorf("WIRE.md has no heading for %s", name)
		}
		for _, title := range []string{"### 1.0", "## 2.", "## 4."} {
			row := regexp.MustCompile(`(?i)\n\|[^|\n]*` + stem) // its first cell
			if name != api.Messages && !row.MatchString(below(page, title)) {
				t.Errorf("WIRE.md has no row for %s under %s", name, title)
			}
		}
		if cases[string(name)] == 0 {
			t.Errorf("%s has no case in testdata/conformance/inject", name)
		}
	}
}

// below returns the part of a page from behind a heading, which begins with title, up to the next heading.
func below(page, title string) string {
	_, rest, _ := strings.Cut(page, "\n"+title)
	part, _, _ := strings.Cut(rest, "\n#")
	return part
}

// TestAgents: each agent that has hooks has its description, fixtures, and its name among the titles
// of HOOKS.md.
func TestAgents(t *testing.T) {
	t.Parallel()
	page := pages(t)["internal/agent/HOOKS.md"]
	for _, a := range agent.WithHooks() {
		file := "internal/agent/agents/" + a.Name + ".json"
		for _, f := range []string{file, "testdata/hook-fixtures/" + a.Name} {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(f))); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
		}
		word, _, _ := strings.Cut(a.Title, " ")
		if !slices.ContainsFunc(strings.Split(page, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "## ") && strings.Contains(line, word)
		}) {
			t.Errorf("HOOKS.md has no section about %s", a.Title)
		}
	}
}
