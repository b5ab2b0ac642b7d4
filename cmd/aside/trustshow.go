package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/trust"
)

// inShort is how many lines of a longer text are shown without --full.
const inShort = 6

// showReview prints what a person is asked to trust: each file with its reminders, or with what has changed.
func (e *env) showReview(r *trust.Review, full bool) error {
	own := e.ownRules()
	head := e.paint("1", visible(r.Project)) + ": " + count(len(r.Files), "rule file")
	if !r.Since.IsZero() {
		head += ", last trusted on " + r.Since.Local().Format("2006-01-02")
	}
	fmt.Fprintln(e.out, head)
	for i := range r.Files {
		f := &r.Files[i]
		fmt.Fprintf(e.out, "\n%s  %s\n", e.paint("1", visible(f.Name)), e.state(f))
		if f.Real != "" {
			fmt.Fprintf(e.out, "  a link to %s\n", visible(f.Real))
		}
		switch f.Status {
		case trust.Changed:
			if f.Old != nil {
				for l := range strings.Lines(changes(f)) {
					fmt.Fprintln(e.out, "  "+within(strings.TrimSuffix(l, "\n"), full))
				}
				continue
			}
			fallthrough
		case trust.New, trust.Trusted:
			e.showRules(f, own, full)
		}
	}
	fmt.Fprintln(e.out)
	return nil
}

// state returns the status of a file in words.
func (e *env) state(f *trust.File) string {
	size := count(len(f.Src), "byte")
	switch f.Status {
	case trust.New:
		return size + ", " + e.paint("33", "new")
	case trust.Changed:
		return fmt.Sprintf("%s, %s (%s when it was trusted)", size, e.paint("33", "changed"), count(int(f.Was), "byte"))
	case trust.Gone:
		return "is gone"
	case trust.Refused:
		return e.paint("31", visible(f.Why.Error()))
	default:
		return size + ", " + f.Status.String()
	}
}

// changes returns a diff from what was approved to what a file holds, without its heading.
func changes(f *trust.File) string {
	d := string(diff.Diff("a", f.Old, "b", f.Src))
	if at := strings.Index(d, "\n@@"); at >= 0 {
		d = d[at+1:]
	}
	return d
}

// showRules prints the reminders of a file, without their texts where the file is trusted. own are the user's own rules.
func (e *env) showRules(f *trust.File, own map[string]string, full bool) {
	rs, ds := document.Read(f.Name, f.Src)
	_, more := compile.FromFiles(rs, compile.Options{})
	if ds.HasErrors() || more.HasErrors() {
		fmt.Fprintf(e.out, "  has mistakes, and is not used: aside check %s\n", visible(f.Name))
	}
	for i := range rs {
		rm := &rs[i]
		head := fmt.Sprintf("  %s: %s %s", visible(rm.ID), rm.Mode, within(line(rm.Trigger), full))
		if rm.Trigger == "" {
			head = fmt.Sprintf("  %s: %s always", visible(rm.ID), rm.Mode)
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
		fmt.Fprintln(e.out, head)
		if file, is := own[rm.ID]; is {
			fmt.Fprintf(e.out, "  takes the place of your own %s, unless that is of the safety tier\n", e.short(file))
		}
		if f.Status == trust.Trusted {
			continue
		}
		lines := strings.Split(rm.Text, "\n")
		for n, l := range lines {
			if n == inShort && !full && len(lines) > inShort+1 {
				fmt.Fprintf(e.out, "  │ … %s more: aside trust --full shows them\n", count(len(lines)-n, "line"))
				break
			}
			fmt.Fprintln(e.out, strings.TrimRight("  │ "+within(l, full), " "))
		}
	}
}

// ownRules returns the files of the user's own reminders by id.
func (e *env) ownRules() map[string]string {
	files := map[string]string{}
	for _, rm := range load.Load(load.Standard(e.home, ""), load.Options{}).Reminders {
		files[rm.ID] = rm.File
	}
	return files
}

// within returns visible(l), cut off after long characters unless full is true.
func within(l string, full bool) string {
	const long = 400
	if rs := []rune(l); len(rs) > long && !full {
		return visible(string(rs[:long])) + fmt.Sprintf(" … %s more: aside trust --full shows them", count(len(rs)-long, "character"))
	}
	return visible(l)
}

// visible returns s with its invisible characters, and those that a terminal obeys, written out as code points: a person must see what
// the model will read.
func visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, "<%02X>", s[i])
		case r == '\t' || unicode.IsPrint(r) && r != brailleBlank && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<%U>", r)
		}
	}
	return b.String()
}

const brailleBlank = '\u2800' // printable by its class, but looks like a blank

// trustedJSON is a project as "aside trust --list --json" prints it.
type trustedJSON struct {
	Project string    `json:"project"`
	At      time.Time `json:"at"` // of the last approval
	Files   []string  `json:"files"`
}

// reviewJSON is what "aside trust --json" prints.
type reviewJSON struct {
	Project string           `json:"project"`
	Trusted bool             `json:"trusted"` // all files are
	Error   string           `json:"error,omitempty"`
	Files   []reviewFileJSON `json:"files"`
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

// asJSON prints a review, after approving it with --yes. It returns errNo as long as something is not trusted.
func (c *trustCmd) asJSON(e *env, s *trust.Store, r *trust.Review) error {
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
	out := reviewJSON{Project: r.Project, Trusted: r.Fine() && r.Broken == nil, Error: plain(r.Broken), Files: []reviewFileJSON{}}
	for _, f := range r.Files {
		j := reviewFileJSON{File: f.Name, Target: f.Real, Size: len(f.Src), SHA256: f.Sum, Status: f.Status.String(), Why: plain(f.Why), Reminders: []reviewRuleJSON{}}
		if f.Src != nil {
			rs, _ := document.Read(f.Name, f.Src)
			for _, rm := range rs {
				j.Reminders = append(j.Reminders, reviewRuleJSON{ID: rm.ID, Mode: rm.Mode.String(), Trigger: rm.Trigger, Tier: rm.Tier.String(), Priority: rm.Priority, Enabled: !rm.Disabled, Text: rm.Text})
			}
		}
		out.Files = append(out.Files, j)
	}
	b, err := marshal(out)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s\n", b)
	return verdict(!out.Trusted)
}

// markUntrusted prints which of the named files are rules of this project that are not trusted, so that no agent reads them.
func (e *env) markUntrusted(named map[string][]byte) {
	project := e.project(withProject)
	store, err := e.trust()
	if err != nil || project == "" {
		return
	}
	paths := map[string]bool{}
	for name := range named {
		if abs, err := filepath.Abs(name); err == nil {
			paths[abs] = true
		}
	}
	r := &rules{Result: &load.Result{}}
	for _, src := range load.Standard("", project) {
		for _, f := range store.Read(src) {
			if f.Err != nil && paths[f.Path] {
				r.Untrusted = append(r.Untrusted, load.Untrusted{Path: f.Path, Why: f.Err})
			}
		}
	}
	e.untrusted(r, project)
}

// untrusted prints which rule files of a project are not used, and what to do about that.
func (e *env) untrusted(r *rules, project string) {
	type group struct{ dir, why string }
	var order []group
	files := map[group][]string{}
	remedy := false
	for _, u := range r.Untrusted {
		g := group{filepath.Dir(u.Path), u.Why.Error()}
		switch {
		case errors.Is(u.Why, trust.ErrNew):
			g.why = trust.ErrNew.Error()
		case errors.Is(u.Why, trust.ErrChanged):
			g.why = trust.ErrChanged.Error()
		}
		remedy = remedy || errors.Is(u.Why, trust.ErrNew) || errors.Is(u.Why, trust.ErrChanged) || errors.Is(u.Why, trust.ErrCorrupt)
		if files[g] == nil {
			order = append(order, g)
		}
		files[g] = append(files[g], u.Path)
	}
	for _, g := range order {
		if fs := files[g]; len(fs) == 1 {
			e.note("aside: %s is not used: %s", visible(e.short(fs[0])), visible(g.why))
		} else {
			e.note("aside: %d files in %s are not used: %s", len(fs), visible(e.short(g.dir)), visible(g.why))
		}
	}
	if remedy {
		where := ""
		if project != e.dir {
			where = " " + e.short(project)
		}
		e.note("aside trust%s shows what they say, and asks", where)
	}
}
