package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/check"
	"github.com/aside-go/aside/cmd/aside/internal/command"
)

// checkCmd is "aside check".
type checkCmd struct {
	Paths     []string `arg:"" optional:"" name:"path" help:"Files, directories or globs; - is stdin. Without any: the standard directories."`
	Rules     []string `sep:"none" hidden:"" help:"The same as PATH."`
	JSON      bool     `name:"json" xor:"form" help:"Print the findings as a JSON array."`
	SARIF     bool     `name:"sarif" xor:"form" help:"Print the findings as SARIF 2.1.0, for code scanners."`
	Strict    bool     `help:"Warnings are errors."`
	Fix       bool     `xor:"form" help:"Follow the hints of errors and warnings, wherever there is one way to, and rewrite the files."`
	Diff      bool     `short:"d" help:"With --fix: print what would change as a diff, rewrite nothing, and exit with 1 if anything would change."`
	Explain   string   `xor:"form" placeholder:"CODE" help:"Say what a code means, and why it is told."`
	Agent     string   `placeholder:"AGENT" help:"The agent that the rules are for: what it cannot know and tools that it has not are findings, too. One of ${agents}, serve."`
	MaxTokens int      `placeholder:"N" help:"What a text may cost each time it is sent, in tokens."`
	Allow     []string `placeholder:"CODE" help:"Do not tell of findings with this code. Repeatable. One rule is spared by a comment in it: # aside: allow CODE."`
	stdinFlag
	Var varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*checkCmd) Help() string {
	return `Parses, type-checks and lints. Exits with 1 if there is an error, and with --strict if there is a warning. A remark never
fails. A finding that is meant so is silenced by a comment in the rule, which may say why:

    # aside: allow R1001 because one reminder for a series of edits is enough

Examples:

    aside check                      # your own rules and the project's
    aside check .aside/reminders
    aside check --agent codex        # also what that agent can never know
    aside check --explain R1001
    aside check --fix .aside/reminders
    aside check --json .aside/reminders | jq .
    aside check --sarif .aside/reminders > aside.sarif
    cat a.md | aside check - --name a.md`
}

// Run checks.
func (c *checkCmd) Run(e *command.Env) error {
	return check.Run(e, check.Options{
		Paths: append(c.Paths, c.Rules...), Name: c.Name, Vars: c.Var,
		JSON: c.JSON, SARIF: c.SARIF, Strict: c.Strict, Fix: c.Fix, Diff: c.Diff,
		Explain: c.Explain, Agent: c.Agent, MaxTokens: c.MaxTokens, Allow: c.Allow,
	})
}
