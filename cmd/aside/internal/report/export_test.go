package report

import "github.com/aside-go/aside/compile"

// Within is New with limits of its own.
func Within(set *compile.Set, turns, fires, stretches, room int) *Page {
	return within(set, limits{turns: turns, fires: fires, stretches: stretches, room: room})
}

// Visible and Cut are what is done to recorded texts.
var (
	Visible = visible
	Cut     = cut
)

// Asset returns a file of the page's own.
func Asset(name string) string { return asset(name) }
