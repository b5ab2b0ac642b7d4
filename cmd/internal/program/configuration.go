package program

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/completion"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/near"
)

// configure reads the user's configuration for the command that args name. A command that helps to mend a
// file with mistakes goes on with the rest of it; any other one is not run.
func (p *Program) configure(e *command.Env, args []string) error {
	var err error
	e.Config, err = config.User(config.Path(os.Getenv, e.Home), p.Configurable(e))
	goes := slices.Contains([]string{"help", "version", "completion", "doctor", "lsp", "--help", "--version"},
		firstWord(append(slices.Clone(args), "help")))
	switch {
	case err != nil && goes:
		e.Note("the configuration is not read: %s", terminal.Plain(err))
		return nil
	case err != nil || e.Config == nil || len(e.Config.Diagnostics) == 0:
		return err
	}
	for i, d := range e.Config.Diagnostics {
		e.Config.Diagnostics[i].Hint = p.named(d.Hint)
	}
	rules.Render(e, e.Err, e.Config.Diagnostics, map[string][]byte{e.Config.Path: e.Config.Src}, false)
	if goes {
		return nil
	}
	return command.Usage("the configuration has mistakes, so that nothing was done: aside help " +
		"configuration says more")
}

// Configurable are the commands that a configuration may speak of. It implements config.Commands.
type Configurable struct {
	program *Program
	nodes   func() map[string]*kong.Node // by name
}

// unconfigured are the commands whose flags the configuration does not set: agents call them with the flags
// that they need, and help must be there when the configuration is wrong.
var unconfigured = []string{"hook", "statusline", "help", "version", "completion"}

// Configurable returns the commands that a configuration may speak of. They are looked up where there is one.
func (p *Program) Configurable(e *command.Env) Configurable {
	return Configurable{p, sync.OnceValue(func() map[string]*kong.Node {
		all := map[string]*kong.Node{}
		k, err := p.Parser(e, "")
		if err != nil {
			return all // as the parser of this command will say
		}
		for _, n := range append(k.Model.Leaves(true), k.Model.Node) {
			if name := nameOf(n); len(flagsOf(n)) > 0 && !slices.Contains(unconfigured, name) {
				all[name] = n
			}
		}
		return all
	})}
}

// nameOf returns the name of a command, "" of the whole command line.
func nameOf(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimSpace(nameOf(n.Parent) + " " + n.Name)
}

// flagsOf returns the flags of a command that people set.
func flagsOf(n *kong.Node) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(n.Flags), func(f *kong.Flag) bool {
		return f.Hidden ||
			f.Name == "help"
	})
}

// Names implements config.Commands.
func (c Configurable) Names() []string {
	own := slices.DeleteFunc(slices.Sorted(maps.Keys(c.nodes())), func(name string) bool { return name == "" })
	all := slices.AppendSeq(own, maps.Keys(c.program.Others))
	slices.Sort(all)
	return slices.Compact(all)
}

// own returns the flags that a command has in this program.
func (c Configurable) own(command string) []*kong.Flag {
	if n := c.nodes()[command]; n != nil {
		return flagsOf(n)
	}
	return nil
}

// Flags implements config.Commands.
func (c Configurable) Flags(command string) (names []string) {
	of, is := c.program.Others[command]
	if is && of == nil {
		return nil // all
	}
	for _, f := range c.own(command) {
		names = append(names, f.Name)
	}
	return append(names, of...)
}

// Schemas returns JSON Schemas of the flags of commands, by the names of both.
func (c Configurable) Schemas() map[string]map[string]any {
	all := map[string]map[string]any{}
	word := map[string]any{"type": []string{"string", "number"}}
	for _, name := range c.Names() {
		all[name] = map[string]any{}
		for _, f := range c.own(name) {
			s := maps.Clone(word)
			switch words := completion.Enum(f.Value); {
			case f.IsBool():
				s["type"] = "boolean"
			case f.IsSlice():
				s["type"], s["items"] = []string{"string", "number", "array"}, word
			case len(words) > 0:
				s = map[string]any{"enum": words}
			}
			s["description"] = f.Help
			all[name][f.Name] = s
		}
		for _, f := range c.program.Others[name] {
			all[name][f] = map[string]any{"description": "A flag of " + c.program.Other + " " + name + "."}
		}
	}
	return all
}

// Check implements config.Commands.
func (c Configurable) Check(command, flag string, value any) string {
	if command == "" && flag == "keep" {
		if _, err := hook.Keep(fmt.Sprint(value)); err != nil {
			return strings.Replace(err.Error(), hook.KeepVariable, flag, 1)
		}
	}
	for _, f := range c.own(command) {
		if f.Name != flag {
			continue
		}
		if _, is := value.(bool); is != f.IsBool() {
			return fmt.Sprintf("%s is %s", flag, map[bool]string{true: "true or false",
				false: "not true or false"}[f.IsBool()])
		}
		if _, is := value.([]any); is && !f.IsSlice() {
			return flag + " is one value, not a list"
		}
		err := f.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), reflect.New(f.Target.Type()).Elem())
		if err != nil {
			return strings.TrimPrefix(plainUsage(err).Error(), f.ShortSummary()+": ")
		}
		if words := completion.Enum(f.Value); len(words) > 0 && !slices.Contains(words, fmt.Sprint(value)) {
			return fmt.Sprintf("%s is one of %s%s", flag, strings.Join(words, ", "),
				near.Hint("; ", fmt.Sprint(value), words))
		}
	}
	return ""
}

// resolver gives flags that are neither given nor set by a variable the values of the configuration.
func (p *Program) resolver(e *command.Env) kong.Option {
	return kong.Resolvers(kong.ResolverFunc(func(_ *kong.Context, of *kong.Path, f *kong.Flag) (any, error) {
		for _, variable := range f.Tag.Envs {
			if os.Getenv(variable) != "" {
				return nil, nil
			}
		}
		if v, ok := e.Config.Flag(nameOf(of.Node()), f.Name); ok {
			return v, nil
		}
		if v, ok := e.Config.Flag("", f.Name); ok && (len(f.Tag.Envs) > 0 || of.App != nil) {
			return v, nil
		}
		return nil, nil
	}))
}
