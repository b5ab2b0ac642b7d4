package reference

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Trigger is the source of a trigger, read by itself from LANGUAGE.md §2. It is immutable.
type Trigger struct {
	truth      func(o *Occasion) fact.Truth
	conditions []string // those that are remembered
}

// Truth returns the trigger's truth.
func (t *Trigger) Truth(o *Occasion) fact.Truth { return t.truth(o.atHand()) }

// Read reads a trigger that package compile/trigger accepts; of others it may accept some and refuse some.
func Read(source string, schema *fact.Schema) (t *Trigger, err error) {
	if schema == nil {
		schema = fact.Builtin()
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%q: %v", source, r)
		}
	}()
	r := &reader{schema: schema, in: source, conditions: &[]string{}}
	truth := r.or()
	if r.skip(); r.at < len(r.in) {
		return nil, fmt.Errorf("%q: what is %q?", source, r.in[r.at:])
	}
	return &Trigger{truth, *r.conditions}, nil
}

type truth = func(o *Occasion) fact.Truth

// reader reads a trigger from the left to the right.
type reader struct {
	schema     *fact.Schema
	in         string
	at         int
	conditions *[]string
}

func (r *reader) skip() {
	for r.at < len(r.in) && strings.ContainsRune(" \t\r\n", rune(r.in[r.at])) {
		r.at++
	}
}

// word takes one of the words or signs if it stands next.
func (r *reader) word(words ...string) bool {
	r.skip()
	for _, w := range words {
		if startsWord(r.in, r.at, w) {
			r.at += len(w)
			return true
		}
	}
	return false
}

// startsWord reports whether a word stands at a place, and does not go on.
func startsWord(in string, at int, w string) bool {
	if !strings.HasPrefix(in[at:], w) {
		return false
	}
	if !letter(w[0]) {
		return true
	}
	end := at + len(w)
	return (at == 0 || !letter(in[at-1])) && (end == len(in) || !letter(in[end]) && in[end] != ':')
}

func letter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (r *reader) or() truth {
	terms := []truth{r.and()}
	for r.word("or", "||") {
		terms = append(terms, r.and())
	}
	return func(o *Occasion) fact.Truth {
		out := fact.False
		for _, t := range terms {
			out = max(out, t(o))
		}
		return out
	}
}

func (r *reader) and() truth {
	terms := []truth{r.not()}
	for r.word("and", "&&") {
		terms = append(terms, r.not())
	}
	return func(o *Occasion) fact.Truth {
		out := fact.True
		for _, t := range terms {
			out = min(out, t(o))
		}
		return out
	}
}

func (r *reader) not() truth {
	if r.word("not", "!") {
		t := r.not()
		return func(o *Occasion) fact.Truth { return 2 - t(o) }
	}
	return r.operand()
}

// operand reads up to the next "and", "or" or closing parenthesis at this depth.
func (r *reader) operand() truth {
	r.skip()
	from, depth := r.at, 0
scan:
	for r.at < len(r.in) {
		c := r.in[r.at]
		switch {
		case c == '"' || c == '`' || c == '\'' && depth == 0:
			r.at = quoteEnd(r.in, r.at)
			continue
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth == 0:
			break scan
		case c == ')' || c == ']':
			depth--
		case depth > 0:
		case startsWord(r.in, r.at, "and"), startsWord(r.in, r.at, "or"), strings.HasPrefix(r.in[r.at:], "&&"),
			strings.HasPrefix(r.in[r.at:], "||"):
			break scan
		}
		r.at++
	}
	text := strings.TrimSpace(r.in[from:r.at])
	if text == "" {
		panic(errors.New("a condition is missing"))
	}
	if text[0] == '(' && closing(text) == len(text)-1 {
		inner := &reader{schema: r.schema, in: text[1 : len(text)-1], conditions: r.conditions}
		t := inner.or()
		if inner.skip(); inner.at < len(inner.in) {
			panic(fmt.Errorf("what is %q?", inner.in[inner.at:]))
		}
		return t
	}
	return r.leaf(text)
}

// closing returns the place of the parenthesis that closes the first one.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = quoteEnd(text, i) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// quoteEnd returns the place behind the quoted text that begins at i.
func quoteEnd(in string, i int) int {
	quote := in[i]
	for i++; i < len(in); i++ {
		if in[i] == '\\' && quote != '`' {
			i++
		} else if in[i] == quote {
			return i + 1
		}
	}
	return len(in)
}

var (
	shorthandForm = regexp.MustCompile(
		`^(after_tool|tool_failed|before_tool|turn_gt|user_turn_gt|thread|repeated_tool_chain)\s*:\s*(?s:(.*))$`)
	cadenceForm = regexp.MustCompile(`^every\s+(\d+)\s*(user\s+turns?|turns?)$`)
	timeForm    = regexp.MustCompile(`^every\s+(\S+)$`)
)

func (r *reader) leaf(text string) truth {
	switch text {
	case "always":
		return func(*Occasion) fact.Truth { return fact.True }
	case "never", "manual":
		return func(*Occasion) fact.Truth { return fact.False }
	case "stopping":
		return func(o *Occasion) fact.Truth { return fact.Of(o.Moment == fact.Stopping) }
	}
	e := &expression{schema: r.schema, in: text}
	defer func() { *r.conditions = append(*r.conditions, e.conditions...) }()
	if m := shorthandForm.FindStringSubmatch(text); m != nil {
		return e.shorthand(m[1], m[2])
	}
	if m := cadenceForm.FindStringSubmatch(text); m != nil {
		unit := strings.Join(strings.Fields(strings.TrimSuffix(m[2], "s")), " ") + "s"
		n, _ := strconv.ParseFloat(m[1], 64)
		return every(unit, n)
	}
	if m := timeForm.FindStringSubmatch(text); m != nil {
		return every("time", span(m[1]))
	}
	n := e.condition(e.whole(), text)
	return func(o *Occasion) fact.Truth { return truthOf(n.eval(&scope{o: o})) }
}

func truthOf(v any) fact.Truth {
	if is, known := v.(bool); known {
		return fact.Of(is)
	}
	return fact.Unknown
}

// valueOf is the inverse of truthOf.
func valueOf(t fact.Truth) any {
	if t == fact.Unknown {
		return nil
	}
	return t == fact.True
}

func every(unit string, n float64) truth {
	return func(o *Occasion) fact.Truth {
		if o.Between || o.Moment != fact.Turn {
			return fact.False
		}
		d := o.Past.since(o.Self, unit)
		if d == nil {
			return fact.Unknown
		}
		return fact.Of(d.(float64) >= n)
	}
}

// span is a duration in nanoseconds: 30s, 5m, 1h30m, 2d.
func span(text string) float64 {
	sum := 0.0
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil {
			panic(err)
		}
		if sum = n * 24 * 3600e9; rest == "" {
			return sum
		}
		text = rest
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return sum + float64(d)
}

// splitOn splits a text at a byte that stands outside quotes and parentheses, and trims the pieces.
func splitOn(text string, by byte) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i = quoteEnd(text, i) - 1
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == by && depth == 0:
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

func unquoted(text string) string {
	if len(text) > 1 && text[0] == '"' {
		return texts(text)
	}
	return text
}

// texts is the meaning of a quoted text: \", \\, \n and \t.
func texts(quoted string) string {
	inner := quoted[1 : len(quoted)-1]
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(inner)
}

func (e *expression) shorthand(name, text string) truth {
	var args []string
	for _, a := range splitOn(text, ',') {
		args = append(args, unquoted(a))
	}
	switch name {
	case "thread":
		return func(o *Occasion) fact.Truth {
			v, ok := o.value("thread_type").(string)
			if !ok {
				return fact.Unknown
			}
			out := fact.False
			for _, a := range args {
				out = max(out, fact.Of(strings.EqualFold(v, a)))
			}
			return out
		}
	case "turn_gt", "user_turn_gt":
		n, subject := number(args[0]), map[string]string{"turn_gt": "turn_count",
			"user_turn_gt": "user_turn_count"}[name]
		return func(o *Occasion) fact.Truth {
			v, ok := o.value(subject).(float64)
			if !ok {
				return fact.Unknown
			}
			return fact.Of(v > n)
		}
	case "repeated_tool_chain":
		i := strings.LastIndexByte(text, '|')
		chain, n := unquoted(strings.TrimSpace(text[:i])), number(strings.TrimSpace(text[i+1:]))
		return func(o *Occasion) fact.Truth {
			v, ok := o.Past.call("tool_chain_repeats", []string{chain}).(float64)
			if !ok {
				return fact.Unknown
			}
			return fact.Of(v >= n)
		}
	}
	var ps []callPattern
	for _, a := range args {
		ps = append(ps, readPattern(a))
	}
	match := func(o *Occasion, c *fact.Call) fact.Truth {
		out := fact.False
		for _, p := range ps {
			out = max(out, p.match(c, o.Place))
		}
		return out
	}
	switch name {
	case "before_tool":
		return func(o *Occasion) fact.Truth {
			if o.Moment != fact.BeforeTool || o.Before == nil {
				return fact.False
			}
			return match(o, o.Before)
		}
	}
	some, of := (*Occasion).someCall, []string{"tool_used"}
	if name == "tool_failed" {
		some, of = (*Occasion).someFailed, append(of, "last_tool_call_failed")
	}
	c := e.remember(e.in, list{}, of...)
	c.after, c.read = true, func(o *Occasion) any { return valueOf(some(o, match)) }
	return func(o *Occasion) fact.Truth { return truthOf(c.value(o)) }
}

// someCall returns whether a call of the previous turn is one of those.
func (o *Occasion) someCall(is func(*Occasion, *fact.Call) fact.Truth) fact.Truth {
	if !o.Tools {
		return fact.Unknown
	}
	out := fact.False
	for i := range o.Calls {
		out = max(out, is(o, &o.Calls[i]))
	}
	return out
}

// someFailed returns whether one of those calls failed. Where it is not told which calls failed but that one
// did, and all of them are of those, one of them did.
func (o *Occasion) someFailed(is func(*Occasion, *fact.Call) fact.Truth) fact.Truth {
	any, known := o.value("last_tool_call_failed").(bool)
	if known && !any {
		return fact.False
	}
	if !o.Tools {
		return fact.Unknown
	}
	out, all := fact.False, len(o.Calls) > 0
	for i := range o.Calls {
		c := &o.Calls[i]
		failed := fact.Unknown
		switch {
		case o.Told:
			failed = c.Failed
		case o.FailedTold:
			failed = fact.Of(slices.Contains(o.Failed, c.Tool))
		}
		match := is(o, c)
		out = max(out, min(match, failed))
		all = all && match == fact.True
	}
	if all && known && any {
		return fact.True
	}
	return out
}

// number is a number as triggers write it: 10, 4k, 75%, $5, -3, 1h30m.
func number(text string) float64 {
	scale := 1.0
	switch {
	case strings.HasPrefix(text, "$"):
		text = text[1:]
	case strings.HasSuffix(text, "%"):
		text, scale = text[:len(text)-1], 0.01
	case strings.HasSuffix(text, "k"):
		text, scale = text[:len(text)-1], 1e3
	case strings.HasSuffix(text, "M"):
		text, scale = text[:len(text)-1], 1e6
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if negative, ok := strings.CutPrefix(text, "-"); ok {
			return -span(negative)
		}
		return span(text)
	}
	if scale == 0.01 {
		return n / 100
	}
	return n * scale
}
