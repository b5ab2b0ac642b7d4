package lsp

import (
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// memo caches the results of reading files and parsing triggers: of a thousand files an editor changes one at a time. It may be used
// concurrently.
type memo struct {
	mu       sync.Mutex
	files    map[string]readFile
	triggers map[string]readTrigger
}

type readFile struct {
	src       string
	reminders []compile.Source
	ds        grammar.Diagnostics
}

type readTrigger struct {
	tree *grammar.Trigger
	ds   grammar.Diagnostics
}

// most is how many files, and how many triggers, are cached before all are dropped: typing leaves many triggers that never come again.
const most = 30_000

// read is document.Read. The caller must not write to what it returns.
func (m *memo) read(path string, src []byte) ([]compile.Source, grammar.Diagnostics) {
	m.mu.Lock()
	known, ok := m.files[path]
	m.mu.Unlock()
	if ok && known.src == string(src) {
		return known.reminders, known.ds
	}
	rs, ds := document.Read(path, src)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil || len(m.files) >= most {
		m.files = map[string]readFile{}
	}
	m.files[path] = readFile{string(src), rs, ds}
	return rs, ds
}

// parse is grammar.Parse. The caller must not write to what it returns.
func (m *memo) parse(src string) (*grammar.Trigger, grammar.Diagnostics) {
	m.mu.Lock()
	known, ok := m.triggers[src]
	m.mu.Unlock()
	if ok {
		return known.tree, known.ds
	}
	tree, ds := grammar.Parse(src)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.triggers == nil || len(m.triggers) >= most {
		m.triggers = map[string]readTrigger{}
	}
	m.triggers[src] = readTrigger{tree, ds}
	return tree, ds
}
