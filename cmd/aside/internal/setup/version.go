package setup

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/internal/command"
)

// Machine returns the machine that this process runs on. No program is run for it.
func Machine(e *command.Env) (*install.Machine, error) {
	state, err := e.StateDir()
	if err != nil {
		return nil, errors.New("HOME is not set: it cannot be told where agents have their configuration")
	}
	return &install.Machine{Home: e.Home, Project: e.Dir, State: state, Env: os.Getenv, Version: versionOf,
		Windows: filepath.Separator == '\\'}, nil
}

var versionNumber = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+[-+.0-9A-Za-z]*)$`)

// versionOf returns the version of a program in PATH, as the files that it was installed with tell it; ""
// where they do not. The program is not run: some take seconds, and some unpack themselves first.
func versionOf(binary string) string {
	path, err := exec.LookPath(binary)
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	for at := path; ; {
		up := filepath.Dir(at)
		if v := packageVersion(filepath.Join(at, "package.json"), binary); v != "" {
			return v
		}
		// claude/versions/2.1.329, Cellar/codex/0.169.0/bin/codex
		if m := versionNumber.FindStringSubmatch(filepath.Base(at)); m != nil {
			of := up
			if filepath.Base(of) == "versions" {
				of = filepath.Dir(of)
			}
			if strings.Contains(filepath.Base(of), binary) {
				return m[1]
			}
		}
		if up == at {
			return ""
		}
		at = up
	}
}

// packageVersion returns the version of a package of npm that has the program; "" of any other file.
func packageVersion(file, binary string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var p struct {
		Name    string          `json:"name"`
		Version string          `json:"version"`
		Bin     json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(b, &p) != nil {
		return ""
	}
	var one string
	var several map[string]string
	switch {
	case json.Unmarshal(p.Bin, &one) == nil: // it has the name of the package
		several = map[string]string{p.Name[strings.LastIndexByte(p.Name, '/')+1:]: one}
	case json.Unmarshal(p.Bin, &several) != nil:
		return ""
	}
	m := versionNumber.FindStringSubmatch(p.Version)
	if several[binary] == "" || m == nil {
		return ""
	}
	return m[1]
}
