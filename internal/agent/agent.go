package agent

import "github.com/aside-go/aside/compile/fact"

// Agent is the room of one coding agent.
type Agent struct {
	Name  string // as --agent takes it
	Title string // as its makers name it

	// Messages that the agent writes by itself in a person's place.
	Tags  []Tag
	Notes []Note

	// Requests to a model API, as the agent makes them.
	UserAgent  string                       // beginning of the header user-agent, where Structured needs it
	Identify   func(Request) (Thread, bool) // the conversation that a request says it is of; false for another client's request
	Spoke      func(Request) fact.Truth     // whether a person has just submitted a message, where the request says so
	Signs      []Sign                       // headers that say what a request is for
	Openings   []Opening                    // words with which requests of the agent's own begin
	Structured Purpose                      // of a request without tools and stream that asks for JSON of a schema

	// Lacks says of each part that the agent has not why it has not.
	Lacks map[Part]string
}

// Part names a part of a room.
type Part string

// The parts of a room. Each is there, or Lacks says why it is not.
const (
	PartWords    Part = "words"    // Tags or Notes
	PartRequests Part = "requests" // Identify, Signs or Openings
)

// rooms are the rooms of all agents, in the order in which people see them.
var rooms = []*Agent{
	&claudeCode, &codex, &gemini, &qwen, &cursor, &copilot, &vscode, &droid, &cline, &crush, &kimiCode, &opencode, &goose,
	&windsurf,
}

// All returns the rooms of all agents. The caller must not change them.
func All() []*Agent { return rooms }

// Named returns the room of an agent.
func Named(name string) (*Agent, bool) {
	for _, a := range rooms {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}
