package callpattern

import (
	"slices"
	"strings"
)

// options are those of a program. The tables hold the options that take an argument in a word of its own,
// from the manual pages of sudo 1.9, GNU coreutils 9, findutils 4.10, sed 4.9, patch 2.7, time 1.9, git 2.47,
// perl 5.40 and bash 5.2, and where they have more, of FreeBSD 14 and macOS 15. All others are single words.
type options struct {
	short   string   // the letters of options with an argument
	glued   string   // the letters of options whose argument, if any, is the rest of the word
	long    []string // the names of options with an argument
	nothing []string // options with which it runs or changes nothing, or nothing that stands here
}

// wrapper is a command that runs the command in its arguments.
type wrapper struct {
	options
	operands int  // the operands before the command
	assigns  bool // whether NAME=VALUE may stand before the command
}

var wrappers = map[string]wrapper{
	"sudo": {assigns: true, options: options{short: "CDRTUacghprtu",
		long: []string{"chdir", "chroot", "close-from", "command-timeout", "group", "host", "other-user", "prompt",
			"role", "type", "user", "auth-type", "login-class"},
		nothing: []string{"-l", "-e", "-v", "-V", "-K", "--list", "--edit", "--validate", "--version",
			"--remove-timestamp", "--help"}}},
	"env": {assigns: true, options: options{short: "uCSPLUa", nothing: []string{"--help", "--version"},
		long: []string{"unset", "chdir", "split-string", "argv0"}}},
	"time": {options: options{short: "fo", long: []string{"format", "output"},
		nothing: []string{"-V", "--version", "--help"}}},
	"timeout": {operands: 1, options: options{short: "ks", long: []string{"kill-after", "signal"},
		nothing: []string{"--help", "--version"}}},
	"nice": {options: options{short: "n", long: []string{"adjustment"},
		nothing: []string{"--help", "--version"}}},
	"nohup":   {options: options{nothing: []string{"--help", "--version"}}},
	"exec":    {options: options{short: "a"}},
	"command": {options: options{nothing: []string{"-v", "-V"}}},
	"xargs": {options: options{short: "adEILnPsJRS", glued: "eil", nothing: []string{"--help", "--version"},
		long: []string{"arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"}}},
}

// shells are the commands that take a command line behind -c.
var shells = []string{"sh", "bash", "dash", "zsh"}

// follow finds the command that the words run: the number of words before it, 0 if there is none, or the
// command line that a shell is given.
func follow(words []string) (skip int, line string) {
	if len(words) < 2 {
		return 0, ""
	}
	name := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if slices.Contains(shells, name) {
		return 0, shellLine(words)
	}
	if w, ok := wrappers[name]; ok {
		return w.skip(words), ""
	}
	return 0, ""
}

// skip returns the number of words before the command, or 0 if there is none.
func (w *wrapper) skip(words []string) int {
	i := 1
	for i < len(words) {
		word := words[i]
		if word == "--" {
			i++
			break
		}
		if w.assigns && (word == "-" || isAssignment(word)) {
			i++
			continue
		}
		if len(word) < 2 || word[0] != '-' {
			break
		}
		if slices.Contains(w.nothing, word) {
			return 0
		}
		i += 1 + w.arguments(word)
	}
	for i < len(words) && w.assigns && isAssignment(words[i]) {
		i++
	}
	if i += w.operands; i >= len(words) {
		return 0
	}
	return i
}

// arguments returns how many words behind the option are its argument.
func (o *options) arguments(option string) int {
	if name, ok := strings.CutPrefix(option, "--"); ok {
		if slices.Contains(o.long, name) {
			return 1
		}
		return 0
	}
	letters := o.letters(option)
	if last := letters[len(letters)-1:]; len(letters) == len(option)-1 && strings.Contains(o.short, last) {
		return 1
	}
	return 0
}

// letters returns the options that a word as -pi.bak holds, without the argument of the last one.
func (o *options) letters(word string) string {
	if i := strings.IndexAny(word[1:], o.short+o.glued); i >= 0 {
		return word[1 : i+2]
	}
	return word[1:]
}

// isAssignment reports whether the word is NAME=VALUE.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// shellLine returns the command line behind -c: the first operand if one of the options is -c, alone or among
// others as in -lc.
func shellLine(words []string) string {
	given := false
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--" || word == "-":
			if given && i+1 < len(words) {
				return words[i+1]
			}
			return ""
		case word == "--rcfile" || word == "--init-file":
			i++
		case strings.HasPrefix(word, "--"):
		case len(word) > 1 && (word[0] == '-' || word[0] == '+'):
			given = given || word[0] == '-' && strings.IndexByte(word, 'c') > 0
			i += strings.Count(word, "o") + strings.Count(word, "O") // each takes the name of an option
		case given:
			return word
		default:
			return "" // a file
		}
	}
	return ""
}
