package agent

// kimiCode is Kimi Code (HOOKS.md §11).
var kimiCode = Agent{
	Name: "kimi-code", Title: "Kimi Code",
	Tags:  []Tag{{Name: "hook_result", Beside: true}},
	Lacks: map[Part]string{PartRequests: "no request of Kimi Code was recorded"},
}
