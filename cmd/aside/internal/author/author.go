// Package author is for a person who writes rules of their own: it puts a rule into an editor and into its
// place, and switches reminders off and on. What a person saves here is trusted, and no other file is.
//
// The editor works on a draft in a directory of its own: no agent reads a rule that is half written, and a
// mistake in it costs nobody anything. The draft is kept until the rule is in its place, and a message names
// its path.
package author

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/near"
)

// AddOptions are the flags of add.
type AddOptions struct {
	Name  string // the id, ID@PACK for a rule of the cookbook, or a sentence
	Scope string // user or project
	When  string // the trigger; "": not given
	While string
	Text  *string // nil: not given; "-": stdin
	From  string  // the id of a starter rule; "": none
}

// Add writes a new rule: as the flags say, or as a person writes it in an editor.
func Add(ctx context.Context, e *command.Env, c AddOptions) error {
	if id, only, _ := strings.Cut(c.Name, "@"); id == "" {
		if (c != AddOptions{Name: c.Name, Scope: c.Scope}) {
			return command.Usage("the name of the reminder is missing")
		}
		return Packs(e, only)
	}
	if strings.Contains(c.Name, " ") && c.When+c.While+c.From == "" && c.Text == nil {
		return c.fromSentence(ctx, e)
	}
	if strings.Contains(c.Name, "@") {
		return c.addRecipe(ctx, e)
	}
	if !reminder.ValidID(c.Name) {
		return command.Usage("%q is not a name for a reminder: letters, digits, `.`, `_` and `-`, and first a "+
			"letter or digit", c.Name)
	}
	return c.write(ctx, e)
}

// write puts the rule that the flags make into its place, or has a person write the rest of it.
func (c *AddOptions) write(ctx context.Context, e *command.Env) error {
	d, err := c.place(e)
	if err != nil {
		return err
	}
	text, whole, err := c.rule(e)
	if err != nil {
		return err
	}
	if !whole {
		d.template = text
		return d.edit(ctx, text)
	}
	return d.finish(ctx, text)
}

// place returns the draft of a file that does not exist yet.
func (c *AddOptions) place(e *command.Env) (*draft, error) {
	root, err := rules.Root(e, c.Scope)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, ".aside", "reminders")
	for _, ext := range []string{".md", ".yaml", ".yml"} {
		if file := filepath.Join(dir, c.Name+ext); exists(file) {
			return nil, command.No("%s is there already", e.Short(file)).
				And("aside edit " + c.Name + " changes it")
		}
	}
	d := &draft{Env: e, id: c.Name, file: filepath.Join(dir, c.Name+".md")}
	return d, d.writable()
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// rule returns the rule that the flags make, and whether it is whole.
func (c *AddOptions) rule(e *command.Env) (text []byte, whole bool, err error) {
	switch {
	case c.From != "" && (c.When != "" || c.While != "" || c.Text != nil):
		return nil, false, command.Usage("--from brings a whole rule: aside edit %s changes it then", c.Name)
	case c.From != "":
		if !slices.Contains(starter.All(), c.From) {
			return nil, false, command.No("there is no starter rule %q", c.From).
				And(cmp.Or(near.Hint("", c.From, starter.All()), "aside list --packs names them all"))
		}
		return starter.Files(c.From)[0].Text, true, nil
	case c.Text == nil:
		trigger := cmp.Or(key("when", c.When)+key("while", c.While), "when:\n")
		return []byte("---\n" + trigger + comments), false, nil
	case c.When == "" && c.While == "":
		return nil, false, command.Usage("--text needs a trigger: give --when or --while; aside help triggers")
	}
	body := *c.Text
	if body == "-" {
		_, src, err := rules.ReadStdin(e, nil)
		if err != nil {
			return nil, false, err
		}
		body = string(src)
	}
	var b bytes.Buffer
	b.WriteString("---\n" + key("when", c.When) + key("while", c.While) + "---\n")
	b.WriteString(strings.TrimSpace(body) + "\n")
	if out, ds := document.Format(c.Name+".md", b.Bytes()); !ds.HasErrors() {
		return out, true, nil
	}
	return b.Bytes(), true, nil
}

// key returns a line of YAML, "" without a value.
func key(name, value string) string {
	if value == "" {
		return ""
	}
	b, _ := yaml.Marshal(value) // a text is always written
	return name + ": " + string(b)
}

// comments are the rest of the draft of a new rule, behind its trigger.
//
//go:embed draft.md
var comments string

// Edit lets a person change the rule file with a reminder in it.
func Edit(ctx context.Context, e *command.Env, name string) error {
	d := &draft{Env: e, id: name}
	var err error
	if d.file, err = fileOf(e, name); err != nil {
		return err
	}
	if load.IsRuleFile(name) {
		d.id = ""
	}
	if d.was, err = load.ReadFile(load.Below(e.Home, d.file), d.file, 0); err != nil {
		return err
	}
	if err := d.writable(); err != nil {
		return err
	}
	return d.edit(ctx, d.was)
}

// fileOf returns the rule file that a person names: by its path, or by the id of a reminder in it. A file of
// the project that is not trusted has no id as far as we know, since it is not read, but for its name.
func fileOf(e *command.Env, name string) (string, error) {
	if load.IsRuleFile(name) && exists(name) {
		return filepath.Abs(name)
	}
	r, err := rules.Load(e, rules.Request{Here: true})
	if err != nil {
		return "", err
	}
	named := func(file string) bool {
		base := filepath.Base(file)
		return strings.TrimSuffix(base, filepath.Ext(base)) == name
	}
	for _, u := range slices.Backward(r.Untrusted) {
		if named(u.Path) {
			return u.Path, nil
		}
	}
	rm, err := r.Find(name)
	if err == nil {
		return rm.File, nil
	}
	for file := range r.Files { // one with mistakes
		if named(file) {
			return file, nil
		}
	}
	if x, is := errors.AsType[*command.Error](err); is && (len(x.More) == 0 ||
		!strings.HasPrefix(x.More[0], "did you mean")) {
		x.More = []string{"aside add " + name + " writes it, and aside list names what there is"}
	}
	return "", err
}

// gone reports whether an error says that a file does not exist.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
