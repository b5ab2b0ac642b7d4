// Package completion writes scripts with which shells complete a command line, from the model of kong.
//
// The libraries for kong call the program at each Tab, which builds the model of all commands, and have no
// descriptions in zsh and fish; a script that is written once has them, and is as fast as the shell.
package completion

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/internal/agent"
)

// Script returns the script of a shell: bash, zsh or fish. topics are the words beside the commands that
// "aside help" explains.
func Script(shell string, k *kong.Kong, topics ...string) string {
	print := map[string]func(string, []completable) string{"bash": bash, "zsh": zsh, "fish": fish}[shell]
	return print(k.Model.Name, completables(k, topics))
}

// Commands returns the names of the commands of a parser that are not hidden.
func Commands(k *kong.Kong) []string {
	var names []string
	for _, c := range k.Model.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

// completable is a command as a completion script knows it.
type completable struct {
	name, help string
	flags      []completeFlag
	files      bool     // its arguments are files
	ids        bool     // its argument is a reminder
	words      []string // its argument is one of these
}

type completeFlag struct {
	long, help string
	short      rune
	value      bool
	files      bool     // its value is a file
	words      []string // its value is one of these
}

// completables returns the commands of a parser that are not hidden.
func completables(k *kong.Kong, topics []string) []completable {
	var list []completable
	for _, cmd := range k.Model.Children {
		if cmd.Hidden {
			continue
		}
		c := completable{name: cmd.Name, help: strings.TrimSuffix(cmd.Help, ".")}
		for _, f := range cmd.Flags {
			if f.Hidden {
				continue
			}
			words := Enum(f.Value)
			ph := strings.TrimSuffix(f.FormatPlaceHolder(), ",...") // which is behind that of a repeatable flag
			if ph == "AGENT" {
				words = agent.Names(agent.All())
			}
			c.flags = append(c.flags, completeFlag{
				long: f.Name, short: f.Short, help: firstSentence(f.Help), value: !f.IsBool(),
				files: ph == "PATH" || ph == "FILE" || ph == "DIR", words: words,
			})
		}
		c.flags = append(c.flags, completeFlag{long: "help", short: 'h', help: "Show help"})
		for _, p := range cmd.Positional {
			switch p.Name {
			case "id", "name":
				c.ids = true
			case "command":
				c.words = append(Commands(k), topics...)
			case "agent":
				c.words = agent.Names(agent.All())
			default:
				if c.words = Enum(p); len(c.words) == 0 {
					c.files = true
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// Enum returns the values that v may have; nil where it may have any.
func Enum(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return slices.DeleteFunc(v.EnumSlice(), func(word string) bool { return word == "" })
}

func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, ". ")
	return strings.TrimSuffix(s, ".")
}
