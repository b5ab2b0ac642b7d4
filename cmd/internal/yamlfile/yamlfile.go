// Package yamlfile reads a YAML file that a person has written by its nodes, so that each mistake is a
// diagnostic with its place. It owns what all such files have in common: one document, UTF-8, mappings
// without repeated keys, no aliases, anchors and tags. The keys and the values are its callers' matter.
package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/near"
)

// Codes are the codes of a kind of file: of what is not YAML as a person should write it, of a wrong key, and
// of a wrong value.
type Codes struct{ YAML, Key, Value grammar.Code }

// Reader reads one file and collects its diagnostics. It must not be used concurrently.
type Reader struct {
	Codes

	File  string
	Src   []byte
	Most  int      // bytes of the longest file, a bound for the time that the YAML parser takes
	Empty string   // the hint for an empty file; "": an empty file is fine
	Apart []string // keys whose values may have aliases, anchors and tags, since somebody else reads them

	Diags grammar.Diagnostics
	read  *document.YAML
}

// Span returns the range of n where n is a scalar, else that of its first character.
func (r *Reader) Span(n *yaml.Node) grammar.Range { return r.read.Where(n) }

// Fail adds an error at n.
func (r *Reader) Fail(n *yaml.Node, id grammar.Code, hint, format string, args ...any) {
	r.Diags = append(r.Diags, grammar.Diagnostic{
		Code: id, File: r.File, Range: r.Span(n), Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// Parse returns the document's node, nil after an error.
func (r *Reader) Parse() *yaml.Node {
	var ds grammar.Diagnostics
	r.read, ds = document.ReadYAML(r.File, r.Src, r.Most, r.YAML)
	r.Diags = append(r.Diags, ds...)
	root := r.read.Root
	if root == nil && len(ds) == 0 && r.Empty != "" {
		at := grammar.Position{Line: 1, Column: 1}
		r.Diags = append(r.Diags, grammar.Diagnostic{Code: r.YAML, File: r.File, Message: "the file is empty",
			Hint: r.Empty, Range: grammar.Range{Start: at, End: at}})
	}
	if root == nil || !r.Plain(root) {
		return nil
	}
	return root
}

// Plain reports whether the tree below n has no aliases, anchors and explicit tags, and adds an error for
// each. The values of Apart are passed over.
func (r *Reader) Plain(n *yaml.Node) bool {
	ok := true
	switch {
	case n.Kind == yaml.AliasNode:
		r.Fail(n, r.YAML, "write it out", "an alias")
		return false
	case n.Anchor != "":
		r.Fail(n, r.YAML, "write it out", "an anchor")
		ok = false
	case n.Style&yaml.TaggedStyle != 0:
		r.Fail(n, r.YAML, `quote the value; in a trigger "not" stands for "!"`, "a tag %q", n.Tag)
		ok = false
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains(r.Apart, n.Content[i-1].Value) {
			continue
		}
		ok = r.Plain(c) && ok
	}
	return ok
}

// Entry is one member of a mapping.
type Entry struct{ Key, Value *yaml.Node }

// Entries returns the members of a mapping whose keys are in allowed, in order; nil allows every key. Any
// other key, a repeated key, and a node that is no mapping are errors. what names the node in messages.
func (r *Reader) Entries(n *yaml.Node, what string, allowed []string) []Entry {
	if n.Kind != yaml.MappingNode {
		r.Fail(n, r.Value, keysHint("write KEY: VALUE; the keys are ", allowed), "%s must be a mapping", what)
		return nil
	}
	var out []Entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.Fail(k, r.Key, "", "a key of %s must be a word", what)
		case seen[k.Value]:
			r.Fail(k, r.Key, "", "%q stands twice in %s", k.Value, what)
		case allowed != nil && !slices.Contains(allowed, k.Value):
			hint := cmp.Or(near.Hint("", k.Value, allowed), keysHint("the keys are ", allowed))
			r.Fail(k, r.Key, hint, "unknown key %q in %s", k.Value, what)
		default:
			out = append(out, Entry{k, v})
		}
		seen[k.Value] = true
	}
	return out
}

// keysHint names the keys that there are, unless nobody would read that many.
func keysHint(prefix string, keys []string) string {
	if len(keys) == 0 || len(keys) > 20 {
		return ""
	}
	return prefix + strings.Join(keys, ", ")
}

// List returns the items of a sequence.
func (r *Reader) List(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.Fail(n, r.Value, "write ["+strings.TrimSpace(n.Value)+"]", "%s must be a list", what)
		return nil
	}
	return n.Content
}

// Text returns the value of a scalar; a node that is none, or null, is an error.
func (r *Reader) Text(n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.Fail(n, r.Value, "", "%s must be a text", what)
		return "", false
	}
	return n.Value, true
}

// Flag returns a scalar that is true or false.
func (r *Reader) Flag(n *yaml.Node, what string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || (n.Value != "true" && n.Value != "false") {
		r.Fail(n, r.Value, "", "%s must be true or false", what)
	}
	return n.Value == "true"
}

// Whole returns the value of a scalar that is a whole number of at least least. Anything else is an error,
// and returns least.
func (r *Reader) Whole(n *yaml.Node, what string, least int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v < least {
		r.Fail(n, r.Value, "", "%s must be a whole number, at least %d", what, least)
		return least
	}
	return v
}
