package install

import "slices"

// statusLine wraps Claude Code's status line: "aside statusline -- sh -c 'FORMER COMMAND'" notes how full the context is and prints what
// the former command prints.
type statusLine struct {
	program Program
	windows bool
	wanted  bool // wrap it also where it is not wrapped yet
}

// edit is the extra of jsonHooks.
func (s statusLine) edit(d *doc, backup any, install bool) error {
	c := contents(&d.root)
	at := c.member("statusLine")
	if at < 0 {
		if !install || !s.wanted {
			return nil
		}
		return d.add(&d.root, "statusLine", object{{"type", "command"}, {"command", s.command("")}})
	}
	line := c.items[at].value
	in := contents(line)
	i := in.member("command")
	if i < 0 {
		if !install || !s.wanted {
			return nil
		}
		return d.wrong(line.StartOffset, `"statusLine" has no command`, "aside statusline wraps a command; take the member out, or do without --statusline")
	}
	now, _ := d.decode(in.items[i].value).(string)
	former, ours := s.former(now)
	switch {
	case install && (ours || s.wanted):
		if command := s.command(former); command != now {
			return d.replace(in.items[i].value, command)
		}
	case !install && ours && former != "":
		return d.replace(in.items[i].value, former)
	case !install && ours:
		return d.remove(&d.root, at)
	}
	return nil
}

// command is what Claude Code is to run.
func (s statusLine) command(former string) string {
	line := []string{s.program.Aside, "statusline"}
	if former != "" {
		line = append(line, "--", "sh", "-c", former)
	}
	return shell(line, s.windows && former == "")
}

// former is the command that a command of ours wraps; of one that is not ours it is that itself.
func (s statusLine) former(now string) (string, bool) {
	w := words(now)
	if len(w) < 2 || Base(w[0]) != "aside" || w[1] != "statusline" {
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

// wrapped reports the status line's command in a configuration, and whether it is ours.
func (s statusLine) wrapped(now []byte) (command string, ours bool) {
	d, err := readDoc("", now)
	if err != nil {
		return "", false
	}
	c := contents(&d.root)
	i := c.member("statusLine")
	if i < 0 {
		return "", false
	}
	m, _ := d.decode(c.items[i].value).(map[string]any)
	command, _ = m["command"].(string)
	_, ours = s.former(command)
	return command, ours
}
