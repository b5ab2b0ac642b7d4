package install

import (
	"slices"

	"github.com/tailscale/hujson"
)

// statusLine wraps the command of Claude Code's status line: "aside statusline -- sh -c 'FORMER COMMAND'"
// records how full the context is and prints what the former command prints.
type statusLine struct {
	program Program
	windows bool
	wanted  bool // an installation wraps a command that is not wrapped yet
}

// edit is the jsonHooks.extra of Claude Code.
func (s statusLine) edit(d *doc, backup any, install bool) error {
	line, at := memberOf(&d.root, "statusLine")
	if at < 0 {
		if install && s.wanted {
			d.add(&d.root, 0, "statusLine", object{{"type", "command"}, {"command", s.command("")}})
		}
		return nil
	}
	value, i := memberOf(line, "command")
	if i < 0 {
		if !install || !s.wanted {
			return nil
		}
		return d.wrong(line.StartOffset, `"statusLine" has no command`,
			"aside statusline wraps a command; take the member out, or do without --statusline")
	}
	now, _ := decode(value).(string)
	former, ours := former(now)
	switch {
	case install && (ours || s.wanted):
		value.Value = hujson.Literal(quote(s.command(former)))
	case !install && ours && former != "":
		value.Value = hujson.Literal(quote(former))
	case !install && ours:
		d.remove(&d.root, at)
	}
	return nil
}

// command returns what Claude Code is to run; former is "" where there was no status line.
func (s statusLine) command(former string) string {
	line := []string{s.program.Aside, "statusline"}
	if former != "" {
		line = append(line, "--", "sh", "-c", former)
	}
	return shell(line, s.windows && former == "")
}

// former returns the command that now wraps, where now is ours, and now itself where it is not.
func former(now string) (command string, ours bool) {
	w := words(now)
	if len(w) < 2 || !named(base(w[0]), "aside") || w[1] != "statusline" {
		return now, false
	}
	rest := w[2:]
	switch {
	case len(rest) == 0:
		return "", true
	case len(rest) == 4 && slices.Equal(rest[:3], []string{"--", "sh", "-c"}):
		return rest[3], true
	case rest[0] == "--":
		return shell(rest[1:], false), true
	}
	return now, false
}

// wrapped reports whether the command of the status line in decoded settings is ours.
func wrapped(settings any) bool {
	root, _ := settings.(map[string]any)
	line, _ := root["statusLine"].(map[string]any)
	command, _ := line["command"].(string)
	_, ours := former(command)
	return ours
}
