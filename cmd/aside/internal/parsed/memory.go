package parsed

import (
	"crypto/sha256"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/document"
	"github.com/aside-go/aside/grammar"
)

// maxEntries is how many files, and how many triggers, are remembered: with more, those that were not asked for are forgotten.
const maxEntries = 4096

// Memory is what is remembered. Read and Parse may be called concurrently.
type Memory struct {
	path  string // "": nowhere
	build string

	mu       sync.Mutex // guards what follows
	files    map[[sha256.Size]byte]*entry
	triggers map[string]*entry
	learnt   bool // something that the file at path does not hold
}

// entry is what a file or a trigger was parsed to, in binary.
type entry struct {
	bytes []byte
	used  bool
}

// Open reads the memory in a directory, for a build of a program, by any text that no other build has. A memory that is not there, or
// cannot be used, is an empty one. With "" for the directory nothing is remembered.
func Open(dir, build string) *Memory {
	m := &Memory{build: build, files: map[[sha256.Size]byte]*entry{}, triggers: map[string]*entry{}}
	if dir != "" {
		m.path = fileName(dir, build)
		m.read()
	}
	return m
}

// Read is document.Read, but that reminders that are remembered do not know where in their file they stand: what compile.New says of
// their triggers has no place there. It is for who tells nobody of mistakes.
func (m *Memory) Read(path string, src []byte) ([]compile.Reminder, grammar.Diagnostics) {
	key := keyOf(path, src)
	if b := m.file(key); b != nil {
		if rs, err := decodeReminders(b, path); err == nil {
			return rs, nil
		}
	}
	rs, ds := document.Read(path, src)
	if len(ds) == 0 {
		if b := encodeReminders(rs); b != nil {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.files[key], m.learnt = &entry{b, true}, true
		}
	}
	return rs, ds
}

// Parse is grammar.Parse.
func (m *Memory) Parse(src string) (*grammar.Trigger, grammar.Diagnostics) {
	if b := m.trigger(src); b != nil {
		if t, err := grammar.ReadBinary(b); err == nil && t.Source == src {
			return t, nil
		}
	}
	t, ds := grammar.Parse(src)
	if len(ds) == 0 {
		if b, err := t.AppendBinary(nil); err == nil {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.triggers[src], m.learnt = &entry{b, true}, true
		}
	}
	return t, ds
}

func (m *Memory) file(key [sha256.Size]byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files[key].use()
}

func (m *Memory) trigger(src string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.triggers[src].use()
}

func (e *entry) use() []byte {
	if e == nil {
		return nil
	}
	e.used = true
	return e.bytes
}

// keyOf names what a file holds: its path tells the id of a reminder that says none itself.
func keyOf(path string, src []byte) (key [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write(src)
	h.Sum(key[:0])
	return key
}
