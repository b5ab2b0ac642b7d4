package agent

// goose is Block's Goose (HOOKS.md §16).
var goose = Agent{
	Name: "goose", Title: "Goose",
	Lacks: map[Part]string{
		PartWords:    "Goose is not known to write in a person's place",
		PartRequests: "no request of Goose was recorded",
	},
}
