package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

type vetCmd struct{}

// vetted is the version of the modules that are vetted. It stays the same, so that what has been compiled is
// found again.
const vetted = "v0.1.1-vet"

// Run vets and builds each module.
func (*vetCmd) Run(t *tree) error {
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
	var wrong error
	for _, m := range t.modules {
		dir := filepath.Join(root, filepath.FromSlash(m.dir))
		for _, args := range []string{"mod tidy -diff", "vet ./...", "build ./..."} {
			_, err := run(dir, env, "go", strings.Fields(args)...)
			wrong = errors.Join(wrong, err)
		}
	}
	return wrong
}

// alone returns the environment of a go command that knows modules of ours from a proxy alone. Its cache of
// modules is a new one, for the same version of ours is another one tomorrow. Modules of others come from the
// cache of the user, where they are in it.
func alone(proxy, modules string) ([]string, error) {
	out, err := run("", nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, usual, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	sources := []string{fileURL(proxy), fileURL(filepath.Join(cache, "cache", "download")), usual}
	return []string{"GOWORK=off", "GOFLAGS=-trimpath -modcacherw", "GOMODCACHE=" + modules,
		"GOPROXY=" + strings.Join(sources, ","), "GONOSUMDB=github.com/aside-go/aside"}, nil
}

func fileURL(dir string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/")
}
