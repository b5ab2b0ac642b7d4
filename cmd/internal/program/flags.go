package program

import (
	"fmt"
	"time"

	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/internal/duration"
)

// RulesFlag is the flag --rules, which says which rules a command reads.
type RulesFlag struct {
	Rules []string `sep:"none" placeholder:"PATH" help:"Rule file, directory or glob, in place of the standard directories; what belongs to a project must be trusted there, too. Repeatable."`
}

// VarFlags are the facts that --var declares, each as NAME:TYPE[:KIND].
type VarFlags []string

// ProjectFlag is the flag --project, which adds the rules of a project for a command that puts texts before a
// model.
type ProjectFlag struct {
	Project string `placeholder:"DIR" help:"Read the rules of this project too, as far as they are trusted (aside trust). It is the nearest directory upward from DIR with rules or .git."`
}

// ShownFlags say which rules a command reads that shows something to a person.
type ShownFlags struct {
	RulesFlag
	Project string `placeholder:"DIR" help:"Read the trusted rules of this project; by default that of the current directory."`
}

// Request returns the rules of the user and of the project.
func (f ShownFlags) Request(vars VarFlags) rules.Request {
	return rules.Request{Paths: f.Rules, Project: f.Project, Here: true, Vars: vars}
}

// StateFlag is the flag --state, which says where runs are remembered.
type StateFlag struct {
	State string `aliases:"store" env:"ASIDE_STATE" placeholder:"DIR" help:"Where runs are remembered: a directory, memory, or the URL of a database, postgres://… or redis://…; @FILE takes it from a file, and a URL with a password is better given so or as ASIDE_STATE. By default $XDG_STATE_HOME/aside, else ~/.local/state/aside. The environment variable ASIDE_KEEP says for how long: 30d by default."`
}

// RunFlag is the flag --run, which says which run is meant.
type RunFlag struct {
	RunID string `name:"run" placeholder:"ID" help:"The run, by its name or the beginning of it; by default the newest one of this project. aside runs lists them."`
}

// StdinFlag is the flag --name of commands that read rule files, one of which may be stdin, named -.
type StdinFlag struct {
	Name *string `placeholder:"FILE" help:"What stdin would be called; the extension says how it is read."`
}

// Since is a flag's time: a point in time, or how long ago that was.
type Since struct {
	at   time.Time // without span; zero: not given
	ago  time.Duration
	span bool // ago counts
}

// UnmarshalText reads a date, a time, or a span of days, hours, minutes.
func (s *Since) UnmarshalText(b []byte) error {
	text := string(b)
	for _, layout := range [...]string{time.DateOnly, time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			s.at = at
			return nil
		}
	}
	d, err := duration.Parse(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is neither a date such as 2026-02-11, a time such as "+
			"2026-02-11T09:30:00Z, nor a span "+
			"such as 7d or 12h", b)
	}
	s.ago, s.span = d, true
	return nil
}

// Before returns the point in time, given the time now; zero where none was given.
func (s Since) Before(now time.Time) time.Time {
	if s.span {
		return now.Add(-s.ago)
	}
	return s.at
}
