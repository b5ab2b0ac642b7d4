package words

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// hit is a meaning that stands in a text.
type hit struct {
	m     *Meaning
	on    uint64
	guess bool // the text has a number of its kind, and does not name it
}

// reading is what stands in a text.
type reading struct {
	text    string
	ts      []token
	asks    uint64 // the tokens that say something
	hits    []hit
	numbers []candidate // as the language writes them
	counts  uint64      // the tokens of numbers and their units
	chained candidate   // tools, one after the other
	texts   []candidate // quoted
	calls   []candidate // call patterns
	op      candidate
	loose   candidate // a unit before the first number
	opEnd   int       // where the operator ends in text
	mod     uint64    // the tokens of the operator before a divisor
}

// read reads a text token by token, the longest phrase that is known first.
func read(text string) *reading {
	r := &reading{text: text, ts: tokens(text)}
	r.ts = r.ts[:min(len(r.ts), 64)]
	// once it is done, but not: once a day
	if often := []string{"per", "every", "each", "a", "an"}; len(r.ts) > 2 && r.ts[0].part == "once" &&
		!(slices.Contains(often, r.ts[1].part) && Of(Unit, r.ts[2].part)+Of(Counted, r.ts[2].part) != "" ||
			slices.Contains(often[:3], r.ts[1].part)) {
		r.ts[0].text = "when"
	}
	var files, tools []candidate
	for i := 0; i < len(r.ts); {
		t, n, on, next := r.ts[i], 1, uint64(1)<<i, i+1
		switch t.sort {
		case word:
			if named := load().exact[Tool][t.text]; named != nil && next < len(r.ts) && r.ts[next].text == "tool" {
				tools = append(tools, candidate{line: named.Text, on: on}) // the task tool
				r.asks |= on
				break
			}
			n = r.phrase(i)
		case number:
			if t.from > 0 && r.text[t.from-1] == '[' && strings.HasPrefix(r.text[t.to:], "]") { // calls[0]
				break
			}
			r.numbers = append(r.numbers, candidate{line: hour(t.text), on: on, clock: hour(t.text) != t.text})
			noun := strings.TrimLeft(t.text, "0123456789.")
			if strings.HasPrefix(noun, ":") || noun == "" && i > 0 && r.ts[i-1].part == "at" && next == len(r.ts) {
				noun = "hour" // 18:00; every day at 9
				r.numbers[len(r.numbers)-1].clock = true
			}
			for _, p := range load().nouns[noun] { // 6pm, 18:00
				if p.m.Kind == Fact && len(p.stems) == 1 {
					r.hits = append(r.hits, hit{m: p.m, on: on})
				}
			}
		case quoted:
			if program, _, _ := strings.Cut(t.text, " "); load().exact[Program][program] != nil {
				r.calls = append(r.calls, candidate{line: "@shell(" + t.text + "*)", on: on})
			}
			if name, _, _ := strings.Cut(t.text, "("); isTool(name) {
				tools = append(tools, candidate{line: t.text, on: on})
			}
			isFile := strings.Contains(t.text, "*") || r.op.on == 0 && strings.HasPrefix(t.text, ".") // read(".env")
			if isFile && !strings.Contains(t.text, " ") {
				files = append(files, candidate{line: t.text, on: on})
			}
			r.texts = append(r.texts, candidate{line: t.text, on: on})
		case pattern:
			r.texts = append(r.texts, candidate{line: t.text, on: on})
			r.operator("matches", 0, t.from)
			r.op.line = "matches" // whatever stands before it
		case file:
			if i > 0 && r.ts[i-1].text == "branch" || next < len(r.ts) && r.ts[next].text == "branch" {
				r.texts = append(r.texts, candidate{line: t.text, on: on}) // on branch release/*
				break
			}
			if IsEnding(t.text) {
				t.text = "*" + t.text
			}
			files = append(files, candidate{line: t.text, on: on})
		case tool:
			tools = append(tools, candidate{line: t.text, on: on})
		case sign:
			if m := load().exact[Operator][t.text]; m != nil {
				r.operator(m.Text, on, t.to)
			}
			on = r.op.on & on
		}
		if t.sort != word {
			r.asks |= on
		}
		i += n
	}
	for i := 1; i+1 < len(r.ts); i++ { // after each commit, but not: after each 10 turns
		if slices.Contains([]string{"each", "every"}, r.ts[i].part) && r.ts[i+1].sort != number &&
			slices.Contains([]string{"after", "before", "on", "with", "of"}, r.ts[i-1].part) {
			r.asks &^= 1 << i
		}
	}
	r.patterns(tools, files)
	r.bind()
	isPlace := func(h hit) bool {
		return h.m.Kind == Fact && slices.Contains([]string{"path", "cwd", "branch"}, h.m.Name())
	}
	if r.op.line == "<" && len(r.numbers) == 0 && !strings.Contains(text, "<") &&
		slices.ContainsFunc(r.hits, isPlace) { // under src/
		r.op.line = "contains"
	}
	return r
}

// operator notes an operator. That of a name of many words, such as "is larger than" or "has more than", is
// the last one.
func (r *reading) operator(op string, on uint64, end int) {
	if op == "%" { // which compares nothing
		r.mod |= on
		return
	}
	if r.op.line == "" || strings.Contains("== !=", r.op.line) ||
		r.op.line == "contains" && strings.ContainsAny(op, "<>") {
		r.op.line = op
	}
	r.op.on |= on
	r.opEnd = end
}

// phrase notes what the words from i on mean, and returns how many they are.
func (r *reading) phrase(i int) int {
	var found []phrase
	longest := 1
	for _, p := range load().nouns[r.ts[i].text] {
		if n := len(p.stems); p.m.Kind != line && p.m.Kind != recipe && n >= longest && r.stands(p.stems, i) {
			if n > longest {
				found, longest = nil, n
			}
			found = append(found, p)
		}
	}
	on := (uint64(1)<<longest - 1) << i
	last := r.ts[i+longest-1]
	written := r.text[r.ts[i].from:last.to]
	isOwn := func(p phrase) bool { return p.m.Kind == Fact && p.m.Name() == written }
	if own := slices.IndexFunc(found, isOwn); own >= 0 {
		name := found[own]
		found = slices.DeleteFunc(found, func(p phrase) bool { // a name of the language is itself
			return p.m != name.m && p.m.Kind != Unit && p.m.Kind != Operator
		})
	}
	says := func(p phrase) bool { return p.m.Kind == Operator && len(p.stems) == 1 }
	if at := slices.IndexFunc(load().nouns[last.text], says); at >= 0 && longest > 1 &&
		!slices.ContainsFunc(found, func(p phrase) bool { return p.m.Kind == Call }) { // user says
		r.operator(load().nouns[last.text][at].m.Text, on, last.to)
	}
	k := len(r.numbers)
	behind := k > 0 && (r.ts[i-1].sort == number || bits.Len64(r.numbers[k-1].on) == i)
	if behind && slices.ContainsFunc(found, func(p phrase) bool { return p.m.Kind == Unit }) { // an hour
		found = slices.DeleteFunc(found, func(p phrase) bool { return p.m.Kind == Fact })
	}
	if longest > 1 || !load().stops[r.ts[i].text] {
		r.asks |= on
	}
	if isCall := func(p phrase) bool { return p.m.Kind == Call || p.m.Kind == Program }; last.part == "each" ||
		last.part == "every" { // edit, but not: 10 edits, day
		found = slices.DeleteFunc(found, func(p phrase) bool {
			return p.m.Kind == frame && (i+longest == len(r.ts) || r.ts[i+longest].sort != tool &&
				!slices.ContainsFunc(load().nouns[r.ts[i+longest].text], isCall))
		})
	}
	for _, p := range found {
		switch m := p.m; m.Kind {
		case Operator:
			if r.compares(i) {
				r.operator(m.Text, on, last.to)
			}
		case Unit:
			if k == 0 && longest == 1 {
				// minutes > 30, but hour > 10pm names a fact
				named := slices.ContainsFunc(found, func(p phrase) bool { return p.m.Name() == written })
				r.loose = candidate{line: m.Text, on: on, weak: named}
			} else if behind {
				before := &r.numbers[k-1]
				before.line, before.on = withUnit(before.line, m.Text), before.on|on
				before.clock = before.clock || m.Text == "am" || m.Text == "pm"
			}
		case Number: // "a" is one where a unit follows
			next := i + longest
			isUnit := func(p phrase) bool { return p.m.Kind == Unit && len(p.stems) == 1 }
			if len(last.text) > 2 || next < len(r.ts) && slices.ContainsFunc(load().nouns[r.ts[next].text], isUnit) {
				r.numbers = append(r.numbers, candidate{line: m.Text, on: on})
				r.multiply()
			}
		case Call:
			called := candidate{line: m.Text, on: on}
			if m.Text == "mcp__*" {
				if name, by := r.server(i, i+longest); by != 0 {
					called = candidate{line: "mcp__" + name + "__*", on: on | by}
					r.asks |= by
				}
			}
			r.calls = append(r.calls, called)
		}
		written := strings.ToLower(r.ts[i].part) // go, not going
		isProgram := p.m.Kind == Program && slices.Contains(p.m.Words, written)
		if m := p.m; isProgram || m.Kind == Call && load().exact[Program][r.ts[i].text] != nil {
			text, on := r.command(i)
			line := "@shell(" + strings.ReplaceAll(text, " -", "*-") + "*)" // a flag stands anywhere
			if line != m.Text {
				r.calls = append(r.calls, candidate{line: line, on: on})
			}
		}
		r.hits = append(r.hits, hit{m: p.m, on: on})
	}
	return longest
}

// multiply makes one number of the last two where both are words and belong together: twenty five, two
// hundred, a quarter of an hour.
func (r *reading) multiply() {
	k := len(r.numbers) - 2
	if k < 0 {
		return
	}
	first, second := r.numbers[k], r.numbers[k+1]
	between := bits.Len64(first.on)
	if between < len(r.ts) && r.ts[between].part == "of" {
		between++
	}
	x, wrong := strconv.ParseFloat(first.line, 64)
	y, also := strconv.ParseFloat(second.line, 64)
	beside := between == bits.TrailingZeros64(second.on) && r.ts[between-1].sort == word
	if wrong != nil || also != nil || !beside {
		return
	}
	if x >= 20 && y < 10 {
		x += y
	} else {
		x *= y
	}
	first.line, first.on = strconv.FormatFloat(x, 'f', -1, 64), first.on|second.on
	r.numbers = append(r.numbers[:k], first)
}

// server returns the name of an MCP server beside the words in [from, to) that mean such, and the tokens that
// name it: the github MCP server, mcp github tools, mcp:github.
func (r *reading) server(from, to int) (name string, on uint64) {
	if to < len(r.ts) && r.ts[to].text == ":" {
		to++
	}
	names := func(i int) bool { return r.isName(i, func(phrase) bool { return true }) }
	isTool := func(i int) bool {
		return i == len(r.ts) || i < len(r.ts) && slices.Contains([]string{"tool", "server", "call"}, r.ts[i].text)
	}
	switch {
	case names(to) && isTool(to+1):
		return r.ts[to].part, 1 << to
	case names(from - 1):
		return r.ts[from-1].part, 1 << (from - 1)
	}
	return "", 0
}

// isName reports whether token i is a word that says nothing but a name: no meaning of it says more.
func (r *reading) isName(i int, says func(p phrase) bool) bool {
	if i < 0 || i >= len(r.ts) || r.ts[i].sort != word {
		return false
	}
	x, text := load(), r.ts[i].text
	return !x.stops[text] && !slices.ContainsFunc(x.nouns[text], says) && x.exact[Moment][text] == nil &&
		x.exact[Join][text] == nil
}

// unknown reports whether a token of the text is a name that nothing here knows.
func (r *reading) unknown(t token) bool {
	says := func(p phrase) bool { return len(p.stems) == 1 }
	known := Of(Unseen, t.part)+Of(Tool, t.part)+Of(subject, t.part) != "" // the task is finished
	return r.isName(slices.Index(r.ts, t), says) && !known && !strings.HasSuffix(t.part, "ly")
}

// foreign reports whether a line is an event of the run, and the text tells it of something else, as in "the
// server is started".
func (r *reading) foreign(c candidate) bool {
	i := bits.TrailingZeros64(c.on) - 1
	for i > 0 && load().stops[r.ts[i].text] {
		i--
	}
	return !strings.ContainsAny(c.line, " :(") && i >= 0 && r.unknown(r.ts[i])
}

// compares reports whether a word that may be an operator, at token i, is one. In "it has made", "has been",
// "has worked" and "has 20k tokens left", has is not.
func (r *reading) compares(i int) bool {
	if !slices.Contains([]string{"has", "have"}, strings.ToLower(r.ts[i].part)) || i+1 == len(r.ts) {
		return true
	}
	next := r.ts[i+1]
	return next.sort != number && next.part != "been" && !strings.HasSuffix(next.part, "ed") &&
		(i == 0 || load().exact[subject][r.ts[i-1].part] == nil || next.sort == quoted)
}

// stands reports whether stems stand in the text from token i on.
func (r *reading) stands(stems []string, i int) bool {
	if i+len(stems) > len(r.ts) {
		return false
	}
	for k, s := range stems {
		if t := r.ts[i+k]; t.sort != word || t.text != s {
			return false
		}
	}
	return true
}

// command is a command line of at most three words, flags among them, from token i on.
func (r *reading) command(i int) (string, uint64) {
	end := i + 1
	for words := 1; words < 3; words++ {
		next := end
		last := r.ts[end-1].to
		if next < len(r.ts) && strings.Trim(r.text[last:max(last, r.ts[next].from)], " ") != "" { // git.dirty
			break
		}
		if next+1 < len(r.ts) && r.ts[next].text == ":" { // git:push
			next++
		}
		for next+1 < len(r.ts) && r.ts[next].text == "-" && r.ts[next+1].from == r.ts[next].to { // of a flag
			next++
		}
		if next == len(r.ts) || r.ts[next].sort != word || next == end && (load().stops[r.ts[next].text] ||
			Of(Class, r.ts[next].part) == "shell" || // any git command
			slices.ContainsFunc(load().nouns[r.ts[next].text], func(p phrase) bool {
				says := p.m.Kind == Operator || p.m.Kind == frame && Of(Verb, r.ts[next].part) == "" || p.m.Kind == line
				return len(p.stems) == 1 && says // npm start
			})) {
			break
		}
		end = next + 1
	}
	line := strings.ReplaceAll(r.text[r.ts[i].from:r.ts[end-1].to], `"`, "")
	if strings.HasPrefix(r.text[r.ts[i].to:], ":") { // git:push
		line = strings.Replace(line, ":", " ", 1)
	}
	if r.ts[i].from == r.ts[end-1].from { // npm_test
		line = r.ts[i].part
		for _, t := range r.ts[i+1 : end] {
			line += " " + t.part
		}
	}
	return line, (uint64(1)<<(end-i) - 1) << i
}

// patterns makes call patterns of tools and files, and drops general ones where a special one says the same.
func (r *reading) patterns(tools, files []candidate) {
	for i, f := range files {
		switch last := f.line[strings.LastIndexByte(f.line, '/')+1:]; {
		case last == "":
			files[i].line += "**"
		case last != f.line && !strings.ContainsAny(strings.TrimPrefix(last, "."), ".*"): // src/legacy
			files[i].line += "/**"
		}
	}
	if braced := func(f candidate) bool { return strings.Contains(f.line, "{") }; len(files) > 1 &&
		!slices.ContainsFunc(files, braced) && r.listed(files) { // a.go, b.go or c.go
		all := candidate{line: "{" + files[0].line, on: files[0].on}
		for _, f := range files[1:] {
			all.line, all.on = all.line+","+f.line, all.on|f.on
		}
		files = []candidate{{line: all.line + "}", on: all.on}}
	}
	for _, f := range files {
		deletes := func(c candidate) bool { return c.line == "@shell(rm*)" }
		if i := slices.IndexFunc(r.calls, deletes); i >= 0 { // delete files in migrations/
			r.calls[i].line = "@shell(rm*" + strings.Trim(f.line, "*") + "*)"
			r.calls[i].on |= f.on
			continue
		}
		name := "@edit"
		for _, c := range append(tools, r.calls...) {
			if !strings.ContainsAny(c.line, "(*") && c.line != "@shell" && c.line != "Bash" {
				name, f.on = c.line, f.on|c.on
				break
			}
		}
		r.calls = append(r.calls, candidate{line: name + "(" + f.line + ")", on: f.on})
	}
	if chain := r.chain(tools); chain.on != 0 {
		r.calls = nil
		r.chained = chain
		return
	}
	if r.calls = append(tools, r.calls...); len(tools) > 1 && r.listed(tools) {
		r.calls = slices.Insert(r.calls, 0, r.anyOf(tools))
	}
	var general uint64
	framed := slices.ContainsFunc(r.hits, func(h hit) bool { return h.m.Kind == frame })
	r.calls = slices.DeleteFunc(r.calls, func(c candidate) bool {
		is := c.line == "*" && len(r.calls) > 1
		if is && framed { // after tool use of Bash
			general |= c.on
		}
		return is
	})
	special := slices.DeleteFunc(slices.Clone(r.calls), func(c candidate) bool {
		within := strings.Replace(c.line, "Bash", "@shell", 1) + "("
		is := slices.ContainsFunc(r.calls, func(s candidate) bool { return strings.HasPrefix(s.line, within) })
		if is {
			general |= c.on
		}
		return is
	})
	slices.SortStableFunc(special, func(a, b candidate) int {
		return bits.TrailingZeros64(a.on) - bits.TrailingZeros64(b.on)
	})
	r.calls = special
	for i := range r.calls {
		r.calls[i].on |= general &^ r.others(i)
	}
	named := func(c candidate) bool { return !strings.HasPrefix(c.line, "@") } // Bash or Edit
	if len(r.calls) > 1 && slices.ContainsFunc(r.ts, isOr) && !slices.ContainsFunc(r.calls, named) &&
		r.listed(r.calls) {
		r.calls = slices.Insert(r.calls, 0, r.anyOf(r.calls)) // npm, yarn or pip
	}
}

// isOr reports whether a token is or, or what other languages have for it.
func isOr(t token) bool {
	m := load().exact[Join][t.text]
	return m != nil && m.Text == "or"
}

// anyOf joins calls into one pattern. It leaves out a call whose words all belong to another one, as the test
// of go test does.
func (r *reading) anyOf(list []candidate) (all candidate) {
	var lines []string
	for _, c := range list {
		within := func(d candidate) bool { return d.on != c.on && d.on&c.on == c.on }
		if !slices.ContainsFunc(list, within) {
			lines = append(lines, c.line)
		}
	}
	return candidate{line: strings.Join(lines, ","), on: r.onOf(list)}
}

// chain is the line of tools that > joins.
func (r *reading) chain(tools []candidate) (all candidate) {
	var names []string
	again := false // Read Edit Read Edit
	for i, t := range tools {
		at := bits.TrailingZeros64(t.on)
		again = again || slices.Contains(names, t.line)
		names, all.on = append(names, t.line), all.on|t.on
		if i == 0 {
			continue
		}
		switch between := bits.Len64(tools[i-1].on); {
		case at == between && (again || i+1 < len(tools)):
		case at == between+1 && (r.ts[between].text == ">" || r.ts[between].text == "then"):
			all.on |= 1 << between
		default:
			return candidate{}
		}
	}
	if len(names) < 2 || !again && all.on == r.onOf(tools) {
		return candidate{}
	}
	all.line = "repeated_tool_chain:" + strings.Join(names, ">") + "|3"
	return all
}

// onOf are the tokens of candidates.
func (r *reading) onOf(list []candidate) (on uint64) {
	for _, c := range list {
		on |= c.on
	}
	return on
}

// listed reports whether nothing stands between calls, in their order, but commas, words that join and those
// that say nothing.
func (r *reading) listed(calls []candidate) bool {
	last, own := bits.TrailingZeros64(calls[len(calls)-1].on), r.onOf(calls)
	for i := bits.TrailingZeros64(calls[0].on); i < last; i++ {
		joins := load().exact[Join][r.ts[i].text] != nil || load().stops[r.ts[i].text]
		if own>>i&1 == 0 && r.ts[i].sort == word && !joins {
			return false
		}
	}
	return true
}

// others are the tokens of the call patterns but number i.
func (r *reading) others(i int) (on uint64) {
	for k, c := range r.calls {
		if k != i {
			on |= c.on
		}
	}
	return on &^ r.calls[i].on
}

// bag returns where stems stand in the text, in any order; 0 where one is missing.
func (r *reading) bag(stems []string) (on uint64) {
	for _, s := range stems {
		i := slices.IndexFunc(r.ts, func(t token) bool { return t.sort == word && t.text == s })
		if i < 0 {
			return 0
		}
		on |= 1 << i
	}
	return on
}

// joints are the tokens of words that only say how others belong together, as each and not do.
func (r *reading) joints() (on uint64) {
	for i, t := range r.ts {
		joins, says := load().stops[t.text], false
		for _, p := range load().nouns[t.text] {
			joint := slices.Contains([]Kind{frame, Moment, Ban, say, Join}, p.m.Kind)
			joins, says = joins || joint, says || !joint && len(p.stems) == 1
		}
		if joins && !says {
			on |= 1 << i
		}
	}
	return on
}

// unseen says of the first of tokens of which that can be said why no line answers to it.
func (r *reading) unseen(on uint64) string {
	for _, h := range r.hits { // max tokens
		if bits.OnesCount64(h.on) > 1 && !strings.HasPrefix(h.m.Text, "turns_since") {
			on &^= h.on
		}
	}
	why := ""
	for i, t := range r.ts {
		if m := load().exact[Unseen][key(Unseen, t.part)]; m != nil && on>>i&1 == 1 {
			why = m.Text
			break
		}
	}
	if slices.ContainsFunc(r.numbers, func(n candidate) bool { return n.on&on != 0 && r.since(n) }) {
		why = Of(Unseen, "since")
	}
	if len(r.calls) > 0 { // the call of an example
		why = strings.Replace(why, `"@edit"`, strconv.Quote(r.calls[0].line), 1)
	}
	return why
}

// parts returns the texts of tokens, those that stand next to each other as one. Of a name that is not there
// as a whole, each word is one.
func (r *reading) parts(on uint64) (parts []string) {
	for on != 0 {
		first := bits.TrailingZeros64(on)
		n := bits.TrailingZeros64(^(on >> first))
		on &^= (1<<n - 1) << first
		end := first + n
		if (first == 0 || r.ts[first-1].to <= r.ts[first].from) &&
			(end == len(r.ts) || r.ts[end-1].to <= r.ts[end].from) {
			parts = append(parts, strings.Trim(r.text[r.ts[first].from:r.ts[end-1].to], `"`))
			continue
		}
		for _, t := range r.ts[first:end] {
			parts = append(parts, cmp.Or(t.part, t.text))
		}
	}
	return slices.DeleteFunc(parts, func(p string) bool { // c => c.x, > ${N}
		return len(p) == 1 && !unicode.IsDigit(rune(p[0]))
	})
}
