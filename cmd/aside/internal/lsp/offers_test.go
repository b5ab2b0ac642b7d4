package lsp_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/lsp"
)

// TestSaved: the server calls Saved for a saved text that it has made, in one step or two, and for no other.
func TestSaved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []string
	e := open(t, with{options: func(o *lsp.Options) {
		o.Saved = func(path string, from, to []byte) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%q over %q", to, from))
		}
	}})
	const was = "---\nwhen: context_usage>75 # c\n---\nx\n"
	fixed := strings.Replace(was, "75", "75%", 1)
	formatted := strings.Replace(fixed, "context_usage>75%", "context_usage > 75%", 1)
	u := e.show(".aside/reminders/a.md", was)
	save := func(version int, text string) {
		t.Helper()
		e.retype(u, version, text)
		e.tell("textDocument/didSave", m{"textDocument": m{"uri": u}})
	}
	save(2, fixed) // typed, before the server has offered it
	save(3, was)
	e.actions(u, span{spot{1, 0}, spot{1, 22}})
	save(4, fixed)
	var edits []m
	e.ask("textDocument/formatting", m{"textDocument": m{"uri": u}, "options": m{}}, &edits)
	save(5, formatted)
	save(6, formatted+"more\n")
	e.ask("textDocument/hover", m{"textDocument": m{"uri": u}, "position": m{"line": 1, "character": 8}},
		new(any))
	mu.Lock()
	defer mu.Unlock()
	want := []string{fmt.Sprintf("%q over %q", fixed, was), fmt.Sprintf("%q over %q", formatted, was)}
	if fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told\n%s\nnot\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}
