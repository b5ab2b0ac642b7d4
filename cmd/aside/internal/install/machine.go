package install

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Scope says whose configuration is meant.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Machine is what an installation must know of the world.
type Machine struct {
	Home    string              // "" where there is none
	Project string              // the project's directory
	State   string              // where aside keeps what it must remember; its subdirectory "install" holds the lock
	Env     func(string) string // the environment, by name
	Windows bool
	Program Program

	// Version returns the version of an agent's program, "" where it cannot be told. nil: none can.
	Version func(binary string) string
}

// variable is the value of a variable that names a directory. A relative one is taken from the project, where the agent would start.
func (m *Machine) variable(name string) string {
	if name == "" || m.Env == nil {
		return ""
	}
	dir := m.Env(name)
	if dir != "" && !filepath.IsAbs(dir) {
		return filepath.Join(m.Project, dir)
	}
	return dir
}

func (m *Machine) inHome(elem ...string) string {
	if m.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{m.Home}, elem...)...)
}

// config is a program's directory in the user's configuration.
func (m *Machine) config(name string) string {
	if dir := m.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return m.inHome(".config", name)
}

// Quoted is path as it is written for a shell.
func (m *Machine) Quoted(path string) string { return shell([]string{path}, m.Windows) }

// moim is the file that Goose is to read reminders from.
func (m *Machine) moim() string { return filepath.Join(m.State, "goose.md") }

func (m *Machine) there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// read returns what is in a file, nil where it cannot be read: whoever writes it will say why.
func (m *Machine) read(path string) []byte {
	s, err := look(path)
	if err != nil {
		return nil
	}
	return s.bytes
}

// older reports whether a version is known, and is before another.
func older(version, than string) bool {
	if version == "" {
		return false
	}
	a, b := numbers(version), numbers(than)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		list = append(list, n)
	}
	return list
}
