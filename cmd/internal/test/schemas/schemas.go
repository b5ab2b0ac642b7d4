// Package schemas checks files against the schemas with an independent validator. It is for tests only.
package schemas

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/schema"
)

// ErrYAML is returned for a file that an editor's YAML parser refuses, so that no schema is asked.
var ErrYAML = errors.New("not YAML that an editor reads")

// ErrUnseen is returned for a file with tags, anchors or aliases: the parser resolves them before a schema
// sees the values.
var ErrUnseen = errors.New("tags, anchors and aliases are not seen")

// Compile returns the schema of a name, for Check.
func Compile(name string) (*jsonschema.Schema, error) {
	text, ok := schema.Named(name)
	if !ok {
		return nil, fmt.Errorf("there is no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name+".json", doc); err != nil {
		return nil, err
	}
	return c.Compile(name + ".json")
}

// Check validates a rule file or a rule test, of Markdown its front matter. The error is ErrYAML, ErrUnseen
// or the validator's.
func Check(s *jsonschema.Schema, file string, src []byte) error {
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n")
	if path.Ext(file) == ".md" {
		rest, is := strings.CutPrefix(text, "---\n")
		if !is {
			return s.Validate(nil)
		}
		front, _, closed := strings.Cut("\n"+rest, "\n---\n")
		if !closed {
			if front, closed = strings.CutSuffix("\n"+rest, "\n---"); !closed {
				return ErrYAML
			}
		}
		text = front
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return fmt.Errorf("%w: %w", ErrYAML, err)
	}
	var v any
	if len(doc.Content) > 0 {
		var err error
		if v, err = value(doc.Content[0]); err != nil {
			return err
		}
	}
	return s.Validate(v)
}

// value returns n as YAML 1.2 reads it, which is what editors use: unlike YAML 1.1 it has no times, and yes
// and no are strings.
func value(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if _, twice := out[k.Value]; twice || k.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("%w: the key %q", ErrYAML, k.Value)
			}
			v, err := value(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			out[k.Value] = v
		}
		return out, nil
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := value(c)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case yaml.AliasNode:
		return nil, ErrUnseen
	}
	if n.Style&yaml.TaggedStyle != 0 || n.Anchor != "" {
		return nil, ErrUnseen
	}
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrYAML, err)
		}
		if s := strings.ToLower(strings.TrimLeft(n.Value, "+-")); s == ".inf" || s == ".nan" {
			return n.Value, nil // as a string, since JSON has no such numbers
		}
		return v, nil
	}
	return n.Value, nil
}
