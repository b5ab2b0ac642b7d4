package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/aside-go/aside/internal/agent"
)

// tomlHooks is a TOML file with hooks: [[hooks]] with a key "event" each, or, grouped, [[hooks.EVENT]] with
// [[hooks.EVENT.hooks]] below.
type tomlHooks struct {
	hookFile
	command func(mode string, more []string) string
}

const (
	tomlBegin = "# aside: hooks for reminders; \"aside uninstall %s\" takes them out"
	tomlEnd   = "# aside: end of the hooks"
)

func (t *tomlHooks) install(now, backup []byte) ([]byte, error) {
	if !t.wanted {
		return t.uninstall(now, backup)
	}
	f, err := t.read(now)
	if err != nil {
		return nil, err
	}
	mode, more := t.kept(f.registrations())
	wanted := make([]string, len(t.hooks))
	for i, h := range t.hooks {
		wanted[i] = t.text(h, t.command(mode, more[h.Event]))
	}
	if slices.EqualFunc(f.ours, wanted, func(o tomlHook, text string) bool {
		return same(o.value, decodeTOML([]byte(text)))
	}) {
		return now, nil
	}
	block := fmt.Sprintf(tomlBegin, t.agent) + "\n" + strings.Join(wanted, "\n") + tomlEnd + "\n"
	src := f.without()
	at, separate := len(src), true
	if f.replaceable(t.hooks) {
		at, separate = f.ours[0].from, false
	}
	before, behind := string(src[:at]), string(src[at:])
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += f.nl
	}
	if before != "" && separate {
		block = "\n" + block
	}
	out := []byte(f.head + before + strings.ReplaceAll(block, "\n", f.nl) + behind)
	if _, err := t.read(out); err != nil {
		return nil, &SyntaxError{t.path, 1, 1, `hooks stand here in another form, behind which none can be added`,
			`write them as [[hooks]] tables, or take "hooks" out; it was not changed`}
	}
	return out, nil
}

// text returns the tables for the hook of one event.
func (t *tomlHooks) text(h agent.Registration, command string) string {
	var b strings.Builder
	if t.grouped {
		fmt.Fprintf(&b, "[[hooks.%s]]\n", h.Event)
		if h.Matcher != "" {
			fmt.Fprintf(&b, "matcher = %s\n", quote(h.Matcher))
		}
		fmt.Fprintf(&b, "[[hooks.%s.hooks]]\ntype = \"command\"\n", h.Event)
	} else {
		fmt.Fprintf(&b, "[[hooks]]\nevent = %s\n", quote(h.Event))
	}
	fmt.Fprintf(&b, "command = %s\ntimeout = %d\n", quote(command), agent.Patience)
	return b.String()
}

func (t *tomlHooks) uninstall(now, backup []byte) ([]byte, error) {
	if now == nil {
		return nil, nil
	}
	f, err := t.read(now)
	if err != nil {
		return nil, err
	}
	if len(f.ours) == 0 {
		return now, nil
	}
	out := f.without()
	if backup == nil && len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	return append([]byte(f.head), out...), nil
}

// commands implements hooksPart.
func (t *tomlHooks) commands(now []byte) ([]Registered, error) {
	f, err := t.read(now)
	if err != nil {
		return nil, err
	}
	return t.compare(f.registrations(), func(h agent.Registration, c Command) any {
		return decodeTOML([]byte(t.text(h, t.command(c.Mode, c.more))))
	}), nil
}

// tomlFile is a TOML file and the hooks in it.
type tomlFile struct {
	text
	ours  []tomlHook
	other int // offset of the last hook that is not ours; -1 where there is none
}

// tomlHook is a hook of ours: the lines [from, to), with the comments that an installation writes around all
// of its hooks.
type tomlHook struct {
	registration
	from, to int
}

func (f *tomlFile) registrations() (list []registration) {
	for _, o := range f.ours {
		list = append(list, o.registration)
	}
	return list
}

// table is a table with a header of its own: the lines [from, to), without the blank lines and comments at
// their end.
type table struct {
	path     []string
	from, to int
}

// read parses a file and finds our hooks in it. Its error is a *SyntaxError.
func (t *tomlHooks) read(src []byte) (f tomlFile, err error) {
	f = tomlFile{text: textOf(src), other: -1}
	if len(f.src) > maxFile {
		return f, &SyntaxError{t.path, 1, 1, "too large for a configuration", "is this the right file?"}
	}
	var x map[string]any
	if err := toml.Unmarshal(f.src, &x); err != nil {
		return f, t.syntaxError(f.src, err)
	}
	tables := tables(f.src)
	for i, tb := range tables {
		o, ok := t.hookOf(tables, i)
		if !ok {
			continue
		}
		m, _ := decodeTOML(f.src[tb.from:tb.to]).(map[string]any)
		if m == nil {
			continue
		}
		h := inner(m)
		line, _ := h["command"].(string)
		c, ours := recognise(words(line), t.agent)
		if !ours {
			f.other = tb.from
			continue
		}
		o.command, o.value = c, decodeTOML(f.src[o.from:o.to])
		if !t.grouped {
			o.event, _ = h["event"].(string)
		}
		f.ours = append(f.ours, o)
	}
	for i := range f.ours {
		f.ours[i].takeComments(f.src, fmt.Sprintf(tomlBegin, t.agent))
	}
	return f, nil
}

// syntaxError returns an error of the TOML library with the place in the file that it is about.
func (t *tomlHooks) syntaxError(src []byte, err error) *SyntaxError {
	e := &SyntaxError{t.path, 1, 1, strings.TrimPrefix(err.Error(), "toml: "),
		"correct it there, or move the file away; it was not changed"}
	var de *toml.DecodeError
	if !errors.As(err, &de) {
		return e
	}
	e.Line, e.Column = de.Position()
	if lines := bytes.Split(src, []byte("\n")); e.Line >= 1 && e.Line <= len(lines) {
		line := lines[e.Line-1]
		e.Column = 1 + utf8.RuneCount(line[:min(max(e.Column-1, 0), len(line))]) // the library counts bytes
	}
	return e
}

// hookOf returns the hook that the i-th table is, with its lines and, where the table's name has it, its
// event. It reports false for a table of anything else.
func (t *tomlHooks) hookOf(tables []table, i int) (tomlHook, bool) {
	tb := tables[i]
	o := tomlHook{from: tb.from, to: tb.to}
	if !t.grouped {
		return o, slices.Equal(tb.path, []string{"hooks"})
	}
	if len(tb.path) != 3 || tb.path[0] != "hooks" || tb.path[2] != "hooks" {
		return o, false
	}
	o.event = tb.path[1]
	last := i+1 == len(tables) || !slices.Equal(tables[i+1].path, tb.path)
	if i > 0 && last && slices.Equal(tables[i-1].path, tb.path[:2]) {
		o.from = tables[i-1].from // it is alone in its group, which goes with it
	}
	return o, true
}

// takeComments makes the comments part of a hook that stand around it as install writes them, and a blank
// line before them.
func (o *tomlHook) takeComments(src []byte, begin string) {
	if line := lineBefore(src, o.from); strings.TrimSpace(string(src[line:o.from])) == begin {
		o.from = line
		if line := lineBefore(src, o.from); line < o.from && strings.TrimSpace(string(src[line:o.from])) == "" {
			o.from = line
		}
	}
	if end := lineEnd(src, o.to); strings.TrimSpace(string(src[o.to:end])) == tomlEnd {
		o.to = end
	}
}

// inner returns the table inside m that holds more than one key or no table: of the lines of a single
// [[hooks]] or [[hooks.EVENT.hooks]], the hook itself.
func inner(m map[string]any) map[string]any {
	for len(m) == 1 {
		for _, v := range m {
			if list, ok := v.([]any); ok && len(list) == 1 {
				v = list[0]
			}
			next, ok := v.(map[string]any)
			if !ok {
				return m
			}
			m = next
		}
	}
	return m
}

// replaceable reports whether new hooks can be written in the place of ours. Ours must stand together. And
// Codex knows a hook that its user has approved by its index among the hooks of its event, so where others
// follow ours, the events must stay the same: a further hook before those would change their index.
func (f *tomlFile) replaceable(hooks []agent.Registration) bool {
	if len(f.ours) == 0 {
		return false
	}
	for i := 1; i < len(f.ours); i++ {
		if len(bytes.TrimSpace(f.src[f.ours[i-1].to:f.ours[i].from])) > 0 {
			return false
		}
	}
	return f.other < f.ours[0].from || slices.EqualFunc(f.ours, hooks,
		func(o tomlHook, h agent.Registration) bool { return o.event == h.Event })
}

// without returns the file without what is ours, and without blank lines between two hooks of ours.
func (f *tomlFile) without() []byte {
	var out []byte
	at := 0
	for _, o := range f.ours {
		if between := f.src[at:max(o.from, at)]; at == 0 || len(bytes.TrimSpace(between)) > 0 {
			out = append(out, between...)
		}
		at = o.to
	}
	return append(out, f.src[at:]...)
}

// tables returns the tables that have a header, in order.
func tables(src []byte) (list []table) {
	var p unstable.Parser
	p.Reset(src)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		t := table{from: -1}
		for k := e.Key(); k.Next(); {
			if t.from < 0 {
				t.from = lineStart(src, int(k.Node().Raw.Offset))
			}
			t.path = append(t.path, string(k.Node().Data))
		}
		if n := len(list); n > 0 {
			list[n-1].to = t.from
		}
		t.to = len(src)
		list = append(list, t)
	}
	for i := range list {
		t := &list[i]
		for t.to > t.from {
			line := lineBefore(src, t.to)
			if s := strings.TrimSpace(string(src[line:t.to])); s != "" && s[0] != '#' {
				break
			}
			t.to = line
		}
	}
	return list
}

// lineStart returns where the line of an offset begins.
func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// lineBefore returns where the line begins that ends at an offset.
func lineBefore(src []byte, at int) int { return lineStart(src, max(at-1, 0)) }

// lineEnd returns where the line of an offset ends, after its newline.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func decodeTOML(b []byte) any {
	var x map[string]any
	if toml.Unmarshal(b, &x) != nil {
		return nil
	}
	return x
}

// hasHooks reports whether a file has hooks, ours or others.
func (t *tomlHooks) hasHooks(src []byte) bool {
	f, err := t.read(src)
	return err == nil && (f.other >= 0 || len(f.ours) > 0)
}
