package author

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/aside/internal/pack"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/near"
)

// Packs lists the starter rules and those of the cookbook by packs, and which of them the person has; only
// those of one pack, unless only is "".
func Packs(e *command.Env, only string) error {
	var rows [][]string
	var packs []string
	for _, r := range append(pack.Starters(), pack.All()...) {
		if len(packs) == 0 || packs[len(packs)-1] != r.Pack {
			packs = append(packs, r.Pack)
			if only == "" {
				rows = append(rows, []string{e.Paint("1", r.Pack)})
			}
		}
		if only == "" || only == r.Pack {
			src := r.Source()
			rows = append(rows, []string{"  " + r.Name(), here(e, r), src.Description})
		}
	}
	if len(rows) == 0 {
		return command.No("there is no pack %q in the cookbook: it has %s%s", only, strings.Join(packs, ", "),
			near.Hint("; ", only, packs))
	}
	if err := terminal.Table(e.Out, rows, e.Width); err != nil {
		return err
	}
	e.Note("aside add NAME@PACK writes one of them; aside help cookbook has the reason for each")
	return nil
}

// here says in which form the person's own rules have a recipe: as it is, changed, or not at all.
func here(e *command.Env, r pack.Recipe) string {
	file := filepath.Join(e.Home, ".aside", "reminders", r.ID+".md")
	switch src, err := load.ReadFile(load.Below(e.Home, file), file, 0); {
	case err != nil:
		return ""
	case bytes.Equal(src, r.Rule):
		return "yours"
	}
	return "yours, changed"
}

// addRecipe writes the rule of a pack that has the name c.Name, and its rule test. Where the person has the
// rule in another form, it shows the difference and asks.
func (c AddOptions) addRecipe(ctx context.Context, e *command.Env) error {
	r, ok := pack.Find(c.Name)
	if !ok {
		var names []string
		for _, r := range append(pack.Starters(), pack.All()...) {
			names = append(names, r.Name())
		}
		return command.No("there is no %q in the cookbook", c.Name).
			And(cmp.Or(near.Hint("", c.Name, names), "aside help cookbook names them all"))
	}
	if c.From != "" || c.When != "" || c.While != "" || c.Text != nil {
		return command.Usage("%s brings a whole rule: aside edit %s changes it then", c.Name, r.ID)
	}
	c.Name = r.ID
	root, err := rules.Root(e, c.Scope)
	if err != nil {
		return err
	}
	d := &draft{Env: e, id: r.ID, file: filepath.Join(root, ".aside", "reminders", r.ID+".md")}
	switch was, err := load.ReadFile(load.Below(e.Home, d.file), d.file, 0); {
	case gone(err):
		if d, err = c.place(e); err != nil {
			return err
		}
	case err != nil:
		return err
	case bytes.Equal(was, r.Rule):
		e.Note("%s is there already, as in the cookbook", e.Short(d.file))
		return nil
	default:
		d.was = was
		_, _ = e.Out.Write(diff.Diff(e.Short(d.file), was, r.Name(), r.Rule)) // the writer keeps its error
		if err := d.writable(); err != nil {
			return err
		}
		if !command.Interactive() || !e.Confirm("Replace it with that of the cookbook?", false) {
			return command.No("%s is there already, and is another", e.Short(d.file)).
				And("on a terminal you are asked whether to replace it")
		}
	}
	if err := d.finish(ctx, r.Rule); err != nil {
		return err
	}
	placed, err := starter.Place(e, root, []starter.File{r.TestFile()}, d.was != nil)
	for _, f := range placed {
		e.Note("Its rule test: aside test %s", e.Short(f.Path))
	}
	return err
}
