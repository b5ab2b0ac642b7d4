package agent

// amp is Amp (HOOKS.md §18), of which only the name is known.
var amp = Agent{
	Name: "amp", Title: "Amp", Binary: "amp", Mute: true, Common: true,
	Config: Config{
		Why: "it runs no commands as hooks, and what its plugins can put before the model is not documented",
	},
}
