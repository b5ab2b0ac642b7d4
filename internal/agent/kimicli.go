package agent

// kimiCLI is the Kimi CLI in Python (HOOKS.md §11).
var kimiCLI = Agent{
	Name: "kimi-cli", Title: "Kimi CLI", Binary: "kimi",
	Config: Config{
		Why: "it throws away what its hooks print; Kimi Code, which follows it, does not: aside install kimi-code",
	},
}
