package parsed

import (
	"crypto/sha256"
	"io/fs"
	"sync"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/document"
	"github.com/aside-go/aside/grammar"
)

// maxEntries is how many files, and how many triggers, are remembered: with more, those that were not asked for are forgotten.
const maxEntries = 4096

// settled is how long ago a file must have changed for its stamp to tell that it did not change since: a file that was read and
// changed again in the same moment, as the file system counts moments, may have the stamp that it had between. Some count in twos of
// seconds.
const settled = 2 * time.Second

// Memory is what is remembered. It is a load.Memory. Its methods may be called concurrently.
type Memory struct {
	path   string // "": nowhere
	build  string
	opened time.Time // nothing was looked at before

	mu       sync.Mutex // guards what follows
	files    map[key]*entry
	stamps   map[string]*stamped // by path
	keys     map[string]key      // of what Read was given last, by path
	triggers map[string]*entry
	learnt   bool // something that the file at path does not hold
}

// entry is what a file or a trigger was parsed to, in binary.
type entry struct {
	bytes []byte
	used  bool
}

// stamped says what a file held that had this stamp.
type stamped struct {
	stamp stamp
	key   key
	used  bool
}

// key is the SHA-256 of a file's path and bytes.
type key [sha256.Size]byte

func (e *entry) asked() bool   { return e.used }
func (s *stamped) asked() bool { return s.used }

// Open reads the memory in a directory, for a build of a program, by any text that no other build has. A memory that is not there, or
// cannot be used, is an empty one. With "" for the directory nothing is remembered. now is the time by the clock that files get theirs from.
func Open(dir, build string, now time.Time) *Memory {
	m := &Memory{
		build: build, opened: now,
		files: map[key]*entry{}, stamps: map[string]*stamped{}, keys: map[string]key{}, triggers: map[string]*entry{},
	}
	if dir != "" {
		m.path = fileName(dir, build)
		m.load()
	}
	return m
}

// Read is document.Read, but that reminders that are remembered do not know where in their file they stand: what compile.New says of
// their triggers has no place there. It is for who tells nobody of mistakes.
func (m *Memory) Read(path string, src []byte) ([]compile.Reminder, grammar.Diagnostics) {
	k := keyOf(path, src)
	if b := m.read(path, k); b != nil {
		if rs, err := decodeReminders(b, path); err == nil {
			return rs, nil
		}
	}
	rs, ds := document.Read(path, src)
	if len(ds) == 0 {
		if b := encodeReminders(rs); b != nil {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.files[k], m.learnt = &entry{b, true}, true
		}
	}
	return rs, ds
}

// Recall implements load.Memory.
func (m *Memory) Recall(path string, info fs.FileInfo) ([]compile.Reminder, bool) {
	now, ok := stampOf(info)
	if !ok {
		return nil, false
	}
	b := m.unchanged(path, now)
	if b == nil {
		return nil, false
	}
	rs, err := decodeReminders(b, path)
	return rs, err == nil
}

// Remember implements load.Memory.
func (m *Memory) Remember(path string, info fs.FileInfo) {
	before, ok := stampOf(info)
	if !ok || !before.settled(m.opened) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if k, ok := m.keys[path]; ok {
		m.stamps[path], m.learnt = &stamped{before, k, true}, true
	}
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

// read looks up what Read is given.
func (m *Memory) read(path string, k key) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[path] = k
	return m.files[k].use()
}

// unchanged looks up what Recall is given.
func (m *Memory) unchanged(path string, now stamp) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stamps[path]
	if s == nil || s.stamp != now {
		return nil
	}
	s.used = true
	return m.files[s.key].use()
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
func keyOf(path string, src []byte) (k key) {
	h := sha256.New()
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write(src)
	h.Sum(k[:0])
	return k
}
