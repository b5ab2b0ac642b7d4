package author

import (
	"context"
	"fmt"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/document"
)

// outcome says what becomes of a file that is in its place now: whether it is in use, and what it would have
// done.
func (d *draft) outcome(ctx context.Context, faulty bool) error {
	if faulty {
		d.Note("it is not used as long as it has a mistake: aside check %s", d.Short(d.file))
		return command.ErrNo
	}
	r, err := rules.Load(d.Quiet(), rules.Request{Here: true})
	if err != nil {
		return err
	}
	src, is := r.Files[d.file]
	if !is {
		d.Note("it is not read from here: aside check %s", d.Short(d.file))
		return nil
	}
	rs, _ := document.Read(d.file, src)
	var used []string
	for _, rm := range rs {
		i, loaded := r.Set.Index(rm.ID)
		switch {
		case rm.Disabled:
			d.Note("%s is switched off: aside enable %s", rm.ID, rm.ID)
		case !loaded:
			d.Note("%s is not used: aside check says why", rm.ID)
		case r.Set.Reminder(i).File != d.file:
			d.Note("%s is not used here: %s goes before it", rm.ID, d.Short(r.Set.Reminder(i).File))
		case d.id == "" || rm.ID == d.id || len(rs) == 1:
			used = append(used, rm.ID)
		}
	}
	if len(used) > 0 {
		d.try(ctx, r, used)
	}
	if len(setup.Registered(d.Env)) == 0 {
		d.Note("No agent asks for reminders yet: aside setup has yours ask.")
	}
	return nil
}

// try says what reminders would have done in the newest session.
func (d *draft) try(ctx context.Context, r *rules.Loaded, ids []string) {
	tried, err := replay.Try(ctx, replay.Options{Set: r.Set, Only: ids, Owner: replay.OwnerOf(d.Home)})
	session, lead := "your newest session", ""
	switch {
	case tried.Path == "":
		session, lead = "the sample session", "You have no session yet. "
	case tried.Agent != "":
		session += " of " + tried.Agent
	}
	if err != nil {
		d.Note("it could not be tried on %s: aside replay says why", session)
		return
	}
	session = fmt.Sprintf("%s (%s)", session, terminal.Many(tried.Turns, "turn"))
	d.Note("%s%s", lead, told("In "+session+",", tried.Reminders))
	for _, x := range tried.Reminders {
		if i, ok := r.Set.Index(x.ID); ok && r.Set.Trigger(i).String() == "manual" {
			d.Note("aside remind %s fires it.", x.ID)
		}
	}
}

// told says in words what reminders did.
func told(in string, list []replay.ReminderReport) string {
	var parts []string
	for _, x := range list {
		name, more := "it", ""
		if len(list) > 1 {
			name = x.ID
		}
		if x.Fires > 0 {
			more = " (aside replay --only " + x.ID + ")"
		}
		parts = append(parts, name+" "+fired(x)+more+".")
	}
	if len(parts) == 1 {
		return in + " " + parts[0]
	}
	return in + "\n  " + strings.Join(parts, "\n  ")
}

// fired says what a reminder would have done.
func fired(x replay.ReminderReport) string {
	switch x.Fires {
	case 0:
		return "would not have fired: " + strings.TrimSuffix(x.Never, ".")
	case 1:
		return fmt.Sprintf("would have fired once, on turn %d", x.First.Turn)
	}
	return fmt.Sprintf("would have fired %s times, first on turn %d", terminal.Thousands(x.Fires), x.First.Turn)
}
