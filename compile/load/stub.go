package load

import (
	"context"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

type Source struct {
	Path    string
	Project bool
}

func Standard(home, project string) []Source     { panic("stub") }
func Paths(patterns ...string) ([]Source, error) { panic("stub") }

type Options struct {
	compile.Options
	Trusted func(dir string) bool
}
type Result struct {
	Set         *compile.Set
	Reminders   []compile.Reminder
	Diagnostics grammar.Diagnostics
	Files       map[string][]byte
	Overrides   map[string][]string
}

func Load(sources []Source, opts Options) *Result         { panic("stub") }
func Dir(path string) (*compile.Set, grammar.Diagnostics) { panic("stub") }
func Watch(ctx context.Context, sources []Source, opts Options, changed func(*Result)) error {
	panic("stub")
}
