package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/testkit"
)

// TestHuge: a text of many megabytes is answered like any other, and so are its changes.
func TestHuge(t *testing.T) {
	t.Parallel()
	e := open(t)
	for _, c := range []struct{ name, before, part, behind string }{
		{"a.md", "", "---\nwhen: [\n", ""},
		{"a.md", "---\nwhen: ", "(", "\n---\nx"},
		{"a.md", "---\nid: a\n---\n", "{{.model}} ", ""},
		{"a.md", "---\n", "é🪟", ""},
		{"a.yaml", "", "- ", ""},
		{"a.yaml", "", "a: {", ""},
		{"a.yaml", "", "- {a: [\n", ""},
		{"a.yaml", "reminders:\n", "- id: a\n  content: |\n    x\n", ""},
		{"a_test.yaml", "tests:\n- steps:\n", "  - {facts: {}, fires: [a]}\n", ""},
	} {
		for _, size := range []int{100 << 10, 1 << 20}[:testkit.Repeat(1, 2)] {
			e.huge(c.name, c.before+strings.Repeat(c.part, size/len(c.part))+c.behind)
		}
	}
}

func (e *editor) huge(name, text string) {
	e.t.Helper()
	began := time.Now()
	u := e.show(".aside/reminders/"+name, text)
	if ws := e.wrong(u, 1); len(ws) == 0 && (len(text) < 1<<19 || !strings.HasSuffix(name, "_test.yaml")) {
		e.t.Errorf("%.20q: nothing is said", text)
	}
	e.tell("textDocument/didChange", m{"textDocument": m{"uri": u, "version": 2}, "contentChanges": []m{
		{"range": m{"start": m{"line": 0, "character": 0}, "end": m{"line": 0, "character": 1}}, "text": text[:1]},
	}})
	for _, at := range []spot{{0, 1}, {1, 3}, {1, 1 << 17}, {1 << 20, 0}} {
		for _, method := range []string{"hover", "completion", "definition"} {
			e.ask("textDocument/"+method, m{"textDocument": m{"uri": u}, "position": at}, nil)
		}
	}
	for _, method := range []string{"documentSymbol", "formatting"} {
		e.ask("textDocument/"+method, m{"textDocument": m{"uri": u}}, nil)
	}
	e.wrong(u, 2)
	e.hide(u)
	e.t.Logf("%v for %d bytes of %.20q", time.Since(began).Round(time.Millisecond), len(text), text)
}

// TestMany: changes that come faster than they can be spoken of are spoken of together, and the last one
// always.
func TestMany(t *testing.T) {
	t.Parallel()
	e := open(t)
	var others strings.Builder // which make each look take longer than many changes
	others.WriteString("reminders:\n")
	for i := range testkit.Repeat(500, 2000) {
		fmt.Fprintf(&others, "  - {id: other-%d, when: turn_count > %d, content: x}\n", i, i)
	}
	e.show(".aside/reminders/others.yaml", others.String())
	u := e.show(".aside/reminders/a.md", "---\nwhen: turn_count > 1\n---\nx")
	n := testkit.Repeat(500, 2000)
	for i := 2; i <= n; i++ {
		e.retype(u, i, fmt.Sprintf("---\nwhen: turn_cuont > %d\n---\nx", i))
	}
	if ws := e.wrong(u, n); codes(ws) != "R0201" {
		t.Errorf("got %v", ws)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t.Logf("%d changes were spoken of %d times", n, e.times[u])
	if e.times[u] >= n*9/10 { // a busy machine sends them slowly
		t.Errorf("%d changes were spoken of %d times", n, e.times[u])
	}
}

// TestAtOnce: whatever is asked while a text is typed has an answer, none of which is an internal error.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	e := open(t)
	full := "---\nid: a\nwhen: \"turn_count > 3 and used(\\\"Bash\\\") or turns_since('a') > 3\"\nschedule: " +
		"{kind: turn}\n# aside: allow R1012\n---\nis {{.model | upper}} 🪟\n"
	u := e.show(".aside/reminders/a.md", full)
	v := e.show(".aside/reminders/b_test.yaml", "tests:\n  - steps: [{facts: {turn_count: 3}, fires: [a]}]\n")
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(k), 7))
			for range 150 {
				doc := [...]string{u, v}[r.IntN(2)]
				at := m{"textDocument": m{"uri": doc}, "position": spot{r.IntN(9), r.IntN(40)},
					"range": span{spot{0, 0}, spot{9, 0}}, "context": m{"diagnostics": []m{}}}
				method := [...]string{"hover", "completion", "definition", "codeAction", "documentSymbol",
					"formatting"}[r.IntN(6)]
				if err := e.try("textDocument/"+method, at, nil); err != nil {
					t.Errorf("%s: %v", method, err)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := 2; i < 300; i++ {
		cut := r.IntN(len(full) + 1)
		for cut < len(full) && full[cut]&0xc0 == 0x80 {
			cut++
		}
		e.retype(u, i, full[:cut])
		if i%50 == 0 {
			select {
			case e.tick <- time.Time{}:
			default:
			}
		}
	}
	wg.Wait()
	e.wrong(u, 299)
	if len(e.logged) > 0 {
		t.Errorf("the log: %v", e.logged)
	}
}

// FuzzTyping opens any text under any name and asks everything of every place: no answer is an internal
// error.
func FuzzTyping(f *testing.F) {
	f.Add("a.md", "---\nwhen: turn_count > 3\n---\nis {{.model}}", 9)
	f.Add("a.yaml", "reminders: [{id: a, when: 'used(\"B\")'}]", 20)
	f.Add("a_test.yaml", "tests:\n- steps:\n  - {facts: {a: 1}, fires: [x]}\n", 30)
	f.Add("a.md", "\uFEFF---\r\n\"id\" : {\r\n- - x: |\r\n---", 12)
	f.Fuzz(func(t *testing.T, name, text string, off int) {
		if strings.ContainsAny(name, "/\\\x00") || len(name) > 100 || off < 0 {
			return
		}
		e := open(t)
		u := e.show(".aside/reminders/"+name, strings.ToValidUTF8(text, "?"))
		at := m{"textDocument": m{"uri": u}, "position": spot{off % 17, off / 17},
			"range":   span{spot{0, 0}, spot{99, 0}},
			"context": m{"diagnostics": []m{}}}
		for _, method := range []string{"hover", "completion", "definition", "codeAction",
			"documentSymbol", "formatting"} {
			if err := e.try("textDocument/"+method, at, nil); err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
		e.end()
		if len(e.logged) > 0 {
			t.Errorf("the log: %v", e.logged)
		}
	})
}
