package ruletest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/near"
)

// maxFile is the length in bytes of the longest test file, a bound for the time that the YAML parser takes.
// Triggers of a megabyte, which tests may want to see refused, have room in it.
const maxFile = 16 << 20

// reader reads one test file and collects its diagnostics.
type reader struct {
	file  string
	src   []byte
	lines []int // the offset of each line's start
	diags grammar.Diagnostics

	only    *regexp.Regexp // matches the names of the tests to read; nil: all
	home    string         // the user's home directory
	bounds  string         // the directory out of which the tests name no file
	skipped int            // how many tests were not read
	names   map[string]int // the names of the tests read so far, with their lines

	loaded  map[loadKey]loaded
	sources map[string][]byte // by path, the texts that diagnostics may point into
}

func newReader(file string, src []byte) *reader {
	r := &reader{
		file: file, src: src, lines: []int{0},
		names: map[string]int{}, loaded: map[loadKey]loaded{}, sources: map[string][]byte{file: src},
	}
	for i, b := range src {
		if b == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	return r
}

// position returns the position in the file at a line and a column, both from 1, the column in characters.
func (r *reader) position(line, column int) grammar.Position {
	if line < 1 || line > len(r.lines) {
		return grammar.Position{Offset: len(r.src), Line: max(line, 1), Column: max(column, 1)}
	}
	at := r.lines[line-1]
	for range column - 1 {
		if at >= len(r.src) || r.src[at] == '\n' {
			break
		}
		_, n := utf8.DecodeRune(r.src[at:])
		at += n
	}
	return grammar.Position{Offset: at, Line: line, Column: max(column, 1)}
}

// span returns the range of n where n is a plain scalar on one line, else that of its first character.
func (r *reader) span(n *yaml.Node) grammar.Range {
	start := r.position(n.Line, n.Column)
	end := start
	width := 1
	if n.Kind == yaml.ScalarNode && n.Style == 0 && bytes.HasPrefix(r.src[start.Offset:], []byte(n.Value)) {
		width = utf8.RuneCountInString(n.Value)
	}
	if start.Offset < len(r.src) {
		end = r.position(n.Line, n.Column+width)
	}
	return grammar.Range{Start: start, End: end}
}

// fail adds an error at n.
func (r *reader) fail(n *yaml.Node, id grammar.Code, hint, format string, args ...any) {
	r.diags = append(r.diags, grammar.Diagnostic{
		Code: id, File: r.file, Range: r.span(n), Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// parse returns the document's node, nil after an error.
func (r *reader) parse() *yaml.Node {
	at := grammar.Position{Line: 1, Column: 1}
	bad := func(p grammar.Position, message, hint string) *yaml.Node {
		r.diags = append(r.diags, grammar.Diagnostic{Code: code.TestYAML, File: r.file,
			Range: grammar.Range{Start: p, End: p}, Message: message, Hint: hint})
		return nil
	}
	switch {
	case len(r.src) > maxFile:
		return bad(at, fmt.Sprintf("the file has more than %d bytes", maxFile), "split it")
	case !utf8.Valid(r.src):
		return bad(at, "the file is not UTF-8", "save it as UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(r.src))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if ds := document.Breaks(r.file, r.src, &doc); len(ds) > 0 {
		r.diags = append(r.diags, ds...)
		return nil
	}
	if errors.Is(err, io.EOF) {
		return bad(at, "the file is empty", "a rule test has the key tests")
	} else if err != nil {
		return bad(r.yamlPlace(err), yamlMessage(err), "")
	}
	if err := dec.Decode(&more); err == nil {
		r.fail(&more, code.TestYAML, "", "a second document in one file")
		return nil
	} else if !errors.Is(err, io.EOF) {
		return bad(r.yamlPlace(err), yamlMessage(err), "")
	}
	if len(doc.Content) == 0 || !r.plain(&doc) {
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlPlace returns where an error of the YAML parser is.
func (r *reader) yamlPlace(err error) grammar.Position {
	line := 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		line, _ = strconv.Atoi(m[1])
	}
	return r.position(line, 1)
}

func yamlMessage(err error) string {
	return "not readable as YAML: " + strings.ReplaceAll(yamlLine.ReplaceAllString(err.Error(), ""), "\n", " ")
}

// plain reports whether the tree below n has no aliases, anchors and explicit tags, and adds an error for
// each. Reminders in the tree are passed over.
func (r *reader) plain(n *yaml.Node) bool {
	ok := true
	switch {
	case n.Kind == yaml.AliasNode:
		r.fail(n, code.TestYAML, "write it out", "an alias")
		return false
	case n.Anchor != "":
		r.fail(n, code.TestYAML, "write it out", "an anchor")
		ok = false
	case n.Style&yaml.TaggedStyle != 0:
		r.fail(n, code.TestYAML, `quote the value; in a trigger "not" stands for "!"`, "a tag %q", n.Tag)
		ok = false
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains([]string{"reminders", "reload"},
			n.Content[i-1].Value) {
			continue // package document checks reminders, and a test may want to see its errors
		}
		ok = r.plain(c) && ok
	}
	return ok
}

// entry is one member of a mapping.
type entry struct{ key, value *yaml.Node }

// entries returns the members of a mapping whose keys are in allowed, in order; nil allows every key. Any
// other key, a repeated key, and a node that is no mapping are errors. what names the node in messages.
func (r *reader) entries(n *yaml.Node, what string, allowed []string) []entry {
	if n.Kind != yaml.MappingNode {
		r.fail(n, code.TestValue, "", "%s must be a mapping", what)
		return nil
	}
	var out []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.fail(k, code.TestKey, "", "a key of %s must be a word", what)
		case seen[k.Value]:
			r.fail(k, code.TestKey, "", "%q stands twice in %s", k.Value, what)
		case allowed != nil && !slices.Contains(allowed, k.Value):
			r.fail(k, code.TestKey, suggest(k.Value, allowed), "unknown key %q in %s", k.Value, what)
		default:
			out = append(out, entry{k, v})
		}
		seen[k.Value] = true
	}
	return out
}

// list returns the items of a sequence.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, code.TestValue, "write ["+strings.TrimSpace(n.Value)+"]", "%s must be a list", what)
		return nil
	}
	return n.Content
}

// text returns the value of a scalar; a node that is none, or null, is an error.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, code.TestValue, "", "%s must be a text", what)
		return "", false
	}
	return n.Value, true
}

// flag returns a scalar that is true or false.
func (r *reader) flag(n *yaml.Node, what string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || (n.Value != "true" && n.Value != "false") {
		r.fail(n, code.TestValue, "", "%s must be true or false", what)
	}
	return n.Value == "true"
}

// whole returns the value of a scalar that is a whole number of at least least. Anything else is an error,
// and returns least.
func (r *reader) whole(n *yaml.Node, what string, least int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v < least {
		r.fail(n, code.TestValue, "", "%s must be a whole number, at least %d", what, least)
		return least
	}
	return v
}

// suggest returns a hint with the candidates that may have been meant, "" where none is near.
func suggest(name string, candidates []string) string {
	return near.Hint("", name, candidates)
}
