package author

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// draft is a rule file on its way into its place.
type draft struct {
	*command.Env
	id       string // of the reminder that is meant; "": that of the file
	file     string // its place
	was      []byte // what stands there; nil: nothing
	template []byte // what a person was given to begin with, whose comments are not part of the rule; nil: none
	path     string // of the draft; "": there is none
}

// writable returns why the file cannot be put into its place, before somebody writes it.
func (d *draft) writable() error {
	dir := filepath.Dir(d.file)
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	if d.was != nil {
		return atomicfile.Check(d.file)
	}
	if err := atomicfile.Check(filepath.Join(dir, "rule.md")); err != nil {
		return fmt.Errorf("%s cannot be written: %w", d.Short(d.file), errors.Unwrap(err))
	}
	return nil
}

// edit has a person edit a text until it is without mistakes, or until they want it so, and puts it into its
// place.
func (d *draft) edit(ctx context.Context, text []byte) error {
	dir, err := os.MkdirTemp("", "aside-")
	if err != nil {
		return err
	}
	d.path = filepath.Join(dir, filepath.Base(d.file))
	if err := os.WriteFile(d.path, text, 0o600); err != nil {
		os.RemoveAll(dir)
		return err
	}
	for {
		began := time.Now()
		if err := runEditor(ctx, d.Env, d.path); err != nil {
			return d.leave(text, err)
		}
		now, err := os.ReadFile(d.path)
		switch {
		case gone(err):
			os.Remove(dir)
			return command.No("the draft was removed: nothing was changed")
		case err != nil:
			return d.leave(text, err)
		case bytes.Equal(now, text):
			os.RemoveAll(dir)
			x := command.No("nothing was changed")
			if time.Since(began) < time.Second {
				x = x.And("an editor that opens a window needs a flag to wait for it, such as EDITOR='code --wait'")
			}
			return x
		}
		out := d.cleaned(now)
		ds := d.check(out)
		d.show(out, ds)
		if ds.HasErrors() {
			switch d.ask() {
			case "edit":
				continue
			case "leave":
				return d.leave(text, command.No("%s has a mistake: nothing was changed", filepath.Base(d.file)))
			}
		}
		if err := d.save(out); err != nil {
			return d.leave(text, err)
		}
		os.RemoveAll(dir)
		return d.outcome(ctx, ds.HasErrors())
	}
}

// finish puts a text that is whole into its place.
func (d *draft) finish(ctx context.Context, text []byte) error {
	ds := d.check(text)
	d.show(text, ds)
	if ds.HasErrors() {
		return command.No("nothing was written")
	}
	if err := d.save(text); err != nil {
		return err
	}
	return d.outcome(ctx, false)
}

// leave says where the draft is, unless it is as it was.
func (d *draft) leave(text []byte, err error) error {
	if now, rerr := os.ReadFile(d.path); rerr != nil || bytes.Equal(now, text) {
		os.RemoveAll(filepath.Dir(d.path))
		return err
	}
	x := command.Error{Code: command.ExitMachine}
	if known, is := errors.AsType[*command.Error](err); is {
		x = *known
	}
	x.Err = err
	return x.And("what you wrote is in " + d.path)
}

// cleaned returns a text without the comments of the template.
func (d *draft) cleaned(text []byte) []byte {
	if d.template == nil {
		return text
	}
	ours := map[string]bool{}
	for line := range strings.Lines(string(d.template)) {
		ours[strings.TrimRight(line, "\r\n")] = strings.HasPrefix(line, "#")
	}
	var b strings.Builder
	fences := 0
	for line := range strings.Lines(string(text)) {
		bare := strings.TrimRight(line, "\r\n")
		if strings.TrimRight(bare, " \t") == "---" {
			fences++
		}
		if fences > 1 || !ours[bare] {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// check returns the mistakes in a text, if it stood in its place among the other rules, also those for agents
// that run hooks of ours.
func (d *draft) check(text []byte) grammar.Diagnostics {
	rs, found := document.Read(d.file, text)
	all := rs
	var opts compile.Options
	if r, err := rules.Load(d.Quiet(), rules.Request{Here: true}); err == nil {
		opts.Schema = r.Set.Schema()
		for _, other := range r.Reminders {
			if other.File != d.file && !slices.ContainsFunc(rs,
				func(r compile.Source) bool { return r.ID == other.ID }) {
				all = append(all, other)
			}
		}
	}
	set, more := compile.FromFiles(all, opts)
	var ds grammar.Diagnostics
	for _, agent := range append([]string{""}, setup.Registered(d.Env)...) {
		for _, x := range lint.Run(set, slices.Concat(found, more), map[string][]byte{d.file: text},
			lint.Options{Agent: agent}) {
			if x.File == d.file {
				ds = append(ds, x)
			}
		}
	}
	return lint.Unique(ds)
}

// show prints mistakes and warnings, and how many remarks there are.
func (d *draft) show(text []byte, ds grammar.Diagnostics) {
	shown := slices.DeleteFunc(slices.Clone(ds), func(x grammar.Diagnostic) bool {
		return x.Severity == grammar.Info
	})
	rules.Render(d.Env, d.Err, shown, map[string][]byte{d.file: text}, false)
}

// ask asks what to do with a draft with mistakes. Where nobody can be asked it is left.
func (d *draft) ask() string {
	if !command.Interactive() {
		return "leave"
	}
	answer, err := d.Ask("Edit it again, keep it as it is, or leave it in "+d.path+"? [E/k/l] ", "edit", "keep",
		"leave")
	if err != nil {
		return "leave"
	}
	return answer
}

// save puts a text into its place, and trusts it there.
func (d *draft) save(text []byte) error {
	if d.was == nil {
		if err := os.MkdirAll(filepath.Dir(d.file), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(d.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(d.file)
			return err
		}
		fmt.Fprintf(d.Out, "wrote    %s\n", d.Short(d.file))
	} else {
		if _, err := load.ReadFile("", d.file, 0); gone(err) {
			return command.No("%s was removed meanwhile", d.Short(d.file))
		}
		if err := review.Rewrite(d.Env, d.file, d.was, text); err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "changed  %s\n", d.Short(d.file))
	}
	review.Saved(d.Env, d.file, text)
	return nil
}
