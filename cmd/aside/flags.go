package main

import (
	"github.com/aside-go/aside/cmd/internal/rules"
)

// rulesFlag is the flag --rules, which says which rules a command reads.
type rulesFlag struct {
	Rules []string `sep:"none" placeholder:"PATH" help:"Rule file, directory or glob, in place of the standard directories; what belongs to a project must be trusted there, too. Repeatable."`
}

// varFlags are the facts that --var declares, each as NAME:TYPE[:KIND].
type varFlags []string

// projectFlag is the flag --project, which adds the rules of a project for a command that puts texts before a
// model.
type projectFlag struct {
	Project string `placeholder:"DIR" help:"Read the rules of this project too, as far as they are trusted (aside trust). It is the nearest directory upward from DIR with rules or .git."`
}

// shownFlags say which rules a command reads that shows something to a person.
type shownFlags struct {
	rulesFlag
	Project string `placeholder:"DIR" help:"Read the trusted rules of this project; by default that of the current directory."`
}

// request returns the rules of the user and of the project.
func (f shownFlags) request(vars varFlags) rules.Request {
	return rules.Request{Paths: f.Rules, Project: f.Project, Here: true, Vars: vars}
}

// stateFlag is the flag --state, which says where runs are remembered.
type stateFlag struct {
	State string `aliases:"store" env:"ASIDE_STATE" placeholder:"DIR" help:"Where runs are remembered: a directory, memory, or the URL of a database, postgres://… or redis://…; @FILE takes it from a file, and a URL with a password is better given so or as ASIDE_STATE. By default $XDG_STATE_HOME/aside, else ~/.local/state/aside. The environment variable ASIDE_KEEP says for how long: 30d by default."`
}

// runFlag is the flag --run, which says which run is meant.
type runFlag struct {
	RunID string `name:"run" placeholder:"ID" help:"The run, by its name or the beginning of it; by default the newest one of this project. aside runs lists them."`
}

// stdinFlag is the flag --name of commands that read rule files, one of which may be stdin, named -.
type stdinFlag struct {
	Name *string `placeholder:"FILE" help:"What stdin would be called; the extension says how it is read."`
}
