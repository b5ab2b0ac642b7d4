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
	magic   = "aside-parsed 3\n"
	prefix  = "parsed-"
	maxFile = 16 << 20            // bytes
	stale   = 14 * 24 * time.Hour // another build's memory that was not written for as long is removed
)

// fileName returns the path of the memory of a build.
func fileName(dir, build string) string {
	sum := sha256.Sum256([]byte(build))
	return filepath.Join(dir, prefix+hex.EncodeToString(sum[:8]))
}

// load reads the file, if all of it is as it was written:
//
//	magic, the build
//	how many files, and of each the key and the reminders
//	how many triggers, and of each the text and the tree
//	how many stamps, and of each the path, itself and the key of the file
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
	files := make([]entry, r.count())
	m.files = make(map[key]*entry, len(files))
	for i := range files {
		k := r.key()
		files[i].bytes = r.bytes()
		m.files[k] = &files[i]
	}
	triggers := make([]entry, r.count())
	m.triggers = make(map[string]*entry, len(triggers))
	for i := range triggers {
		src := r.text()
		triggers[i].bytes = r.bytes()
		m.triggers[src] = &triggers[i]
	}
	stamps := make([]stamped, r.count())
	m.stamps = make(map[string]*stamped, len(stamps))
	for i := range stamps {
		path, s := r.text(), &stamps[i]
		for j := range s.stamp {
			s.stamp[j] = int64(r.number())
		}
		s.key = r.key()
		m.stamps[path] = s
	}
}

// Save writes the memory, if there is anything in it that the file does not hold.
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
	files, triggers, stamps := keep(m.files), keep(m.triggers), keep(m.stamps)
	w.number(len(files))
	for k, e := range files {
		w.text(string(k[:]))
		w.text(string(e.bytes))
	}
	w.number(len(triggers))
	for src, e := range triggers {
		w.text(src)
		w.text(string(e.bytes))
	}
	w.number(len(stamps))
	for path, s := range stamps {
		w.text(path)
		for _, n := range s.stamp {
			w.number(int(n))
		}
		w.text(string(s.key[:]))
	}
	sum := sha256.Sum256(w.b)
	return append(w.b, sum[:]...)
}

// keep returns all, or, where these are more than maxEntries, those that this process has asked for.
func keep[K comparable, V interface{ asked() bool }](all map[K]V) map[K]V {
	if len(all) <= maxEntries {
		return all
	}
	kept := make(map[K]V)
	for k, v := range all {
		if v.asked() {
			kept[k] = v
		}
	}
	return kept
}

// sweep removes old files of other builds and of killed processes.
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

// readOwn reads a file that only the user can read and write. Any other file is an error.
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
