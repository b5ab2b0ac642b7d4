package reference

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// callPattern is a call pattern, read once more: NAME, @CLASS, and a subject in parentheses.
type callPattern struct {
	name, class, subject string
	inside               bool
}

func readPattern(text string) callPattern {
	var p callPattern
	p.name = strings.TrimSpace(text)
	if i := strings.IndexByte(p.name, '('); i >= 0 {
		p.subject = strings.TrimSuffix(p.name[i+1:], ")")
		p.inside = p.subject != "*"
		p.name = strings.TrimSpace(p.name[:i])
	}
	if strings.HasPrefix(p.name, "@") {
		p.class = p.name[1:]
	}
	return p
}

// like reports whether a text is as a pattern in which * is any text.
func like(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	if pattern[0] == '*' {
		for i := 0; i <= len(text); i++ {
			if like(pattern[1:], text[i:]) {
				return true
			}
		}
		return false
	}
	return text != "" && text[0] == pattern[0] && like(pattern[1:], text[1:])
}

// match holds the pattern against a call.
func (p callPattern) match(c *fact.Call, at fact.Place) fact.Truth {
	if p.class == "edit" && c.Edits {
		files := func(s string) bool { return fileLike(p.subject, s, at) }
		switch {
		case !p.inside, slices.ContainsFunc(c.Paths, files):
			return fact.True
		case c.Unsaid:
			return fact.Unknown
		}
		return fact.False
	}
	switch {
	case p.class != "" && string(c.Class) != p.class, p.class == "" && !like(p.name, c.Tool):
		return fact.False
	case !p.inside:
		return fact.True
	case c.Class == fact.Todo:
		return fact.False
	case !c.Told:
		return fact.Unknown
	}
	switch {
	case c.Class == fact.Shell, c.Class == fact.NoClass && c.Command != "":
		return fact.Of(slices.ContainsFunc(Commands(c.Command), func(s string) bool { return like(p.subject, s) }))
	case c.Class == fact.Edit, c.Class == fact.Read, c.Class == fact.NoClass && len(c.Paths) > 0:
		return fact.Of(slices.ContainsFunc(c.Paths, func(s string) bool { return fileLike(p.subject, s, at) }))
	default:
		return fact.Of(like(p.subject, c.Subject))
	}
}

// fileLike holds a pattern of files against a path.
func fileLike(pattern, file string, at fact.Place) bool {
	if i := strings.IndexByte(pattern, '{'); i >= 0 {
		end := i + strings.IndexByte(pattern[i:], '}')
		return slices.ContainsFunc(strings.Split(pattern[i+1:end], ","), func(choice string) bool {
			return fileLike(pattern[:i]+choice+pattern[end+1:], file, at)
		})
	}
	home := cmp.Or(at.Home, "/~") // no other path lies in a home directory that is not known
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = home + "/" + rest
	}
	whole := path.Clean(file)
	below := ""
	switch {
	case !strings.HasPrefix(whole, "/"):
		if whole != ".." && !strings.HasPrefix(whole, "../") {
			below = whole
		}
		if at.Project == "" {
			whole = ""
		} else {
			whole = path.Join(at.Project, whole)
		}
	case at.Project != "" && strings.HasPrefix(whole, at.Project+"/"):
		below = whole[len(at.Project)+1:]
	}
	if below == "" && whole != "" && at.Project != "" && strings.HasPrefix(whole, at.Project+"/") {
		below = whole[len(at.Project)+1:]
	}
	switch {
	case strings.HasPrefix(pattern, "~/"):
		return whole != "" && glob(home+pattern[1:], whole)
	case strings.HasPrefix(pattern, "/"):
		return whole != "" && glob(pattern, whole)
	case strings.Contains(pattern, "/"):
		return below != "" && glob(pattern, below)
	default:
		return glob(pattern, path.Base(path.Clean(file)))
	}
}

// glob is a file pattern as a regular expression.
func glob(pattern, file string) bool {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString("(.*/)?")
			i += 2
		case strings.HasPrefix(pattern[i:], "/**") && i+3 == len(pattern):
			b.WriteString("(/.*)?")
			i += 2
		case pattern[i:] == "**":
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[':
			end := i + strings.IndexByte(pattern[i:], ']')
			b.WriteString(pattern[i : end+1])
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return regexp.MustCompile(`(?s)^` + b.String() + `$`).MatchString(file)
}

// Commands returns the simple commands of a command line. It reads lists, pipes, subshells, substitutions,
// quotes and the commands behind others, and no more: loops, functions and here-documents it does not know.
// Assignments alone are a command without words, and so is a line without any command.
func Commands(line string) []string {
	if out := commands(line); len(out) > 0 {
		return out
	}
	return []string{""}
}

func commands(line string) []string {
	s := shellReader{in: line}
	s.list(0)
	return s.out
}

type shellReader struct {
	in  string
	at  int
	out []string
}

// list reads to the end, or to the byte that closes.
func (s *shellReader) list(closing byte) {
	words := []string{}
	word, open := "", false
	end := func() {
		if open {
			words = append(words, word)
		}
		word, open = "", false
	}
	finish := func() {
		end()
		if len(words) > 1 && words[0] == "time" && strings.HasPrefix(s.in[s.at-1:], "|") &&
			!strings.HasPrefix(s.in[s.at-1:], "||") { // it times the whole pipe
			words = words[1:]
		}
		s.command(words)
		words = nil
	}
	for s.at < len(s.in) {
		c := s.in[s.at]
		s.at++
		switch {
		case c == closing && closing != 0:
			finish()
			return
		case c == '(' && !open:
			s.list(')')
		case c == '$' && s.at < len(s.in) && s.in[s.at] == '(':
			from := s.at - 1
			s.at++
			s.list(')')
			word, open = word+s.in[from:s.at], true
		case c == '\'':
			n := strings.IndexByte(s.in[s.at:], '\'')
			word, open = word+s.in[s.at:s.at+n], true
			s.at += n + 1
		case c == '"':
			open = true
			for s.in[s.at] != '"' {
				if strings.HasPrefix(s.in[s.at:], "$(") {
					from := s.at
					s.at += 2
					s.list(')')
					word += s.in[from:s.at]
					continue
				}
				word += string(s.in[s.at])
				s.at++
			}
			s.at++
		case c == ' ':
			end()
		case c == ';', c == '\n', c == '&', c == '|':
			finish()
		default:
			word, open = word+string(c), true
		}
	}
	finish()
}

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// command notes a simple command, and those behind it.
func (s *shellReader) command(words []string) {
	if len(words) == 0 {
		return
	}
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		s.out = append(s.out, "")
		return
	}
	s.out = append(s.out, strings.Join(words, " "))
	rest := words[1:]
	switch words[0] {
	case "sudo", "env", "nohup", "exec", "command", "time", "nice", "xargs":
	case "timeout":
		if len(rest) > 0 {
			rest = rest[1:]
		}
	case "sh", "bash", "dash", "zsh":
		if len(rest) > 1 && (rest[0] == "-c" || rest[0] == "-lc") {
			s.out = append(s.out, commands(rest[1])...)
		}
		return
	default:
		return
	}
	s.command(rest)
}
