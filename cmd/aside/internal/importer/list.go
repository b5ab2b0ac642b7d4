package importer

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/reminder"
)

// readList reads a list of reminders in YAML or JSON, as other tools have them: each with a name, a text, and
// a schedule of the members kind, turn_interval, interval, max_fires and condition, in a member of its own or
// beside the others.
func readList(file string, src []byte) []*rule {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil || len(doc.Content) == 0 {
		r := &rule{file: file}
		r.refuse(1, "", "it cannot be read as YAML or JSON")
		return []*rule{r}
	}
	root := doc.Content[0]
	if root.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(root.Content); i += 2 {
			if root.Content[i].Value == "reminders" || root.Content[i+1].Kind == yaml.SequenceNode {
				root = root.Content[i+1]
				break
			}
		}
	}
	items := []*yaml.Node{root}
	if root.Kind == yaml.SequenceNode {
		items = root.Content
	}
	var all []*rule
	for i, item := range items {
		id := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if len(items) > 1 {
			id = fmt.Sprintf("%s-%d", id, i+1)
		}
		all = append(all, readItem(file, id, item))
	}
	return all
}

// schedule is when a reminder of another tool is due.
type schedule struct {
	kind, condition string
	turns, every    string
	line            int
}

// readItem reads one reminder of a list.
func readItem(file, id string, item *yaml.Node) *rule {
	r := &rule{file: file, id: id}
	if item.Kind != yaml.MappingNode {
		r.refuse(item.Line, "", "a reminder is written as keys and values")
		return r
	}
	var s schedule
	r.members(item, &s)
	r.due(s)
	if strings.TrimSpace(r.text) == "" && !r.fail {
		r.refuse(item.Line, "", "it has no text")
	}
	return r
}

// members reads the members of a reminder, or of its schedule.
func (r *rule) members(item *yaml.Node, s *schedule) {
	for i := 0; i+1 < len(item.Content); i += 2 {
		key, value := item.Content[i], item.Content[i+1]
		name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key.Value))
		text := strings.TrimSpace(value.Value)
		if value.Kind == yaml.MappingNode && (name == "schedule" || name == "trigger") {
			r.members(value, s)
			continue
		}
		if value.Kind != yaml.ScalarNode {
			r.lose(key.Line, "", "the key %q was not taken", key.Value)
			continue
		}
		switch name {
		case "id", "name":
			if reminder.ValidID(text) {
				r.id = text
			} else {
				r.lose(value.Line, "", "%q is not a name for a reminder: it is called %s", text, r.id)
			}
		case "content", "text", "message", "prompt", "body":
			r.text = value.Value
		case "description":
			r.set("description", text)
		case "priority", "maxfires":
			if _, ok := wholeNumber(text); !ok {
				r.lose(value.Line, "", "%s: %q is not a whole number", key.Value, text)
			} else if name == "priority" || text != "0" {
				r.set(map[string]string{"priority": "priority", "maxfires": "max_fires"}[name], text)
			}
		case "tier":
			r.set("tier", text)
		case "enabled":
			if text == "false" {
				r.set("enabled", text)
			}
		case "kind", "type", "schedule":
			s.kind, s.line = text, value.Line
		case "turninterval", "turns":
			s.turns = text
		case "interval":
			s.every = text
			if n, ok := wholeNumber(text); ok {
				s.every = fmt.Sprintf("%ds", n)
				r.lose(value.Line, "", "%s: %s was taken for seconds", key.Value, text)
			}
		case "condition", "when", "trigger":
			s.condition = text
		default:
			r.lose(key.Line, "", "the key %q was not taken", key.Value)
		}
	}
}

// wholeNumber reads a whole number.
func wholeNumber(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// due sets the trigger for a schedule (LANGUAGE.md §3).
func (r *rule) due(s schedule) {
	kind := strings.ToLower(s.kind)
	if kind == "" {
		switch {
		case s.condition != "":
			r.set("when", s.condition)
			return
		case s.turns != "":
			kind = "turn"
		case s.every != "":
			kind = "timer"
		default:
			kind = "oneshot"
		}
	}
	if kind != "condition" && s.condition != "" {
		r.lose(s.line, "", "the condition was not taken, since the kind is %s", s.kind)
	}
	switch kind {
	case "always":
		r.set("while", "always")
	case "turn", "turns":
		if s.turns == "" || s.turns == "1" {
			r.set("while", "always")
			return
		}
		r.set("while", "started or every "+s.turns+" turns")
	case "timer":
		r.set("while", "started or every "+cmp.Or(s.every, "5m"))
	case "oneshot", "once":
		r.set("when", "always")
	case "condition":
		r.set("while", cmp.Or(s.condition, "always"))
	default:
		r.refuse(s.line, "always, turn, timer, oneshot and condition are known", "there is no kind %q", s.kind)
	}
}
