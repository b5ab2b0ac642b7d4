package review

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/checkout"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/trust"
)

// showReview prints the files that a person is asked to trust: each with its reminders, or with its changes.
func showReview(e *command.Env, r *trust.Review) {
	own, schema := ownRules(e), schemaOf(e, r)
	head := e.Paint("1", terminal.Visible(r.Project)) + ": " + terminal.Count(len(r.Files), "rule file")
	if !r.Since.IsZero() {
		head += ", last trusted on " + r.Since.Local().Format("2006-01-02")
	}
	fmt.Fprintln(e.Out, head)
	switch with, doubt := rules.Checkouts(e, r.Project); {
	case doubt != nil:
		fmt.Fprintf(e.Out, "  trusted alone, since its .git is not believed: %s\n",
			terminal.Visible(terminal.Plain(doubt)))
	case with != "":
		fmt.Fprintln(e.Out, "  "+with)
	}
	for i := range r.Files {
		f := &r.Files[i]
		fmt.Fprintf(e.Out, "\n%s  %s\n", e.Paint("1", terminal.Visible(f.Name)), status(e, f))
		if f.Real != "" {
			fmt.Fprintf(e.Out, "  a link to %s\n", terminal.Visible(f.Real))
		}
		switch f.Status {
		case trust.Changed:
			if f.Old != nil {
				for l := range strings.Lines(changes(f)) {
					fmt.Fprintln(e.Out, "  "+terminal.Visible(strings.TrimSuffix(l, "\n")))
				}
				continue
			}
			fallthrough
		case trust.New, trust.Trusted:
			if f.Name == trust.Config {
				showConfig(e, f)
			} else {
				showRules(e, f, own, schema)
			}
		}
	}
	fmt.Fprintln(e.Out)
}

// status returns the status of a file in words.
func status(e *command.Env, f *trust.File) string {
	size := terminal.Count(len(f.Src), "byte")
	switch f.Status {
	case trust.New:
		return size + ", " + e.Paint("33", "new")
	case trust.Changed:
		return fmt.Sprintf("%s, %s (%s when it was trusted)", size, e.Paint("33", "changed"),
			terminal.Count(int(f.Was), "byte"))
	case trust.Gone:
		return "is gone"
	case trust.Refused:
		return e.Paint("31", terminal.Visible(f.Why.Error()))
	default:
		return size + ", " + f.Status.String()
	}
}

// changes returns a diff from the approved text to the text of a file, without its heading.
func changes(f *trust.File) string {
	d := string(diff.Diff("a", f.Old, "b", f.Src))
	if at := strings.Index(d, "\n@@"); at >= 0 {
		d = d[at+1:]
	}
	return d
}

// showRules prints the reminders of a file, and all of the file where that is not trusted. own are the user's
// own rules.
func showRules(e *command.Env, f *trust.File, own map[string]string, schema *fact.Schema) {
	source := string(f.Src)
	rs, ds := document.Read(f.Name, f.Src)
	_, more := compile.FromFiles(rs, compile.Options{Schema: schema})
	if ds.HasErrors() || more.HasErrors() {
		fmt.Fprintf(e.Out, "  has mistakes, and is not used: aside check %s\n", terminal.Visible(f.Name))
	}
	var read []*compile.Source // those whose text the file does not show as it is
	for i := range rs {
		rm := &rs[i]
		head := fmt.Sprintf("  %s: %s %s", terminal.Visible(rm.ID), rm.Mode,
			terminal.Visible(terminal.Line(rm.Trigger)))
		if rm.Trigger == "" {
			head = fmt.Sprintf("  %s: %s always", terminal.Visible(rm.ID), rm.Mode)
		}
		if rm.Tier != reminder.Guidance {
			head += ", tier " + rm.Tier.String()
		}
		if rm.Priority != 0 {
			head += fmt.Sprintf(", priority %d", rm.Priority)
		}
		if rm.Disabled {
			head += ", switched off"
		}
		fmt.Fprintln(e.Out, head)
		if file, is := own[rm.ID]; is {
			fmt.Fprintf(e.Out, "  takes the place of your own %s, unless that is of the safety tier\n", e.Short(file))
		}
		if f.Status == trust.Trusted {
			continue
		}
		// an escape or a folded line hides what the model reads
		if !strings.Contains(strings.ReplaceAll(source, "\r\n", "\n"), rm.Text) {
			read = append(read, rm)
		}
	}
	if f.Status == trust.Trusted {
		return
	}
	showLines(e, strings.TrimRight(source, "\r\n"))
	for _, rm := range read {
		fmt.Fprintf(e.Out, "  of %s a model reads:\n", terminal.Visible(rm.ID))
		showLines(e, rm.Text)
	}
}

// showConfig prints a project's configuration, which declares facts and does nothing else.
func showConfig(e *command.Env, f *trust.File) {
	if config.Project(f.Name, f.Src).Diagnostics.HasErrors() {
		fmt.Fprintln(e.Out, "  has mistakes; what is wrong is not used")
	}
	if f.Status != trust.Trusted {
		showLines(e, strings.TrimRight(string(f.Src), "\r\n"))
	}
}

// schemaOf returns the facts that the rules of a review may read, nil for the built-in ones.
func schemaOf(e *command.Env, r *trust.Review) *fact.Schema {
	var theirs *config.File
	for _, f := range r.Files {
		if f.Name == trust.Config {
			theirs = config.Project(f.Name, f.Src)
		}
	}
	schema, _ := rules.Schema(e, nil, theirs) // each declaration is right by itself
	return schema
}

// showLines prints a text, all of it.
func showLines(e *command.Env, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(e.Out, strings.TrimRight("  │ "+terminal.Visible(strings.TrimSuffix(l, "\r")), " "))
	}
}

// ownRules returns the files of the user's own reminders by id.
func ownRules(e *command.Env) map[string]string {
	files := map[string]string{}
	for _, rm := range load.Load(load.Standard(e.Home, ""), load.Options{}).Reminders {
		files[rm.ID] = rm.File
	}
	return files
}

// trustedJSON is a project as "aside trust --list --json" prints it.
type trustedJSON struct {
	Project string    `json:"project"`
	At      time.Time `json:"at"` // of the last approval
	Files   []string  `json:"files"`
}

// reviewJSON is the output of "aside trust --json".
type reviewJSON struct {
	Project string `json:"project"`
	// where another checkout of its repository has it, by which they are trusted together
	Repository string           `json:"repository,omitempty"`
	Trusted    bool             `json:"trusted"` // all files are
	Error      string           `json:"error,omitempty"`
	Files      []reviewFileJSON `json:"files"`
}

type reviewFileJSON struct {
	File      string           `json:"file"`
	Target    string           `json:"target,omitempty"` // where a link leads, below the project
	Size      int              `json:"size"`
	SHA256    string           `json:"sha256,omitempty"`
	Status    string           `json:"status"` // new, trusted, changed, gone or refused
	Why       string           `json:"why,omitempty"`
	Reminders []reviewRuleJSON `json:"reminders"`
}

type reviewRuleJSON struct {
	ID       string `json:"id"`
	Mode     string `json:"mode"`
	Trigger  string `json:"trigger"`
	Tier     string `json:"tier"`
	Priority int    `json:"priority"`
	Enabled  bool   `json:"enabled"`
	Text     string `json:"text"`
}

// asJSON prints a review, after approving it with --yes. It returns command.ErrNo as long as something is not
// trusted.
func (c *Cmd) asJSON(e *command.Env, s *trust.Store, r *trust.Review) error {
	if c.Yes && waiting(r) > 0 {
		if err := s.Approve(r, time.Now()); err != nil {
			return err
		}
		again, err := s.Review(r.Project)
		if err != nil {
			return err
		}
		r = again
	}
	out := reviewJSON{Project: r.Project, Trusted: r.Fine() && r.Broken == nil, Error: terminal.Plain(r.Broken),
		Files: []reviewFileJSON{}}
	if place := checkout.Place(r.Project); place != r.Project {
		out.Repository = filepath.Clean(place)
	}
	for _, f := range r.Files {
		j := reviewFileJSON{File: f.Name, Target: f.Real, Size: len(f.Src), SHA256: f.Sum,
			Status: f.Status.String(), Why: terminal.Plain(f.Why), Reminders: []reviewRuleJSON{}}
		if f.Src != nil && f.Name != trust.Config {
			rs, _ := document.Read(f.Name, f.Src)
			for _, rm := range rs {
				j.Reminders = append(j.Reminders, reviewRuleJSON{ID: rm.ID, Mode: rm.Mode.String(), Trigger: rm.Trigger,
					Tier: rm.Tier.String(), Priority: rm.Priority, Enabled: !rm.Disabled, Text: rm.Text})
			}
		}
		out.Files = append(out.Files, j)
	}
	if err := e.PrintJSON(out); err != nil {
		return err
	}
	return command.Verdict(!out.Trusted)
}
