package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/starter"
	"github.com/aside-go/aside/internal/trust"
)

// trustCmd is "aside trust".
type trustCmd struct {
	Dir    string `arg:"" optional:"" placeholder:"DIR" help:"The project; by default the current directory."`
	Yes    bool   `xor:"what" help:"Trust what is shown, without asking."`
	Revoke bool   `xor:"what" help:"Trust nothing of the project any longer."`
	List   bool   `xor:"what" help:"List the projects that are trusted."`
	Full   bool   `help:"Show every line of the texts."`
	JSON   bool   `name:"json" help:"Print a JSON object, an array with --list; ask nothing."`
}

// Help says what trust is.
func (*trustCmd) Help() string {
	return `Rules of a project are somebody else's words in your agent's ear. Until you have trusted a project, none of its rule files is opened; from then on only those are read whose bytes are the ones you saw. A file that changes is not trusted any longer, and the others go on: ask again.

A project's rules can add text and do nothing else. They can neither replace nor switch off a safety reminder of your own, nor come after it.

--json prints {"project","trusted","error","files":[{"file","target","size","sha256","status","why","reminders":[{"id","mode","trigger","tier","priority","enabled","text"}]}]}: status is new, trusted, changed, gone or refused, and the exit code is 1 as long as something is not trusted. With --list it prints [{"project","at","files"}].

What you trust is remembered in $XDG_STATE_HOME/aside/trust, else ~/.local/state/aside/trust; nothing inside a project can change it.

Examples:

    aside trust                      # show the rule files of this project, and ask
    aside trust ../other --yes
    aside trust --revoke
    aside trust --list`
}

// Run shows the rule files of a project, asks, and records the answer.
func (c *trustCmd) Run(e *env) error {
	s, err := e.trust()
	if err != nil {
		return err
	}
	if c.List {
		if c.Dir != "" {
			return usage("--list lists all projects: %s is one too many", c.Dir)
		}
		return c.list(e, s)
	}
	if c.Dir == "" {
		if c.Dir = e.dir; c.Dir == "" {
			return errors.New("the current directory cannot be told; give DIR")
		}
	}
	if c.Revoke {
		return c.revoke(e, s)
	}
	dir, err := directory(c.Dir)
	if err != nil {
		return err
	}
	if dir == e.realHome() {
		return no("%s is your home: the rules there are your own, and always read", c.Dir)
	}
	r, err := s.Review(dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.asJSON(e, s, r)
	}
	if len(r.Files) == 0 {
		return no("there is no rule file in %s/{.agents,.claude,.aside}/reminders", e.short(dir))
	}
	if err := e.showReview(r, c.Full); err != nil {
		return err
	}
	return c.decide(e, s, r)
}

// decide trusts the files of a review if a person says so.
func (c *trustCmd) decide(e *env, s *trust.Store, r *trust.Review) error {
	n := waiting(r)
	switch {
	case r.Broken != nil:
		e.note("%s: nothing of this project is trusted", r.Broken)
		if errors.Is(r.Broken, trust.ErrNewer) {
			return errNo
		}
	case r.Fine():
		e.note("all of it is trusted")
		return nil
	}
	if n == 0 {
		e.note("nothing here can be trusted as it is")
		return errNo
	}
	if !c.Yes {
		if !interactive() {
			return &exitError{code: exitNo, err: errors.New("nothing was changed: there is no terminal to ask on"), more: []string{"--yes trusts what is shown"}}
		}
		yes, err := e.ask(fmt.Sprintf("Let your agents read %s as shown?", these(n)))
		if err != nil {
			return err
		}
		if !yes {
			e.note("nothing was changed")
			return errNo
		}
	}
	if err := s.Approve(r, time.Now()); err != nil {
		return err
	}
	e.note("%s trusted; aside trust --revoke takes that back", map[bool]string{true: "it is", false: fmt.Sprintf("%d files are", n)}[n == 1])
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

func these(n int) string {
	if n == 1 {
		return "this file"
	}
	return fmt.Sprintf("these %d files", n)
}

// ask asks a question, and reports whether the answer is yes.
func (e *env) ask(question string) (bool, error) {
	e.out.Flush()
	fmt.Fprintf(e.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(e.in).ReadString('\n')
	if answer == "" && err != nil {
		e.note("")
	}
	switch line(answer) {
	case "y", "Y", "yes", "Yes", "YES":
		return true, nil
	}
	return false, nil
}

func (c *trustCmd) revoke(e *env, s *trust.Store) error {
	was, err := s.Revoke(c.Dir)
	if err != nil {
		return err
	}
	if !was {
		return no("%s was not trusted", e.short(c.Dir))
	}
	e.note("nothing of %s is trusted any longer", e.short(c.Dir))
	return nil
}

func (c *trustCmd) list(e *env, s *trust.Store) error {
	ps, err := s.Projects()
	if c.JSON {
		list := make([]any, len(ps))
		for i, p := range ps {
			list[i] = trustedJSON{Project: p.Path, At: p.At, Files: p.Files}
		}
		return errors.Join(printList(e.out, list), err)
	}
	var rows [][]string
	for _, p := range ps {
		there := ""
		if _, err := os.Stat(p.Path); errors.Is(err, fs.ErrNotExist) {
			there = "no longer there"
		}
		rows = append(rows, []string{visible(p.Path), count(len(p.Files), "file"), p.At.Local().Format("2006-01-02"), there})
	}
	if terr := table(e.out, rows, e.width); terr != nil {
		return terr
	}
	if len(ps) == 0 && err == nil {
		e.note("no project is trusted")
	}
	return err
}

// trust opens the record of what the user trusts.
func (e *env) trust() (*trust.Store, error) {
	dir, err := e.stateDir()
	if err != nil {
		return nil, errors.New("there is no place to remember what you trust: HOME is not set")
	}
	return trust.Open(filepath.Join(dir, "trust")), nil
}

// trustWritten trusts the files that this program itself has just written below a project's .aside directory, as far as they still hold
// what was written. An error is a note to the user.
func (e *env) trustWritten(project string, written []starter.File) {
	s, err := e.trust()
	if err != nil || len(written) == 0 {
		return
	}
	dir, err := directory(project)
	if err != nil || dir == e.realHome() {
		return
	}
	r, err := s.Review(dir)
	if err == nil {
		r.Files = slices.DeleteFunc(r.Files, func(f trust.File) bool {
			return !slices.ContainsFunc(written, func(w starter.File) bool { return f.Name == ".aside/"+w.Name && bytes.Equal(f.Src, w.Text) })
		})
		err = s.Approve(r, time.Now())
	}
	if err != nil {
		e.note("aside trust lets your agents read them; it was not done now: %s", plain(err))
	}
}

// directory returns the path of a directory with links resolved. The path is not cleaned first, since what ".." means after a link
// depends on where the link leads.
func directory(dir string) (string, error) {
	path := dir
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = wd + string(filepath.Separator) + path
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return "", &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	fi, err := os.Stat(real)
	if err == nil && !fi.IsDir() {
		err = no("%s is not a directory", dir)
	}
	return real, err
}

// realHome returns the path of the home directory with links resolved, "" where there is none.
func (e *env) realHome() string {
	if real, err := filepath.EvalSymlinks(e.home); err == nil && e.home != "" {
		return real
	}
	return ""
}
