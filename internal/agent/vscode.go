package agent

// vscode is VS Code's agent hooks, a preview (HOOKS.md §9).
var vscode = Agent{
	Name: "vscode", Title: "VS Code",
	Lacks: map[Part]string{
		PartWords:    "VS Code is not known to write in a person's place",
		PartRequests: "no request of VS Code was recorded",
	},
}
