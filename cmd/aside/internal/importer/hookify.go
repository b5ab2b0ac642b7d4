package importer

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/reminder"
)

// hookifyFiles are the names of hookify's rule files, below .claude.
const hookifyFiles = "hookify.*.local.md"

// entry is a key of hookify's front matter with its value.
type entry struct {
	value string
	line  int
}

// condition is one of hookify's conditions; all of a rule must hold.
type condition struct {
	field, operator, pattern entry
}

// hookify is a rule of hookify: https://github.com/anthropics/claude-code/tree/main/plugins/hookify.
type hookify struct {
	*rule
	keys map[string]entry
	all  []condition
}

// readHookify reads a rule of hookify, and makes one of ours. Its front matter looks like YAML and is not:
// hookify reads it line by line, and takes values as they stand, less the quotes around them.
func readHookify(file, src string) *rule {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), ".local")
	h := &hookify{rule: &rule{file: file, id: strings.TrimPrefix(name, "hookify.")}, keys: map[string]entry{}}
	front, body, ok := strings.Cut(strings.TrimPrefix(src, "---\n"), "\n---")
	if !ok || !strings.HasPrefix(src, "---\n") {
		h.refuse(1, "", "it does not begin with ---: that is no rule of hookify")
		return h.rule
	}
	h.text = strings.ReplaceAll(body, "{{", `{{"{{"}}`) // hookify has no templates
	h.parse(front)
	if h.keys["event"].value == "" && h.keys["pattern"].value == "" && len(h.all) == 0 {
		h.refuse(1, "a rule file of aside is put into .aside/reminders as it is", "that is no rule of hookify")
		return h.rule
	}
	if n := h.keys["name"]; reminder.ValidID(n.value) {
		h.id = n.value
	}
	if strings.TrimSpace(body) == "" {
		h.refuse(1, "", "it has no text")
	}
	if h.keys["enabled"].value == "false" {
		h.set("enabled", "false")
	}
	h.convert()
	for _, key := range []string{"name", "enabled", "event", "pattern", "action", "conditions", "tool_matcher"} {
		delete(h.keys, key)
	}
	for key, x := range h.keys {
		h.lose(x.line, "", "the key %q was not taken", key)
	}
	slices.SortStableFunc(h.lost, func(a, b loss) int { return a.line - b.line })
	return h.rule
}

// parse reads the front matter.
func (h *hookify) parse(front string) {
	value := func(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }
	put := func(c *condition, key string, x entry) {
		switch key {
		case "field":
			c.field = x
		case "operator":
			c.operator = x
		case "pattern":
			c.pattern = x
		default:
			h.lose(x.line, "", "the key %q was not taken", key)
		}
	}
	inList := false
	for i, line := range strings.Split(front, "\n") {
		n, bare := i+2, strings.TrimSpace(line) // --- is line 1
		if bare == "" || strings.HasPrefix(bare, "#") {
			continue
		}
		item, begins := strings.CutPrefix(bare, "-")
		key, rest, is := strings.Cut(strings.TrimSpace(item), ":")
		key = strings.TrimSpace(key)
		switch {
		case !is:
			h.lose(n, "", "the line was not taken: %s", bare)
		case line[0] != ' ' && line[0] != '\t' && !begins:
			inList = key == "conditions"
			h.keys[key] = entry{value(rest), n}
		case !inList:
			h.lose(n, "", "the line was not taken: %s", bare)
		case begins && strings.Contains(rest, ","): // field: a, operator: b
			h.all = append(h.all, condition{})
			for part := range strings.SplitSeq(strings.Trim(item, "{} "), ",") {
				k, v, _ := strings.Cut(part, ":")
				put(&h.all[len(h.all)-1], strings.TrimSpace(k), entry{value(v), n})
			}
		default:
			if begins {
				h.all = append(h.all, condition{})
			}
			if len(h.all) > 0 {
				put(&h.all[len(h.all)-1], key, entry{value(rest), n})
			}
		}
	}
}

// fields are the fields of hookify's conditions by event.
var fields = map[string][]string{
	"bash":   {"command"},
	"file":   {"file_path", "new_text", "new_string", "content", "old_text", "old_string"},
	"prompt": {"prompt", "user_prompt"},
	"stop":   {"transcript", "reason"},
}

// convert makes the trigger.
func (h *hookify) convert() {
	event := h.keys["event"]
	if p := h.keys["pattern"]; p.value != "" && len(h.all) == 0 {
		field := map[string]string{"bash": "command", "file": "new_text", "prompt": "prompt",
			"stop": "transcript"}[event.value]
		h.all = []condition{{entry{field, p.line}, entry{"regex_match", p.line}, p}}
	}
	if event.value == "all" || event.value == "" {
		for name, own := range fields {
			if len(h.all) > 0 && slices.Contains(own, h.all[0].field.value) {
				event.value = name
			}
		}
	}
	if fields[event.value] == nil {
		h.refuse(event.line, "write bash, file, prompt or stop", "event: %s does not say what the pattern is "+
			"looked for in", event.value)
		return
	}
	block := h.keys["action"].value == "block"
	switch event.value {
	case "bash", "file":
		h.calls(event.value == "file", block)
	case "prompt":
		h.prompt(block)
	case "stop":
		h.stop()
	}
}

// calls makes the trigger of a rule about commands or files: before the call where it may be held back and a
// call pattern says as much, else after it.
func (h *hookify) calls(file, block bool) {
	class, subject := "shell", "command"
	if file {
		class, subject = "edit", "file_path"
	}
	tools := h.tools(class)
	if block && len(h.all) == 1 && h.all[0].field.value == subject {
		if list, wider, ok := patterns(h.all[0]); ok && (!file || !strings.Contains(strings.Join(list, ""), "/")) {
			var before []string
			for _, tool := range tools {
				for _, glob := range list {
					before = append(before, tool+"("+glob+")")
				}
			}
			h.set("when", "before_tool:"+strings.Join(before, ","))
			h.set("pause", "true")
			if wider {
				h.lose(h.all[0].pattern.line, "aside help calls", "the call pattern matches more than this did")
			}
			return
		}
	}
	if block {
		h.lose(h.keys["action"].line, "aside help moments",
			"the call is not held back: the reminder comes after it")
	}
	parts := []string{`.class == "` + class + `"`}
	if m := h.keys["tool_matcher"]; m.value != "" && m.value != "*" {
		var any []string
		for _, tool := range tools {
			any = append(any, ".tool == "+quoted(tool))
		}
		parts = []string{"(" + strings.Join(any, " or ") + ")"}
	}
	for _, c := range h.all {
		lhs := map[string]string{"command": ".command", "file_path": ".path", "new_text": ".written",
			"new_string": ".written", "content": ".written"}[c.field.value]
		if lhs == "" || file != (lhs != ".command") {
			h.refuse(c.field.line, "", "the field %q cannot be seen", c.field.value)
			return
		}
		part, ok := h.compared(lhs, c)
		if !ok {
			return
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		h.refuse(h.keys["event"].line, "", "it has no pattern")
		return
	}
	h.set("when", "any(calls, "+strings.Join(parts, " and ")+")")
}

// tools returns the tools that a rule is about, in the words of call patterns.
func (h *hookify) tools(class string) []string {
	if m := h.keys["tool_matcher"].value; m != "" && m != "*" {
		return strings.Split(m, "|")
	}
	return []string{"@" + class}
}

// patterns returns call patterns for what a condition looks for; wider says that they match more.
func patterns(c condition) (list []string, wider, ok bool) {
	switch p := c.pattern.value; c.operator.value {
	case "", "regex_match":
		if list, wider, ok = globs(p); !ok {
			return nil, false, false
		}
	case "contains":
		list = []string{"*" + p + "*"}
	case "equals":
		list = []string{p}
	case "starts_with":
		list = []string{p + "*"}
	case "ends_with":
		list = []string{"*" + p}
	default:
		return nil, false, false
	}
	odd := func(s string) bool { return s == "" || strings.ContainsAny(s, "(),\"'\n\\?[]{}#") }
	return list, wider, !slices.ContainsFunc(list, odd)
}

// compared returns a condition as an expression.
func (h *hookify) compared(lhs string, c condition) (string, bool) {
	p := c.pattern.value
	switch op := c.operator.value; op {
	case "", "regex_match":
		if _, err := regexp.Compile("(?i)" + p); err != nil {
			h.refuse(c.pattern.line, "patterns are RE2: without lookahead, lookbehind and backreferences",
				"the pattern cannot be read: %s", p)
			return "", false
		}
		return lhs + ` matches "` + strings.ReplaceAll("(?i)"+p, `"`, `\"`) + `"`, true
	case "contains":
		return lhs + " contains " + quoted(p), true
	case "not_contains":
		return "not (" + lhs + " contains " + quoted(p) + ")", true
	case "equals":
		return lhs + " == " + quoted(p), true
	case "starts_with":
		return lhs + " startsWith " + quoted(p), true
	case "ends_with":
		return lhs + " endsWith " + quoted(p), true
	default:
		h.refuse(c.operator.line, "regex_match, contains, not_contains, equals, starts_with, ends_with are known",
			"there is no operator %q", op)
		return "", false
	}
}

// quoted returns a text as triggers have it.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// prompt makes the trigger of a rule about prompts.
func (h *hookify) prompt(block bool) {
	if block {
		h.lose(h.keys["action"].line, "", "a prompt is not held back: the text goes to the model beside it")
	}
	parts := []string{"user_message"}
	for _, c := range h.all {
		if !slices.Contains(fields["prompt"], c.field.value) {
			h.refuse(c.field.line, "", "a prompt has no field %q", c.field.value)
			return
		}
		part, ok := h.compared("prompt", c)
		if !ok {
			return
		}
		parts = append(parts, part)
	}
	h.set("when", strings.Join(parts, " and "))
}

// stop makes the trigger of a rule about the end of the work. What hookify looks for in the session's file is
// looked for in the commands of the run.
func (h *hookify) stop() {
	parts := []string{"stopping"}
	for _, c := range h.all {
		if c.field.value != "transcript" {
			h.refuse(c.field.line, "", "the field %q cannot be seen", c.field.value)
			return
		}
		op, no := c.operator.value, ""
		if op == "" || op == "regex_match" {
			if p := c.pattern.value; p == ".*" || p == ".+" {
				continue // whenever it ends
			}
		}
		if op == "not_contains" {
			op, no = "contains", "not "
		}
		if op == "contains" && strings.Contains(c.pattern.value, "|") {
			h.lose(c.pattern.line, "", "%s compares with the bars in it; they were taken for \"or\"", c.operator.value)
			op = "regex_match"
		}
		list, _, ok := patterns(condition{c.field, entry{op, 0}, c.pattern})
		if !ok {
			h.refuse(c.pattern.line, "write `used(\"@shell(*go test*)\")` for a command that ran: aside help calls",
				"the session cannot be searched for %q", c.pattern.value)
			return
		}
		h.lose(c.field.line, "", "the session is not searched: the commands that ran are")
		for i := range list {
			list[i] = no + `used("@shell(` + list[i] + `)")`
		}
		part := strings.Join(list, map[bool]string{true: " and ", false: " or "}[no != ""])
		if no == "" && len(list) > 1 {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	if h.keys["action"].value != "block" {
		h.lose(h.keys["action"].line, "", "to read the text the agent is kept at work, once in a user turn")
	}
	h.set("when", strings.Join(parts, " and "))
}
