package main

import (
	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/completion"
	"github.com/aside-go/aside/cmd/aside/internal/manual"
)

// completionCmd is "aside completion".
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how the scripts are used.
func (*completionCmd) Help() string {
	return `To use it at once:

    source <(aside completion bash)
    source <(aside completion zsh)
    aside completion fish | source

For every new shell: put that line into ~/.bashrc or ~/.zshrc, or the script into ~/.config/fish/completions/aside.fish.`
}

// Run prints the script.
func (c *completionCmd) Run(e *command.Env) error {
	k, err := parser(e, "") // with all commands
	if err != nil {
		return err
	}
	_, err = e.Out.WriteString(completion.Script(c.Shell, k, manual.Topics()...))
	return err
}
