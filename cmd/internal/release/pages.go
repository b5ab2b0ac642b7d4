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
	return t.withBuilt(func(b built, commands []site.Command) error {
		sample, err := b.run("aside", "replay", "--html", "-") // of the sample, by the starter rules
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
	return t.withBuilt(func(_ built, commands []site.Command) error { return site.Man(c.Dir, commands) })
}

// programs are those of the manual.
var programs = []string{"aside", "asided"}

// built are the programs as the tree has them, in a home without sessions and rules.
type built struct{ home string }

// withBuilt builds the programs for the time of a call, which gets their commands, too.
func (t *tree) withBuilt(use func(built, []site.Command) error) error {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	b := built{home}
	for _, program := range programs {
		if _, err := run(t.root, nil, "go", "build", "-o", b.file(program), "./cmd/"+program); err != nil {
			return err
		}
	}
	commands, err := b.commands()
	if err != nil {
		return err
	}
	return use(b, commands)
}

func (b built) file(program string) string {
	return filepath.Join(b.home, program+".exe") // Windows needs the ending
}

func (b built) run(program string, args ...string) ([]byte, error) {
	env := []string{"HOME=" + b.home, "USERPROFILE=" + b.home, "NO_COLOR=1"}
	return run(b.home, env, b.file(program), args...)
}

// listed is the line for a command in the completion script for fish.
var listed = regexp.MustCompile(`(?m)^complete -c \S+ -n __fish_use_subcommand -a (\S+)`)

// commands returns the commands that the programs complete, with their help.
func (b built) commands() (all []site.Command, err error) {
	for _, program := range programs {
		script, err := b.run(program, "completion", "fish")
		if err != nil {
			return nil, err
		}
		names := listed.FindAllSubmatch(script, -1)
		if len(names) == 0 {
			return nil, fmt.Errorf("%s lists no command for fish:\n%.300s", program, script)
		}
		for _, m := range names {
			help, err := b.run(program, string(m[1]), "--help")
			if err != nil {
				return nil, err
			}
			all = append(all, site.Command{Program: program, Name: string(m[1]), Help: string(help)})
		}
	}
	return all, nil
}
