// Package commandline holds a program to the laws of its command line, for tests: words for people, lines
// that fit, and one configuration beside the other program.
package commandline

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// model returns the command line of p.
func model(t *testing.T, p *program.Program) *kong.Node {
	t.Helper()
	k, err := p.Parser(&command.Env{Out: bufio.NewWriter(io.Discard), Err: io.Discard}, "")
	if err != nil {
		t.Fatal(err)
	}
	return k.Model.Node
}

var (
	flagWord  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	goName    = regexp.MustCompile(`\b[a-z]+\.[A-Z][a-z]+`)
	cliValues = map[string]string{"delivery": "auto native anchored tail", "placement": "block text system"}
)

// Words holds the values that the flags of p take, and their help, to be words for people, the values to be
// those that CLI.md lists, and the manual to name the variables that stand in for flags. least is how many
// flags there are at least.
func Words(t *testing.T, p *program.Program, least int) {
	t.Helper()
	variables, _ := manual.Page("configuration")
	flags := 0
	for _, cmd := range model(t, p).Leaves(false) {
		for _, f := range cmd.Flags {
			flags++
			at := cmd.Path() + " --" + f.Name
			if name := goName.FindString(f.Help); name != "" {
				t.Errorf("%s: the help has %s, which is no word", at, name)
			}
			for _, variable := range f.Tag.Envs {
				if !strings.Contains(variables, "| `"+variable+"` |") {
					t.Errorf("%s reads %s, which the manual lacks", at, variable)
				}
			}
			values := f.EnumSlice()
			if f.Enum == "" {
				continue
			}
			for _, v := range values {
				if v != "" && !flagWord.MatchString(v) {
					t.Errorf("%s takes %q, which is no word", at, v)
				}
			}
			if want := cliValues[f.Name]; want != "" && strings.Join(values, " ") != want {
				t.Errorf("%s takes %q, and CLI.md says %s", at, values, want)
			}
		}
	}
	if flags < least {
		t.Errorf("only %d flags were looked at", flags)
	}
}

// kept are lines that people copy: examples, tables of the manual, lines of rule files, usage and paths.
var kept = regexp.MustCompile("^(?: {4}|```|\\||[ 0-9]*\\|| *[│$#] |---$|Usage: |wrote +|/)")

// Wide returns the lines of prose that are wider than a terminal.
func Wide(columns int, printed string) (wide []string) {
	fenced := false
	for l := range strings.Lines(printed) {
		l = strings.TrimRight(l, "\n")
		fenced = fenced != strings.HasPrefix(l, "```")
		if terminal.Width(l) > columns && !fenced && !kept.MatchString(l) &&
			strings.Contains(strings.TrimLeft(l, " "), " ") {
			wide = append(wide, l)
		}
	}
	return wide
}

// Wrapping holds the help of p, of its commands and of topics, to lines that fit.
func Wrapping(t *testing.T, p *program.Program) {
	t.Helper()
	var pages []string
	for _, n := range model(t, p).Leaves(true) {
		pages = append(pages, strings.TrimPrefix(n.Path(), p.Name+" ")+" --help")
	}
	for _, topic := range manual.Topics() {
		pages = append(pages, "help "+topic)
	}
	for _, columns := range []int{40, 120} {
		for _, line := range pages {
			var out bytes.Buffer
			e := &command.Env{Out: bufio.NewWriter(&out), Err: io.Discard, Home: t.TempDir(), Width: columns}
			if err := errors.Join(p.Run(t.Context(), e, strings.Fields(line)), e.Out.Flush()); err != nil ||
				out.Len() == 0 {
				t.Errorf("%s %s: %v", p.Name, line, err)
			}
			for _, l := range Wide(columns, out.String()) {
				t.Errorf("%s %s at %d columns: %q", p.Name, line, columns, l)
			}
		}
	}
}

// unknown begins the message about a key that no program has.
const unknown = "unknown key"

// Beside holds what p knows of the program beside it: that has each command and flag that p names it for, it
// knows each that p has where the configuration of both speaks of it, and neither takes another.
func Beside(t *testing.T, p *program.Program, other process.Program) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(p.Others)) {
		r := other.Invoke(t, t.TempDir(), nil, append([]string{"help"}, strings.Fields(name)...)...)
		if name != "hook" && r.Code == 0 {
			r = other.Invoke(t, t.TempDir(), nil, append(strings.Fields(name), "--help")...)
		}
		if r.Code != 0 {
			t.Errorf("%s has no command %s: %s", p.Other, name, r.Err)
		}
		for _, f := range p.Others[name] {
			if !regexp.MustCompile(`--(\[no-\])?` + f + `\b`).MatchString(r.Out) {
				t.Errorf("%s %s has no flag --%s", p.Other, name, f)
			}
		}
	}

	var keys strings.Builder
	all := p.Configurable(&command.Env{})
	for _, n := range model(t, p).Leaves(true) {
		name := strings.TrimPrefix(n.Path(), p.Name+" ")
		if !slices.Contains(all.Names(), name) {
			continue
		}
		fmt.Fprintf(&keys, "%s:\n", name)
		for _, f := range all.Flags(name) {
			fmt.Fprintf(&keys, "  %s: x\n", f)
		}
	}
	said := func(file string) string {
		dir := t.TempDir()
		process.Put(t, dir, "home/.config/aside/config.yaml", file)
		return other.Invoke(t, dir, nil, "runs").Err
	}
	if s := said(keys.String()); strings.Contains(s, unknown) || keys.Len() < 100 {
		t.Errorf("%s does not know all that %s has:\n%s", p.Other, p.Name, s)
	}
	for _, wrong := range []string{"replya: {cost: true}", "serve: {raet: 20}", "runs: {rate: 20}"} {
		if !strings.Contains(said(wrong), unknown) {
			t.Errorf("%s takes %s", p.Other, wrong)
		}
	}
}
