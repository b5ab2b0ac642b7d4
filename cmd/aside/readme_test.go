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

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

// readme returns the fenced blocks of README.md in one language, and its whole text.
func readme(t *testing.T, language string) (blocks []string, text string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(string(b), -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("README.md has no block of %s", language)
	}
	return blocks, string(b)
}

// TestReadmeCommands runs the command lines of README.md one after the other, in a directory and a home that hold nothing.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell, as an integration: none is there")
	}
	dir := t.TempDir()
	blocks, _ := readme(t, "sh")
	ran := 0
	for _, line := range strings.Split(strings.Join(blocks, ""), "\n") {
		if line == "" || strings.HasPrefix(line, "go ") { // those two are for the repository itself
			continue
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
		out, err := cmd.CombinedOutput()
		if err != nil || len(out) == 0 && !strings.Contains(line, "fmt -w") {
			t.Errorf("%s\n%v\n%s", line, err, out)
		}
		ran++
	}
	if ran < 8 {
		t.Errorf("only %d command lines were found", ran)
	}
}

// TestReadmeRules compiles the rule and every trigger that README.md shows.
func TestReadmeRules(t *testing.T) {
	t.Parallel()
	blocks, text := readme(t, "markdown")
	for i, b := range blocks {
		rs, ds := document.Read(fmt.Sprintf("rule%d.md", i), []byte(b))
		set, more := compile.FromFiles(rs, compile.Options{})
		if len(ds)+len(more) > 0 || set.Len() != 1 {
			t.Errorf("%s\n%v %v", b, ds, more)
		}
	}
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
			if _, ds := compile.Compile(strings.ReplaceAll(m[1], `\|`, "|"), nil); len(ds) > 0 {
				t.Errorf("%s: %v", m[1], ds)
			}
		}
	}
}

// TestReadmeDiagnostics holds that mistakes are told as README.md shows it.
func TestReadmeDiagnostics(t *testing.T) {
	t.Parallel()
	_, text := readme(t, "go")
	for name, c := range map[string]struct {
		rule string
		code int
	}{
		"reminders/edit.md": {"when: context_usage > 75", 1},
		"reminders/full.md": {"when: context_usage > 75% and context_usage > 60%\nrearm: context_usage < 50%", 0},
	} {
		dir := t.TempDir()
		put(t, dir, name, "---\n"+c.rule+"\n---\nx\n")
		if r := invoke(t, dir, nil, "check", name); r.code != c.code || !strings.Contains(text, "```\n"+r.out+"```\n") {
			t.Errorf("exit %d\n%s", r.code, r.out)
		}
	}
}

// TestReadmeGo holds that the Go of README.md stands in an example, which is compiled and run.
func TestReadmeGo(t *testing.T) {
	t.Parallel()
	var src []byte
	for _, name := range []string{"eval/example_embed_test.go", "inject/transport/example_test.go"} {
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		src = append(src, b...)
	}
	blank := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	blocks, _ := readme(t, "go")
	for _, b := range blocks {
		if !strings.Contains(blank(string(src)), blank(b)) {
			t.Errorf("in none of the examples:\n%s", b)
		}
	}
}

// TestReadmeServe starts each proxy that README.md shows, on a port of its own, asks whether it is well, and stops it.
func TestReadmeServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, ".aside/reminders/a.md", "---\nwhen: always\n---\nx\n")
	blocks, _ := readme(t, "bash")
	for _, line := range strings.Split(strings.TrimSpace(strings.Join(blocks, "")), "\n") {
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
		res, err := http.Get(strings.TrimSpace(strings.TrimPrefix(first, "aside: listening on ")) + "/healthz")
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
