// Package agent holds one Agent for each coding agent: all that the project knows of it stands in one file,
// and whoever needs it asks there. These are the files beside those of single agents:
//
//	agent.go     the Agent, the list of all agents, and their parts
//	event.go     events of hooks, as all agents have them, and the code that decoders share
//	object.go    the JSON of an event
//	config.go    where the configuration lies and how hooks are registered; package install interprets it
//	tools.go     tools, and what a use of one is about
//	facts.go     facts that an agent never tells
//	remind.go    "/remind NAME" in a prompt
//	author.go    who wrote a message that stands in a user's place
//	request.go   what a request to a model API is for, and of which conversation
//
// A newcomer who adds an agent writes its file, adds it to the list in agent.go, puts cases of its
// events into testdata/hook-fixtures and the result of its installation into the test data of package
// install. Where sessions are kept in files of a new form, the form stands in a file of package
// agent/session. The tests name whatever is missing.
//
// The package is pure: its functions turn bytes into values. Files are found, read and written by
// agent/session and by the packages of the commands. Everything may be used concurrently, and nothing may be
// changed.
//
// Sources: HOOKS.md for hooks, session files and tools, WIRE.md §2 for requests to model APIs.
package agent
