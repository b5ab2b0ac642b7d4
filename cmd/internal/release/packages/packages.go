// Package packages makes the packages for npm and PyPI from built programs: one a platform, which carries the
// program, so that nothing is fetched or run when it is installed; and those of the clients. The names in the
// registries stand in names.json. The same programs make the same bytes.
package packages

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed names.json npm all:pypi
var files embed.FS

// names are those in the registries, and what their pages say.
type names struct {
	NPM, PyPI  struct{ CLI, Client string }
	Repository string
	Summary    string
}

// platform is a platform as Go and the registries name it.
type platform struct {
	goos, goarch string
	os, cpu      string // of npm
	wheel        string // tags of PyPI
}

var platforms = []platform{
	{"linux", "amd64", "linux", "x64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "darwin", "x64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win32", "x64", "win_amd64"},
	{"windows", "arm64", "win32", "arm64", "win_arm64"},
}

// programs are those that a package carries.
var programs = []string{"aside", "aside-hook"}

// file is a file of a package.
type file struct {
	name string
	data []byte
	run  bool // it is a program
}

// Write writes all packages of a version into out. root is the repository; binaries has a folder for each
// platform, whose name holds GOOS_GOARCH, with the programs in it, as goreleaser leaves them in dist. A
// platform without programs is left out; there must be one with them.
func Write(root fs.FS, version, binaries, out string) error {
	n, err := readNames()
	if err == nil {
		err = os.MkdirAll(out, 0o755)
	}
	if err != nil {
		return err
	}
	made := 0
	for _, p := range platforms {
		carried, err := p.programs(binaries)
		switch {
		case err != nil:
			return err
		case carried == nil:
			continue
		}
		if err := n.platformNPM(p, version, carried, out); err != nil {
			return err
		}
		if err := n.platformWheel(p, version, carried, out); err != nil {
			return err
		}
		made++
	}
	if made == 0 {
		return fmt.Errorf("%s has no folder such as aside_linux_amd64 with %s in it", binaries, programs)
	}
	if err := n.mainNPM(version, out); err != nil {
		return err
	}
	if err := n.clientNPM(root, version, out); err != nil {
		return err
	}
	return n.clientWheel(root, version, out)
}

func readNames() (n names, err error) {
	b, err := files.ReadFile("names.json")
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	return n, err
}

// programs reads the programs of a platform; nil: there are none.
func (p platform) programs(binaries string) (all []file, err error) {
	for _, name := range programs {
		if p.goos == "windows" {
			name += ".exe"
		}
		found, err := filepath.Glob(filepath.Join(binaries, "*"+p.goos+"_"+p.goarch+"*", name))
		if err != nil || len(found) > 1 {
			return nil, fmt.Errorf("%s for %s/%s: %q: %v", name, p.goos, p.goarch, found, err)
		}
		if len(found) == 0 {
			continue
		}
		b, err := os.ReadFile(found[0])
		if err != nil {
			return nil, err
		}
		all = append(all, file{name, b, true})
	}
	if len(all) > 0 && len(all) < len(programs) {
		return nil, fmt.Errorf("%s/%s lacks one of %s", p.goos, p.goarch, programs)
	}
	return all, nil
}

// tree reads the files below a folder, but those that nobody installs.
func tree(root fs.FS, dir, as string) (all []file, err error) {
	err = fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "__pycache__"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		b, err := fs.ReadFile(root, name)
		all = append(all, file{path.Join(as, strings.TrimPrefix(name, dir+"/")), b, false})
		return err
	})
	return all, err
}
