package install

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/agent"
)

// Installations keep two lists of directories below State: those that they have made, so that those that were
// there before stay when it is all taken out again, empty or not; and the projects that they were for.
const (
	madeList     = "made"
	projectsList = "projects"
)

// Made returns the directories that installations have made, in the order in which they were made. There may
// be some that do not exist any longer. known is false where no list was kept.
func (m *Machine) Made() (dirs []string, known bool) { return m.list(madeList) }

// Projects returns the projects that hooks were installed for, each once.
func (m *Machine) Projects() []string {
	dirs, _ := m.list(projectsList)
	return dirs
}

// list reads a list: a JSON string a line.
func (m *Machine) list(name string) (dirs []string, known bool) {
	b, err := os.ReadFile(filepath.Join(m.State, "install", name))
	for line := range strings.Lines(string(b)) {
		var dir string
		if json.Unmarshal([]byte(line), &dir) == nil && filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err == nil
}

// mkdir makes a directory and those above it, and notes those that it has made.
func (m *Machine) mkdir(dir string, mode fs.FileMode) error {
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			break
		}
		missing = append(missing, at)
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	slices.Reverse(missing)
	return m.note(madeList, missing...)
}

// note adds directories to a list.
func (m *Machine) note(name string, dirs ...string) error {
	path := filepath.Join(m.State, "install", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, at := range dirs {
		b, _ := json.Marshal(at)
		if _, err = f.Write(append(b, '\n')); err != nil {
			break
		}
	}
	return errors.Join(err, f.Close())
}

// tidy removes dir and the directories above it that are empty now and that an installation has made, up to
// the agent's own. Where no list was kept, all empty ones go.
func (at place) tidy(dir string) {
	made, known := at.Made()
	for rel := "."; ; dir = filepath.Dir(dir) {
		var err error
		if rel, err = filepath.Rel(at.dir, dir); err != nil || !filepath.IsLocal(rel) || dir == at.Home ||
			dir == at.Project || known && !slices.Contains(made, dir) || os.Remove(dir) != nil {
			return
		}
	}
}

// Backups returns the copies of an agent's configuration files that installations have kept.
func (m *Machine) Backups(a *agent.Agent, s Scope) (paths []string) {
	for _, p := range m.files(a, s) {
		if real, err := follow(p.file()); err == nil {
			found, _ := backups(real)
			paths = append(paths, found...)
		}
	}
	return paths
}

// Foreign reports whether an agent's configuration files hold no word of ours.
func (m *Machine) Foreign(a *agent.Agent, s Scope) bool {
	for _, p := range m.files(a, s) {
		b, err := os.ReadFile(p.file())
		if err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Contains(string(b), "aside") {
			return false
		}
	}
	return true
}
