package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence cuts what a person wants into the moment that it is about, for Lines, and what is to be said then:
// "after a commit, remind me to push" is "after a commit" and "push". A ban, such as "never push to main", is
// about the moment before the call. A sentence that cannot be cut is both; when is "" where it names no
// moment.
func Sentence(text string) (when, what string) {
	if len(text) > MaxLine {
		return text, text
	}
	ts := tokens(text)
	end := len(ts)
	moments := at(ts, Moment, 0, end)
	for _, i := range at(ts, Ban, 0, end) {
		n, means := longest(ts[i:], Ban)
		begins := len(moments) == 0 || moments[0] == 0 && i > 0 ||
			i == 0 && (means == "first" || ts[moments[0]].part != "before") // never push before the tests
		if means == "first" && i > 0 { // when no tests ran
			continue
		}
		if !begins || i+n == end {
			continue
		}
		calls := read(text[ts[i+n].from:]).calls
		own := Answer{Left: []string{""}} // when editing tests, do not change the assertions
		if i > 0 && len(moments) > 0 && moments[0] == 0 && len(read(text[:ts[i].from]).calls) > 0 {
			own = Lines(text[:ts[i].from], nil)
		}
		if len(calls) == 0 || len(own.Lines) > 0 && (len(own.Left) == 0 || calls[0].on&1 == 0) {
			continue
		}
		said := text
		if i > 0 && ts[i-1].text == "," {
			said = text[ts[i].from:]
		}
		until := i // on friday remind me not to deploy
		if says := at(ts, say, 0, i); len(says) > 0 {
			until = says[0]
		}
		from := func(begin int) string { return strings.TrimRight(text[ts[begin].from:ts[until].from], ", ") }
		begin := 0 // behind the words that say when, but for on main
		for begin < until && slices.Contains(moments, begin) && (ts[begin].part != "on" || isWhole(from(begin+1))) {
			begin++
		}
		holds := from(begin) + " "
		if means == "instead" { // use pnpm instead of npm
			holds = ""
		}
		last := i + n + 1 // don't let it use npm, we use pnpm
		for last < end && (ts[last].text != "," || last+1 == end ||
			load().exact[subject][ts[last+1].part] == nil) {
			if ts[last].part == "without" && len(read(text[ts[last].to:]).calls) == 0 { // asking
				break
			}
			last++
		}
		call := text[ts[i+n].from:ts[last-1].to]
		return strings.TrimLeft(holds, " ") + "before " + spoken(call, call), tidy(said) // do not let it push
	}
	if n, _ := longest(ts, Ban); n > 0 && n < end { // no more than 100 turns
		if over := text[ts[n].from:]; ordered(read(over).op.line) && isWhole(over) {
			return over, tidy(text)
		}
	}
	comma := slices.IndexFunc(ts, func(t token) bool {
		return t.sort == sign && (t.text == "," || t.text == ":" && strings.HasPrefix(text[t.to:], " "))
	})
	if inner := len(moments) == 0 || moments[0] > 0 && moments[len(moments)-1] < comma; inner && comma > 0 &&
		comma < end-1 { // in the frontend directory, use pnpm; late at night, sleep
		holds := text[:ts[comma].from]
		if isWhole(holds) {
			return holds, tidy(spoken(text[ts[comma+1].from:], text))
		}
	}
	for _, i := range at(ts, Ban, 1, end) { // after 6pm no new features, but not: after 20 turns with no commit
		n, _ := longest(ts[i:], Ban)
		holds := strings.TrimRight(text[:ts[i].from], ", ")
		if i+n < end && load().exact[Join][ts[i-1].text] == nil && isWhole(holds) &&
			len(Lines(text[ts[i+n].from:], nil).Lines) == 0 {
			return holds, tidy(text[ts[i].from:])
		}
	}
	if len(moments) == 0 {
		if i := imperative(text, ts); i > 0 && isWhole(text[:ts[i].from]) { // monday to friday answer formally
			return strings.TrimSpace(text[:ts[i].from]), tidy(text[ts[i].from:])
		}
		return "", tidy(spoken(text, text))
	}
	first := moments[0]
	if says := orders(ts, first, end); first > 0 && len(says) > 0 { // late at night say
		first = 0
	}
	if first > 0 { // what is said, and then the moment
		last := len(moments) - 1
		for last > 0 && moments[last-1] == moments[last]-1 { // before every commit
			last--
		}
		first = moments[last]
		whole := func(i int) bool { return isWhole(text[ts[i].from:]) }
		if i := slices.IndexFunc(moments[:last], whole); i >= 0 { // tell me when the context is at 90 percent
			first = moments[i]
		}
		if first == 1 { // ask before deleting
			return text[ts[first].from:], tidy(text)
		}
		return text[ts[first].from:], tidy(spoken(text[:ts[first].from], text))
	}
	cut := -1
	for i, t := range ts { // before a commit, if no tests ran, say so; after edits of a.go, b.go or c.go, lint
		goesOn := cut < 0 || slices.Contains(moments, cut+1) || ts[cut+1].sort != word ||
			load().exact[Join][ts[cut+1].text] != nil
		if t.sort == sign && t.text == "," && goesOn {
			cut = i
		}
	}
	if cut < 0 {
		says := orders(ts, 1, end)
		switch i := imperative(text, ts); {
		case len(says) > 0:
			cut = says[len(says)-1]
		case i > 0:
			cut = i
		default:
			return text, tidy(text)
		}
	}
	what = strings.TrimLeft(text[ts[cut].from:], ", ")
	return strings.TrimSpace(text[:ts[cut].from]), tidy(spoken(what, text))
}

// isWhole reports whether a line answers to all that a text says.
func isWhole(text string) bool {
	a := Lines(text, nil)
	return len(a.Lines) > 0 && len(a.Left) == 0 && !a.Example
}

// orders returns the tokens from the given one to end at which words begin what is to be said, but not those
// of somebody who says it, as in "when it says done".
func orders(ts []token, from, end int) []int {
	return slices.DeleteFunc(at(ts, say, from, end), func(i int) bool {
		return i > 0 && load().exact[subject][ts[i-1].part] != nil && load().exact[Join][ts[i-1].part] == nil
	})
}

// imperative returns where a verb begins what is to be done, behind words that say when, as in "after an edit
// run the tests"; 0 where none does. It is better where all words before the verb are known.
func imperative(text string, ts []token) (partly int) {
	for i := len(ts) - 1; i > 1; i-- {
		t := ts[i]
		of := func(k Kind, t token) bool { return load().exact[k][t.part] != nil }
		says := func(p phrase) bool { return p.m.Kind != Fact }
		if i == len(ts)-1 && (t.sort != word || slices.ContainsFunc(load().nouns[t.text], says)) {
			continue // when the tests run, but: at midnight stop
		}
		if t.sort != word || len(t.part) < t.to-t.from || !of(Verb, t) || of(subject, ts[i-1]) ||
			i+1 < len(ts) && (of(Number, ts[i+1]) && !load().stops[ts[i+1].text] || of(Moment, ts[i+1])) ||
			isOneName(ts, i) {
			// when you read it; when they run twice; when the todo list is empty
			continue
		}
		a := Lines(text[:t.from], nil)
		left := slices.DeleteFunc(a.Left, func(p string) bool { return load().exact[Moment][fold(p)] != nil })
		switch {
		case len(a.Lines) == 0 || a.Example && strings.Contains(a.Lines[0], `"`):
		case len(left) == 0:
			return i
		default: // each time a component is edited check it
			partly = i
		}
	}
	return partly
}

// isOneName reports whether a token and the one before it are the name of one thing.
func isOneName(ts []token, i int) bool {
	return slices.ContainsFunc(load().nouns[ts[i-1].text], func(p phrase) bool {
		return p.m.Kind == Call && len(p.stems) > 1 && (&reading{ts: ts}).stands(p.stems, i-1)
	})
}

// Stems returns the stems of the words of a text that say something, in their order: "before" does not.
func Stems(text string) (stems []string) {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), between) {
		if exact := load().exact; !load().stops[stem(w)] && exact[Moment][w] == nil && exact[say][w] == nil {
			stems = append(stems, stem(w))
		}
	}
	return stems
}

// at returns the tokens from the given one to end at which words of a kind begin.
func at(ts []token, k Kind, from, end int) (all []int) {
	for i := from; i < end; i++ {
		if n, _ := longest(ts[i:], k); n > 0 {
			all = append(all, i)
		}
	}
	return all
}

// longest returns how many tokens at the beginning of ts are words of a kind, and what they mean.
func longest(ts []token, k Kind) (n int, means string) {
	for _, m := range load().all {
		if m.Kind != k {
			continue
		}
		for _, w := range m.Words {
			if stems := stemsOf(fold(w)); len(stems) > n && (&reading{ts: ts}).stands(stems, 0) {
				n, means = len(stems), m.Text
			}
		}
	}
	return n, means
}

// spoken returns a part of a sentence without the words before what is said, or the whole where nothing is.
func spoken(part, whole string) string {
	ts := tokens(part)
	switch n, means := longest(ts, say); {
	case n == len(ts), n == len(ts)-1 && ts[n].part == "me": // tell me
		return whole
	case n > 0 && ts[n].part == "me": // tell me the hash
		return part
	case n > 0 && len(part)-ts[n].from > len("so"): // say so
		return strings.ReplaceAll(means, "{text}", part[ts[n].from:])
	}
	return part
}

// tidy writes a text as a sentence.
func tidy(text string) string {
	text = strings.TrimRight(strings.TrimSpace(text), ",;")
	if text == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(text)
	text = strings.ToUpper(text[:n]) + text[n:]
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}
