package begin

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
)

// diff returns all of it as a unified diff.
func (p *plan) diff(e *command.Env) []byte {
	var b bytes.Buffer
	for _, f := range p.files {
		b.Write(setup.Patch(e, f))
	}
	return b.Bytes()
}

// shown is the number of lines of a file's diff that a person is shown at first.
const shown = 6

// agreed shows what would be written, and reports whether a person agrees.
func (b *beginning) agreed(p *plan) bool {
	b.Note("\n%s", b.Paint("1", "What will be written"))
	rules := 0
	for _, f := range p.files {
		path := b.Short(f.Path)
		switch {
		case f.Did == install.Unchanged:
		case f.Did == install.Kept:
			b.say("", "%s stays: it %s.", path, f.Why)
		case strings.HasPrefix(f.Path, b.dir()+string(filepath.Separator)):
			rules++
		case f.Was == nil:
			b.say("", "%s, a new file of %d lines", path, bytes.Count(f.Is, []byte("\n")))
		default:
			b.sample(f)
		}
	}
	if p := b.machine.Program; len(b.chosen) > 0 {
		b.say("", "The hooks run %s.", b.Short(cmp.Or(p.Hook, p.Aside)))
		setup.WarnProgram(b.Env, p)
	}
	if rules > 0 {
		b.say("", "%s, %s: rules, and a rule test of each", b.Short(b.dir()), terminal.Count(rules, "new file"))
	}
	for {
		answer, err := b.Ask("Write this? y, n, or d for the whole diff [y] ", "yes", "no", "diff")
		if err != nil || answer != "diff" {
			return err == nil && answer == "yes"
		}
		done := b.Page()
		for l := range strings.Lines(string(p.diff(b.Env))) {
			fmt.Fprintln(b.Out, painted(b.Env, terminal.Visible(strings.TrimRight(l, "\n"))))
		}
		if done() != nil {
			return false
		}
	}
}

// sample shows the beginning of the changes of a file.
func (b *beginning) sample(f install.File) {
	var lines []string
	for l := range strings.Lines(string(setup.Patch(b.Env, f))) {
		lines = append(lines, terminal.Visible(strings.TrimRight(l, "\n")))
	}
	lines = lines[min(len(lines), 3):] // behind the names and the first place
	count := func(sign string) (n int) {
		for _, l := range lines {
			if strings.HasPrefix(l, sign) {
				n++
			}
		}
		return n
	}
	b.say("", "%s, +%d -%d lines", b.Short(f.Path), count("+"), count("-"))
	rest := len(lines) - shown
	for _, l := range lines[:min(len(lines), shown)] {
		b.Show("  " + painted(b.Env, terminal.Shorten(l, b.columns()-3, b.Glyph("…", "..."))))
	}
	if rest > 0 {
		b.Note("  %s %d more", b.Glyph("…", "..."), rest)
	}
}

// columns returns the width of the text.
func (b *beginning) columns() int {
	switch {
	case b.Width > 0:
		return max(b.Width, 24)
	case b.ErrTTY:
		return 80
	}
	return 1 << 20 // a line is a line, for scripts
}

// say prints a sentence, wrapped to the terminal, with further lines below the end of head.
func (b *beginning) say(head, format string, args ...any) {
	n := terminal.Width(head)
	b.Note("%s%s", head, strings.Join(terminal.Wrap(fmt.Sprintf(format, args...), b.columns()-n-1),
		"\n"+strings.Repeat(" ", n)))
}

// painted colours a line of a diff.
func painted(e *command.Env, line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return e.Paint("32", line)
	case strings.HasPrefix(line, "-"):
		return e.Paint("31", line)
	}
	return line
}
