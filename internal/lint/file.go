package lint

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/words"
)

// file reports a Markdown file without a front matter, whose whole text is a reminder, where it is a file
// for people among the rules, or where its keys are sent as text.
func (s *subject) file() {
	base := s.File[strings.LastIndexAny(s.File, `/\`)+1:]
	stem, ok := strings.CutSuffix(base, ".md")
	if !ok || strings.HasPrefix(strings.TrimPrefix(s.src, "\uFEFF"), "---") {
		return
	}
	if words.Of(words.Note, strings.ToLower(stem)) != "" {
		s.add(finding{code: code.FileForPeople, field: "id",
			message: base + " is read as a reminder, and its text is sent once at the beginning of each run",
			hint:    "move it out of the directory, or give it a front matter if it is meant so"})
	}
	at, hint := 0, "put a line `---` above the keys, and one between them and the text"
	if title, _, is := strings.Cut(s.Text, "\n---\n"); is && strings.HasPrefix(title, "#") {
		at, hint = len(title)+len("\n---\n"), "put the front matter above the title"
	}
	line, _, _ := strings.Cut(s.Text[at:], "\n")
	key, value, is := strings.Cut(line, ":")
	if name := strings.Trim(key, `{ "`); is && slices.Contains(document.Keys(), name) &&
		(strings.TrimSpace(value) == "" || value[0] == ' ') {
		s.add(finding{code: code.KeysInText, field: "text", at: s.in(at, at+len(key)),
			message: name + " is no key here but the beginning of the text: there is no front matter", hint: hint})
	}
}

// hidden reports characters that nobody sees, and characters that reverse the order in which a line is
// shown: people then read another text than a model. It does not report joiners and marks where a script or
// an emoji needs them.
func hidden(name string, src []byte) grammar.Diagnostics {
	if plainASCII(src) || !utf8.Valid(src) {
		return nil
	}
	var ds grammar.Diagnostics
	text := []rune(string(src))
	start := grammar.Position{Line: 1, Column: 1}
	for i, n := 0, 0; i < len(text); i += n {
		kind := unseen(text, i)
		if i == 0 && text[i] == '\ufeff' {
			kind = "" // the mark of the file's encoding
		}
		for n = 1; kind != "" && i+n < len(text) && unseen(text, i+n) == kind; {
			n++
		}
		end := start.After(string(text[i : i+n]))
		at := grammar.Range{Start: start, End: end}
		start = end
		if kind == "" {
			continue
		}
		what := fmt.Sprintf("%U", text[i])
		if n > 1 {
			what = fmt.Sprintf("%d characters from %U on", n, text[i])
		}
		d := grammar.Diagnostic{
			Code: code.InvisibleCharacter, Severity: grammar.Warning, File: name, Range: at,
			Message: what + " cannot be seen, and is sent all the same",
			Hint:    "remove it", Fix: &grammar.Edit{Range: at},
		}
		if kind == turning {
			d.Message = what + " changes the order in which the line is shown, so people and models read " +
				"different texts"
		}
		if text[i] == '\u00a0' {
			d.Hint, d.Fix.Text = "write a blank", strings.Repeat(" ", n)
		}
		ds = append(ds, d)
	}
	return ds
}

func plainASCII(src []byte) bool {
	return !bytes.ContainsFunc(src, func(r rune) bool { return r >= utf8.RuneSelf })
}

const (
	turning   = "turning"
	invisible = "invisible"
)

// unseen says how the i-th character deceives; "" if it does not.
func unseen(text []rune, i int) string {
	switch r := text[i]; {
	case unicode.Is(unicode.Bidi_Control, r):
		mark := r == 0x200e || r == 0x200f || r == 0x061c // at home in texts from right to left
		if mark && beside(text, i, func(r rune) bool {
			return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
		}) {
			return ""
		}
		return turning
	case unicode.Is(unicode.Join_Control, r): // which many scripts and emoji need
		if beside(text, i, func(r rune) bool {
			return r > 0x2ff && unicode.IsLetter(r) || unicode.In(r, unicode.Mn, unicode.Mc) ||
				r >= 0x2190 && unicode.IsSymbol(r) || r == 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff
		}) {
			return ""
		}
	case r >= 0xfe00 && r <= 0xfe0f: // how a character is drawn
		if i > 0 && (text[i-1] >= 0x80 || strings.ContainsRune("0123456789#*", text[i-1])) &&
			unseen(text, i-1) == "" {
			return ""
		}
	case r >= 0xe0000 && r <= 0xe007f: // letters that only machines read; at home behind the black flag alone
		for k := i - 1; k >= 0 && i-k <= 8; k-- {
			if text[k] == 0x1f3f4 {
				return ""
			}
		}
	case r == '\t', r == '\n', r == '\r', unicode.Is(unicode.Prepended_Concatenation_Mark, r),
		!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector):
		return ""
	}
	return invisible
}

// maxEscapes is how many escapes of a reminder are reported: each place is looked up in the whole file.
const maxEscapes = 100

// decoded reports hidden characters of values that the file holds as escapes, so that nobody who reads the
// file meets them. Characters that stand in the file itself are reported by hidden.
func (s *subject) decoded() {
	told := 0
	report := func(field, value string, from, to int, what string) bool {
		if told++; told > maxEscapes {
			return false
		}
		s.add(finding{code: code.InvisibleCharacter, field: field, message: what + " holds it as an escape",
			hint: "remove it", at: shift(grammar.Range{Start: grammar.Position{Line: 1, Column: 1}}, value, from, to)})
		return true
	}
	for _, v := range []struct{ field, value string }{{"text", s.Text}, {"description", s.Description},
		{"trigger", s.Trigger}, {"rearm", s.Rearm}} {
		for from, what := range s.escaped(v.value) {
			_, n := utf8.DecodeRuneInString(v.value[from:])
			if !report(v.field, v.value, from, from+n, what+", and the file") {
				return
			}
		}
	}
	for _, at := range actionText.FindAllStringIndex(s.Text, -1) {
		for _, lit := range goText.FindAllStringIndex(s.Text[at[0]:at[1]], -1) {
			from, to := at[0]+lit[0], at[0]+lit[1]
			value, _ := strconv.Unquote(s.Text[from:to]) // "" where it is none
			for _, what := range s.escaped(value) {
				if !report("text", s.Text, from, to, what+", and the text") {
					return
				}
				break // one of a literal is enough
			}
		}
	}
}

// An action of a template, and a quoted text or character in it.
var (
	actionText = regexp.MustCompile(`(?s)\{\{(?:"(?:[^"\\]|\\.)*"|` + "`[^`]*`" + `|.)*?\}\}`)
	goText     = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'`)
)

// escaped yields the places of the characters of a value that nobody sees and that stand in the file in
// another form, and what is wrong with each.
func (s *subject) escaped(value string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if !strings.ContainsFunc(value, func(r rune) bool { return r >= utf8.RuneSelf || r < ' ' || r == 0x7f }) {
			return
		}
		text, from, inFile := []rune(value), 0, map[rune]bool{}
		for i, r := range text {
			if kind := unseen(text, i); kind != "" {
				if _, asked := inFile[r]; !asked {
					inFile[r] = strings.ContainsRune(s.src, r)
				}
				what := "cannot be seen"
				switch {
				case kind == turning:
					what = "changes the order in which a line is shown"
				case unicode.IsControl(r):
					what = "is obeyed by a terminal and not shown"
				}
				if !inFile[r] && !yield(from, fmt.Sprintf("%U %s", r, what)) {
					return
				}
			}
			from += utf8.RuneLen(r)
		}
	}
}

// beside reports whether the character before or behind is as asked.
func beside(text []rune, i int, is func(rune) bool) bool {
	return i > 0 && is(text[i-1]) && (i+1 >= len(text) || is(text[i+1]) || unicode.IsSpace(text[i+1]) ||
		unicode.IsPunct(text[i+1])) || i+1 < len(text) && is(text[i+1]) && (i == 0 || unicode.IsSpace(text[i-1]) ||
		unicode.IsPunct(text[i-1]))
}
