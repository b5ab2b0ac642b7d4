// Package words owns the words that people write and the language does not have: those of other tools, of
// other languages and of everyday speech. One file says what each word means. The package looks single words
// up, and turns a whole line into triggers by the nouns in it.
//
// It refuses to know which triggers compile: whoever shows a line compiles it first. It is pure and
// deterministic, and its functions may be called concurrently.
package words

import (
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
	Unit     Kind = "unit"   // behind a number
	Counted  Kind = "count"  // behind a number that needs no unit
	Number   Kind = "number" // written out
	Truth    Kind = "truth"
	Key      Kind = "key"
	Foreign  Kind = "foreign" // a sentence about a key that no key stands for
	Unseen   Kind = "unseen"  // a sentence about a word that no fact stands for
)

// The kinds that only whole lines have.
const (
	call  Kind = "call"
	when  Kind = "when"
	line  Kind = "line"
	limit Kind = "limit"
	form  Kind = "form"
	join  Kind = "join"
	stop  Kind = "stop"
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
	all     []Meaning
	exact   map[Kind]map[string]*Meaning // by the folded word
	phrases map[string][]*Meaning        // by the stems, for those that a line is read by
	stops   map[string]bool              // by the stem
	bags    []bag
}

// bag is the stems of a phrase that counts in any order.
type bag struct {
	stems []string
	m     *Meaning
}

var load = sync.OnceValue(func() *index {
	x := &index{exact: map[Kind]map[string]*Meaning{}, phrases: map[string][]*Meaning{},
		stops: map[string]bool{}}
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
	for _, m := range x.all {
		if m.Kind == stop {
			for _, w := range m.Words {
				x.stops[stem(w)] = true
			}
		}
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
	for i, w := range words {
		folded := fold(w)
		if x.exact[m.Kind] == nil {
			x.exact[m.Kind] = map[string]*Meaning{}
		}
		if x.exact[m.Kind][folded] == nil {
			x.exact[m.Kind][folded] = m
		}
		if stems := stemsOf(folded); m.Kind == line || m.Kind == Fact && i > 0 && len(stems) > 1 {
			if stems = slices.DeleteFunc(stems, func(w string) bool { return x.stops[w] }); len(stems) > 0 {
				x.bags = append(x.bags, bag{stems, m})
			}
		}
		switch m.Kind {
		case Fact, Function, Operator, Unit, Number, Program, call, when, stop:
			stems := stemsOf(folded)
			if key := strings.Join(stems, " "); !slices.Contains(x.phrases[key], m) {
				x.phrases[key] = append(x.phrases[key], m)
			}
		}
	}
}

// Of returns what a word of a kind means, "" if it means nothing. Of a fact it is the name.
func Of(k Kind, word string) string {
	m := load().exact[k][fold(word)]
	if m == nil && k == Fact { // in another form, such as the plural
		for _, p := range load().phrases[strings.Join(stemsOf(fold(word)), " ")] {
			if p.Kind == Fact {
				return p.Name()
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
	if len(w) <= 3 {
		return w
	}
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(w, end); ok && len(cut) >= 2 {
			w = cut
			break
		}
	}
	w = strings.TrimSuffix(w, "e")
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}
