// Package install puts the hooks of aside into the configurations of coding agents, and takes them out again.
//
//	agents.go        the files of an installation, as package agent declares them
//	command.go       the command that an agent is to run, and how a command of ours is recognised
//	json.go          changing JSON with comments; jsonhooks.go: hooks in it
//	statusline.go    Claude Code's status line
//	tomlhooks.go     the same for TOML
//	ownfile.go       files that are ours alone: scripts, plugins, the commands behind /remind
//	run.go           planning, under a lock; write.go: writing, with a backup
//
// "Ours" is what some version of this package has written. A configuration file is somebody else's: every
// byte in it that is not ours stays as it is. A file that cannot be parsed is refused and not touched.
// Installing a second time changes nothing, an older entry of ours is brought up to date, and a file that
// nobody has changed since the installation is after uninstalling what it was before, byte for byte.
//
// Nothing here may be called concurrently on one Machine, but any number of processes may install at once.
package install
