package hook

// Input is what a hook is run with.
type Input struct {
	Event string              // --event, for agents whose stdin does not name it
	Mode  string              // --mode, an optional way of working of the agent's; "": the usual one
	Stdin []byte              // at most MaxStdin bytes
	Env   func(string) string // the environment, by name; never all of it
}

// MaxStdin is how much of stdin is read, in bytes. What is longer is no event.
const MaxStdin = 16 << 20

// Dialect is how one agent speaks. Its functions are pure and do no I/O.
type Dialect struct {
	Agent string // as --agent names it

	// Decode reads an event. It never fails: what it cannot read is Invalid, what it does not know Unknown, and members that are
	// missing, of another type or new are passed over.
	Decode func(Input) Event
	// Encode writes the text of due reminders in the form in which the agent takes it on this event; nil where it takes none.
	Encode func(e Event, text string) []byte
}

// dialects are all that there are, by the agent's name.
var dialects = map[string]Dialect{}

// For returns the dialect of an agent.
func For(agent string) (Dialect, bool) {
	d, ok := dialects[agent]
	return d, ok
}
