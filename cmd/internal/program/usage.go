package program

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/completion"
	"github.com/aside-go/aside/internal/near"
)

// wrongUsage returns an error that names the mistake in args, the command that may have been meant, and how
// the command is used.
func (p *Program) wrongUsage(k *kong.Kong, args []string, err error) error {
	var pe *kong.ParseError
	hasContext := errors.As(err, &pe)
	flag := unknownFlag.FindStringSubmatch(err.Error())
	err = plainUsage(err)
	line, help := "usage: "+p.Name+" <command> …", p.Name+" help"
	if hasContext && pe.Context.Selected() != nil {
		cmd := pe.Context.Selected()
		line, help = "usage: "+p.Name+" "+synopsis(cmd), p.Name+" help "+nameOf(cmd)
		if flag != nil && p.elsewhere(nameOf(cmd), flag[1]) != "" {
			err = fmt.Errorf("--%s is a flag of %s", flag[1], p.elsewhere(nameOf(cmd), flag[1]))
		}
	} else if name := firstWord(args); name != "" &&
		!slices.ContainsFunc(k.Model.Children, func(c *kong.Node) bool { return c.Name == name }) {
		err = fmt.Errorf("there is no command %q%s", name, near.Hint(": ", name, completion.Commands(k)))
		if to := p.elsewhere(name, ""); to != "" {
			err = fmt.Errorf("%s has no command %q: it is %s", p.Name, name, to)
		}
	}
	return &command.Error{Code: command.ExitUsage, Err: err, More: []string{line, help + " says more"}}
}

var unknownFlag = regexp.MustCompile(`^unknown flag --([a-z0-9-]+)`)

// elsewhere returns what to type in place of a command of this program, or of a flag of it, that the other
// one has; "" where it has none either. A flag is without dashes, and "" for the command itself.
func (p *Program) elsewhere(command, flag string) string {
	for name, flags := range p.Others {
		if flag == "" && strings.HasPrefix(name+" ", command+" ") ||
			name == command && slices.Contains(flags, strings.TrimPrefix(flag, "no-")) {
			return p.Other + " " + command
		}
	}
	return ""
}

// number reads the value of a flag by parse. kind is the kind of value in the words of the error.
func number[T any](kind string, parse func(string) (T, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		t, err := ctx.Scan.PopValue("number")
		if err != nil {
			return err
		}
		v, err := parse(t.String())
		if err != nil {
			return fmt.Errorf("%q is not %s", t.String(), kind)
		}
		target.Set(reflect.ValueOf(v))
		return nil
	}
}

// plainUsage returns an error of kong in plain words, without the notation in which kong describes a command
// line. It reads the words of these errors, since kong has no types for them; TestScripts holds the outcome
// (usage.txtar).
func plainUsage(err error) error {
	s := strings.TrimSuffix(err.Error(), `, did you mean "-h"?`) // of any short name
	if flag, rest, ok := strings.Cut(s, `: expected `); ok {
		if strings.HasSuffix(rest, "(<EOL>)") {
			return fmt.Errorf("%s needs a value", flag)
		}
		if _, try, ok := strings.Cut(rest, "; perhaps try "); ok {
			try = strings.ReplaceAll(strings.TrimSuffix(try, "?"), `"`, "")
			return fmt.Errorf("%s needs a value; one that begins with - is written %s", flag, try)
		}
	}
	if arg, ok := strings.CutPrefix(s, `expected "`); ok {
		return fmt.Errorf("%s is missing", strings.TrimSuffix(strings.TrimSuffix(arg, `"`), " ..."))
	}
	if flags, ok := strings.CutPrefix(s, "missing flags: "); ok {
		return fmt.Errorf("%s is missing", strings.ReplaceAll(flags, "=", " "))
	}
	return errors.New(s)
}

func firstWord(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

func childNames(cmd *kong.Node) (names []string) {
	for _, c := range cmd.Children {
		names = append(names, c.Name)
	}
	return names
}

// synopsis returns one line with the command, its arguments and its flags.
func synopsis(cmd *kong.Node) string {
	words := []string{nameOf(cmd)}
	if len(cmd.Children) > 0 {
		words = append(words, strings.Join(childNames(cmd), "|")+" …")
	}
	for _, p := range cmd.Positional {
		words = append(words, p.Summary())
	}
	for _, f := range cmd.Flags {
		s := "--" + f.Name
		if f.Short != 0 {
			s = "-" + string(f.Short)
		}
		switch {
		case f.Hidden || f.Name == "help":
			continue
		case !f.IsBool():
			if words := completion.Enum(f.Value); len(words) > 0 {
				s += " " + strings.Join(words, "|")
			} else {
				s += " " + strings.TrimSuffix(f.FormatPlaceHolder(), ",...") // for a repeatable flag … is added below
			}
		}
		if f.IsSlice() {
			s += "…"
		}
		if !f.Required {
			s = "[" + s + "]"
		}
		words = append(words, s)
	}
	return strings.Join(words, " ")
}
