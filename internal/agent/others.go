package agent

// amp is Amp (HOOKS.md §18), of which only the name is known.
var amp = Agent{
	Name: "amp", Title: "Amp", Binary: "amp", Mute: true, Common: true,
	Config: Config{
		Why: "it runs no commands as hooks, and what its plugins can put before the model is not documented",
	},
	Lacks: nothingOf("Amp"),
}

// kimiCLI is the Kimi CLI in Python (HOOKS.md §11).
var kimiCLI = Agent{
	Name: "kimi-cli", Title: "Kimi CLI", Binary: "kimi",
	Config: Config{
		Why: "it throws away what its hooks print; Kimi Code, which follows it, does not: aside install kimi-code",
	},
	Lacks: nothingOf("Kimi CLI"),
}

// nothingOf returns the Lacks of an agent that aside cannot reach.
func nothingOf(title string) map[Part]string {
	lacks := map[Part]string{}
	for _, p := range [...]Part{PartHooks, PartProject, PartSession, PartTools, PartNever, PartWords,
		PartRequests} {
		lacks[p] = title + " cannot be reached"
	}
	return lacks
}
