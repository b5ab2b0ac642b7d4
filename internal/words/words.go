// Package words owns the words that people write and the language does not have: those of other tools, of
// other languages and of everyday speech. One file says what each word means. The package looks single words
// up, and turns a whole line into triggers by the nouns in it.
//
// It refuses to know which triggers compile: whoever asks for lines says so. It is pure and deterministic,
// and its functions may be called concurrently.
package words

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Kind is a sort of meanings. The values of a key have a kind of their own, ValueOf.
type Kind string

// The kinds of meanings that are looked up alone.
const (
	Fact     Kind = "fact"
	Function Kind = "function"
	Class    Kind = "class" // of tools
	Tool     Kind = "tool"
	Program  Kind = "program" // of a command line
	Operator Kind = "operator"
	Join     Kind = "join"   // between conditions
	Unit     Kind = "unit"   // behind a number
	Counted  Kind = "count"  // behind a number that needs no unit
	Number   Kind = "number" // written out
	Truth    Kind = "truth"
	Key      Kind = "key"
	Call     Kind = "call"    // a call pattern
	Foreign  Kind = "foreign" // a sentence about a key that no key stands for
	Unseen   Kind = "unseen"  // a sentence about a word that no fact stands for
	Absent   Kind = "absent"  // a word for no value
	Agent    Kind = "agent"   // its name, which no fact has
	Provider Kind = "provider"
	Mode     Kind = "mode"
	Kin      Kind = "kin"  // tools that do the same in different agents
	Note     Kind = "note" // a file that people write for people
	Ending   Kind = "ending"
	Verb     Kind = "do"     // that begins what is to be done
	Ban      Kind = "ban"    // that begins what is not to be done
	Moment   Kind = "moment" // a word behind which it is said when
)

// The kinds that only Lines reads.
const (
	frame Kind = "frame" // a line with a hole for a call pattern or a text fact
	line  Kind = "line"
	// recipe is a line of the cookbook, shown beside a line that says all
	recipe Kind = "recipe"
	stop   Kind = "stop"
)

// The kinds that only Sentence reads: the words that begin a part of a sentence.
const (
	say     Kind = "say"
	subject Kind = "subject" // a word behind which a verb begins nothing
)

// ValueOf is the kind of the words for the values of a key.
func ValueOf(key string) Kind { return Kind("value[" + key + "]") }

//go:embed words.txt
var source string

// A Meaning is one of the file's: words of a kind, and what they mean.
type Meaning struct {
	Kind  Kind
	Text  string
	Words []string
}

// Name is the first word of the meaning: of a fact that stands in a condition, the fact.
func (m *Meaning) Name() string {
	name, _, _ := strings.Cut(m.Text, " ")
	return name
}

// index holds the meanings by their words.
type index struct {
	all   []Meaning
	exact map[Kind]map[string]*Meaning // by the folded word
	stops map[string]bool              // by the stem
	nouns map[string][]phrase          // by the first stem
}

// phrase is the stems of words that mean something together: next to each other, or, of a line, in any order.
type phrase struct {
	stems []string
	m     *Meaning
}

var load = sync.OnceValue(func() *index {
	x := &index{exact: map[Kind]map[string]*Meaning{}, stops: map[string]bool{}, nouns: map[string][]phrase{}}
	for text := range strings.Lines(source) {
		text = strings.TrimSpace(text)
		kind, rest, ok := strings.Cut(text, " ")
		if !ok || kind == "#" {
			continue
		}
		m := Meaning{Kind: Kind(kind)}
		if at := strings.LastIndex(rest, " = "); at >= 0 {
			m.Text, rest = rest[:at], rest[at+len(" = "):]
		}
		m.Words = strings.Split(rest, ", ")
		x.all = append(x.all, m)
	}
	for i := range x.all {
		x.add(&x.all[i])
	}
	return x
})

func (x *index) add(m *Meaning) {
	words := m.Words
	if m.Kind == Fact || m.Kind == Function || m.Kind == Tool {
		words = append([]string{m.Name()}, words...)
	}
	if x.exact[m.Kind] == nil {
		x.exact[m.Kind] = map[string]*Meaning{}
	}
	for _, w := range words {
		folded := fold(w)
		if k := key(m.Kind, w); x.exact[m.Kind][k] == nil {
			x.exact[m.Kind][k] = m
		}
		stems := stemsOf(folded)
		known := func(p phrase) bool { return p.m == m && slices.Equal(p.stems, stems) }
		switch m.Kind {
		case stop:
			x.stops[strings.Join(stems, " ")] = true
		case Fact, Operator, Unit, Number, Program, Call, frame, line, recipe:
			if !slices.ContainsFunc(x.nouns[stems[0]], known) { // test and tests are one
				x.nouns[stems[0]] = append(x.nouns[stems[0]], phrase{stems, m})
			}
		}
	}
}

// Of returns what a word of a kind means, "" if it means nothing. Of a fact it is the name.
func Of(k Kind, word string) string {
	m := load().exact[k][key(k, word)]
	if m == nil && k == Fact { // in another form, such as the plural
		stems := stemsOf(fold(word))
		for _, p := range load().nouns[cmp.Or(append(stems, "")...)] {
			if p.m.Kind == Fact && slices.Equal(p.stems, stems) {
				return p.m.Name()
			}
		}
	}
	switch {
	case m == nil:
		return ""
	case k == Fact:
		return m.Name()
	}
	return m.Text
}

// JoinOf returns and or or for a word that stands before several conditions in place of them, as all does.
func JoinOf(word string) string {
	return cmp.Or(map[string]string{"any": "or", "all": "and"}[word], Of(Join, word))
}

// key is a word as the index has it. The words of a name that no fact has may stand in any order: open_todos
// and todos_open are one.
func key(k Kind, word string) string {
	folded := fold(word)
	if k != Unseen {
		return folded
	}
	stems := stemsOf(folded)
	slices.Sort(stems)
	return strings.Join(stems, " ")
}

// IsEnding reports whether a text, such as .sql, is the ending of names of files and not a name by itself.
func IsEnding(text string) bool {
	ending, dotted := strings.CutPrefix(text, ".")
	return dotted && Of(Ending, ending) != ""
}

// Strange reports whether a text has words or operators that mean something and are none of the language's
// own, which own tells.
func Strange(text string, own func(name string) bool) bool {
	x := load()
	return slices.ContainsFunc(tokens(text), func(t token) bool {
		switch t.sort {
		case word:
			known := len(x.nouns[t.text]) > 0 || x.stops[t.text] || x.exact[Join][t.text] != nil
			name := text[t.from:t.to]
			if strings.HasSuffix(text[:t.from], ".") { // a field
				name = "." + name
			}
			return known && !own(name)
		case sign:
			return !own(t.text) && x.exact[Operator][t.text] != nil
		}
		return false
	})
}

// List returns the words of a kind, as the file has them, sorted.
func List(k Kind) (list []string) {
	for _, m := range load().all {
		if m.Kind == k {
			list = append(list, m.Words...)
		}
	}
	slices.Sort(list)
	return list
}

// All returns all meanings, in the order of the file. They must not be changed.
func All() []Meaning { return load().all }

// fold writes a name as lower-case words: FilePath, file_path and file-path are "file path".
func fold(s string) string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		switch {
		case r == '_' || r == '-' || r == ' ':
			r = ' '
		case r == '\'':
			continue
		case unicode.IsUpper(r):
			if lower {
				b.WriteByte(' ')
			}
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func stemsOf(folded string) []string {
	stems := strings.Fields(folded)
	for i, s := range stems {
		stems[i] = stem(s)
	}
	return stems
}

// stem cuts the ending of a word: pushes, pushed and pushing are push. What it returns need not be a word.
func stem(w string) string {
	if len(w) <= 3 || w == "times" || w == "windows" { // how often, and nothing of a clock; a system
		return w
	}
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(w, end); ok && len(cut) >= 2 {
			w = cut
			break
		}
	}
	w = strings.TrimSuffix(w, "e")
	if w == "not" { // notes deny nothing
		return "note"
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}
