package report

import "github.com/aside-go/aside/compile"

// Within is New with limits of its own.
func Within(set *compile.Set, turns, fires, stretches, room int) *Page {
	return within(set, limits{turns: turns, fires: fires, stretches: stretches, room: room})
}
