package agent

// cursor is Cursor (HOOKS.md §10).
var cursor = Agent{
	Name: "cursor", Title: "Cursor",
	Lacks: map[Part]string{
		PartWords:    "Cursor is not known to write in a person's place",
		PartRequests: "no request of Cursor was recorded",
	},
}
