package importer

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent"
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
		h.refuse(1, "", "it does not begin with ---, as rules of other tools do")
		return h.rule
	}
	h.text = strings.ReplaceAll(body, "{{", `{{"{{"}}`) // hookify has no templates
	h.parse(front)
	if h.keys["event"].value == "" && h.keys["pattern"].value == "" && len(h.all) == 0 {
		h.refuse(1, "a rule file of aside is put into .aside/reminders as it is",
			"no tool that aside knows has such a rule")
		return h.rule
	}
	if n := h.keys["name"]; reminder.ValidID(n.value) {
		h.id = n.value
	}
	if strings.TrimSpace(body) == "" {
		h.refuse(1, "", "it has no text")
	}
	switch on := h.keys["enabled"]; {
	case strings.EqualFold(on.value, "false"):
		h.set("enabled", "false")
	case strings.HasPrefix(strings.ToLower(on.value), "false"): // a comment is part of the value
		h.lose(on.line, "write enabled: false alone on its line", "hookify takes %q for true", on.value)
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
	value := func(s string) string { return strings.Trim(strings.Trim(strings.TrimSpace(s), `"`), "'") }
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

// convert makes the trigger. Like hookify it takes a field for what it is in any event.
func (h *hookify) convert() {
	event := h.keys["event"]
	all := event.value == "all" || event.value == ""
	if p := h.keys["pattern"]; p.value != "" && len(h.all) == 0 {
		field := map[string]string{"bash": "command", "prompt": "prompt", "stop": "transcript"}[event.value]
		if event.value == "prompt" || event.value == "stop" {
			h.speaks(p.line)
		}
		h.all = []condition{{entry{cmp.Or(field, "content"), p.line}, entry{"regex_match", p.line}, p}}
	} else if all && len(h.all) > 0 {
		switch h.all[0].field.value {
		case "transcript":
			event.value = "stop"
		case "user_prompt":
			event.value = "prompt"
		}
	}
	if len(h.all) == 0 && (event.value == "prompt" || event.value == "stop") {
		h.speaks(event.line)
	}
	switch {
	case event.value == "prompt":
		h.prompt()
	case event.value == "stop":
		h.stop()
	case event.value != "bash" && event.value != "file" && !all:
		h.refuse(event.line, "write bash, file, prompt, stop or all", "hookify has no event %q", event.value)
	case len(h.all) == 0:
		h.refuse(event.line, "", "it has no pattern")
	default:
		h.calls(map[string]string{"bash": "shell", "file": "edit"}[event.value])
	}
}

// speaks says that a rule which hookify never fires will fire.
func (h *hookify) speaks(line int) {
	h.lose(line, "", "hookify never fires this rule, since it names no field of its event; aside does")
}

// calls makes the trigger of a rule about calls of a class, or of any: before the call where it is to be held
// back, else after it.
func (h *hookify) calls(class string) {
	tools, each := "*", ""
	if class != "" {
		tools, each = "@"+class, `.class == "`+class+`"`
	}
	if m := h.keys["tool_matcher"].value; m != "" && m != "*" {
		list := strings.Split(m, "|")
		tools, each = strings.Join(list, ","), ".tool == "+quoted(list[0])
		if len(list) > 1 {
			each = `.tool in ["` + strings.Join(list, `", "`) + `"]`
		}
	}
	block := h.keys["action"].value == "block"
	var parts []string
	for _, c := range h.all {
		field := c.field.value
		if slices.Contains([]string{"transcript", "reason", "user_prompt"}, field) {
			h.refuse(c.field.line, "", "a call has no field %q", field)
			return
		}
		lhs, own := map[string]string{"command": ".command", "file_path": ".path", "new_text": ".written",
			"new_string": ".written", "content": ".written", "old_text": ".input.old_string"}[field]
		if lhs == ".path" && spelled(c) {
			own = false
			h.lose(c.pattern.line, "", "the path is compared as the call spells it: in Claude Code it begins with /")
		}
		if !own {
			lhs = ".input." + field
		}
		is, not, ok := h.comparison(c, lhs == ".path")
		switch {
		case !ok:
			return
		case not && (lhs == ".input."+field || lhs == ".input.old_string"): // a call without it is not a match
			parts = append(parts, lhs+` != "" and not (`+lhs+is+")")
		case not:
			parts = append(parts, "not ("+lhs+is+")")
		default:
			parts = append(parts, lhs+is)
		}
	}
	switch {
	case block:
		h.set("when", "before_tool:"+tools+" and any(calls, "+strings.Join(parts, " and ")+")")
		h.set("pause", "true")
		h.general("a call that hookify blocks is held back once, and goes through when it is made again: " +
			"aside help moments")
		return
	case each != "":
		parts = slices.Insert(parts, 0, each)
	}
	h.set("when", "any(calls, "+strings.Join(parts, " and ")+")")
}

// spelled reports whether a condition on a path asks how the path is written, and not which file it is.
func spelled(c condition) bool {
	p := c.pattern.value
	switch c.operator.value {
	case "", "regex_match", "not_regex_match":
		return strings.HasPrefix(p, "^") || strings.Contains(p, `\.\.`)
	case "contains", "not_contains":
		return strings.Contains(p, "..")
	}
	return c.operator.value != "ends_with"
}

// slashInFront finds the slashes with which a pattern or a branch of it begins.
var slashInFront = regexp.MustCompile(`(^|[(|])(\\?/|\[(?:\\\\/|/\\\\)\])`)

// comparison returns what stands behind the field of a condition, and whether all of it is denied. A path
// below the project has no slash in front, which hookify sees.
func (h *hookify) comparison(c condition, path bool) (is string, not, ok bool) {
	op, not := strings.CutPrefix(c.operator.value, "not_")
	p, flags := c.pattern.value, "(?i)"
	if op == "contains" && path && strings.HasPrefix(p, "/") {
		op, p, flags = "", regexp.QuoteMeta(p), ""
	}
	if op == "" || op == "regex_match" {
		re := fromPython(p, !path)
		if path {
			re = slashInFront.ReplaceAllString(re, "$1(?:^|$2)")
		}
		if _, err := regexp.Compile(flags + re); err != nil {
			h.refuse(c.pattern.line, "there is no lookahead, no lookbehind and no backreference: use two "+
				"conditions, joined by and not", "the pattern cannot be read: %s", p)
			return "", false, false
		}
		return " matches " + quotedPattern(flags+re), not, true
	}
	word := map[string]string{"contains": "contains", "equals": "==", "starts_with": "startsWith",
		"ends_with": "endsWith"}[op]
	if word == "" {
		h.refuse(c.operator.line, "regex_match, contains, equals, starts_with and ends_with are known, and "+
			"not_ in front of them", "there is no operator %q", c.operator.value)
	}
	return " " + word + " " + quoted(p), not, word != ""
}

// pythonTokens are the parts of a pattern that Python and RE2 read differently, and those around which this
// depends.
var pythonTokens = regexp.MustCompile(`(?s)\\(?:u[0-9a-fA-F]{4}|.)|\[\^?\]?|\]|\$`)

// fromPython returns a pattern of Python's as one of RE2. In a text of lines, $ also stands in front of the
// line end behind the last line.
func fromPython(p string, lines bool) string {
	class := false
	return pythonTokens.ReplaceAllStringFunc(p, func(token string) string {
		switch {
		case token[0] == '[':
			class = true
		case token == "]":
			class = false
		case token == "$" && lines && !class:
			return `\n?$`
		case token == `\Z`:
			return `\z`
		case len(token) == len(`\u1234`) && token[1] == 'u':
			return `\x{` + token[2:] + "}"
		}
		return token
	})
}

// quotedPattern returns a pattern as triggers have it: of backslashes, those in front of a quote or of
// another one are doubled.
func quotedPattern(re string) string {
	var b strings.Builder
	for i := range len(re) {
		if re[i] == '"' || re[i] == '\\' && (i+1 == len(re) || strings.IndexByte(`\"'`, re[i+1]) >= 0) {
			b.WriteByte('\\')
		}
		b.WriteByte(re[i])
	}
	return `"` + b.String() + `"`
}

// quoted returns a text as triggers have it.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// prompt makes the trigger of a rule about prompts.
func (h *hookify) prompt() {
	if h.keys["action"].value == "block" {
		h.lose(h.keys["action"].line, "", "a prompt is not held back: the text goes to the model beside it")
	}
	parts := []string{"user_message"}
	for _, c := range h.all {
		if f := c.field.value; f != "prompt" && f != "user_prompt" {
			h.refuse(c.field.line, "", "a prompt has no field %q", f)
			return
		}
		if parts = h.anyOf(parts, c, "prompt"); parts == nil {
			return
		}
	}
	h.set("when", strings.Join(parts, " and "))
}

// stop makes the trigger of a rule about the end of the work. What hookify looks for in the session's file is
// looked for in the texts of the user turn; what must not stand there, in those that every host tells.
func (h *hookify) stop() {
	parts := []string{"stopping"}
	for _, c := range h.all {
		if c.field.value != "transcript" {
			h.refuse(c.field.line, "", "the end of the work has no field %q", c.field.value)
			return
		}
		not := strings.HasPrefix(c.operator.value, "not_")
		p := c.pattern.value
		switch {
		case !not && (p == ".*" || p == ".+"):
			continue // whenever it ends
		case strings.Contains(p, `":`):
			used := recorded(c)
			if used == "" {
				h.refuse(c.pattern.line, "of the session's file the prompts, calls and answers are known", "the "+
					"pattern finds nothing: %s", p)
				return
			}
			parts = append(parts, map[bool]string{true: "not "}[not]+used)
			continue
		case strings.HasSuffix(c.operator.value, "contains") && strings.Contains(p, "|"):
			h.lose(c.pattern.line, "", "%s compares with the bars in it; they were taken for \"or\"",
				c.operator.value)
			c.operator.value = strings.TrimSuffix(c.operator.value, "contains") + "regex_match"
			c.pattern.value = strings.ReplaceAll(regexp.QuoteMeta(p), `\|`, "|")
		}
		texts := []string{"command", "prompt", "response"}
		if !not {
			texts = append(texts, "path", "written", "output")
		}
		if parts = h.anyOf(parts, c, texts...); parts == nil {
			return
		}
	}
	if len(parts) > 1 {
		h.general("what hookify looks for in the session's file is looked for in the prompt, the calls and the " +
			"answer of the user turn that ends")
	}
	h.general("at the end of the work the agent is kept at it once in a user turn, to read the text: " +
		"aside help moments")
	h.set("when", strings.Join(parts, " and "))
}

// recorded returns a condition on the tools of Claude Code whose calls, as its session's file records them,
// have what a condition looks for; "" where there is none.
func recorded(c condition) string {
	p := "(?i)" + fromPython(c.pattern.value, true)
	if strings.HasSuffix(c.operator.value, "contains") {
		p = regexp.QuoteMeta(c.pattern.value)
	}
	var tools []string
	if a, _ := agent.Named("claude-code"); a != nil {
		for _, tool := range a.ToolNames() {
			if is, _ := regexp.MatchString(p, `{"type":"tool_use","id":"","name":"`+tool+`","input":{`); is {
				tools = append(tools, tool)
			}
		}
	}
	if len(tools) == 0 {
		return ""
	}
	return "tool_used in [" + strings.Join(tools, ", ") + "]"
}

// anyOf adds to the parts of a trigger that a condition holds for one of several texts, or for none of them
// where it is denied; nil where the condition cannot be taken.
func (h *hookify) anyOf(parts []string, c condition, texts ...string) []string {
	is, not, ok := h.comparison(c, false)
	if !ok {
		return nil
	}
	part := strings.Join(texts, is+" or ") + is
	switch {
	case not:
		part = "not (" + part + ")"
	case len(texts) > 1:
		part = "(" + part + ")"
	}
	return append(parts, part)
}
