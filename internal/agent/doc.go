// Package agent holds a room for each coding agent: all that the project knows of that agent stands in one
// file, and whoever needs it asks there. A newcomer who adds an agent writes its file and adds the room to
// the list in agent.go; the tests of this package and of its users name whatever is missing.
//
// The package is pure: its functions turn bytes into values. Files are found, read and written by the
// packages of the commands. Everything may be used concurrently, and nothing may be changed.
//
// Sources: HOOKS.md for hooks, session files and tools, WIRE.md §2 for requests to model APIs.
package agent
