package grammar

import (
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar. One token decides at every fork, so participle needs no more than one of lookahead, and its time is
// linear. What stands for the words and signs of the language are the kinds of token.go. Captures cost participle more
// than anything else, so what is flat is captured whole.
//
//	trigger    = or EOF .
//	or         = and { ( "or" | "||" ) and } .
//	and        = not { ( "and" | "&&" ) not } .
//	not        = ( "not" | "!" ) not | primary .
//	primary    = "(" or ")" | shorthand | cadence | comparison | constant | general .
//	constant   = "always" | "never" | "manual" .
//	shorthand  = name ":" arg { "," arg } .
//	cadence    = "every" ( int "turns" | int "user" "turns" | duration ) .
//	comparison = fact op literal | literal op fact | fact .
//	op         = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" .
//	literal    = [ "-" ] ( number | number "%" | number ( "k" | "M" ) | duration ) | string | bareword | "true" | "false" | list .
type (
	orSyntax struct {
		Tokens []lexer.Token
		Terms  []andSyntax `parser:"@@ ( Or @@ )*"`
	}
	andSyntax struct {
		Tokens []lexer.Token
		Terms  []notSyntax `parser:"@@ ( And @@ )*"`
	}
	notSyntax struct {
		Tokens     []lexer.Token
		Comparison *comparisonSyntax `parser:"Not* ( @@"`
		Shorthand  []lexer.Token     `parser:"| @( Shorthand Arg ( Comma Arg )* )"`
		Cadence    []lexer.Token     `parser:"| @( Every ( Time | Count User? Turns ) )"`
		Group      *orSyntax         `parser:"| Open @@ Close"`
		Leaf       *lexer.Token      `parser:"| @( Constant | General | Bad ) )"`
	}
	comparisonSyntax struct {
		Left  []lexer.Token `parser:"@( Value | OpenList Value ( Comma Value )* CloseList )"`
		Op    *lexer.Token  `parser:"( @Op"`
		Right []lexer.Token `parser:"@( Value | OpenList Value ( Comma Value )* CloseList ) )?"`
	}
)

// parser builds participle's parser on first use: it takes longer than most programs have triggers to read.
var parser = sync.OnceValue(func() *participle.Parser[orSyntax] {
	return participle.MustBuild[orSyntax](participle.Lexer(definition{}), participle.UseLookahead(1))
})

// definition is our lexer as participle knows lexers: what it lexes is repaired already.
type definition struct{}

// Symbols implements lexer.Definition.
func (definition) Symbols() map[string]lexer.TokenType {
	symbols := make(map[string]lexer.TokenType, len(kindNames))
	for k, name := range kindNames {
		if name != "" {
			symbols[name] = kind(k).tokenType()
		}
	}
	return symbols
}

// tokenType is the number participle knows a kind by. Its own for the end is -1. All that can be compared is one kind to
// the grammar: a value.
func (k kind) tokenType() lexer.TokenType {
	if isLiteral(k) {
		k = tokWord
	}
	return lexer.EOF - lexer.TokenType(k)
}

func kindOf(t lexer.Token) kind { return kind(lexer.EOF - t.Type) }

// Lex implements lexer.Definition.
func (d definition) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(file, string(src))
}

// LexString implements lexer.StringDefinition.
func (definition) LexString(_, src string) (lexer.Lexer, error) {
	return read(src).stream(), nil
}

// stream hands repaired tokens to participle.
type stream struct {
	src    string
	places *places
	tokens []token
}

// Next implements lexer.Lexer.
func (s *stream) Next() (lexer.Token, error) {
	t := s.tokens[0]
	if t.kind != tokEnd {
		s.tokens = s.tokens[1:]
	}
	p := s.places.at(t.start)
	return lexer.Token{
		Type:  t.kind.tokenType(),
		Value: t.text(s.src),
		Pos:   lexer.Position{Offset: p.Offset, Line: p.Line, Column: p.Column},
	}, nil
}
