package agent

// windsurf is Windsurf's Cascade (HOOKS.md §14).
var windsurf = Agent{
	Name: "windsurf", Title: "Windsurf",
	Lacks: map[Part]string{
		PartWords:    "Windsurf is not known to write in a person's place",
		PartRequests: "no request of Windsurf was recorded",
	},
}
