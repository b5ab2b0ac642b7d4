package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/text"
)

// text looks at the reminder's text.
func (s *subject) text() {
	if silentAction.MatchString(s.Text) &&
		strings.TrimSpace(silentAction.ReplaceAllString(s.Text, "")) == "" {
		s.add(finding{code: code.BlankText, field: "text", at: s.beginning(),
			message: "the text renders to nothing, and a blank text is never sent",
			hint:    "write a text outside of the braces"})
	}
	s.size()
	s.tags()
	s.comments()
	s.placeholders()
	s.poses()
	if strings.Contains(s.Text, "{{") {
		s.template()
	}
}

// silentAction matches the actions of a template that write nothing: comments, conditions and their ends.
var silentAction = regexp.MustCompile(`(?s)\{\{-?\s*(?:/\*.*?\*/|(?:if|else|with|range|end)\b.*?)\s*-?\}\}`)

// cut is the most that is sure to arrive: agents cut longer texts of hooks off, or put them into a file
// (8,000 characters).
const cut = 2000

var action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)

// size reports a long text. It counts no output of the template's actions, which is not known.
func (s *subject) size() {
	f := finding{code: code.LongText, field: "text", at: s.beginning(),
		hint: "shorten it, or write a file and name it here"}
	most := DefaultMaxTokens
	if f.severity = grammar.Info; s.opts.MaxTokens > 0 {
		most, f.severity = s.opts.MaxTokens, grammar.Warning
	}
	switch n := reminder.Tokens(len(action.ReplaceAllString(s.Text, ""))); {
	case n > cut && (s.opts.MaxTokens == 0 || s.opts.MaxTokens > cut):
		f.severity = grammar.Error
		f.message = fmt.Sprintf("the text is about %d tokens, and agents cut off what hooks say behind %d", n, cut)
	case n > most:
		f.message = fmt.Sprintf("the text is about %d tokens each time it is sent, and %d are the limit here", n,
			most)
		f.hint += "; --max-tokens sets the limit"
	default:
		return
	}
	s.add(f)
}

// beginning is the first line of the text.
func (s *subject) beginning() grammar.Range {
	line, _, _ := strings.Cut(s.Text, "\n")
	return s.in(0, len(line))
}

// in is the range of a part of the text.
func (s *subject) in(from, to int) grammar.Range {
	return shift(grammar.Range{Start: grammar.Position{Line: 1, Column: 1}}, s.Text, from, to)
}

// tags reports reminder tags in the text. The tag around a text is added when it is sent.
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
		s.add(finding{code: code.TagInText, severity: grammar.Info, field: "text", at: s.in(first.Start, end),
			message: "the program puts the tag around a text, in the form that each API and agent takes",
			hint:    "leave the tag out", fix: strings.TrimSpace(trimmed[m[2]:m[3]]), fixAt: s.in(0, len(s.Text))})
		return
	}
	s.add(finding{code: code.TagInText, field: "text", at: s.in(first.Start, end),
		message: "a reminder tag within a text is made harmless: the model reads it as &lt;system-reminder>",
		hint:    "leave the tag out: the program puts it around the text"})
}

var wholeTag = regexp.MustCompile(`(?s)^<system-reminder>(.*)</system-reminder>$`)

var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->[ \t]*\n?`)

// comments reports comments that an author wrote for people, and that a model reads.
func (s *subject) comments() {
	for _, at := range htmlComment.FindAllStringIndex(s.Text, 2) {
		end := at[0] + len(strings.TrimRight(s.Text[at[0]:at[1]], " \t\n"))
		s.add(finding{code: code.CommentInText, field: "text", at: s.in(at[0], end),
			message: "a comment of HTML is sent with the text, and the model reads it",
			hint:    "remove it, or write it as a # comment of the front matter"})
	}
}

var placeholder = regexp.MustCompile(
	`\$?\{\s*\.?[a-z_]+(?:\.[A-Za-z_]+)?\s*\}|<<?\s*\.?[a-z_]+\s*>>?|<%=?\s*[a-z_]+\s*%>|%[a-z_]+%|\$[a-z_]+\b`)

// placeholders reports facts in the notation of another template language, which are sent unchanged.
func (s *subject) placeholders() {
	for _, at := range placeholder.FindAllStringIndex(s.Text, -1) {
		from, to := at[0], at[1]
		if from > 0 && s.Text[from-1] == '{' || to < len(s.Text) && s.Text[to] == '}' {
			continue
		}
		name := strings.Trim(s.Text[from:to], "${}<>%=. \t\n")
		f, ok := s.set.Schema().Lookup(name)
		if !ok || !strings.Contains(name, "_") && s.Text[from] != '{' && !strings.HasPrefix(s.Text[from:], "${") &&
			!strings.HasPrefix(s.Text[from:], "<%") {
			continue
		}
		want := "{{." + f.Name + "}}"
		if f.Type == fact.Ratio {
			want = "{{." + f.Name + " | percent}}"
		}
		s.add(finding{code: code.ForeignPlaceholder, field: "text", at: s.in(from, to), hint: "write " + want,
			message: s.Text[from:to] + " is sent as it stands: it is not a template", fix: want})
	}
}

var posing = regexp.MustCompile(
	`(?im)^[ \t]*\[?(?:system|developer|assistant|user)(?: message| prompt)?\]?:` +
		`|\b(?:ignore|disregard|forget) (?:all |any |the |your |of )*` +
		`(?:previous|prior|above|earlier|preceding|existing)` +
		` (?:instruction|prompt|message|rule|direction)s?\b` +
		`|\byou are now (?:in )?[a-z]+ mode\b` +
		`|\bthis (?:overrides|supersedes|takes precedence over) (?:all|any|everything|your)\b`)

// poses reports a text that begins like an injected instruction.
func (s *subject) poses() {
	if at := posing.FindStringIndex(s.Text); at != nil {
		from := at[0] + len(s.Text[at[0]:at[1]]) - len(strings.TrimLeft(s.Text[at[0]:at[1]], " \t"))
		s.add(finding{code: code.PosingText, field: "text", at: s.in(from, at[1]),
			message: fmt.Sprintf("%q is how injected instructions begin, and models report it as an attack",
				s.Text[from:at[1]]),
			hint: "say what is the case, in plain words"})
	}
}

// early reports a text that changes from turn to turn and stands before text that does not: the provider's
// cache behind it is lost, and paid for again. volatile is the first action that changes.
func (s *subject) early(volatile *text.Use) {
	if s.Mode != reminder.While || s.Attach == reminder.Tail || volatile == nil || !s.Cooldown.IsZero() {
		return
	}
	_, cadence := s.trigger.Expr.(*grammar.Cadence)
	// once a user turn: no place of its own changes
	seldom := append([]fact.ID{fact.UserMessage}, rare...)
	if cadence || onEvent(s.predicate) && needs(s.predicate, seldom...) {
		return
	}
	where := "before the conversation"
	if s.Attach == reminder.UserTurn {
		where = "with the user's last message, before the steps since then"
	}
	s.add(finding{code: code.VolatileText, field: "text", at: s.in(volatile.From, volatile.To),
		message: fmt.Sprintf("%s changes from turn to turn and the text stands %s, so all that is cached behind "+
			"it is paid for again on each", volatile.Name, where),
		hint: "write `attach: tail`, or leave what changes out"})
}

// stable are facts that do not change in a run, or hardly.
var stable = []fact.ID{fact.ThreadType, fact.Model, fact.Provider, fact.ContextWindow}

func changes(f fact.Fact) bool { return !slices.Contains(stable, f.ID) }

// template looks at the actions of the text.
func (s *subject) template() {
	t, _ := text.New(s.Text, s.set.Schema()) // without errors, since it is in the set
	if t == nil {
		return
	}
	var volatile *text.Use
	told := map[fact.ID]bool{}
	for _, u := range t.Uses() {
		if volatile == nil && (u.Clock || changes(u.Fact)) {
			volatile = &u
		}
		if u.Clock {
			continue
		}
		if u.Bare && u.Fact.Type == fact.Ratio {
			want := "{{." + u.Name + " | percent}}"
			s.add(finding{code: code.LongRatio, field: "text", at: s.in(u.From, u.To),
				message: u.Name + " is written as a number such as 0.7342", hint: "write " + want, fix: want})
		}
		if !u.Guarded && !told[u.Fact.ID] && !s.needed(u.Fact.ID) {
			told[u.Fact.ID] = s.unguarded(u)
		}
	}
	s.early(volatile)
}

// oftenUnknown are facts that many hosts do not tell.
var oftenUnknown = []fact.ID{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow,
	fact.LastResponseTokens, fact.OutputTokens, fact.MessageCount,
	fact.LastToolCallFailed, fact.FailuresInRow, fact.Response, fact.Provider, fact.Model, fact.Idle}

// unguarded reports a fact that the text needs without asking whether it is known: without the fact the
// reminder is not sent.
func (s *subject) unguarded(u text.Use) bool {
	f := finding{code: code.TextNeedsUnknown, field: "text", at: s.in(u.From, u.To),
		hint: fmt.Sprintf("put {{with .%s}}…{{end}} around what needs it", u.Fact.Name)}
	switch {
	case s.agent != nil && slices.Contains(s.agent.Never, u.Fact.ID):
		f.message = fmt.Sprintf("%s never reports %s", s.agent.Title, u.Fact.Name)
	case s.agent == nil && slices.Contains(oftenUnknown, u.Fact.ID):
		f.severity, f.message = grammar.Info, u.Fact.Name+" may be unknown when this fires"
	default:
		return false
	}
	f.message += ", and without it the text is not sent"
	s.add(f)
	return true
}

// needed reports whether a fact is known wherever the trigger is true.
func (s *subject) needed(id fact.ID) bool {
	if needs(s.predicate, id) {
		return true
	}
	for _, follows := range [][]fact.ID{{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow},
		{fact.ContextTokens, fact.ContextUsage}, {fact.ContextWindow, fact.ContextUsage},
		{fact.FailuresInRow, fact.LastToolCallFailed}, {fact.LastToolCallFailed, fact.FailuresInRow}} {
		if id == follows[0] && all(follows[1:], func(id fact.ID) bool { return needs(s.predicate, id) }) {
			return true
		}
	}
	return false
}
