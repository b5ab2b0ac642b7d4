// Command release is the tool of whoever releases: it keeps the modules of the tree tidy, makes of them what
// tags publish, and makes the site, the man pages and the packages for npm and PyPI.
//
//	go run ./cmd/internal/release COMMAND
//
// It works on the git repository of the current directory.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/release/packages"
)

type cli struct {
	Tidy     tidyCmd     `cmd:"" help:"Run go mod tidy for each module, with the other modules as they are in the tree."`
	Proxy    proxyCmd    `cmd:"" help:"Write a module proxy that has all modules of the tree at a version: GOPROXY=file://DIR."`
	Vet      vetCmd      `cmd:"" help:"Vet the workspace for each system, and each module by itself, with the others from such a proxy."`
	Prepare  prepareCmd  `cmd:"" help:"Write a version into the tree, and print the tags for the commit of it."`
	Site     siteCmd     `cmd:"" help:"Write the manual as a static site, with search and a sample of the replay page."`
	Man      manCmd      `cmd:"" help:"Write the manual as man pages: aside(1), aside-COMMAND(1), aside-TOPIC(7)."`
	Packages packagesCmd `cmd:"" help:"Make the packages for npm and PyPI from built programs."`
}

func main() {
	k := kong.Parse(&cli{}, kong.Name("release"), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		k.Fatalf("no git repository here: %v", err)
	}
	tree, err := readTree(strings.TrimSpace(string(root)))
	k.FatalIfErrorf(err)
	k.FatalIfErrorf(k.Run(tree))
}

type packagesCmd struct {
	Version  string `arg:"" help:"Such as 1.2.3."`
	Binaries string `arg:"" help:"A directory with a folder for each platform, as goreleaser leaves them in dist."`
	Out      string `arg:"" help:"Where the packages go."`
}

// Run makes the packages.
func (c *packagesCmd) Run(t *tree) error {
	return packages.Write(os.DirFS(t.root), strings.TrimPrefix(c.Version, "v"), c.Binaries, c.Out)
}

// run runs a program in a directory, with variables beside those of the environment, and returns its output.
// An error holds that, too, and the program's complaints.
func run(dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%s %s in %s: %w\n%s%s", name, strings.Join(args, " "), dir, err, out, errs.String())
	}
	return out, err
}
