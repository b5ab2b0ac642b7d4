package parsed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	magic   = "aside-parsed 2\n"
	prefix  = "parsed-"
	maxFile = 16 << 20            // bytes
	stale   = 14 * 24 * time.Hour // after which another build's memory is removed
)

// fileName is where the memory of a build is.
func fileName(dir, build string) string {
	sum := sha256.Sum256([]byte(build))
	return filepath.Join(dir, prefix+hex.EncodeToString(sum[:8]))
}

// load takes in what the file holds, if all of it is as it was written:
//
//	magic, the build, then for each file 1, its key and its reminders, for each trigger 2, its text and its tree, for each stamp 3, the
//	path, the stamp and the file's key, and 0 in the end
//	SHA-256 of all before
func (m *Memory) load() {
	b, err := readOwn(m.path)
	if err != nil || len(b) < len(magic)+sha256.Size || string(b[:len(magic)]) != magic {
		return
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return
	}
	r := reader{b: body[len(magic):]}
	if r.text() != m.build {
		return
	}
	for {
		switch r.number() {
		case 1:
			var key [sha256.Size]byte
			copy(key[:], r.bytes())
			m.files[key] = &entry{bytes: r.bytes()}
		case 2:
			m.triggers[r.text()] = &entry{bytes: r.bytes()}
		case 3:
			path, s := r.text(), &stamped{}
			for i := range s.stamp {
				s.stamp[i] = int64(r.number())
			}
			copy(s.key[:], r.bytes())
			m.stamps[path] = s
		default:
			return
		}
	}
}

// Save writes what was learnt. Where nothing was, it does nothing.
func (m *Memory) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.learnt || m.path == "" {
		return nil
	}
	b := m.encode()
	if len(b) > maxFile {
		return errors.New("there is too much to remember")
	}
	dir := filepath.Dir(m.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sweep(dir, m.path)
	f, err := os.CreateTemp(dir, prefix+"tmp-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), m.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	m.learnt = false
	return nil
}

func (m *Memory) encode() []byte {
	w := writer{b: []byte(magic)}
	w.text(m.build)
	for key, e := range m.files {
		if e.used || len(m.files) <= maxEntries {
			w.number(1)
			w.text(string(key[:]))
			w.text(string(e.bytes))
		}
	}
	for src, e := range m.triggers {
		if e.used || len(m.triggers) <= maxEntries {
			w.number(2)
			w.text(src)
			w.text(string(e.bytes))
		}
	}
	for path, s := range m.stamps {
		if s.used || len(m.stamps) <= maxEntries {
			w.number(3)
			w.text(path)
			for _, n := range s.stamp {
				w.number(int(n))
			}
			w.text(string(s.key[:]))
		}
	}
	w.number(0)
	sum := sha256.Sum256(w.b)
	return append(w.b, sum[:]...)
}

// sweep removes what other builds, and killed processes, left long ago.
func sweep(dir, own string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if info, err := f.Info(); err == nil && strings.HasPrefix(f.Name(), prefix) && path != own && info.Mode().IsRegular() && time.Since(info.ModTime()) > stale {
			_ = os.Remove(path)
		}
	}
}

// readOwn reads a file that is the user's own, and nobody else's.
func readOwn(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !private(info) || info.Size() > maxFile {
		return nil, errors.New("not a file of the user's own")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, errors.New("another file by now"))
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(f, b)
	return b, err
}
