package author

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/review"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/document"
)

// Switch switches a reminder off, or on again, in the file that it is read from. Where that file cannot be
// written, and in the project of a directory unless project is "", a file that goes before it hides the
// reminder.
func Switch(e *command.Env, id string, on bool, project string) error {
	r, err := rules.Load(e, rules.Request{Here: true, Project: project})
	if err != nil {
		return err
	}
	rm, err := r.Find(id)
	if err != nil {
		return err
	}
	if rm.Disabled != on {
		e.Note("%s is %s already", id, map[bool]string{true: "on", false: "off"}[on])
		return nil
	}
	if project != "" {
		root, err := rules.Project(e, project)
		if err != nil {
			return err
		}
		if root == "" {
			return command.Usage("--project: this is your home, and not a project")
		}
		if own, _ := filepath.Rel(root, rm.File); !filepath.IsLocal(own) { // a rule of the user's
			if on {
				return command.No("%s is off everywhere, and not in this project alone", id).
					And("aside enable " + id + " switches it on again")
			}
			if rm.Tier == reminder.Safety {
				return command.No("%s is a safety rule of your own, which a project cannot switch off", id).
					And("aside disable " + id + " switches it off everywhere")
			}
			return hide(e, root, rm, nil)
		}
	}
	src := r.Files[rm.File]
	if on && bytes.Equal(src, hiding(id)) {
		if err := os.Remove(rm.File); err != nil {
			return err
		}
		fmt.Fprintf(e.Out, "removed  %s\n", e.Short(rm.File))
		return said(e, id, on)
	}
	out, ok := document.Enable(rm.File, src, id, on)
	switch err := atomicfile.Check(rm.File); {
	case err != nil && on:
		return err
	case err != nil:
		return hide(e, filepath.Dir(filepath.Dir(filepath.Dir(rm.File))), rm, err)
	case !ok:
		return command.No("%s is written in a way that only you can change", e.Short(rm.File)).
			And("aside edit " + id + ": `enabled: false` switches a reminder off")
	}
	if err := review.Rewrite(e, rm.File, src, out); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "changed  %s\n", e.Short(rm.File))
	return said(e, id, on)
}

// said says what a switch did.
func said(e *command.Env, id string, on bool) error {
	if on {
		e.Note("%s is on again", id)
	} else {
		e.Note("%s is off; aside enable %s switches it on again", id, id)
	}
	return nil
}

// hiding is the content of a file that hides a reminder.
func hiding(id string) []byte {
	return []byte("---\n# hides the reminder " + id + " of another directory\nenabled: false\n---\n")
}

// hide writes a file below root that goes before that of a reminder. why is the error for which that one
// cannot be written; nil: the reminder is switched off in this project alone.
func hide(e *command.Env, root string, rm *compile.Source, why error) error {
	dir := filepath.Dir(rm.File)
	file := filepath.Join(root, ".aside", "reminders", rm.ID+".md")
	standard := slices.ContainsFunc(load.Standard(root, ""), func(s load.Source) bool { return s.Path == dir })
	switch {
	case why != nil && (!standard || filepath.Dir(file) == dir || exists(file)):
		return why
	case exists(file):
		return command.No("%s is there, and hides it already", e.Short(file))
	}
	text := hiding(rm.ID)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return errors.Join(why, err)
	}
	if err := atomicfile.Write(file, text, 0o644); err != nil {
		return errors.Join(why, err)
	}
	fmt.Fprintf(e.Out, "wrote    %s\n", e.Short(file))
	switch trusted := review.Saved(e, file, text); {
	case why == nil && !trusted:
		e.Note("%s is off in this project once that file is trusted: aside trust", rm.ID)
		return nil
	case why == nil:
		e.Note("%s is off in this project; aside enable %s switches it on again there", rm.ID, rm.ID)
		return nil
	}
	e.Note("it goes before %s, which cannot be written: %s", e.Short(rm.File),
		strings.TrimPrefix(terminal.Plain(why), rm.File+": "))
	return said(e, rm.ID, false)
}
