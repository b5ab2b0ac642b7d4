package importer

import (
	"path/filepath"
	"slices"
	"strings"
)

// pathKeys are the keys behind which tools put the files that a rule is about: Cursor, Windsurf and
// Antigravity; Claude Code, Cline and OpenHands; Copilot; Kiro. Behind triggers stand files, or words of a
// prompt (OpenHands).
var pathKeys = []string{"globs", "paths", "applyTo", "fileMatchPattern", "triggers"}

// modes are what tools write where a rule always holds, and where it does not: Cursor; Kiro; Windsurf and
// Antigravity, whose "trigger: manual" is one of ours, too; Augment.
var modes = map[string]struct {
	always string
	other  []string
}{
	"alwaysApply": {"true", []string{"false", ""}},
	"inclusion":   {"always", []string{"auto", "fileMatch", "manual"}},
	"trigger":     {"always_on", []string{"glob", "model_decision"}},
	"type":        {"always_apply", []string{"agent_requested", "manual"}},
}

// readPaths reads a rule that other tools put before the model always, or once it works with certain files,
// and makes one of ours; false for a file that is none. Such a rule stays in the context until it is
// compacted.
func readPaths(file, src string) (*rule, bool) {
	front, body, ok := strings.Cut(strings.TrimPrefix(src, "---\n"), "\n---")
	keys, lines := frontMatter(front)
	has := func(key string) bool { _, has := keys[key]; return has }
	known, always := append([]string{"description", "name"}, pathKeys...), false
	foreign := slices.ContainsFunc(pathKeys, has)
	for key, m := range modes {
		value := strings.Join(keys[key], ",")
		if is := value == m.always; has(key) && (is || slices.Contains(m.other, value)) {
			foreign, always, known = true, always || is, append(known, key)
		}
	}
	if !ok || !strings.HasPrefix(src, "---\n") || !foreign {
		return nil, false
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	r := &rule{file: file, id: strings.TrimSuffix(name, ".instructions"),
		text: strings.ReplaceAll(body, "{{", `{{"{{"}}`)}
	if strings.TrimSpace(body) == "" {
		r.refuse(1, "", "it has no text")
	}
	if d := keys["description"]; len(d) > 0 {
		r.set("description", strings.Join(d, ", "))
	}
	var patterns, words []string
	for _, key := range pathKeys {
		for _, glob := range keys[key] {
			switch {
			case key == "triggers" && !strings.ContainsAny(glob, "*/."):
				words = append(words, "prompt contains "+quoted(strings.TrimPrefix(glob, "@")))
			case strings.HasPrefix(glob, "!"), strings.ContainsAny(glob, `()"`):
				r.lose(lines[key], "", "the files %s were not taken", glob)
			default:
				if strings.HasSuffix(glob, "/") {
					glob += "**"
				}
				patterns = append(patterns, quoted("@edit("+glob+")"), quoted("@read("+glob+")"))
			}
		}
	}
	switch {
	case always:
		r.set("when", "started or compacted")
	case len(patterns) > 0:
		when := "after_tool:" + strings.Join(patterns, ",")
		if len(words) > 0 {
			when += " or user_message and (" + strings.Join(words, " or ") + ")"
		}
		r.set("when", when)
		r.set("rearm", "compacted")
	case len(words) > 0:
		r.set("when", "user_message and ("+strings.Join(words, " or ")+")")
	default:
		r.refuse(1, "write when it is due, as in when: after_tool:@edit(*.go)", "nothing says when it is due: "+
			"its agent asks for it, or a person does")
	}
	for key, n := range lines {
		if !slices.Contains(known, key) {
			r.lose(n, "", "the key %q was not taken", key)
		}
	}
	slices.SortStableFunc(r.lost, func(a, b loss) int { return a.line - b.line })
	return r, true
}

// frontMatter reads keys with one value or a list, and the lines that they stand on. It is no YAML: Cursor
// writes globs: *.ts,*.tsx.
func frontMatter(front string) (keys map[string][]string, lines map[string]int) {
	keys, lines = map[string][]string{}, map[string]int{}
	last := ""
	for i, line := range strings.Split(front, "\n") {
		item, listed := strings.CutPrefix(strings.TrimSpace(line), "- ")
		key, value, is := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case listed && last != "":
			keys[last] = append(keys[last], bare(item))
		case is && line[0] != ' ' && line[0] != '\t':
			last = key
			keys[key], lines[key] = values(key, value), i+2 // --- is line 1
		}
	}
	return keys, lines
}

// values are the values behind a key: of a description one, of others those between commas.
func values(key, text string) (list []string) {
	if text = bare(text); key == "description" {
		return []string{text}
	}
	depth, from := 0, 0
	text = strings.Trim(text, "[]") + ","
	for i, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == ',' && depth == 0:
			if v := bare(text[from:i]); v != "" {
				list = append(list, v)
			}
			from = i + 1
		}
	}
	return list
}

// bare is a value without the quotes around it.
func bare(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }
