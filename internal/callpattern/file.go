package callpattern

import (
	"cmp"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aside-go/aside/compile/fact"
)

const (
	// maxChoices is how many patterns the braces of one may stand for.
	maxChoices = 64
	// maxPath is the longest path that is compared, in bytes: PATH_MAX of Linux.
	maxPath = 4096
)

// form is the form of a path that a glob is compared with.
type form uint8

const (
	byName    form = iota // the file's name
	inProject             // the path below the project directory
	byRoot                // the absolute path
	inHome                // the path below the home directory
)

// glob is a file pattern without braces.
type glob struct {
	form form
	text string // in the form of a path, cleaned
}

// parseGlobs returns a glob for each choice of the braces in subject.
func parseGlobs(subject string) ([]glob, *Mistake) {
	text := subject
	if isDrive(text) {
		text = slashes(text)
	}
	if !doublestar.ValidatePattern(text) {
		return nil, &Mistake{Length: len(subject), Kind: BadGlob,
			Message: "a bracket or brace of the file pattern is never closed, or holds nothing",
			Hint:    `close it, or write "\[" for the character itself`}
	}
	choices := expandBraces(nil, text)
	if len(choices) > maxChoices {
		return nil, &Mistake{Length: len(subject), Kind: BadGlob,
			Message: "the braces of the file pattern stand for more than 64 patterns", Hint: "write several patterns"}
	}
	globs := make([]glob, len(choices))
	for i, choice := range choices {
		globs[i] = newGlob(choice)
	}
	return globs, nil
}

func newGlob(text string) glob {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		return glob{inHome, cleanPattern(rest)}
	}
	if isAbsolute(text) {
		return glob{byRoot, upperDrive(cleanPattern(text))}
	}
	if strings.Contains(text, "/") {
		return glob{inProject, cleanPattern(text)}
	}
	return glob{byName, text}
}

// cleanPattern takes the . and .. out of a pattern as path.Clean does with a path. A slash at its end stays.
func cleanPattern(text string) string {
	cleaned := path.Clean(text)
	if strings.HasSuffix(text, "/") && cleaned != "/" {
		cleaned += "/"
	}
	return cleaned
}

// expandBraces appends the choices of the braces in text, which is valid. It stops when there are too many.
func expandBraces(list []string, text string) []string {
	if len(list) > maxChoices {
		return list
	}
	open := nextOpen(text)
	if open < 0 {
		return append(list, text)
	}
	depth, from := 0, open+1
	var choices []string
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case ',':
			if depth == 1 {
				choices, from = append(choices, text[from:i]), i+1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			for _, choice := range append(choices, text[from:i]) {
				list = expandBraces(list, text[:open]+choice+text[i+1:])
			}
			return list
		}
	}
	return append(list, text)
}

// nextOpen returns the place of the first brace that opens choices, or -1.
func nextOpen(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			for i++; i < len(text) && text[i] != ']'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{':
			return i
		}
	}
	return -1
}

// file is one path in the forms in which it is compared.
type file struct {
	name  string
	below string // "" if the file lies outside the project
	whole string // the absolute path; "" if it is not known
}

func (p *Pattern) matchFiles(paths []string, at fact.Place) bool {
	if len(p.files) == 0 {
		return false
	}
	project, home := normal(at.Project), cmp.Or(normal(at.Home), unknownHome)
	for _, text := range paths {
		if text == "" || len(text) > maxPath {
			continue
		}
		f := locate(text, project, home)
		for i := range p.files {
			if p.files[i].match(&f, home) {
				return true
			}
		}
	}
	return false
}

// unknownHome stands for a home directory that is not known.
const unknownHome = "~"

// locate finds the forms of a path. project and home are normal, or home is unknownHome.
func locate(text, project, home string) file {
	if isDrive(project) || isDrive(text) {
		text = slashes(text)
	}
	rest, atHome := strings.CutPrefix(text, "~/")
	if atHome {
		text = home + "/" + rest
	}
	var f file
	switch {
	case atHome && home == unknownHome:
		f.whole = path.Clean(text)
	case isAbsolute(text):
		f.whole = normal(text)
	case project != "":
		f.whole = path.Join(project, text)
	default:
		text = path.Clean(text)
		f.name = path.Base(text)
		if text != ".." && !strings.HasPrefix(text, "../") {
			f.below = text
		}
		return f
	}
	f.name = path.Base(f.whole)
	f.below, _ = under(project, f.whole)
	return f
}

func (g *glob) match(f *file, home string) bool {
	var text string
	switch g.form {
	case byName:
		text = f.name
	case inProject:
		text = f.below
	case byRoot:
		text = f.whole
	case inHome:
		if f.whole != "" {
			text, _ = under(home, f.whole)
		}
	}
	return text != "" && doublestar.MatchUnvalidated(g.text, text)
}

// under returns the path below dir, "." for dir itself.
func under(dir, whole string) (string, bool) {
	if dir == "" {
		return "", false
	}
	if whole == dir {
		return ".", true
	}
	rest, ok := strings.CutPrefix(whole, strings.TrimSuffix(dir, "/")+"/")
	if !ok {
		return "", false
	}
	return rest, true
}

// normal returns an absolute path cleaned, with slashes, and its drive, if any, in upper case; "" stays.
func normal(p string) string {
	if p == "" {
		return ""
	}
	if isDrive(p) {
		p = slashes(p)
	}
	return upperDrive(path.Clean(p))
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }

// isDrive reports whether p is absolute as Windows writes it: C:\ or C:/, or \\server.
func isDrive(p string) bool {
	if strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') &&
		(p[0] >= 'a' && p[0] <= 'z' || p[0] >= 'A' && p[0] <= 'Z')
}

func upperDrive(p string) string {
	if isDrive(p) && p[0] >= 'a' {
		return strings.ToUpper(p[:1]) + p[1:]
	}
	return p
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }
