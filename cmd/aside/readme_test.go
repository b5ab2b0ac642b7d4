package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

// page is README.md or a page of the manual.
type page struct{ name, text string }

// documentation returns README.md and the pages of the manual.
func documentation(t *testing.T) []page {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := []page{{"README.md", string(b)}}
	for _, topic := range manual.Topics() {
		text, _ := manual.Page(topic)
		pages = append(pages, page{topic, text})
	}
	return pages
}

// blocks returns the fenced blocks of a page in one language.
func (p page) blocks(language string) (blocks []string) {
	fence := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(p.text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestPageCommands runs the command lines of each page one after the other, in a directory and a home that
// hold nothing but the starter rules, and not even these where the page begins with them.
func TestPageCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell, as an integration: none is there")
	}
	pages := documentation(t)
	ran := 0
	for _, p := range pages[:testkit.Repeat(len(pages)/6, len(pages))] {
		dir := t.TempDir()
		text := strings.Join(p.blocks("sh"), "")
		if text == "" || strings.Contains(text, "asided ") && !testkit.Thorough() {
			continue // asided is another program to build
		}
		path := os.Getenv("PATH")
		if strings.Contains(text, "asided ") {
			path = filepath.Dir(testkit.Built(t, "asided")) + ":" + path
		}
		if !strings.Contains(text, "--yes none") {
			text = "aside init\n" + text
		}
		for _, line := range strings.Split(text, "\n") {
			if line == "" || strings.HasPrefix(line, "go ") { // those two are for the repository itself
				continue
			}
			if missing(line) {
				continue
			}
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + path, "NO_COLOR=1"}
			out, err := cmd.CombinedOutput()
			if err != nil || len(out) == 0 && !strings.Contains(line, "fmt -w") {
				t.Errorf("%s: %s\n%v\n%s", p.name, line, err, out)
			}
			ran++
		}
	}
	if ran < testkit.Repeat(4, 25) {
		t.Errorf("only %d command lines were found", ran)
	}
}

// piped matches the program at the end of a pipe.
var piped = regexp.MustCompile(`\| (\w+)`)

// missing reports whether a command line is piped into a program that this machine has not.
func missing(line string) bool {
	m := piped.FindStringSubmatch(line)
	if m == nil || os.Getenv("ASIDE_INTEGRATIONS") == "required" {
		return false
	}
	_, err := exec.LookPath(m[1])
	return err != nil
}

// TestPageRules compiles each rule and each trigger that a page shows, and checks that the rules are without
// findings.
func TestPageRules(t *testing.T) {
	t.Parallel()
	found := 0
	for _, p := range documentation(t) {
		for i, b := range p.blocks("markdown") {
			rs, ds := document.Read(fmt.Sprintf("rule%d.md", i), []byte(b))
			set, more := compile.FromFiles(rs, compile.Options{})
			if len(ds)+len(more) > 0 || set.Len() != 1 {
				t.Errorf("%s: %s\n%v %v", p.name, b, ds, more)
			}
			dir := t.TempDir()
			process.Put(t, dir, "reminders/rule.md", b)
			if r := exe.Invoke(t, dir, nil, "check", "reminders/rule.md"); r.Code != 0 || r.Out != "" {
				t.Errorf("%s: %s\n%s", p.name, b, r.Out)
			}
			found++
		}
	}
	if found < 6 {
		t.Errorf("only %d rules were found", found)
	}
	text, _ := manual.Page("rules")
	_, table, _ := strings.Cut(text, "| trigger | true when |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([^`]+)`")
	rows := strings.Split(table, "\n")
	if len(rows) != 10 {
		t.Errorf("the trigger language takes %d lines, not ten", len(rows))
	}
	for _, row := range rows {
		cell := regexp.MustCompile(`[^\\]\|`).Split(row[1:], 2)[0]
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			if _, ds := trigger.Compile(strings.ReplaceAll(m[1], `\|`, "|"), nil); len(ds) > 0 {
				t.Errorf("%s: %v", m[1], ds)
			}
		}
	}
}

// TestPageDiagnostics holds that mistakes are told as the page about rules shows it.
func TestPageDiagnostics(t *testing.T) {
	t.Parallel()
	text, _ := manual.Page("rules")
	for name, c := range map[string]struct {
		rule string
		code int
	}{
		"reminders/edit.md": {"when: context_usage > 75", 1},
		"reminders/full.md": {"when: context_usage > 75% and context_usage > 60%\nrearm: context_usage < 50%", 0},
	} {
		dir := t.TempDir()
		process.Put(t, dir, name, "---\n"+c.rule+"\n---\nx\n")
		if r := exe.Invoke(t, dir, nil, "check", name); r.Code != c.code || !strings.Contains(text,
			"```\n"+r.Out+"```\n") {
			t.Errorf("exit %d\n%s", r.Code, r.Out)
		}
	}
}

// TestPageGo holds that the Go of each page stands in an example, which is compiled and run.
func TestPageGo(t *testing.T) {
	t.Parallel()
	var src []byte
	for _, name := range []string{"eval/engine/example_test.go", "inject/transport/example_test.go",
		"inject/transport/segments_test.go"} {
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		src = append(src, b...)
	}
	blank := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	found := 0
	for _, p := range documentation(t) {
		for _, b := range p.blocks("go") {
			if !strings.Contains(blank(string(src)), blank(b)) {
				t.Errorf("%s: in none of the examples:\n%s", p.name, b)
			}
			found++
		}
	}
	if found < 2 {
		t.Errorf("only %d blocks of Go were found", found)
	}
}

// TestPageServe starts each proxy that the page about the proxy shows, on a port of its own, asks whether it
// is well, and stops it.
func TestPageServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, ".aside/reminders/a.md", "---\nwhen: always\n---\nx\n")
	text, _ := manual.Page("serve")
	lines := strings.Join(page{"serve", text}.blocks("bash"), "")
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		words := append(strings.Fields(line), "--listen", "127.0.0.1:0", "--state", "memory")
		if words[0] != "aside" || words[1] != "serve" {
			t.Errorf("%s is no proxy", line)
			continue
		}
		cmd := exec.Command("aside", words[1:]...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		told, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		tells := bufio.NewReader(told)
		first, _ := tells.ReadString('\n')
		res, err := http.Get(strings.TrimSpace(strings.TrimPrefix(first, "aside: listening on ")) + "/readyz")
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s: %v, %v\n%s", line, res, err, first)
		}
		if err == nil {
			_ = res.Body.Close()
		}
		_ = cmd.Process.Signal(os.Interrupt)
		rest, _ := io.ReadAll(tells)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s%s", line, err, first, rest)
		}
	}
}

var linked = regexp.MustCompile(`\]\(([^)#]+)\)`)

// TestReadme holds that README.md is short, and that its links lead somewhere.
func TestReadme(t *testing.T) {
	t.Parallel()
	agents, untried := 0, 0
	for _, a := range agent.All() {
		if a.Config.Why == "" {
			agents++
			if a.Untried {
				untried++
			}
		}
	}
	text := documentation(t)[0].text
	said := fmt.Sprintf("reach %d coding agents by their hooks (%d untried)", agents, untried)
	if !strings.Contains(text, said) {
		t.Errorf("README.md does not say %q", said)
	}
	if len(text) > 7<<10 {
		t.Errorf("README.md has %d bytes, at most 7 KB", len(text))
	}
	root := filepath.Join("..", "..")
	for _, m := range linked.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Error(err)
		}
	}
}

// TestReadmePicture: the picture of README.md is the beginning of real output.
func TestReadmePicture(t *testing.T) {
	t.Parallel()
	r := exe.Invoke(t, t.TempDir(), nil, "replay", "--color", "always")
	lines := strings.Split(r.Out, "\n")
	if r.Code != 0 || len(lines) < 30 {
		t.Fatalf("exit %d\n%s", r.Code, r.Out)
	}
	testkit.Golden(t, filepath.Join("..", "..", ".github", "replay.svg"),
		testkit.Picture("go run ./cmd/aside replay", lines[:23]))
}
