// Package listing prints the reminders that are loaded: all of them, or one with its analysis.
package listing

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/effect"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
)

// Options are the flags of list.
type Options struct {
	Rules rules.Request
	State string // the place of the state, with the outcomes
	JSON  bool
}

// List prints the reminders that are loaded, as JSON or for people, with what their outcomes come to.
func List(ctx context.Context, e *command.Env, o Options) error {
	r, err := rules.Load(e, o.Rules)
	if err != nil {
		return err
	}
	bad := r.Complain(e)
	verdicts := effect.Verdicts(ctx, e, r.Set, o.State)
	if o.JSON {
		var list []any
		for _, rm := range all(r) {
			d := describe(r, rm)
			d.Effect = verdicts[rm.ID]
			list = append(list, d)
		}
		if err := command.PrintList(e.Out, list); err != nil {
			return err
		}
		return command.Verdict(bad)
	}
	if len(all(r)) == 0 && len(r.Untrusted) == 0 {
		r.Nothing(e)
		return command.Verdict(bad)
	}
	if err := tableOf(e, r, verdicts); err != nil {
		return err
	}
	return command.Verdict(bad)
}

// all returns the reminders of r by id, those that are switched off among them.
func all(r *rules.Loaded) (list []*compile.Source) {
	for i := range r.Reminders {
		rm := &r.Reminders[i]
		if k, loaded := r.Set.Index(rm.ID); loaded {
			list = append(list, r.Set.Reminder(k))
		} else if rm.Disabled {
			list = append(list, rm)
		}
	}
	return list
}

// tableOf prints the reminders of r by directory, in the order of precedence, with their verdicts.
func tableOf(e *command.Env, r *rules.Loaded, verdicts map[string]string) error {
	var dirs []string
	in := map[string][]*compile.Source{}
	for _, rm := range all(r) {
		dir := filepath.Dir(rm.File)
		if in[dir] == nil {
			dirs = append(dirs, dir)
		}
		in[dir] = append(in[dir], rm)
	}
	for _, u := range r.Untrusted {
		if dir := filepath.Dir(u.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	rank := func(dir string) int {
		return slices.IndexFunc(r.From, func(p string) bool { return filepath.Dir(p) == dir || p == dir })
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return rank(a) - rank(b) })
	room := 48 // columns for the trigger, so that ids and the beginning of descriptions have room, too
	if e.Width > 0 {
		ids := 0
		for _, rm := range all(r) {
			ids = max(ids, terminal.Width(rm.ID))
		}
		room = min(max(e.Width-ids-30, 16), room)
	}
	var rows [][]string
	for _, dir := range dirs {
		rows = append(rows, []string{e.Paint("1", e.Short(dir))})
		if root := filepath.Dir(filepath.Dir(dir)); root == rules.Here(e) {
			if with, _ := rules.Checkouts(e, root); with != "" {
				rows = append(rows, []string{"  " + with})
			}
		}
		for _, rm := range in[dir] {
			name := rm.ID
			if base := filepath.Base(rm.File); strings.TrimSuffix(base, filepath.Ext(base)) != rm.ID {
				name += " (" + base + ")"
			}
			due := terminal.Cut(terminal.Line(rm.Mode.String()+" "+trigger(r, rm)), room)
			if rm.Disabled {
				due = e.Paint("33", "off")
			}
			rows = append(rows, []string{"  " + name, due, About(rm)})
			if v := verdicts[rm.ID]; v != "" {
				rows = append(rows, []string{"", "", "effect: " + v})
			}
			for _, o := range r.Overrides[rm.ID] {
				rows = append(rows, []string{"", "", "overrides " + e.Short(o)})
			}
		}
		for _, u := range r.Untrusted {
			if filepath.Dir(u.Path) == dir {
				rows = append(rows, []string{"  (" + terminal.Visible(filepath.Base(u.Path)) + ")",
					e.Paint("33", "not used"), terminal.Visible(u.Why.Error())})
			}
		}
	}
	return terminal.Table(e.Out, rows, e.Width)
}

// About describes a reminder in a listing: by its description, else its text, on one line.
func About(rm *compile.Source) string { return terminal.Line(cmp.Or(rm.Description, rm.Text)) }

// reminderJSON is a reminder as list and show print it for machines.
type reminderJSON struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Mode        string `json:"mode"` // when or while
	Trigger     string `json:"trigger"`
	Rearm       string `json:"rearm,omitempty"`
	For         string `json:"for,omitempty"`
	Keep        string `json:"keep"`
	Cooldown    string `json:"cooldown,omitempty"`
	MaxFires    int    `json:"max_fires"`
	Priority    int    `json:"priority"`
	Tier        string `json:"tier"`
	Attach      string `json:"attach"`
	Enabled     bool   `json:"enabled"`
	File        string `json:"file"`
	// the files whose reminders of this id it replaces, lowest precedence first
	Overrides []string `json:"overrides"`
	Text      string   `json:"text"`
	// of list only: what the outcomes of the firings with this text come to
	Effect string `json:"effect,omitempty"`
	// of show only: sentences on when it fires, and how it relates to other reminders
	Analysis []string `json:"analysis,omitempty"`
}

func describe(r *rules.Loaded, rm *compile.Source) reminderJSON {
	d := reminderJSON{
		ID: rm.ID, Description: rm.Description, Mode: rm.Mode.String(), Trigger: trigger(r, rm), Rearm: rm.Rearm,
		Keep: rm.Keep.Or(rm.Mode).String(), MaxFires: rm.MaxFires, Priority: rm.Priority, Tier: rm.Tier.String(),
		Attach:  rm.Attach.String(),
		Enabled: !rm.Disabled, File: rm.File, Overrides: r.Overrides[rm.ID], Text: rm.Text,
	}
	if i, ok := r.Set.Index(rm.ID); ok && r.Set.Rearm(i) != nil {
		d.Rearm = r.Set.Rearm(i).String()
	}
	if !rm.For.IsZero() {
		d.For = rm.For.String()
	}
	if !rm.Cooldown.IsZero() {
		d.Cooldown = rm.Cooldown.String()
	}
	if d.Overrides == nil {
		d.Overrides = []string{}
	}
	return d
}

// trigger returns the canonical form of rm's trigger, or the trigger as written where rm is not in the set.
func trigger(r *rules.Loaded, rm *compile.Source) string {
	if i, ok := r.Set.Index(rm.ID); ok {
		return r.Set.Trigger(i).String()
	}
	return rm.Trigger
}
