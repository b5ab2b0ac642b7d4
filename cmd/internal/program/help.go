package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/completion"
	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/words"
)

// VersionCmd is "aside version".
type VersionCmd struct{}

// Run prints the version.
func (*VersionCmd) Run(e *command.Env) error {
	e.Print(command.Version() + "\n")
	return nil
}

// versionFlag is "aside --version".
type versionFlag bool

// BeforeReset prints the version and ends the parse.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	fmt.Fprintln(k.Stdout, command.Version())
	k.Exit(command.ExitFine)
	return nil
}

// IgnoreDefault lets BeforeReset run only where the flag was given.
func (versionFlag) IgnoreDefault() {}

// colorFlag is the flag --color.
type colorFlag string

// AfterApply sets what the flag says.
func (c colorFlag) AfterApply(e *command.Env) error {
	switch c {
	case "always":
		e.Colour = true
	case "never":
		e.Colour = false
	}
	return nil
}

// CompletionCmd is "aside completion".
type CompletionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script.
func (c *CompletionCmd) Run(e *command.Env, p *Program) error {
	k, err := p.Parser(e, "") // with all commands
	if err != nil {
		return err
	}
	_, err = e.Out.WriteString(completion.Script(c.Shell, k, manual.Topics()...))
	return err
}

// HelpCmd is "aside help COMMAND".
type HelpCmd struct {
	Command []string `arg:"" optional:"" help:"The command; a topic, of which aside help topics has the list; or a word of the language, such as cooldown, or the code of a finding."`
	Search  bool     `help:"Answer a question, such as why did it not fire: the parts of the manual that have its words, the best first."`
	All     bool     `help:"List all commands."`
	Site    bool     `hidden:""`
	Man     bool     `hidden:""`
}

// Run prints the page of a topic, a word, or the help that --help prints.
func (h *HelpCmd) Run(ctx context.Context, e *command.Env, p *Program) error {
	bold := func(s string) string { return e.Paint("1", s) }
	switch {
	case h.Site, h.Man:
		return command.Usage("the site and the man pages are made in the repository: " +
			"go run ./cmd/internal/release --help")
	case h.Search:
		return h.find(e)
	case len(h.Command) == 0:
		return p.overview(e, h.All)
	}
	if word := strings.ToLower(strings.Join(h.Command, " ")); word != "" {
		done := e.Page()
		topic, ok := manual.Find(strings.ReplaceAll(word, " ", "-"))
		var page strings.Builder
		if topic != word && !p.has(word) && manual.Word(&page, word, bold) {
			e.Print(page.String())
			return done()
		}
		if ok {
			text, _ := manual.Page(topic)
			if p.has(word) {
				text += "\nThe flags: aside " + word + " --help\n"
			}
			e.Print(terminal.Markdown(text, e.Width, bold))
			return done()
		}
	}
	if len(h.Command) > 1 && !p.leads(e, h.Command) {
		return h.find(e)
	}
	err := p.Run(ctx, e, append(h.Command, "--help"))
	var wrong *command.Error
	if !errors.As(err, &wrong) || wrong.Code != command.ExitUsage {
		return err
	}
	wrong.More = []string{"aside help lists the commands, aside help topics the pages of the manual"}
	if q := manual.Near(h.Command[0]); q != "" {
		wrong.More = append([]string{q}, wrong.More...)
		return wrong
	}
	if h.find(e) == nil {
		return nil
	}
	return wrong
}

// leads reports whether words are the name of a command.
func (p *Program) leads(e *command.Env, words []string) bool {
	k, err := p.Parser(e, words[0])
	return err == nil && slices.ContainsFunc(k.Model.Leaves(true), func(n *kong.Node) bool {
		return nameOf(n) == strings.Join(words, " ")
	})
}

// has reports whether a word is the name of a command.
func (p *Program) has(word string) bool {
	_, found := p.one(word)
	return found
}

// find prints the part of the manual that answers the words best, and lists others, and triggers that the
// words may mean.
func (h *HelpCmd) find(e *command.Env) error {
	if len(h.Command) == 0 {
		return command.Usage("--search needs a word")
	}
	const most = 6
	width := cmp.Or(e.Width, 80)
	sections := manual.Sections()
	found := manual.Search(sections, h.Command)
	lines := words.Lines(strings.Join(h.Command, " "), func(line string) bool {
		_, ds := trigger.Compile(line, nil)
		return !ds.HasErrors()
	}).Lines
	unknown := manual.Unknown(sections, h.Command)
	if len(found)+len(lines) == 0 {
		if len(unknown) == 0 {
			unknown = h.Command
		}
		return command.No("nothing in the manual has %s", strings.Join(unknown, " and "))
	}
	for i, s := range found[:min(len(found), most)] {
		switch {
		case i == 0 && strings.Count(s.Text, "\n") <= 30:
			e.Print(fmt.Sprintf("%s  (aside help %s)\n\n", e.Paint("1", s.Title), s.Page))
			text := strings.Trim(s.Text, "\n") + "\n"
			_, _ = e.Out.WriteString(terminal.Markdown(text, width, func(s string) string { return e.Paint("1", s) }))
			continue
		case i == 1:
			e.Print("\n")
		}
		e.Print(fmt.Sprintf("%s  %s\n    %s\n", e.Paint("1", "aside help "+s.Page), s.Title,
			s.Excerpt(h.Command, width-4)))
	}
	for _, line := range lines {
		e.Print("a trigger: " + line + "\n")
	}
	if len(unknown) > 0 {
		e.Note("nothing in the manual has %s", strings.Join(unknown, " or "))
	}
	return nil
}
