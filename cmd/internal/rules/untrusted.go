package rules

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/checkout"
	"github.com/aside-go/aside/internal/trust"
)

// MarkUntrusted prints which of the named files are rules of a project that are not trusted, so that no agent
// reads them.
func MarkUntrusted(e *command.Env, named map[string][]byte) {
	store, err := Trust(e)
	if err != nil {
		return
	}
	paths := map[string]bool{}
	var dirs []load.Source
	for name := range named {
		s := load.Gated(e.Home, []load.Source{{Path: name}})[0]
		if s.Project == "" {
			continue
		}
		paths[filepath.Join(s.Path, s.Only)] = true
		if s.Only = ""; !slices.Contains(dirs, s) {
			dirs = append(dirs, s)
		}
	}
	var found []load.Untrusted
	for _, src := range dirs {
		for _, f := range store.Read(src) {
			if _, unread := errors.AsType[load.Unread](f.Err); f.Err != nil && !unread && paths[f.Path] {
				found = append(found, load.Untrusted{Path: f.Path, Project: src.Project, Why: f.Err})
			}
		}
	}
	slices.SortFunc(found, func(a, b load.Untrusted) int { return strings.Compare(a.Path, b.Path) })
	untrusted(e, found)
}

// Checkouts says which other checkouts of its repository a project is trusted with; "" where it is by itself.
// The error says why its .git, which speaks of a linked worktree, is not believed.
func Checkouts(e *command.Env, project string) (string, error) {
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return "", nil // loading its rules gives the error
	}
	c, others := checkout.Of(real), checkout.Others(real)
	of := terminal.Visible(e.Short(filepath.Clean(checkout.Place(real))))
	switch {
	case len(others) > 0:
		return fmt.Sprintf("one of %d checkouts of %s, which are trusted together", len(others)+1, of), nil
	case c.Linked:
		return "a worktree of " + of + ", trusted with all others of it", nil
	}
	return "", c.Doubt
}

// untrusted prints which rule files of projects are not used, and the remedy.
func untrusted(e *command.Env, list []load.Untrusted) {
	type group struct{ dir, why string }
	var order []group
	files := map[group][]string{}
	var ask []string // the projects that can be trusted
	for _, u := range list {
		g := group{filepath.Dir(u.Path), u.Why.Error()}
		remedy := true
		switch {
		case errors.Is(u.Why, trust.ErrNew):
			g.why = trust.ErrNew.Error()
		case errors.Is(u.Why, trust.ErrChanged):
			g.why = trust.ErrChanged.Error()
		default:
			remedy = errors.Is(u.Why, trust.ErrCorrupt)
		}
		if remedy && !slices.Contains(ask, u.Project) {
			ask = append(ask, u.Project)
		}
		if files[g] == nil {
			order = append(order, g)
		}
		files[g] = append(files[g], u.Path)
	}
	for _, g := range order {
		why := terminal.Visible(g.why)
		if fs := files[g]; len(fs) == 1 {
			e.Note("aside: %s is not used: %s", terminal.Visible(e.Short(fs[0])), why)
		} else {
			e.Note("aside: %d files in %s are not used: %s", len(fs), terminal.Visible(e.Short(g.dir)), why)
		}
	}
	for _, project := range ask {
		where := ""
		if project != Here(e) {
			where = " " + terminal.Visible(e.Short(project))
		}
		e.Note("aside trust%s shows what they say, and asks", where)
	}
}
