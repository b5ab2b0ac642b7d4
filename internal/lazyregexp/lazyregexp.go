// Package lazyregexp compiles regular expressions when they are first used: a hook is a process of a few milliseconds, and would
// pay at its start for the patterns of every other command. It does no I/O and may be called concurrently.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns what gives the compiled pattern, the same at each call. It panics at its first call if the pattern is none, so that
// a test has to come by there.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
