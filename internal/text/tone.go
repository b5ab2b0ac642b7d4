package text

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// secrecy is a text that asks the model to hide it. Models report that to their user as an attack.
var secrecy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:never|not|without|[a-z]+n['’]t)(?: (?:ever|explicitly|directly))?` +
		`(?: (?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|acknowledg(?:e|ing)|referenc(?:e|ing))` +
		` (?:this|these|it|that|the (?:above|reminder|instruction|message|note|tag|system|rule)s?)\b` +
		`| (?:tell|telling|inform|informing|let) (?:the )?(?:user|human|person|anyone|anybody|them)\b)` +
		`|\b(?:keep|hide|conceal) (?:this|these|it|that)(?: [a-z]+)?` +
		` (?:secret|hidden|private|to yourself|from (?:the )?(?:user|human|anyone|them))` +
		`|\bhide from (?:the )?(?:user|human|anyone)\b` +
		`|\b(?:secret|hidden|confidential) (?:instruction|message|note|reminder)s?\b`)
})

// stems are the words of which each text that secrecy matches holds one. Most texts hold none.
var stems = []string{
	"mention", "reveal", "disclos", "acknowledg", "referenc", "tell", "inform", "let ", "hid", "conceal",
	"keep", "secret", "confidential",
}

// loud are words that shout when they are in capitals. Abbreviations are none of them.
var loud = map[string]bool{
	"OVERRIDE": true, "OVERRIDES": true, "IGNORE": true, "DISREGARD": true, "OBEY": true, "COMPLY": true,
	"IMPORTANT": true, "CRITICAL": true,
	"URGENT": true, "WARNING": true, "ATTENTION": true, "DANGER": true, "MANDATORY": true,
	"REQUIRED": true, "IMMEDIATELY": true, "STOP": true,
	"MUST": true, "NEVER": true, "ALWAYS": true, "FORBIDDEN": true, "PROHIBITED": true, "SUPERSEDE": true,
	"SUPERSEDES": true, "ABSOLUTELY": true,
}

// Tone warns of a text that models report as an attack: one that asks for secrecy, and one that shouts.
func Tone(text string) grammar.Diagnostics {
	var ds grammar.Diagnostics
	warn := func(id grammar.Code, from, to int, message, hint string) {
		start := grammar.Position{Line: 1, Column: 1}.After(text[:from])
		ds = append(ds, grammar.Diagnostic{Code: id, Severity: grammar.Warning, Message: message, Hint: hint,
			Range: grammar.Range{Start: start, End: start.After(text[from:to])}})
	}
	lower := lowerASCII(text)
	for _, stem := range stems {
		if strings.Contains(lower, stem) {
			if at := secrecy().FindStringIndex(lower); at != nil {
				warn(code.Secrecy, at[0], at[1],
					"the text asks to be kept from the user, which models report as an attack",
					"leave it out, and say what is the case")
			}
			break
		}
	}
	if from, to := shout(text); to > 0 {
		warn(code.Shouting, from, to, fmt.Sprintf("%s shouts, which models take for an attack", text[from:to]),
			"say it in plain words and lower case")
	}
	return ds
}

// shout finds the first word in capitals that is meant to be loud; to is 0 if there is none.
func shout(text string) (from, to int) {
	for ; to < len(text); to++ {
		for from = to; to < len(text) && isWordByte(text[to]); {
			to++
		}
		if loud[text[from:to]] {
			return from, to
		}
	}
	return 0, 0
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// isWordByte reports whether c belongs to a word or a name, so that MUST_RUN and STOP-1 are none that shout.
func isWordByte(c byte) bool {
	return isUpper(c) || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' ||
		c >= utf8.RuneSelf
}

// lowerASCII is text with a to z for A to Z and every other byte, and so every offset, as it was.
func lowerASCII(text string) string {
	b := []byte(text)
	for i, c := range b {
		if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
