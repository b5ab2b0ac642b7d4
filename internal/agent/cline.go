package agent

// cline is Cline (HOOKS.md §15).
var cline = Agent{
	Name: "cline", Title: "Cline",
	Tags:  []Tag{{Name: "hook_context", Beside: true}},
	Lacks: map[Part]string{PartRequests: "no request of Cline was recorded"},
}
