// Package completion writes scripts with which shells complete a command line, from the model of kong.
//
// The libraries for kong call the program at each Tab, which builds the model of all commands, and have no
// descriptions in zsh and fish; a script that is written once has them, and is as fast as the shell.
package completion

import (
	"embed"
	"text/template"

	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/internal/agent"
)

//go:embed script/*.tmpl
var scripts embed.FS

// Script returns the script of a shell: bash, zsh or fish. topics are the words beside the commands that
// "aside help" explains.
func Script(shell string, k *kong.Kong, topics ...string) string {
	join := func(words []string) string { return strings.Join(words, " ") }
	quote := strings.NewReplacer("'", `'\''`)
	colons := strings.NewReplacer(`\`, `\\`, ":", `\:`, "[", `\[`, "]", `\]`)
	fish := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	funcs := template.FuncMap{
		"join":  join,
		"quote": func(s string) string { return "'" + quote.Replace(s) + "'" }, // one word for bash and zsh
		"fish":  func(s string) string { return "'" + fish.Replace(s) + "'" },
		"colon": func(s string) string { return strings.ReplaceAll(s, ":", `\:`) },
		"about": func(f flag) string { // of zsh: the description of a flag, and what its value is
			value := ""
			switch {
			case len(f.Words) > 0:
				value = ":value:(" + join(f.Words) + ")"
			case f.Files:
				value = ":file:_files"
			case f.Value:
				value = ":value: "
			}
			return "[" + colons.Replace(f.Help) + "]" + value
		},
	}
	all := commands(k, topics)
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	var b strings.Builder
	file := shell + ".tmpl"
	script := template.Must(template.New(file).Funcs(funcs).ParseFS(scripts, "script/"+file))
	data := map[string]any{"Program": k.Model.Name, "Commands": all, "Names": names}
	if err := script.Execute(&b, data); err != nil {
		panic(err) // the templates are part of the program
	}
	return b.String()
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

// cmd is a command as a completion script knows it.
type cmd struct {
	Name, Help string
	Flags      []flag
	Files      bool     // its arguments are files
	IDs        bool     // its argument is a reminder
	Words      []string // its argument is one of these
}

type flag struct {
	Long, Help string
	Short      string   // "": none
	Value      bool     // it has a value
	Files      bool     // its value is a file
	Words      []string // its value is one of these
}

// Names returns the forms of a flag.
func (f flag) Names() []string {
	if f.Short == "" {
		return []string{"--" + f.Long}
	}
	return []string{"--" + f.Long, "-" + f.Short}
}

// Pattern returns the forms of a flag as a pattern of a shell.
func (f flag) Pattern() string { return strings.Join(f.Names(), "|") }

// Values reports whether a flag of the command has a value.
func (c cmd) Values() bool { return slices.ContainsFunc(c.Flags, func(f flag) bool { return f.Value }) }

// FlagNames returns the forms of all flags.
func (c cmd) FlagNames() (names []string) {
	for _, f := range c.Flags {
		names = append(names, f.Names()...)
	}
	return names
}

// commands returns the commands of a parser that are not hidden.
func commands(k *kong.Kong, topics []string) []cmd {
	var list []cmd
	for _, node := range k.Model.Children {
		if node.Hidden {
			continue
		}
		c := cmd{Name: node.Name, Help: strings.TrimSuffix(node.Help, ".")}
		for _, f := range node.Flags {
			if f.Hidden {
				continue
			}
			words := Enum(f.Value)
			ph := strings.TrimSuffix(f.FormatPlaceHolder(), ",...") // which is behind that of a repeatable flag
			if ph == "AGENT" {
				words = agent.Names(agent.All())
			}
			about, _, _ := strings.Cut(f.Help, ". ")
			x := flag{Long: f.Name, Help: strings.TrimSuffix(about, "."), Value: !f.IsBool(),
				Files: ph == "PATH" || ph == "FILE" || ph == "DIR", Words: words}
			if f.Short != 0 {
				x.Short = string(f.Short)
			}
			c.Flags = append(c.Flags, x)
		}
		c.Flags = append(c.Flags, flag{Long: "help", Short: "h", Help: "Show help"})
		for _, p := range node.Positional {
			switch p.Name {
			case "id", "name":
				c.IDs = true
			case "command":
				c.Words = append(Commands(k), topics...)
			case "agent":
				c.Words = agent.Names(agent.All())
			default:
				if c.Words = Enum(p); len(c.Words) == 0 {
					c.Files = true
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
