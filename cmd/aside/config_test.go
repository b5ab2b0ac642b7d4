package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/config"
	"github.com/aside-go/aside/cmd/aside/internal/manual"
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
	c, err := config.User(path, commandsOf(&command.Env{}))
	if err != nil || len(c.Diagnostics) > 0 || len(config.Facts(nil, c)) != 2 || c.Keep() != "14d" {
		t.Errorf("%v\n%v", err, c)
	}
	if v, ok := c.Flag("bundle build", "name"); !ok || v != "team" {
		t.Errorf("the name of bundle build is %v", v)
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

// TestVariablesPage: the table of environment variables has those that flags read.
func TestVariablesPage(t *testing.T) {
	t.Parallel()
	text, _ := manual.Page("configuration")
	k, err := parser(&command.Env{}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range k.Model.Leaves(true) {
		for _, f := range n.Flags {
			for _, variable := range f.Tag.Envs {
				if !strings.Contains(text, "| `"+variable+"` |") {
					t.Errorf("%s --%s reads %s, which the page lacks", n.Name, f.Name, variable)
				}
			}
		}
	}
}
