package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/near"
)

// Agent finds an agent by its name.
func Agent(name string) (*agent.Agent, error) {
	if a, ok := agent.Named(name); ok {
		return a, nil
	}
	names := agent.Names(agent.All())
	found := near.Names(name, names)
	for _, n := range names {
		if len(name) > 2 && strings.HasPrefix(n, name) && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	question := near.Question(found)
	if question != "" {
		question = ": " + question
	}
	return nil, command.Usage("there is no agent %q%s", name, question).
		And("agents: " + strings.Join(names, ", "))
}

// Agents finds agents by their names, each once.
func Agents(names []string) (list []*agent.Agent, err error) {
	for _, name := range names {
		a, err := Agent(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list, nil
}

// Program returns the program for agents to run: the one given by the user, else this program and the
// aside-hook beside it. Where PATH leads to this program by a link, the link's path is taken, since an
// upgrade may move the file at its end.
func Program(given string) (p install.Program, err error) {
	if given != "" {
		// elsewhere a relative path is another program: agents run hooks in the project
		if filepath.Base(given) != given {
			if given, err = filepath.Abs(given); err != nil {
				return p, err
			}
		}
		if p = install.ProgramAt(given); p.Aside != "" {
			return p, nil
		}
		return p, command.Usage("--program %s: its name must be aside or aside-hook, or go on with no letter, as "+
			"aside_linux_amd64 does: by it a hook is found again", given)
	}
	self, err := os.Executable()
	if err != nil {
		return p, err
	}
	p.Aside = self
	if found, err := exec.LookPath("aside"); err == nil && filepath.IsAbs(found) && SameFile(found, self) {
		p.Aside = found
	}
	if install.ProgramAt(p.Aside).Aside == "" {
		return p, command.Usage("this program is called %s, and a hook is found again by the name of its program: "+
			"call it aside, or go on with no letter, as aside_linux_amd64 does", filepath.Base(p.Aside))
	}
	for _, path := range []string{p.Aside, self} {
		hook := filepath.Join(filepath.Dir(path), "aside-hook"+filepath.Ext(filepath.Base(self)))
		if found, err := exec.LookPath(hook); err == nil {
			p.Hook = found
			break
		}
	}
	return p, nil
}

// SameFile reports whether two paths lead to one file that exists.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
