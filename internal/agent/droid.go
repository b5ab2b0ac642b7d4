package agent

// droid is Factory's Droid (HOOKS.md §13).
var droid = Agent{
	Name: "droid", Title: "Factory Droid",
	Lacks: map[Part]string{
		PartWords:    "Factory Droid is not known to write in a person's place",
		PartRequests: "no request of Factory Droid was recorded",
	},
}
