// Package install puts the hooks of aside into the configurations of coding agents, and takes them out again.
//
//	agents.go        which agent keeps its configuration where, and which events are registered there
//	command.go       the command that an agent is to run, and how one of ours is known again
//	json.go          splicing into JSON with comments; jsonhooks.go: hooks in it; statusline.go: Claude Code's status line
//	tomlhooks.go     the same for TOML
//	owned.go         files that are ours alone: scripts, plugins, the commands behind /remind
//	run.go           planning, under a lock; write.go: writing, with a backup
//
// A file is somebody else's: each of its bytes that is not ours stays as it is. What cannot be read is refused and not touched.
// Installing twice changes nothing the second time, an older entry of ours is brought up to date, and after uninstalling a file
// that nobody changed meanwhile is what it was, byte for byte.
//
// Nothing here may be called concurrently on one Machine, but any number of processes may install at once.
package install
