package parsed

import (
	"crypto/sha256"
	"io/fs"
	"sync"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// maxEntries is how many files, and how many triggers, may be remembered before those are forgotten that a process did not ask for.
const maxEntries = 4096

// settled is how long ago a file must have changed for its stamp to be of use: a file that changes after it was read, but still within
// the resolution of the file system's clock, keeps its stamp. Some file systems count in steps of two seconds.
const settled = 2 * time.Second

// Memory is a cache of parsed rule files and triggers. It is a load.Memory. Its methods may be called concurrently.
type Memory struct {
	path   string // "": nothing is saved
	build  string
	opened time.Time // before any file was looked at

	mu       sync.Mutex // guards what follows
	files    map[key]*entry
	stamps   map[string]*stamped // by path
	keys     map[string]key      // by path, the key of what Read was given last
	triggers map[string]*entry
	learnt   bool // there is something that the file at path does not hold
}

// entry is a parsed file or trigger, encoded.
type entry struct {
	bytes []byte
	used  bool // this process has asked for it
}

// stamped is the key of what a file held when it had a stamp.
type stamped struct {
	stamp stamp
	key   key
	used  bool // this process has asked for it
}

// key is the SHA-256 of a file's path and bytes.
type key [sha256.Size]byte

func (e *entry) asked() bool   { return e.used }
func (s *stamped) asked() bool { return s.used }

// Open reads the memory of a build of a program in a directory. build is any text that no other build has. A memory that does not exist,
// or cannot be used, is empty. With "" for the directory nothing is saved. now is the time by the clock that files have their times
// from.
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

// Read is document.Read, except that remembered reminders do not know their places in the file, so that diagnostics of compile.New have
// no ranges. It is for callers that show nobody any diagnostics.
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

// read looks up the reminders for Read, nil where there are none.
func (m *Memory) read(path string, k key) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[path] = k
	return m.files[k].use()
}

// unchanged looks up the reminders for Recall, nil where there are none.
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

// keyOf returns the key of a file. The path is part of it, since a reminder without an id has its id from the file's name.
func keyOf(path string, src []byte) (k key) {
	h := sha256.New()
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write(src)
	h.Sum(k[:0])
	return k
}
