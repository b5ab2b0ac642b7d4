// Package review shows the rule files of a project to a person, asks whether agents may read them, and
// records the answer. Nothing is trusted that was not shown, but for files that this program itself has
// written.
package review

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/checkout"
	"github.com/aside-go/aside/internal/trust"
)

// Cmd is "aside trust".
type Cmd struct {
	Dir    string `arg:"" optional:"" placeholder:"DIR" help:"The project, or a directory in it; by default the current directory."`
	Yes    bool   `short:"y" xor:"what" help:"Trust what is shown, without asking."`
	Revoke bool   `xor:"what" help:"Trust nothing of the project any longer."`
	List   bool   `xor:"what" help:"List the projects that are trusted."`
	JSON   bool   `name:"json" help:"Print a JSON object, an array with --list; ask nothing."`
}

// Run shows the rule files of a project, asks, and records the answer.
func (c *Cmd) Run(e *command.Env) error {
	s, err := rules.Trust(e)
	if err != nil {
		return err
	}
	if c.List {
		if c.Dir != "" {
			return command.Usage("--list lists all projects: %s is one too many", c.Dir)
		}
		return c.listDecisions(e, s)
	}
	if c.Dir == "" {
		if c.Dir = rules.Here(e); c.Dir == "" {
			c.Dir = e.Dir
		}
		if c.Dir == "" {
			return errors.New("the current directory cannot be told; give DIR")
		}
	}
	if c.Revoke {
		return c.forget(e, s)
	}
	dir, err := rules.Project(e, c.Dir)
	if err != nil {
		return err
	}
	if dir == "" {
		return command.No("%s is your home: the rules there are your own, and always read", c.Dir)
	}
	r, err := s.Review(dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.asJSON(e, s, r)
	}
	if len(r.Files) == 0 {
		return command.No("there is no rule file in %s/{.agents,.claude,.aside}/reminders", e.Short(dir))
	}
	showReview(e, r)
	return c.decide(e, s, r)
}

// decide trusts the files of a review if a person says so.
func (c *Cmd) decide(e *command.Env, s *trust.Store, r *trust.Review) error {
	n := waiting(r)
	switch {
	case r.Broken != nil:
		e.Note("%s: nothing of this project is trusted", r.Broken)
		if errors.Is(r.Broken, trust.ErrNewer) {
			return command.ErrNo
		}
	case r.Fine():
		e.Note("all of it is trusted")
		return nil
	}
	if n == 0 {
		e.Note("nothing here can be trusted as it is")
		return command.ErrNo
	}
	if !c.Yes {
		if !command.Interactive() {
			return command.No("nothing was changed: %w", command.ErrNobody).And("--yes trusts what is shown")
		}
		these := "this file"
		if n > 1 {
			these = fmt.Sprintf("these %d files", n)
		}
		if !e.Confirm("Let your agents read "+these+" as shown?", false) {
			e.Note("nothing was changed")
			return command.ErrNo
		}
	}
	if err := s.Approve(r, time.Now()); err != nil {
		return err
	}
	e.Note("%s trusted; aside trust --revoke takes that back", map[bool]string{true: "it is",
		false: fmt.Sprintf("%d files are", n)}[n == 1])
	return nil
}

// waiting returns how many files an approval would newly trust.
func waiting(r *trust.Review) (n int) {
	for _, f := range r.Files {
		if f.Status == trust.New || f.Status == trust.Changed {
			n++
		}
	}
	return n
}

func (c *Cmd) forget(e *command.Env, s *trust.Store) error {
	was, err := s.Revoke(c.Dir)
	if err != nil {
		return err
	}
	if !was {
		return command.No("%s was not trusted", e.Short(c.Dir))
	}
	e.Note("nothing of %s is trusted any longer", e.Short(c.Dir))
	return nil
}

func (c *Cmd) listDecisions(e *command.Env, s *trust.Store) error {
	ps, err := s.Projects()
	if c.JSON {
		list := make([]any, len(ps))
		for i, p := range ps {
			list[i] = trustedJSON{Project: p.Path, At: p.At, Files: p.Files}
		}
		return errors.Join(command.PrintList(e.Out, list), err)
	}
	var rows [][]string
	for _, p := range ps {
		there := ""
		if n := len(checkout.Others(p.Path)); n > 0 {
			there = terminal.Count(n+1, "checkout")
		}
		if _, err := os.Stat(p.Path); errors.Is(err, fs.ErrNotExist) {
			there = "no longer there"
		}
		rows = append(rows, []string{terminal.Visible(p.Path), terminal.Count(len(p.Files), "file"),
			p.At.Local().Format("2006-01-02"), there})
	}
	if terr := terminal.Table(e.Out, rows, e.Width); terr != nil {
		return terr
	}
	if len(ps) == 0 && err == nil {
		e.Note("no project is trusted")
	}
	return err
}

// Rewrite replaces the content of a rule file, from, by to. Where from was trusted, to is. It is an error if
// the file holds anything else than from by now.
func Rewrite(e *command.Env, file string, from, to []byte) error {
	now, err := load.ReadFile("", file, 0)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, from) {
		return fmt.Errorf("%s was changed meanwhile, and is left as it is", e.Below(file))
	}
	if err := atomicfile.Write(file, to, 0o644); err != nil {
		return err
	}
	Keep(e, file, from, to)
	return nil
}

// Keep carries the trust in a file over from the text that it held to the text that it holds now. A file that
// was not trusted stays untrusted. An error is a note to the user.
func Keep(e *command.Env, file string, from, to []byte) {
	s, err := rules.Trust(e)
	if err != nil {
		return
	}
	project, name, err := in(e, file)
	if err == nil && project != "" {
		_, err = s.Keep(project, name, from, to)
	}
	if err != nil {
		e.Note("%s is not trusted any longer: %s", e.Below(file), terminal.Plain(err))
	}
}

// in returns the project whose reminder a file is, "" for none, and its name below that, with slashes.
func in(e *command.Env, file string) (project, name string, err error) {
	at := load.Gated(e.Home, []load.Source{{Path: file}})[0]
	if at.Project == "" {
		return "", "", nil
	}
	name, err = filepath.Rel(at.Project, filepath.Join(at.Path, at.Only))
	return at.Project, filepath.ToSlash(name), err
}

// Saved trusts a file of a project that a person has just written, as far as it still holds the written text.
// It reports whether the file is read now.
func Saved(e *command.Env, file string, text []byte) bool {
	project, name, err := in(e, file)
	return err == nil && (project == "" || Approve(e, project, map[string][]byte{name: text}))
}

// Approve trusts files that this program itself has just written below a project's directory, as far as they
// still hold the written text: texts by their names below the project, with slashes. It reports whether that
// was done; an error is a note to the user.
func Approve(e *command.Env, project string, written map[string][]byte) bool {
	s, err := rules.Trust(e)
	if err != nil || len(written) == 0 {
		return false
	}
	dir, err := command.Directory(project)
	if err != nil || dir == e.RealHome() {
		return err == nil
	}
	r, err := s.Review(dir)
	if err == nil {
		r.Files = slices.DeleteFunc(r.Files, func(f trust.File) bool {
			text, is := written[f.Name]
			return !is || !bytes.Equal(f.Src, text)
		})
		err = s.Approve(r, time.Now())
	}
	if err != nil {
		e.Note("aside trust lets your agents read them; it was not done now: %s", terminal.Plain(err))
	}
	return err == nil
}
