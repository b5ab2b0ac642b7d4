// Package agent holds one Agent for each coding agent: all that the project knows of it stands in one
// description, agents/NAME.json, and whoever needs it asks there. agents/README.md tells how to add one.
//
//	agent.go     the Agent and its parts
//	describe.go  the list of all agents, and how descriptions are read
//	code.go      what descriptions cannot say; four agents have a file with more of it
//	event.go     events of hooks, as all agents have them, and how they are read
//	answer.go    the answers to them
//	object.go    the JSON of an event
//	config.go    where the configuration lies and how hooks are registered; package install interprets it
//	tools.go     tools, and what a use of one is about
//	remind.go    "/remind NAME" in a prompt
//	author.go    who wrote a message that stands in a user's place
//	request.go   what a request to a model API is for, and of which conversation
//
// The package is pure: its functions turn bytes into values. Files are found, read and written by
// agent/session and by the packages of the commands. Everything may be used concurrently, and nothing may be
// changed.
//
// Sources: HOOKS.md for hooks, session files and tools, WIRE.md §2 for requests to model APIs.
package agent
