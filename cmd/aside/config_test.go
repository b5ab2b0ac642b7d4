package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/schema"
	"github.com/aside-go/aside/cmd/internal/test/schemas"
)

// TestConfigurationPage: the file of the page is without mistakes, and its flags are those of commands.
func TestConfigurationPage(t *testing.T) {
	t.Parallel()
	page, _ := manual.Page("configuration")
	_, file, _ := strings.Cut(page, "```yaml\n")
	file, _, ok := strings.Cut(file, "```")
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil || !ok {
		t.Fatal(err)
	}
	c, err := config.User(path, aside.Configurable(&command.Env{}))
	if err != nil || len(c.Diagnostics) > 0 || len(config.Facts(nil, c)) != 2 || c.Keep() != "14d" {
		t.Errorf("%v\n%v", err, c)
	}
	if v, ok := c.Flag("check", "strict"); !ok || v != true {
		t.Errorf("strict of check is %v", v)
	}
}

// TestConfigurationSchema: the schema of the file takes the file of the page, and has the keys and the flags
// that the reader has, and their values.
func TestConfigurationSchema(t *testing.T) {
	t.Parallel()
	commands := aside.Configurable(&command.Env{})
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Config(commands.Schemas())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	page, _ := manual.Page("configuration")
	_, sample, _ := strings.Cut(page, "```yaml\n")
	sample, _, _ = strings.Cut(sample, "```")
	for _, c := range []struct {
		text string
		fine bool
	}{
		{sample, true},
		{"vars: {a: integer}", false},
		{"vars: {a: {type: int, kind: gouge}}", false},
		{"state: /var/lib/aside", true},
		{"state: ~/runs", false},
		{"keep: forever", true},
		{"keep: 3 days", false},
		{"color: blue", false},
		{"replya: {}", false},
		{"hook: {agent: codex}", false},
		{"check: {strict: yes}", false},
		{"check: {strict: true, allow: R1009}", true},
		{"check: {allow: {}}", false},
		{"check: {strickt: true}", false},
		{"replay: {cost: maybe}", false},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := config.User(path, commands)
		if err != nil || (len(read.Diagnostics) == 0) != c.fine {
			t.Errorf("%s: the reader says %v, %v", c.text, err, read.Diagnostics)
		}
		if err := schemas.Check(s, path, []byte(c.text)); (err == nil) != c.fine {
			t.Errorf("%s: the schema says %v", c.text, err)
		}
	}
}

// TestExitPage: the page about exit codes has each of them, and no other.
func TestExitPage(t *testing.T) {
	t.Parallel()
	text, _ := manual.Page("exit")
	var codes []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(text, -1) {
		codes = append(codes, row[1])
	}
	want := fmt.Sprint([]int{command.ExitFine, command.ExitNo, command.ExitUsage, command.ExitMachine,
		command.ExitInterrupted})
	if fmt.Sprint(codes) != want {
		t.Errorf("%v, want %v", codes, want)
	}
}
