package install

import (
	"strings"
	"unicode"
)

// Program is what agents are to run.
type Program struct {
	Aside string // the path of aside
	// the path of aside-hook, the small binary that does what "aside hook" does; "" where there is none
	Hook string
}

// ProgramAt returns the Program whose aside or aside-hook is at a path, or of a name: also where a version or
// a system is part of the name, as in aside_linux_amd64. For any other program it is zero.
func ProgramAt(path string) (p Program) {
	switch name := base(path); {
	case named(name, "aside-hook"):
		at := strings.LastIndex(path, "-hook")
		p = Program{Aside: path[:at] + path[at+len("-hook"):], Hook: path}
	case named(name, "aside"):
		p.Aside = path
	}
	return p
}

// named reports whether a file's name begins with the name of a program: asided is not named aside.
func named(file, program string) bool {
	rest, is := strings.CutPrefix(file, program)
	return is && (rest == "" || !unicode.IsLetter(rune(rest[0])))
}

// command returns the command that an agent is to run at an event, as a list of words. event is "" for agents
// that tell the hook on stdin which event it is. more are words that somebody has added to the command.
func (p Program) command(agent, event, mode string, more []string) []string {
	words := []string{p.Hook}
	if p.Hook == "" {
		words = []string{p.Aside, "hook"}
	}
	words = append(words, "--agent", agent)
	if event != "" {
		words = append(words, "--event", event)
	}
	if mode != "" {
		words = append(words, "--mode", mode)
	}
	return append(words, more...)
}

// Command is a command of ours that was found in a configuration.
type Command struct {
	Words []string // all of it
	Agent string   // --agent
	Event string   // --event, "" where there is none
	Mode  string   // --mode, "" where there is none
	more  []string // words that somebody has added
}

// Program returns the path or name of the program that the command runs.
func (c Command) Program() string { return c.Words[0] }

// Plain returns the command's arguments as an installation writes them, without what somebody has added.
func (c Command) Plain() []string {
	return ProgramAt(c.Program()).command(c.Agent, c.Event, c.Mode, nil)[1:]
}

// recognise parses a command, and reports whether it is ours and for this agent. It is ours by the name of
// its program, in whatever directory that lies.
func recognise(words []string, agent string) (c Command, ours bool) {
	if len(words) < 2 {
		return c, false
	}
	c.Words = words
	rest := words[1:]
	switch p := ProgramAt(words[0]); {
	case p.Hook != "":
	case p.Aside != "" && rest[0] == "hook":
		rest = rest[1:]
	default:
		return c, false
	}
	for i := 0; i < len(rest); i++ {
		flag, value, joined := strings.Cut(rest[i], "=")
		to := map[string]*string{"--agent": &c.Agent, "--event": &c.Event, "--mode": &c.Mode}[flag]
		switch {
		case to == nil:
			c.more = append(c.more, rest[i])
		case joined:
			*to = value
		case i+1 < len(rest):
			i++
			*to = rest[i]
		}
	}
	return c, c.Agent == agent
}

// base returns the name of a program without its directory and ".exe", whatever system the path is of.
func base(path string) string {
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	if n := len(path) - len(".exe"); n > 0 && strings.EqualFold(path[n:], ".exe") {
		path = path[:n]
	}
	return path
}

// plainShell are the characters that need no quotes in any shell.
const plainShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

// shell returns words as a line for the shell that an agent runs its hooks with.
func shell(words []string, windows bool) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		plain := w != "" && strings.Trim(w, plainShell) == ""
		switch {
		case windows && (plain || w != "" && strings.Trim(w, plainShell+`\~()`) == ""):
			quoted[i] = w
		case windows:
			quoted[i] = `"` + w + `"` // no file name on Windows holds a quote
		case plain:
			quoted[i] = w
		default:
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// guard is what a line ends with that is to end with 0 whatever becomes of the command, and guardPowerShell
// is what stands around one for PowerShell.
const guard = " || exit 0"

var guardPowerShell = [2]string{"try { & ", " } catch { }; exit 0"}

// words splits a line as a shell does, as far as needed to recognise a command. A backslash escapes only the
// characters that need it: before any other it belongs to a path on Windows. It returns nil for a line with
// an unclosed quote, and for one with pipes, redirections or several commands, which is not ours.
func words(line string) (list []string) {
	var w strings.Builder
	in, quote := false, byte(0)
	end := func() {
		if in {
			list = append(list, w.String())
		}
		in = false
		w.Reset()
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'':
			w.WriteByte(c)
		case c == '\\' && i+1 < len(line) && strings.IndexByte(" \t'\"\\$`", line[i+1]) >= 0 &&
			(quote == 0 || line[i+1] != ' ' && line[i+1] != '\''):
			i++
			in = true
			w.WriteByte(line[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			w.WriteByte(c)
		case c == '\'' || c == '"':
			in, quote = true, c
		case c == ' ' || c == '\t':
			end()
		case c == '&' && len(list) == 0 && !in: // PowerShell's call operator
		case strings.IndexByte(";&|<>\n\r", c) >= 0:
			return nil
		default:
			in = true
			w.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil
	}
	end()
	return list
}
