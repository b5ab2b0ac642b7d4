package lsp

import (
	"slices"
	"sync"
)

// madeTexts remembers which texts of files the server has offered in place of others. An editor that applies
// an edit and saves the file has then written nothing but what the server made of a text that may be trusted.
// Its methods may be called concurrently.
type madeTexts struct {
	mu   sync.Mutex
	list []madeText // the latest last
}

// madeText is one text of a file, and the text that it was made of, perhaps in several steps.
type madeText struct{ path, from, to string }

// mostMade is how many texts are remembered: an editor asks for many fixes and applies few.
const mostMade = 64

// add remembers that to was made of from.
func (m *madeTexts) add(path, from, to string) {
	if path == "" || from == to {
		return
	}
	if first, ok := m.origin(path, from); ok {
		from = first
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list[max(len(m.list)-mostMade+1, 0):len(m.list):len(m.list)], madeText{path, from, to})
}

// origin returns the text that a text of a file was made of; ok is false where the server has not made it.
func (m *madeTexts) origin(path, to string) (from string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range slices.Backward(m.list) {
		if x.path == path && x.to == to {
			return x.from, true
		}
	}
	return "", false
}

// applied returns a text with replacements, which are in order and do not overlap.
func applied(s string, list []replacement) string {
	for _, r := range slices.Backward(list) {
		s = s[:r.from] + r.text + s[r.to:]
	}
	return s
}
