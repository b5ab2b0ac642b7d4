package rules

import (
	"errors"
	"path/filepath"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/trust"
)

// MarkUntrusted prints which of the named files are rules of this project that are not trusted, so that no
// agent reads them.
func MarkUntrusted(e *command.Env, named map[string][]byte) {
	project := Here(e)
	store, err := Trust(e)
	if err != nil || project == "" {
		return
	}
	paths := map[string]bool{}
	for name := range named {
		if abs, err := filepath.Abs(name); err == nil {
			paths[abs] = true
		}
	}
	var found []load.Untrusted
	for _, src := range load.Standard("", project) {
		for _, f := range store.Read(src) {
			if f.Err != nil && paths[f.Path] {
				found = append(found, load.Untrusted{Path: f.Path, Why: f.Err})
			}
		}
	}
	untrusted(e, found, project)
}

// untrusted prints which rule files of a project are not used, and the remedy.
func untrusted(e *command.Env, list []load.Untrusted, project string) {
	type group struct{ dir, why string }
	var order []group
	files := map[group][]string{}
	remedy := false
	for _, u := range list {
		g := group{filepath.Dir(u.Path), u.Why.Error()}
		switch {
		case errors.Is(u.Why, trust.ErrNew):
			g.why, remedy = trust.ErrNew.Error(), true
		case errors.Is(u.Why, trust.ErrChanged):
			g.why, remedy = trust.ErrChanged.Error(), true
		case errors.Is(u.Why, trust.ErrCorrupt):
			remedy = true
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
	if remedy {
		where := ""
		if project != e.Dir {
			where = " " + e.Short(project)
		}
		e.Note("aside trust%s shows what they say, and asks", where)
	}
}
