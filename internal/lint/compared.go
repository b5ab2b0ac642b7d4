package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/words"
)

// Texts that equal nothing: those that their author means as patterns, and that are compared as they stand,
// and what no directory, command, class or branch is; and globs where a regular expression stands.

// texts looks at all texts that a condition compares. set is the set or list whose members are looked at.
func (s *subject) texts(field string, x grammar.Expr, set string) {
	switch x := x.(type) {
	case *grammar.Shorthand:
		if x.Name == "thread" {
			for _, a := range x.Args {
				text := grammar.Literal{Range: a.Range, Text: a.Text}
				s.compared(field, textComparison{"thread_type", "thread_type", "==", text, x.Range, len(x.Args) == 1})
			}
		}
	case *grammar.Call:
		if name, is := x.Args[0].(*grammar.Name); is {
			set = name.Name
		}
	case *grammar.Binary:
		of, texts := s.sides(x)
		written := s.source(field, of)
		for _, text := range texts {
			name := strings.Replace(written, "#", set, 1)
			s.compared(field, textComparison{name, written, string(x.Op), text, x.Range, len(texts) == 1})
		}
	}
	for _, part := range grammar.Operands(x) {
		s.texts(field, part, set)
	}
}

// sides returns what a comparison compares with texts, and these; none where it compares anything else.
func (s *subject) sides(x *grammar.Binary) (of grammar.Expr, texts []grammar.Literal) {
	if texts = s.textsOf(x.Right); texts != nil {
		return x.Left, texts
	}
	return x.Right, s.textsOf(x.Left)
}

// textsOf returns the texts that x is; nil if it is anything else.
func (s *subject) textsOf(x grammar.Expr) (all []grammar.Literal) {
	switch x := x.(type) {
	case *grammar.Literal:
		if x.Kind == grammar.String {
			all = append(all, *x)
		}
	case *grammar.Name:
		if _, fact := s.set.Schema().Lookup(x.Name); !fact {
			all = append(all, grammar.Literal{Range: x.Range, Text: x.Name})
		}
	case *grammar.Array:
		for _, item := range x.Items {
			all = append(all, s.textsOf(item)...)
		}
	}
	return all
}

// A textComparison compares something with a text.
type textComparison struct {
	of, written string // what is compared; # is the name of its set in the first
	op          string
	text        grammar.Literal
	at          grammar.Range
	alone       bool // the text is the only one
}

// prose are the facts and fields that hold any text: each sign of a pattern may be a part of it.
var prose = regexp.MustCompile(`^(?:lower\(|upper\()?\.?` +
	`(?:command|prompt|response|output|written|input\.|vars\.)`)

// The signs of a regular expression that a text has for no other reason, and of a glob in prose. A command
// has pipes, and code has pointers.
var (
	regexpSign = regexp.MustCompile(`\.[*+]|\(\?[a-zA-Z:=!<]|\\[bBdDsSwW]([^a-zA-Z]|$)|^\^\w`)
	choiceSign = regexp.MustCompile(`\w(\|)\w`)
	globSign   = regexp.MustCompile(`\w\*$`)
)

// ref matches what stands before a branch's name in some listings.
var ref = regexp.MustCompile(`^(?:refs/heads/|refs/remotes/\w+/|remotes/\w+/|origin/|upstream/)`)

// compared reports a text that is compared as it stands and means something else, and a glob behind matches.
func (s *subject) compared(field string, c textComparison) {
	op, text := c.plainOp(), c.text.Text
	f := finding{code: code.UselessWildcard, field: field, at: c.text.Range, fixAt: c.at}
	switch free := prose.MatchString(c.of); {
	case op == "matches":
		if !isGlob(text) {
			return
		}
		f.code, f.at, f.fix = code.GlobAsPattern, c.at, c.globbed()
		f.message = fmt.Sprintf("%q is read as a regular expression, in which * repeats the character before it",
			text)
	case c.written == "tool_used" && (op == "==" || op == "in"): // call patterns
		return
	case c.regexp():
		f.message = fmt.Sprintf("%q is compared as it stands, and not as a regular expression", text)
		f.fix = c.instead("matches", text)
	case strings.Contains(text, "*") && (!free || op == "==" || op == "in" ||
		globSign.MatchString(text) && !strings.HasSuffix(c.of, "written")):
		f.message = fmt.Sprintf("%q is compared as it stands: * is a wildcard in call patterns alone", text)
		f.fix = c.globbed()
	case c.partOfDir():
		f.code, f.message = code.HitByChance, "cwd is a whole path, from / on"
		f.fix = c.instead(map[bool]string{true: "contains", false: "endsWith"}[op == "startsWith"],
			strings.TrimLeft(text, ".~"))
	case strings.HasSuffix(c.of, "path") && op != "contains" && op != "endsWith" &&
		(strings.HasPrefix(text, "./") || op != "startsWith" && strings.HasSuffix(text, "/")):
		f.code, f.message = code.HitByChance, "a path is that of a file, below the project directory"
		bare := strings.TrimPrefix(text, "./")
		if f.fix = c.instead(op, bare); strings.HasSuffix(bare, "/") {
			f.fix = c.instead("startsWith", bare)
		}
	case strings.HasSuffix(c.of, "command") && (op == "==" || op == "in") &&
		strings.HasPrefix(words.Of(words.Program, text), "needs "):
		f.code, f.message = code.HitByChance, fmt.Sprintf("nobody runs %s alone", text)
		f.fix = c.instead("startsWith", text+" ")
	case c.of == ".class" && (op == "==" || op == "in") && text != string(fact.NoClass) &&
		!slices.Contains(fact.Classes(), fact.Class(text)):
		f.code, f.message, f.fixAt = code.NearValue, fmt.Sprintf("no call has the class %q", text), c.text.Range
		if class := words.Of(words.Class, text); class != "" {
			f.fix = strconv.Quote(class)
		}
	case c.of == "branch" && (op == "==" || op == "in") && ref.MatchString(text):
		f.code, f.message, f.fixAt = code.NearValue, "a branch is told by its name alone", c.text.Range
		f.fix = strconv.Quote(ref.ReplaceAllString(text, ""))
	default:
		return
	}
	switch f.hint = "write `" + f.fix + "`"; {
	case f.fix == "" && f.code == code.NearValue:
		f.hint = "the classes are " + fmt.Sprint(fact.Classes())
	case f.fix == "":
		f.hint = "leave it out: any text will do"
	case !c.alone && f.code != code.NearValue:
		f.fix = ""
		join := map[bool]string{true: "or", false: "and"}[op == c.op]
		f.hint += ", joined by " + join + " to the others"
	}
	s.add(f)
}

// plainOp is the operator without its not.
func (c *textComparison) plainOp() string {
	return strings.TrimPrefix(strings.Replace(c.op, "!=", "==", 1), "not ")
}

// instead is a comparison in the place of c.
func (c *textComparison) instead(op, text string) string {
	not := ""
	if c.op != c.plainOp() {
		not = "not "
	}
	return fmt.Sprintf("%s%s %s %s", not, c.written, op, strings.ReplaceAll(strconv.Quote(text), `\\`, `\`))
}

// partOfDir reports whether the working directory is compared with a part of a path, or its beginning with a
// later part.
func (c *textComparison) partOfDir() bool {
	op, text := c.plainOp(), c.text.Text
	return c.of == "cwd" && (op == "==" || op == "in" || op == "startsWith") &&
		strings.Trim(text, "./~") != "" && text[0] != '/' && !strings.Contains(text, `:`)
}

// regexp reports whether the text is a regular expression by its signs.
func (c *textComparison) regexp() bool {
	text := c.text.Text
	signs := regexpSign.MatchString(text) || choiceSign.MatchString(text) && !strings.HasSuffix(c.of, "command")
	_, err := regexp.Compile(text)
	return signs && err == nil
}

// globbed compares with the text as a glob; "" for one that is true of any text.
func (c *textComparison) globbed() string {
	text, op := c.text.Text, c.plainOp()
	from := op != "contains" && op != "endsWith" && text[0] != '*'
	to := op != "contains" && op != "startsWith" && !strings.HasSuffix(text, "*")
	parts := slices.DeleteFunc(strings.Split(text, "*"), func(part string) bool { return part == "" })
	switch {
	case len(parts) == 0:
		return ""
	case len(parts) == 1 && from:
		return c.instead("startsWith", parts[0])
	case len(parts) == 1 && to:
		return c.instead("endsWith", parts[0])
	case len(parts) == 1:
		return c.instead("contains", parts[0])
	}
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	first, last := map[bool]string{true: "^"}[from], map[bool]string{true: "$"}[to]
	return c.instead("matches", first+strings.Join(parts, ".*")+last)
}

// isGlob reports whether a pattern has no sign of a regular expression but *, behind something else than a
// point.
func isGlob(text string) bool {
	star := strings.IndexByte(text, '*')
	return star > 0 && text[star-1] != '.' && !strings.ContainsAny(text, "\"\\^$+?|()[]{}")
}
