package load

import (
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// Reading returns options with which files are read by f, in place of document.Read.
func Reading(f func(path string, src []byte) ([]compile.Source, grammar.Diagnostics)) Options {
	return Options{read: f}
}
