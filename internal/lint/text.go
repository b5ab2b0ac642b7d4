package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/mark"
)

// text looks at the reminder's text.
func (s *subject) text() {
	s.size()
	s.tags()
	s.comments()
	s.placeholders()
	s.poses()
	if strings.Contains(s.Text, "{{") {
		s.template()
	}
}

// cut is the most that is sure to arrive: agents cut longer texts of hooks off, or put them into a file (8,000 characters).
const cut = 2000

var action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)

// size tells of a text that is long. What its actions give is not counted: it is not known.
func (s *subject) size() {
	most, severity := DefaultMaxTokens, grammar.Info
	if s.opts.MaxTokens > 0 {
		most, severity = s.opts.MaxTokens, grammar.Warning
	}
	n := (len(action.ReplaceAllString(s.Text, "")) + 3) / 4
	switch {
	case n > cut && (s.opts.MaxTokens == 0 || s.opts.MaxTokens > cut):
		s.add(finding{
			code: code.LongText, field: "text", at: s.beginning(),
			message: fmt.Sprintf("the text is about %d tokens, and agents cut off what hooks say behind %d", n, cut),
			hint:    "shorten it, or write a file and name it here",
		})
	case n > most:
		s.add(finding{
			code: code.LongText, severity: severity, field: "text", at: s.beginning(),
			message: fmt.Sprintf("the text is about %d tokens each time it is sent, and %d are the limit here", n, most),
			hint:    "shorten it, or write a file and name it here; --max-tokens sets the limit",
		})
	}
}

// beginning is the first line of the text.
func (s *subject) beginning() grammar.Range {
	n := strings.IndexByte(s.Text, '\n')
	if n < 0 {
		n = len(s.Text)
	}
	return s.in(0, n)
}

// in is the range of a part of the text.
func (s *subject) in(from, to int) grammar.Range {
	return shift(grammar.Range{Start: grammar.Position{Line: 1, Column: 1}}, s.Text, from, to)
}

// tags tells of reminder tags in the text, which are put around it by themselves.
func (s *subject) tags() {
	found := mark.Tags(s.Text)
	if len(found) == 0 {
		return
	}
	first := found[0]
	end := len(s.Text)
	if i := strings.IndexByte(s.Text[first.Start:], '>'); i >= 0 {
		end = first.Start + i + 1
	}
	trimmed := strings.TrimSpace(s.Text)
	if m := wholeTag.FindStringSubmatchIndex(trimmed); m != nil && len(found) == 2 {
		d := s.add(finding{
			code: code.TagInText, severity: grammar.Info, field: "text", at: s.in(first.Start, end),
			message: "the tag is put around a text by itself, in the form that each API and agent takes",
			hint:    "leave the tag out",
		})
		s.mend(d, "text", s.in(0, len(s.Text)), strings.TrimSpace(trimmed[m[2]:m[3]]))
		return
	}
	s.add(finding{
		code: code.TagInText, field: "text", at: s.in(first.Start, end),
		message: "a reminder tag within a text is made harmless: the model reads it as &lt;system-reminder>",
		hint:    "leave the tag out, it is put around the text by itself",
	})
}

var wholeTag = regexp.MustCompile(`(?s)^<system-reminder>(.*)</system-reminder>$`)

var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->[ \t]*\n?`)

// comments tells of what an author has left out for people, and a model reads.
func (s *subject) comments() {
	if !strings.Contains(s.Text, "<!--") {
		return
	}
	for _, at := range htmlComment.FindAllStringIndex(s.Text, 2) {
		end := at[0] + len(strings.TrimRight(s.Text[at[0]:at[1]], " \t\n"))
		s.add(finding{
			code: code.CommentInText, field: "text", at: s.in(at[0], end),
			message: "a comment of HTML is sent with the text, and the model reads it",
			hint:    "remove it, or write it as a # comment of the front matter",
		})
	}
}

var placeholder = regexp.MustCompile(`\$?\{\s*\.?([a-z_]+(?:\.[A-Za-z_]+)?)\s*\}|<<?\s*\.?([a-z_]+)\s*>>?|%([a-z_]+)%|\$([a-z_]+)\b`)

// placeholders tells of facts in the notation of another template language: they are sent as they stand.
func (s *subject) placeholders() {
	if !strings.ContainsAny(s.Text, "{<%$") {
		return
	}
	for _, m := range placeholder.FindAllStringSubmatchIndex(s.Text, -1) {
		from, to := m[0], m[1]
		if from > 0 && s.Text[from-1] == '{' || to < len(s.Text) && s.Text[to] == '}' {
			continue
		}
		name := ""
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				name = s.Text[m[i]:m[i+1]]
			}
		}
		f, ok := s.set.Schema().Lookup(name)
		if !ok || !strings.Contains(name, "_") && s.Text[from] != '{' && !strings.HasPrefix(s.Text[from:], "${") {
			continue
		}
		want := "{{." + f.Name + "}}"
		if f.Type == fact.Ratio {
			want = "{{." + f.Name + " | percent}}"
		}
		d := s.add(finding{
			code: code.ForeignPlaceholder, field: "text", at: s.in(from, to),
			message: fmt.Sprintf("%s is sent as it stands: it is no template", s.Text[from:to]),
			hint:    "write " + want,
		})
		s.mend(d, "text", s.in(from, to), want)
	}
}

var posing = regexp.MustCompile(`(?im)^[ \t]*\[?(?:system|developer|assistant|user)(?: message| prompt)?\]?:|\b(?:ignore|disregard|forget) (?:all |any |the |your |of )*(?:previous|prior|above|earlier|preceding|existing) (?:instruction|prompt|message|rule|direction)s?\b|\byou are now (?:in )?[a-z]+ mode\b|\bthis (?:overrides|supersedes|takes precedence over) (?:all|any|everything|your)\b`)

// poses tells of a text that speaks as an attack does.
func (s *subject) poses() {
	if at := posing.FindStringIndex(s.Text); at != nil {
		from := at[0] + len(s.Text[at[0]:at[1]]) - len(strings.TrimLeft(s.Text[at[0]:at[1]], " \t"))
		s.add(finding{
			code: code.PosingText, field: "text", at: s.in(from, at[1]),
			message: fmt.Sprintf("%q is how injected instructions begin, and models report it as an attack", s.Text[from:at[1]]),
			hint:    "say what is the case, in plain words",
		})
	}
}

// early tells of a text that is other on each turn and stands before much that is not: what a provider has cached behind it is paid for
// anew (volatile is the first action that changes).
func (s *subject) early(volatile *use) {
	if s.Mode != reminder.While || s.Attach == reminder.Tail || volatile == nil {
		return
	}
	if _, cadence := s.trigger.(*grammar.Cadence); cadence || !s.Cooldown.IsZero() {
		return
	}
	if p, _ := s.pulseOf(s.trigger); s.trigger != nil && (p == mostTurns || p == rare) { // once a user turn: no place of its own changes
		return
	}
	where := "before the conversation"
	if s.Attach == reminder.UserTurn {
		where = "with the user's last message, before the steps since then"
	}
	s.add(finding{
		code: code.VolatileText, field: "text", at: s.in(volatile.from, volatile.to),
		message: fmt.Sprintf("%s changes from turn to turn and the text stands %s, so all that is cached behind it is paid for again on each", volatile.what, where),
		hint:    "write `attach: tail`, or leave what changes out",
	})
}

// at is a place in a text as an offset of it that is not inside of a character.
func at(text string, off int) int {
	off = min(max(off, 0), len(text))
	for off < len(text) && off > 0 && !utf8.RuneStart(text[off]) {
		off--
	}
	return off
}

// stable are facts that do not change in a run, or hardly.
var stable = []fact.ID{fact.ThreadType, fact.Model, fact.Provider, fact.ContextWindow}

func changes(f fact.Fact) bool { return !slices.Contains(stable, f.ID) }
