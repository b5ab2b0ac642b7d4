package lsp_test

import (
	"testing"
)

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	e := open(t)
	u := e.show(".aside/reminders/a.md", "---\nwhile: context_usage > 75\nmax_fires: 2\n---\ntext")
	ws := e.wrong(u, 1)
	if codes(ws) != "R0204" || ws[0].Range != (span{spot{1, 23}, spot{1, 25}}) || ws[0].Severity != 1 {
		t.Errorf("got %v", ws)
	}
	e.tell("textDocument/didChange", m{"textDocument": m{"uri": u, "version": 2}, "contentChanges": []m{
		{"range": m{"start": m{"line": 1, "character": 25}, "end": m{"line": 1, "character": 25}}, "text": "%"},
	}})
	if ws := e.wrong(u, 2); len(ws) != 0 {
		t.Errorf("got %v", ws)
	}
	if code := e.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
