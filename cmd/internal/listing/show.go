package listing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/analysis"
)

// Show prints one reminder, as JSON or for people.
func Show(e *command.Env, q rules.Request, id string, json bool) error {
	r, err := rules.Load(e, q)
	if err != nil {
		return err
	}
	rm, err := r.Find(id)
	if err != nil {
		r.Complain(e)
		return err
	}
	d := describe(r, rm)
	i, loaded := r.Set.Index(rm.ID)
	if loaded {
		d.Analysis = analysis.Describe(r.Set, i)
	}
	if json {
		return e.PrintJSON(d)
	}
	if err := showText(e, d); err != nil {
		return err
	}
	if !loaded && d.Enabled { // the reminder has errors
		r.Complain(e)
	}
	return command.Verdict(!loaded && d.Enabled)
}

func showText(e *command.Env, d reminderJSON) error {
	var b strings.Builder
	about := ""
	if d.Description != "" {
		about = ": " + terminal.Line(d.Description)
	}
	fmt.Fprintln(&b, e.Paint("1", d.ID)+about)
	rows := [][]string{{"  " + d.Mode, d.Trigger}}
	add := func(key, value string) {
		if value != "" {
			rows = append(rows, []string{"  " + key, value})
		}
	}
	add("rearm", d.Rearm)
	add("for", d.For)
	add("cooldown", d.Cooldown)
	if d.MaxFires != 0 {
		add("max_fires", strconv.Itoa(d.MaxFires))
	}
	add("keep", d.Keep+map[string]string{"1 turn": " (this model call only)",
		"user turn":    " (until the next message of the user)",
		"conversation": " (until its place in the history is gone)"}[d.Keep])
	if d.Priority != 0 {
		add("priority", strconv.Itoa(d.Priority))
	}
	add("tier", d.Tier)
	add("attach", d.Attach)
	if !d.Enabled {
		add("enabled", "false")
	}
	add("file", e.Short(d.File))
	for _, o := range d.Overrides {
		add("overrides", e.Short(o))
	}
	if err := terminal.Table(&b, rows, 0); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	for l := range strings.SplitSeq(strings.TrimRight(d.Text, "\n"), "\n") {
		fmt.Fprintln(&b, strings.TrimRight("  "+terminal.Printable(l), " "))
	}
	if len(d.Analysis) > 0 {
		fmt.Fprintln(&b)
	}
	for _, l := range d.Analysis {
		fmt.Fprintln(&b, "  "+strings.ToUpper(l[:1])+terminal.Printable(l[1:])+".")
	}
	e.Print(b.String())
	return nil
}
