package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/aside-go/aside/cmd/internal/release/site"
)

type siteCmd struct {
	Dir        string `arg:"" help:"Where the site goes."`
	Playground string `placeholder:"DIR" help:"The playground: a directory with playground.wasm, built by GOOS=js GOARCH=wasm go build -gcflags=all=-l -ldflags=\"-s -w\" ./cmd/playground, and the wasm_exec.js of that Go."`
}

// Run writes the site.
func (c *siteCmd) Run(t *tree) error {
	return t.withProgram(func(p program) error {
		commands, err := p.commands()
		if err != nil {
			return err
		}
		sample, err := p.sample()
		if err != nil {
			return err
		}
		return site.Write(c.Dir, site.Content{Commands: commands, Sample: sample, Playground: c.Playground})
	})
}

type manCmd struct {
	Dir string `arg:"" help:"Where the pages go."`
}

// Run writes the man pages.
func (c *manCmd) Run(t *tree) error {
	return t.withProgram(func(p program) error {
		commands, err := p.commands()
		if err != nil {
			return err
		}
		return site.Man(c.Dir, commands)
	})
}

// program is aside, built from the tree, in a home without sessions and rules.
type program struct{ file, home string }

// withProgram builds the program for the time of a call.
func (t *tree) withProgram(use func(program) error) error {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	p := program{filepath.Join(home, "aside.exe"), home} // Windows needs the ending
	if _, err := run(t.root, nil, "go", "build", "-o", p.file, "./cmd/aside"); err != nil {
		return err
	}
	return use(p)
}

func (p program) run(args ...string) ([]byte, error) {
	return run(p.home, []string{"HOME=" + p.home, "USERPROFILE=" + p.home, "NO_COLOR=1"}, p.file, args...)
}

// listed is the line for a command in the completion script for fish.
var listed = regexp.MustCompile(`(?m)^complete -c aside -n __fish_use_subcommand -a (\S+)`)

// commands returns the commands that the program completes, with their help.
func (p program) commands() (all []site.Command, err error) {
	script, err := p.run("completion", "fish")
	if err != nil {
		return nil, err
	}
	for _, m := range listed.FindAllSubmatch(script, -1) {
		name := string(m[1])
		help, err := p.run(name, "--help")
		if err != nil {
			return nil, err
		}
		all = append(all, site.Command{Name: name, Help: string(help)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the completion script for fish lists no command:\n%.300s", script)
	}
	return all, nil
}

// sample returns the page of a replay of the sample by the starter rules.
func (p program) sample() ([]byte, error) {
	return p.run("replay", "--html", "-")
}
