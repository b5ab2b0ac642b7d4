package agent

// crush is Charm's Crush (HOOKS.md §17).
var crush = Agent{
	Name: "crush", Title: "Crush",
	Openings: []Opening{{"You will generate a short title based on the first message", true, Title, "Crush, 2026"}},
	Lacks:    map[Part]string{PartWords: "Crush is not known to write in a person's place"},
}
