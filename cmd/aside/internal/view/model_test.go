package view

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// made returns a session with reminders of each kind.
func made() *lens.Session {
	at := time.Date(2026, 6, 9, 8, 30, 0, 0, time.UTC)
	text := func(kind lens.Kind, turn int, title, text, output string) lens.Item {
		return lens.Item{Kind: kind, Turn: turn, At: at.Add(time.Duration(turn) * time.Minute),
			Title: title, Text: text,
			Output: output}
	}
	aside := func(turn int, r lens.Reminder) lens.Item {
		r.Turn = turn
		return lens.Item{Kind: lens.Aside, Turn: turn, Reminder: &r}
	}
	failed := text(lens.Call, 2, "Bash", "go test ./...",
		"--- FAIL: TestTide\n    got 1, want 2\nFAIL\nexit status 1")
	failed.Failed = true
	sub := text(lens.Prompt, 1, "", "Where is the tide computed?", "")
	sub.Run = 1
	return &lens.Session{
		File: "session.jsonl",
		Runs: []lens.Run{{ID: "s", Thread: "root"}, {ID: "s/agent-1", Thread: "Explore"}},
		Items: []lens.Item{
			text(lens.Prompt, 1, "", "Since the clocks changed our high-water alerts are an hour late. Please find "+
				"out why.", ""),
			aside(1, lens.Reminder{ID: "first-things", File: "first-things.md", Line: 2, Why: "started", Tokens: 12,
				Text: "Read the notes first.", Live: true, Outcome: "heeded", After: 2, Next: "never again in this run"}),
			text(lens.Answer, 1, "", "I'll look at the tests.", ""),
			text(lens.Call, 1, "Read", "tide.go", "package tide\n\nfunc At() {}\n"),
			failed,
			aside(2, lens.Reminder{ID: "repeated-failures", File: "repeated-failures.md", Line: 2, Tokens: 55,
				Why: "tool_failed:@shell", Text: "Do not repeat the command.\nRead the error in " +
					"full.", Outcome: lens.Waiting}),
			aside(2, lens.Reminder{Text: "SessionStart hook said this", Live: true}),
			text(lens.Note, 3, "", "the history was compacted", ""),
			text(lens.Answer, 3, "", strings.Repeat("It is a matter of summer time. ", 40), ""),
			aside(3, lens.Reminder{ID: "after-compaction", HeldOut: true, Text: "A summary has replaced it.",
				Why: "compacted"}),
			sub,
		},
	}
}

// shown returns a model of a session on a terminal without colours.
func shown(s *lens.Session, width, height int, source source) *model {
	m := newModel(context.Background(), &command.Env{}, source, s)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m
}

// special are the keys that are not what is typed.
var special = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp,
	"down": tea.KeyDown,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace,
	"space": tea.KeySpace, "home": tea.KeyHome, "end": tea.KeyEnd}

// press presses keys, and returns the last command.
func (m *model) press(keys ...string) (cmd tea.Cmd) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		if code, is := special[k]; is {
			msg = tea.KeyPressMsg{Code: code}
		}
		if k == "space" {
			msg.Text = " "
		}
		_, cmd = m.Update(msg)
	}
	return cmd
}

// seen returns the screen as a person sees it.
func (m *model) seen() string {
	var b strings.Builder
	for _, row := range m.screen() {
		b.WriteString(strings.TrimRight(styles.ReplaceAllString(row, ""), " ") + "\n")
	}
	return b.String()
}

// TestScreen: screens of several sizes, read by a person.
func TestScreen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		width, height int
		keys          []string
	}{
		"begin":      {80, 24, nil},
		"opened":     {80, 24, []string{"n", "n", "enter"}},
		"all":        {80, 30, []string{"a"}},
		"wide":       {130, 24, []string{"n"}},
		"narrow":     {30, 20, []string{"n"}},
		"low":        {80, 8, []string{"n", "enter"}},
		"no panel":   {80, 24, []string{"n", "i"}},
		"help":       {80, 24, []string{"?"}},
		"small-help": {60, 14, []string{"?"}},
		"search":     {80, 24, []string{"/", "t", "i", "d"}},
		"no match":   {80, 24, []string{"/", "x", "y", "z", "enter"}},
		"end":        {80, 24, []string{"G"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := shown(made(), c.width, c.height, source{})
			m.press(c.keys...)
			testkit.Golden(t, "testdata/"+strings.ReplaceAll(name, " ", "-")+".txt", m.seen())
		})
	}
}

// TestColour: with colours a reminder is grey, and without them a match is reversed all the same.
func TestColour(t *testing.T) {
	t.Parallel()
	m := shown(made(), 80, 24, source{})
	m.env.Colour = true
	if all := strings.Join(m.screen(), "\n"); !strings.Contains(all, "\x1b["+grey+";1mfirst-things\x1b[m") {
		t.Errorf("%q", all)
	}
	m.env.Colour = false
	if all := strings.Join(m.screen(), "\n"); strings.Contains(all, "\x1b") {
		t.Errorf("%q", all)
	}
	m.press("/", "t", "i", "d", "e", "enter")
	if all := strings.Join(m.screen(), "\n"); !strings.Contains(all, "package \x1b[7mtide\x1b[m") {
		t.Errorf("%q", all)
	}
}

// TestPicture: the picture on the manual's page is the screen for the sample, with a reminder opened.
func TestPicture(t *testing.T) {
	t.Parallel()
	rs, _ := starter.Reminders()
	set, _ := compile.FromFiles(rs, compile.Options{})
	s, err := lens.Open(t.Context(), replay.Options{Paths: []string{"sample"}, Files: sample.Sessions, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	m := shown(s, 100, 32, source{})
	m.env.Colour = true
	m.press("n", "n", "enter")
	testkit.Golden(t, "../../../internal/release/site/asset/view.svg", testkit.Picture("", m.screen()))
}

// anything is a text of others, with all that a terminal could obey.
func anything() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "word ", "\n", "\t", "\x1b[2J",
			"\x1b]0;x\a", "\r\n",
			"漢字", "é", "e\u0301", "⚠\ufe0f", "\u202e", "\x9b", "\u2028", "👩\u200d👩", "\xff", strings.Repeat("x", 50),
			strings.Repeat("\u0301", 90)}), 0, 60).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

// anySession is a session with such texts.
func anySession() *rapid.Generator[*lens.Session] {
	return rapid.Custom(func(t *rapid.T) *lens.Session {
		s := &lens.Session{File: anything().Draw(t, "file"), Runs: []lens.Run{{}, {ID: anything().Draw(t, "run")}}}
		kinds := []lens.Kind{lens.Prompt, lens.Answer, lens.Call, lens.Note, lens.Aside}
		for i := range rapid.IntRange(1, 12).Draw(t, "items") {
			it := lens.Item{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Run: rapid.IntRange(0, 1).Draw(t, "run"),
				Turn: i, Title: anything().Draw(t, "title"), Text: anything().Draw(t, "text"),
				Output: anything().Draw(t, "output")}
			if it.Kind == lens.Aside {
				it.Reminder = &lens.Reminder{ID: anything().Draw(t, "id"), Text: it.Text, Why: it.Output, File: it.Title}
			}
			s.Items = append(s.Items, it)
		}
		return s
	})
}

var styles = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// TestAnyKeys: whatever a session says and a person presses, the screen is a window into the rows of all
// items, has its size, holds nothing that a terminal obeys, and shows what is selected.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	keys := []string{"n", "p", "a", "enter", "up", "down", "pgup", "pgdown", "g", "G", "i", "/", "w", "N",
		"P", "e", "esc"}
	rapid.Check(t, func(t *rapid.T) {
		m := shown(anySession().Draw(t, "session"), 80, 24, source{})
		m.env.Colour = rapid.Bool().Draw(t, "colour")
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				m.Update(tea.WindowSizeMsg{Width: rapid.IntRange(1, 140).Draw(t, "width"),
					Height: rapid.IntRange(1, 40).Draw(t, "height")})
			case 1:
				m.Update(tea.MouseClickMsg{X: 3, Y: rapid.IntRange(0, 40).Draw(t, "y")})
			case 2:
				m.Update(tea.MouseWheelMsg{Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp,
					tea.MouseWheelDown}).Draw(t, "wheel")})
			default:
				m.press(rapid.SampledFrom(keys).Draw(t, "key"))
			}
			window(t, m)
		}
	})
}

// window holds the screen against the rows of all items.
func window(t *rapid.T, m *model) {
	screen := m.screen()
	if len(screen) != m.height && m.height > 2 {
		t.Fatalf("%d rows of %d", len(screen), m.height)
	}
	for _, row := range screen {
		bare := styles.ReplaceAllString(row, "")
		if strings.ContainsFunc(bare, terminal.Obeys) || m.width >= margin+tab && terminal.Width(bare) > m.width {
			t.Fatalf("%d columns of %d: %q", terminal.Width(bare), m.width, row)
		}
	}
	l := &m.list
	var all []string
	top, from, to := -1, 0, 0
	for i := range l.items {
		if i == l.cursor {
			from = len(all)
		}
		for k := range l.rows(i) {
			if (l.top == place{i, k}) {
				top = len(all)
			}
			all = append(all, m.row(i, k))
		}
		if i == l.cursor {
			to = len(all)
		}
	}
	end := min(top+l.height, len(all))
	if top < 0 || top > max(0, len(all)-l.height) || to <= top || from >= end {
		t.Fatalf("top %v is row %d of %d, height %d, selected are %d to %d", l.top, top, len(all),
			l.height, from, to)
	}
	if got := m.rows()[:end-top]; !slices.Equal(got, all[top:end]) {
		t.Fatalf("%q\nwant\n%q", got, all[top:end])
	}
}

// TestKeys: each key, by what is selected and open.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys string
		want int // the item that is selected
		open string
		says string
	}{
		{keys: "n", want: 1},
		{keys: "n n", want: 5},
		{keys: "n n n n", want: 9},
		{keys: "n n n n n", want: 9, says: "there is no reminder below"},
		{keys: "p", want: 0, says: "there is no reminder above"},
		{keys: "G p", want: 9},
		{keys: "G p p", want: 6},
		{keys: "n enter", want: 1, open: "[1]"},
		{keys: "n enter enter", want: 1},
		{keys: "a", want: 0, open: "[1 5 6 9]"},
		{keys: "a n enter", want: 1, open: "[5 6 9]"},
		{keys: "a n enter a", want: 1},
		{keys: "down down", want: 2},
		{keys: "down down up", want: 1},
		{keys: "G g", want: 0},
		{keys: "/ t i d e enter", want: 3},
		{keys: "/ T i d e enter", want: 4},
		{keys: "/ t i d e enter N", want: 3},
		{keys: "/ t i d e enter N N", want: 4},
		{keys: "/ t i d e enter N N P", want: 3},
		{keys: "/ t i d x backspace e enter N N N N", want: 10, says: `no "tide" below`},
		{keys: "/ R e a d enter N", want: 3, open: "[1]"},
		{keys: "/ i n space f u l l enter", want: 5, open: "[5]"},
		{keys: "N", want: 0, says: "/ looks for a text"},
		{keys: "e", want: 0, says: "e changes the rule of a reminder: n selects the next one"},
		{keys: "n n n e", want: 6, says: "no rule here is known to have put this text there"},
	} {
		t.Run(c.keys, func(t *testing.T) {
			t.Parallel()
			m := shown(made(), 80, 24, source{})
			m.press(strings.Fields(c.keys)...)
			var open []int
			for i := range m.list.items {
				if m.list.isOpen(i) {
					open = append(open, i)
				}
			}
			if got := strings.TrimSuffix(fmt.Sprint(open), "[]"); m.list.cursor != c.want || got != c.open ||
				m.message != c.says {
				t.Errorf("item %d, open %s, %q\n%s", m.list.cursor, got, m.message, m.seen())
			}
		})
	}
}

// TestEnd: the keys that leave the screen, and those that do not.
func TestEnd(t *testing.T) {
	t.Parallel()
	for keys, end := range map[string]bool{"q": true, "? q": true, "/ q": false, "esc": false} {
		cmd := shown(made(), 80, 24, source{}).press(strings.Fields(keys)...)
		if got := cmd != nil; got != end {
			t.Errorf("%s: %v", keys, got)
		}
	}
	_, cmd := shown(made(), 80, 24, source{}).Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	if cmd == nil || cmd() != tea.Quit() {
		t.Error("ctrl+c does not leave")
	}
}

// TestLong: of a session of any length only what comes onto the screen is laid out, wherever a person goes.
// So the first screen and each key take as long as in a short one.
func TestLong(t *testing.T) {
	t.Parallel()
	long := made()
	for len(long.Items) < 100_000 {
		long.Items = append(long.Items, long.Items[:11]...)
	}
	m := shown(long, 200, 60, source{})
	for _, keys := range [][]string{nil, {"G"}, {"pgup", "pgup", "n", "p"}, {"g"}, {"n", "enter"}, {"a"},
		{"G", "p", "p"}} {
		for i := range m.list.blocks {
			m.list.blocks[i].width = 0
		}
		m.press(keys...)
		m.View()
		laidOut := 0
		for i := range m.list.blocks {
			if m.list.blocks[i].width != 0 {
				laidOut++
			}
		}
		if laidOut == 0 || laidOut > 400 {
			t.Errorf("%q: %d of %d items were laid out", keys, laidOut, len(long.Items))
		}
	}
}

// TestMouse: the wheel scrolls, and a click selects and opens.
func TestMouse(t *testing.T) {
	t.Parallel()
	m := shown(made(), 80, 24, source{})
	row := slices.IndexFunc(strings.Split(m.seen(), "\n"), func(s string) bool {
		return strings.Contains(s,
			"first-things")
	})
	m.Update(tea.MouseClickMsg{X: 10, Y: row})
	if !m.list.isOpen(1) || m.list.cursor != 1 {
		t.Error(m.seen())
	}
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if m.list.top == (place{}) {
		t.Error(m.seen())
	}
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if m.list.top != (place{}) {
		t.Error(m.seen())
	}
}

// TestEdit: after the editor the rules are played again, and the marks move; what is open and selected stays.
func TestEdit(t *testing.T) {
	t.Parallel()
	changed := made()
	more := *changed.Items[1].Reminder
	more.ID = "repeated-failures"
	changed.Items = slices.Insert(changed.Items, 3, lens.Item{Kind: lens.Aside, Turn: 1, Reminder: &more})
	m := shown(made(), 80, 24, source{
		Open: func(context.Context) (*lens.Session, error) { return changed, nil },
		Edit: func(context.Context, string) error { return nil },
	})
	if cmd := m.press("n", "n", "enter", "e"); cmd == nil {
		t.Fatal("no editor")
	}
	_, cmd := m.Update(edited{id: "repeated-failures"})
	m.Update(cmd())
	if m.list.cursor != 6 || !m.list.isOpen(6) || m.message != "repeated-failures: 2 firings, 1 before" {
		t.Errorf("item %d, %q\n%s", m.list.cursor, m.message, m.seen())
	}
	m.Update(edited{err: errors.New("nothing was changed")})
	if m.message != "nothing was changed" {
		t.Errorf("%q", m.message)
	}
}

// TestGrown: a session is read again once it has grown, and nobody waits behind the end of the command.
func TestGrown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("{}\n")
	grown := recording{path: path, files: transcript.Machine(nil)}.follow()
	put("{}\n{}\n")
	if err := grown(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := grown(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestReadAgain: a session that has grown is read with the rules that there are, and what the person's own
// configuration declares.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md":    "---\nwhen: vars.ticket == \"x\" or turn_count > 0\n---\nText.\n",
		"s.jsonl": `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"bye"}]}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := &command.Env{Out: bufio.NewWriter(io.Discard), Err: io.Discard, Home: dir, Dir: dir,
		Config: config.Own("config.yaml", []byte("vars: {ticket: string}\n"), nil)}
	c := Cmd{}
	c.Rules = []string{filepath.Join(dir, "a.md")}
	from := recording{path: filepath.Join(dir, "s.jsonl"), files: transcript.Machine(nil)}
	s, err := c.source(e, from).Open(t.Context())
	if err != nil || !slices.ContainsFunc(s.Items, func(i lens.Item) bool { return i.Reminder != nil }) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestNothingYet: somebody who follows a session file that is empty, or not there yet, sees its first message
// when it comes; no key needs a message. Nobody waits for what cannot be a session, nor without --follow.
func TestNothingYet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := fs.ReadFile(sample.Sessions, "sample/b1e6f0c2-7d34-4a59-9e21-5c8a3f6d0b17.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	e := &command.Env{Dir: dir, Home: dir, Err: io.Discard}
	set, _ := compile.New(nil, compile.Options{})
	write := func(path string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "empty.jsonl"), nil)
	for _, name := range []string{"empty.jsonl", "none.jsonl"} {
		path := filepath.Join(dir, name)
		from, err := find(e, path, true)
		if err != nil {
			t.Fatal(err)
		}
		s, err := from.read(t.Context(), e, set)
		if err != nil {
			t.Fatal(err)
		}
		m := shown(s, 80, 24, source{Grown: from.follow(), Open: func(ctx context.Context) (*lens.Session, error) {
			return from.read(ctx, e, set)
		}})
		m.press("up", "down", "pgup", "pgdown", "home", "end", "enter", "a", "n", "p", "e", "i", "i", "N")
		if !strings.Contains(m.seen(), "waiting for the first message") {
			t.Error(m.seen())
		}
		write(path, first)
		_, cmd := m.Update(m.Init()())
		m.Update(cmd())
		if !strings.Contains(m.seen(), "All done") || m.list.cursor != len(m.list.items)-1 {
			t.Error(m.seen())
		}
	}
	write(filepath.Join(dir, "notes.jsonl"), []byte("[1]\n"))
	for name, grows := range map[string]bool{"notes.jsonl": true, "nosuchrun": true, "none.json": false} {
		from, err := find(e, filepath.Join(dir, name), grows)
		if err == nil {
			_, err = from.read(t.Context(), e, set)
		}
		if err == nil {
			t.Errorf("%s is a session", name)
		}
	}
}

// TestFollow: what is new is shown at the end of the list, unless the person has gone elsewhere.
func TestFollow(t *testing.T) {
	t.Parallel()
	now := made()
	m := shown(made(), 80, 24, source{
		Open:  func(context.Context) (*lens.Session, error) { return now, nil },
		Grown: func(context.Context) error { return nil },
	})
	grow := func(text string) {
		t.Helper()
		longer := *now
		longer.Items = append(slices.Clip(now.Items), lens.Item{Kind: lens.Answer, Turn: 4, Text: text})
		now = &longer
		_, cmd := m.Update(m.Init()())
		if _, again := m.Update(cmd()); again == nil {
			t.Error("nobody waits for more")
		}
	}
	grow("\n\r\n  this is new")
	if !strings.Contains(m.seen(), "turn 4\n▌     this is new") { // without the empty rows before it
		t.Error(m.seen())
	}
	if !strings.Contains(m.seen(), "this is new") || !strings.Contains(m.seen(), "following") {
		t.Error(m.seen())
	}
	m.press("g")
	grow("this is newer")
	if strings.Contains(m.seen(), "this is newer") || m.list.top != (place{}) {
		t.Error(m.seen())
	}
	m.press("G")
	if !strings.Contains(m.seen(), "this is newer") {
		t.Error(m.seen())
	}
}
