package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	load "golang.org/x/tools/go/packages"
)

type vetCmd struct{}

// vetted is the version of the modules that are vetted. It stays the same, so that what has been compiled is
// found again.
const vetted = "v0.1.1-vet"

// systems are those that the workspace is vetted for: one with files of its own each, and one of 32 bits, on
// which the engine is embedded.
var systems = []string{"linux/amd64", "windows/amd64", "darwin/arm64", "linux/386"}

// inBrowser are the packages that run in a browser.
var inBrowser = []string{"./eval", "./compile/load", "./inject", "./inject/transport", "./cmd/playground"}

// Run vets each module by itself, and the workspace for each further system.
func (*vetCmd) Run(t *tree) error {
	debug.SetGCPercent(400)       // collecting takes up to a half of the time
	debug.SetMemoryLimit(3 << 30) // the program takes 3.2 GB with it, and 5.8 GB without
	var wrong error
	for _, system := range systems[1:] { // the first is that of each module by itself
		wrong = errors.Join(wrong, vetFor(system, t.root, nil, "work"))
	}
	wrong = errors.Join(wrong, vetFor("js/wasm", t.root, nil, inBrowser...))
	scratch, err := os.MkdirTemp("", "vet")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	proxy := filepath.Join(scratch, "proxy")
	root, err := t.publishedCopy(proxy, vetted)
	defer os.RemoveAll(root)
	if err != nil {
		return err
	}
	env, err := alone(proxy, filepath.Join(scratch, "modules"))
	if err != nil {
		return err
	}
	for _, m := range t.modules {
		dir := filepath.Join(root, filepath.FromSlash(m.dir))
		_, err := run(dir, env, "go", "mod", "tidy", "-diff")
		wrong = errors.Join(wrong, err, vetFor(systems[0], dir, env, "./..."))
	}
	return wrong
}

// vetFor checks the types of packages and of their tests as they are on a system, and runs the analyses of go
// vet. Unlike go vet it compiles nothing: for a system that nothing runs on it takes a seventh of the time.
func vetFor(system, dir string, env []string, patterns ...string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch), env...)
	all, err := load.Load(&load.Config{Mode: load.LoadAllSyntax | load.NeedModule, Tests: true, Dir: dir,
		Env: env}, patterns...)
	var wrong strings.Builder
	for p := range load.Postorder(all) {
		for _, e := range p.Errors {
			fmt.Fprintln(&wrong, e)
		}
	}
	if err == nil && wrong.Len() == 0 {
		var graph *checker.Graph
		if graph, err = checker.Analyze(vet.Suite, all, nil); err == nil {
			err = graph.PrintText(&wrong, -1)
		}
	}
	if err == nil && len(all) == 0 {
		err = errors.New("no packages")
	}
	if wrong.Len() > 0 {
		err = errors.Join(err, errors.New(wrong.String()))
	}
	if err != nil {
		return fmt.Errorf("%s in %s: %w", system, dir, err)
	}
	return nil
}

// alone returns the environment of a go command that knows modules of ours from a proxy alone. Its cache of
// modules is a new one, for the same version of ours is another one tomorrow. Modules of others are those of
// the user's cache: they are not unpacked again.
func alone(proxy, modules string) ([]string, error) {
	out, err := run("", nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, usual, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	const ours, downloads = "github.com/aside-go", "cache/download/"
	if err := share(cache, modules, ours, downloads+ours, "cache/lock"); err != nil {
		return nil, err
	}
	sources := []string{fileURL(proxy), fileURL(filepath.Join(cache, "cache", "download")), usual}
	return []string{"GOWORK=off", "GOFLAGS=-trimpath -modcacherw", "GOMODCACHE=" + modules,
		"GOPROXY=" + strings.Join(sources, ","), "GONOSUMDB=github.com/aside-go/aside"}, nil
}

// share makes a folder that has what another one has, by links, but for some paths in it, which are its own.
func share(from, to string, own ...string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) { // nothing was fetched yet
		return nil
	}
	err = errors.Join(err, os.MkdirAll(to, 0o755))
	for _, e := range entries {
		link, target := filepath.Join(to, e.Name()), filepath.Join(from, e.Name())
		var deeper []string
		for _, name := range own {
			if first, rest, _ := strings.Cut(name, "/"); first == e.Name() {
				deeper = append(deeper, rest)
			}
		}
		switch {
		case deeper == nil:
			err = errors.Join(err, os.Symlink(target, link))
		case deeper[0] != "":
			err = errors.Join(err, share(target, link, deeper...))
		}
	}
	return err
}

func fileURL(dir string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/")
}
