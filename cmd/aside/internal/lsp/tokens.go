package lsp

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// The kinds of symbols that are used.
const (
	symbolEvent  = 24
	symbolMethod = 6
)

// documentSymbols answers with the reminders of a rule file, or the tests of a rule test.
func documentSymbols(_ context.Context, s *Server, v *view, p *documentParams) (any, error) {
	d, k := s.served(v, p.TextDocument.URI)
	list := []documentSymbol{}
	switch k {
	case rules:
		rs, _ := document.Read(d.path, []byte(d.text.s))
		for i := range rs {
			end := len(d.text.s)
			if i+1 < len(rs) {
				end = max(rs[i+1].Place("").Start.Offset, rs[i].Place("").Start.Offset)
			}
			from := rs[i].Place("").Start.Offset
			if len(rs) == 1 {
				from = 0
			}
			name := spanIn(rs[i].Place("id"))
			name.to = min(name.to, end)
			list = append(list, documentSymbol{Name: rs[i].ID, Detail: detailOf(&rs[i]), Kind: symbolEvent,
				Range: d.text.rangeOf(span{min(from, name.from), end}, v.units), SelectionRange: d.text.rangeOf(name,
					v.units)})
		}
	case ruleTest:
		list = testSymbols(v, d)
	default:
		return nil, nil
	}
	if v.caps.TextDocument.DocumentSymbol.Hierarchical {
		return list, nil
	}
	flat := make([]symbolInformation, len(list))
	for i, x := range list {
		flat[i] = symbolInformation{Name: x.Name, Kind: x.Kind, Location: location{d.uri, x.Range}}
	}
	return flat, nil
}

func detailOf(r *compile.Source) string {
	if r.Trigger == "" {
		return ""
	}
	return r.Mode.String() + ": " + oneLine(r.Trigger)
}

var testName = regexp.MustCompile(`(?m)^[ \t]*-[ \t]+(?:\{[ \t]*)?name:[ \t]*([^\r\n,}]+)`)

func testSymbols(v *view, d *doc) []documentSymbol {
	list := []documentSymbol{}
	found := testName.FindAllStringSubmatchIndex(d.text.s, -1)
	for i, g := range found {
		end := len(d.text.s)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		list = append(list, documentSymbol{Name: oneLine(d.text.s[g[2]:g[3]]), Kind: symbolMethod,
			Range: d.text.rangeOf(span{g[0], end}, v.units), SelectionRange: d.text.rangeOf(span{g[2],
				g[3]}, v.units)})
	}
	return list
}

// tokenTypes are the protocol's names of the kinds of tokens, by token.kind.
var tokenTypes = []string{"keyword", "variable", "function", "macro", "string", "number", "operator",
	"enumMember"}

const (
	tokenKeyword = iota
	tokenVariable
	tokenFunction
	tokenMacro
	tokenString
	tokenNumber
	tokenOperator
	tokenMember
)

// token is a word of a trigger, with its place in the file.
type token struct {
	span
	kind int
}

// tokens answers with the kinds of the words in the triggers of a rule file.
func tokens(_ context.Context, s *Server, v *view, p *documentParams) (any, error) {
	d, k := s.served(v, p.TextDocument.URI)
	if k != rules {
		return nil, nil
	}
	var list []token
	rs, _ := document.Read(d.path, []byte(d.text.s))
	for i := range rs {
		list = append(list, s.tokensOf(v, &rs[i], "trigger", rs[i].Trigger)...)
		list = append(list, s.tokensOf(v, &rs[i], "rearm", rs[i].Rearm)...)
		list = append(list, s.tokensOf(v, &rs[i], "expect", rs[i].Expect)...)
	}
	slices.SortFunc(list, func(a, b token) int { return cmp.Compare(a.from, b.from) })
	out := semanticTokens{Data: make([]int, 0, 5*len(list))}
	last, end := position{}, 0
	for _, t := range list {
		from, to := d.text.position(t.from, v.units), d.text.position(t.to, v.units)
		if t.from < end || from.Line != to.Line || t.from >= t.to {
			continue
		}
		line, char := from.Line-last.Line, from.Character
		if line == 0 {
			char -= last.Character
		}
		out.Data = append(out.Data, line, char, to.Character-from.Character, t.kind, 0)
		last, end = from, t.to
	}
	return out, nil
}

// tokensOf returns the words of one trigger: src, which is the reminder's field.
func (s *Server) tokensOf(v *view, r *compile.Source, field, src string) []token {
	if src == "" || r.Place(field) == r.Place("") {
		return nil
	}
	tree, _ := grammar.Parse(src)
	w := &tokenWalk{schema: schemaOf(v.schema), src: src}
	w.expr(tree.Root)
	w.gaps()
	var list []token
	for _, t := range w.list {
		at := r.Origin.Place(field, grammar.Range{Start: grammar.Position{Offset: t.from, Line: 1},
			End: grammar.Position{Offset: t.to, Line: 1}})
		list = append(list, token{spanIn(at), t.kind})
	}
	return list
}

// tokenWalk collects the words of a trigger, with their places in src.
type tokenWalk struct {
	schema *fact.Schema
	src    string
	list   []token
	leaves []span // the conditions; between them are and, or, not and parentheses
}

func (w *tokenWalk) add(r grammar.Range, kind int) {
	w.list = append(w.list, token{spanIn(r), kind})
}

func (w *tokenWalk) expr(e grammar.Expr) {
	for _, t := range grammar.Operands(e) {
		w.expr(t)
	}
	switch e := e.(type) {
	case nil, *grammar.Or, *grammar.And, *grammar.Not:
		return
	case *grammar.Constant:
		w.add(e.Range, tokenKeyword)
	case *grammar.Cadence:
		w.words(spanIn(e.Range))
	case *grammar.Shorthand:
		w.add(e.NameRange, tokenMacro)
		for _, a := range e.Args {
			w.add(a.Range, tokenMember)
		}
	case *grammar.Comparison:
		w.operand(e.Left)
		w.add(e.OpRange, tokenOperator)
		w.operand(e.Right)
	case *grammar.Bare:
		w.add(e.Range, tokenVariable)
	case *grammar.General:
		w.words(spanIn(e.Range))
	}
	w.leaves = append(w.leaves, spanIn(e.Span()))
}

func (w *tokenWalk) operand(o grammar.Operand) {
	switch o.Kind {
	case grammar.List:
		for _, x := range o.List {
			w.operand(x)
		}
	case grammar.Word:
		if _, ok := w.schema.Lookup(o.Text); ok {
			w.add(o.Range, tokenVariable)
		} else {
			w.add(o.Range, tokenMember)
		}
	case grammar.String:
		w.add(o.Range, tokenString)
	case grammar.Bool:
		w.add(o.Range, tokenKeyword)
	default:
		w.add(o.Range, tokenNumber)
	}
}

var triggerWord = regexp.MustCompile(
	`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.?[A-Za-z_][A-Za-z0-9_.]*|\$?[0-9][0-9A-Za-z.%]*|[<>=!]=?|&&|\|\|`)

// words adds the words of a span, by a pattern.
func (w *tokenWalk) words(in span) {
	for _, g := range triggerWord.FindAllStringIndex(w.src[in.from:in.to], -1) {
		at := span{in.from + g[0], in.from + g[1]}
		word := w.src[at.from:at.to]
		kind := tokenOperator
		switch c := word[0]; {
		case c == '"' || c == '\'':
			kind = tokenString
		case c >= '0' && c <= '9' || c == '$':
			kind = tokenNumber
		case c == '.': // a field of a call
			kind = tokenMember
		case cursor.IsWord(c):
			kind = w.wordKind(word, at.to)
		}
		w.list = append(w.list, token{at, kind})
	}
}

func (w *tokenWalk) wordKind(word string, end int) int {
	if _, ok := w.schema.Lookup(word); ok {
		return tokenVariable
	}
	if end < len(w.src) && w.src[end] == '(' {
		return tokenFunction
	}
	if cursor.Find(word, cursor.Words().Joins, cursor.Words().Constants) != nil ||
		slices.Contains([]string{"turns", "turn", "user", "true", "false"}, word) {
		return tokenKeyword
	}
	return tokenVariable
}

// gaps adds the words between the leaves.
func (w *tokenWalk) gaps() {
	slices.SortFunc(w.leaves, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	at := 0
	for _, l := range append(w.leaves, span{len(w.src), len(w.src)}) {
		if at < l.from {
			w.words(span{at, l.from})
		}
		at = max(at, l.to)
	}
}
