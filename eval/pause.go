package eval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// maxCommands is how many simple commands of a line are looked at one by one.
const maxCommands = 64

// pauses returns what reminder i asks about in the call at hand, by keys in words. It is the least of the
// call that makes the trigger true: some of its simple commands, each by itself; else some of its files; else
// all of it, as it is for a trigger that is true whatever stands in a command line.
func (p *program) pauses(f *fact.Frame, i int) (keys []string) {
	_, call := f.Moment()
	defer f.SetMoment(fact.BeforeTool, call)
	asks := func(part fact.Call, key string) bool {
		f.SetMoment(fact.BeforeTool, &part)
		is := p.read(i, p.set.Trigger(i), f) == fact.True
		if is && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		return is
	}
	whole := strings.Join(append([]string{call.Tool, call.Subject}, call.Paths...), "\x00")
	if call.Command != "" {
		commands := callpattern.Commands(call.Command)
		whole = plain(strings.Join(commands, " ; "))
		part := *call
		part.Paths, part.Edits, part.Unsaid, part.Written = nil, false, false, nil // no effect on files
		if part.Command = ""; len(commands) > maxCommands || asks(part, whole) {
			return []string{whole}
		}
		for _, part.Command = range commands {
			asks(part, plain(part.Command))
		}
		inner := slices.Clone(keys) // a command behind sudo or its like is what is asked about
		keys = slices.DeleteFunc(keys, func(key string) bool {
			return slices.ContainsFunc(inner, func(in string) bool { return strings.HasSuffix(key, " "+in) })
		})
	}
	if part := *call; len(keys) == 0 {
		for _, path := range call.Paths {
			part.Paths = []string{path}
			asks(part, path)
		}
	}
	if len(keys) == 0 {
		keys = []string{whole}
	}
	return keys
}

// plain is a simple command in the form in which it is the same as another: without slashes at the end of
// words. It has no quotes, redirections and comments.
func plain(command string) string {
	words := strings.Fields(command)
	for k, w := range words {
		words[k] = cmp.Or(strings.TrimRight(w, "/"), "/")
	}
	return strings.Join(words, " ")
}
