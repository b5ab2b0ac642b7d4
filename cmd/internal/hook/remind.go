package hook

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/internal/near"
)

// reply returns what is said to "/remind NAME" in place of a reminder: that none has this name, and which
// names are near, or, without a name, which there are; "" where one has this name, or a server answers.
func (r *run) reply(ev *eval.Evaluator) string {
	name, names := r.event.Manual, ev.Names()
	switch {
	case r.served: // the server says it
		return ""
	case name == agent.RemindList:
		return listed(ev)
	case slices.Contains(names, name):
		return ""
	}
	return near.Reply(name, names)
}

// mostListed is how many reminders are listed at most, and mostAbout how many characters are said of each.
const mostListed, mostAbout = 30, 120

// listed lists the reminders that only /remind fires, with what each says, and the names of the others.
func listed(ev *eval.Evaluator) string {
	set := ev.Set()
	var lines, others []string
	for i := range set.Len() {
		rm := set.Reminder(i)
		if set.Trigger(i).String() != "manual" {
			others = append(others, rm.ID)
			continue
		}
		about := strings.Join(strings.Fields(cmp.Or(rm.Description, rm.Text)), " ")
		lines = append(lines, "- /remind "+rm.ID+": "+excerpt.Runes(about, mostAbout))
	}
	text := "There is no reminder that only /remind fires."
	if len(lines) > 0 {
		text = "These reminders are there to be asked for:\n" +
			strings.Join(lines[:min(len(lines), mostListed)], "\n")
	}
	if len(others) > 0 {
		text += "\n/remind also fires these at once: " + strings.Join(others[:min(len(others), mostListed)], ", ")
		if len(others) > mostListed {
			text += ", …"
		}
		text += "."
	}
	return text
}
