package install

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/agent"
)

// Scope says whether the user's own configuration is meant, or that of the project.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Machine is the machine that an installation is for.
type Machine struct {
	Home    string              // "" where there is none
	Project string              // the project's directory
	State   string              // aside's state directory; its subdirectory "install" holds the lock
	Env     func(string) string // os.Getenv
	Windows bool
	Program Program

	// Version returns the version of an agent's program, "" where that is not known. nil: no version is known.
	Version func(binary string) string
}

// variable returns the value of an environment variable that names a directory, "" where it is not set. A relative directory is taken
// from the project, where the agent would start.
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

// config returns the directory of a program's user configuration, "" where HOME is not set.
func (m *Machine) config(name string) string {
	if dir := m.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return m.inHome(".config", name)
}

// Quoted returns a path as it is written for a shell.
func (m *Machine) Quoted(path string) string { return shell([]string{path}, m.Windows) }

// TextFile returns the path of the file from which an agent is to read reminders.
func (m *Machine) TextFile(a *agent.Agent) string { return filepath.Join(m.State, a.Name+".md") }

func (m *Machine) exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// read returns what a file holds, nil where it cannot be read: to write the file will be an error then, which says why.
func (m *Machine) read(path string) []byte {
	s, err := look(path)
	if err != nil {
		return nil
	}
	return s.bytes
}

// older reports whether version is known and earlier than than.
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
