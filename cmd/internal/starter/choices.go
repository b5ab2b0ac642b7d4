package starter

import (
	"slices"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/internal/agent"
)

// Choices returns the starter rules that can fire in one of some agents, or all where there are no agents. In
// the place of one that can fire in none of them stands its stand-in.
func Choices(agents []*agent.Agent) (list []command.Choice) {
	var unfit []map[string]string
	for _, a := range agents {
		unfit = append(unfit, Unfit(a.Name))
	}
	fits := func(id string) bool {
		return id != "" && (len(unfit) == 0 || slices.ContainsFunc(unfit, func(u map[string]string) bool {
			return u[id] == ""
		}))
	}
	var ids, usual []string
	for _, id := range IDs() {
		other := StandIn(id)
		switch {
		case fits(id):
		case fits(other):
			if slices.Contains(Usual(), id) {
				usual = append(usual, other)
			}
			id = other
		default:
			continue
		}
		ids = append(ids, id)
	}
	usual = append(usual, Usual()...)
	rs, _ := Reminders(ids...) // without diagnostics, as TestReminders checks
	for _, r := range rs {
		list = append(list, command.Choice{Name: r.ID, About: r.Description, Usual: slices.Contains(usual, r.ID)})
	}
	return list
}
