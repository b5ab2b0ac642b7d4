package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/cmd/internal/schema"
	"github.com/aside-go/aside/cmd/internal/test/schemas"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

const root = "../../.."

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := schemas.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns a member of a schema's JSON.
func at(t *testing.T, name string, keys ...string) json.RawMessage {
	t.Helper()
	raw, _ := schema.Named(name)
	for _, k := range keys {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil || m[k] == nil {
			t.Fatalf("%s %v: no %q, %v", name, keys, k, err)
		}
		raw = m[k]
	}
	return raw
}

// members returns the keys of a mapping in their order.
func members(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	var out []string
	depth := 0
	for key := false; ; {
		tok, err := dec.Token()
		if err != nil {
			return out
		}
		switch tok := tok.(type) {
		case json.Delim:
			if tok == '{' || tok == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		case string:
			if depth == 1 && key {
				out = append(out, tok)
			}
			key = depth == 1 && !key
		default:
			key = depth == 1
		}
	}
}

func words(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var out []string
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKeys holds the keys, words and facts of the schemas to those that the readers know.
func TestKeys(t *testing.T) {
	t.Parallel()
	file, test, step := ruletest.Keys()
	facts := append(fact.Builtin().Names(), "tools", "failed", "vars")
	for _, c := range []struct {
		name string
		got  []string
		want []string
	}{
		{"a reminder", members(t, at(t, "reminder", "$defs", "reminder", "properties")), document.Keys()},
		{"a schedule", members(t, at(t, "reminder", "$defs", "schedule", "properties")), document.ScheduleKeys()},
		{"kinds", words(t, at(t, "reminder", "$defs", "schedule", "properties", "kind", "enum")),
			document.ScheduleKinds()},
		{"tiers", words(t, at(t, "reminder", "$defs", "reminder", "properties", "tier", "enum")),
			[]string{reminder.Guidance.String(), reminder.Correctness.String(), reminder.Safety.String()}},
		{"places", words(t, at(t, "reminder", "$defs", "reminder", "properties", "attach", "enum")),
			[]string{reminder.Tail.String(), reminder.UserTurn.String(), reminder.RunStart.String()}},
		{"a rule test", members(t, at(t, "test", "properties")), file},
		{"a test", members(t, at(t, "test", "$defs", "test", "properties")), test},
		{"a step", members(t, at(t, "test", "$defs", "step", "properties")), step},
		{"a reminder in a rule test", members(t, at(t, "test", "$defs", "reminder", "properties")),
			document.Keys()},
		{"facts", members(t, at(t, "test", "$defs", "facts", "properties")), facts},
		{"series", members(t, at(t, "test", "$defs", "series", "properties")), facts},
	} {
		slices.Sort(c.got)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

// TestDescribed holds that an editor can say something of every key.
func TestDescribed(t *testing.T) {
	t.Parallel()
	for _, path := range [][]string{
		{"reminder", "$defs", "reminder", "properties"}, {"reminder", "$defs", "schedule", "properties"},
		{"test", "$defs", "step", "properties"}, {"test", "$defs", "facts", "properties"},
	} {
		props := at(t, path[0], path[1:]...)
		for _, key := range members(t, props) {
			var p struct{ Description string }
			if err := json.Unmarshal(at(t, path[0], append(slices.Clone(path[1:]), key)...), &p); err != nil ||
				p.Description == "" {
				t.Errorf("%v %s: %q, %v", path, key, p.Description, err)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names {
		text, ok := schema.Named(name)
		if !ok || !json.Valid(text) || bytes.Contains(text, []byte(`"@`)) || !bytes.HasSuffix(text, []byte("}\n")) {
			t.Errorf("%s: %v\n%s", name, ok, text)
		}
		if v := at(t, name, "$schema"); string(v) != `"https://json-schema.org/draft/2020-12/schema"` {
			t.Errorf("%s: %s", name, v)
		}
		compiled(t, name)
	}
	if _, ok := schema.Named("reminders"); ok {
		t.Error("there is a schema of that name")
	}
}

// samples returns the files below dir whose names end so.
func samples(t *testing.T, dir string, endings ...string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(p string, d fs.DirEntry,
		err error) error {
		if err == nil && !d.IsDir() && slices.ContainsFunc(endings,
			func(e string) bool { return strings.HasSuffix(p, e) }) {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unseen are the codes of mistakes that a reader refuses and a schema cannot see, or not always, and why.
var unseen = map[string]string{
	"R0401": "how long a file is",
	"R0402": "characters that no file should hold, in a body",
	"R0404": "that a front matter begins below the first line: then there is none",
	"R0408": "what stands behind the first document",
	"R0415": "a tag: it is gone before a schema sees the value",
	"R0416": "an anchor or an alias: it is followed before a schema sees the value",
	"R0418": "a comment: it is gone before a schema sees the value",
	"R0420": "what a file is called, where that gives the id",
	"R0421": "that two reminders have one id",
	"R0422": "whether a body follows the front matter",
}

// refused are all errors of a file, its triggers and texts included.
func refused(file string, src []byte) grammar.Diagnostics {
	rs, ds := document.Read(file, src)
	for i := range rs {
		rs[i].Disabled = false // else its trigger is not looked at
	}
	_, more := compile.FromFiles(rs, compile.Options{})
	return slices.DeleteFunc(append(ds, more...),
		func(d grammar.Diagnostic) bool { return d.Severity != grammar.Error })
}

// structural reports whether document.Read finds an error in a file, and which.
func structural(file string, src []byte) grammar.Diagnostics {
	_, ds := document.Read(file, src)
	return slices.DeleteFunc(ds, func(d grammar.Diagnostic) bool { return d.Severity != grammar.Error })
}

// TestReminderFiles holds that each rule file of the repository that its reader takes is taken by the schema.
func TestReminderFiles(t *testing.T) {
	t.Parallel()
	s := compiled(t, "reminder")
	files := samples(t, "cmd/internal/starter/rules", ".md")
	files = append(files, samples(t, "testdata", ".md", ".yaml", ".yml")...)
	good := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.yaml") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if ds := refused(file, src); len(ds) > 0 {
			continue // TestFaultyFiles
		}
		good++
		if err := schemas.Check(s, file, src); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if good < 20 {
		t.Errorf("only %d good files", good)
	}
}

// TestFaultyFiles holds that each rule file whose fault is one of its structure is refused, but for what a
// schema cannot see.
func TestFaultyFiles(t *testing.T) {
	t.Parallel()
	s := compiled(t, "reminder")
	n := 0
	for _, file := range samples(t, "testdata", ".md", ".yaml", ".yml") {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ds := structural(file, src)
		if strings.HasSuffix(file, "_test.yaml") || len(ds) == 0 {
			continue
		}
		n++
		if err := schemas.Check(s, file, src); err != nil && !errors.Is(err, schemas.ErrUnseen) {
			continue
		}
		for _, d := range ds {
			if unseen[string(d.Code)] == "" {
				t.Errorf("%s: the schema does not see %v", file, d)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d files", n)
	}
}

// TestRuleTests holds that each rule test that holds is taken by the schema.
func TestRuleTests(t *testing.T) {
	t.Parallel()
	s := compiled(t, "test")
	files := append(testkit.DataGlob(t, "conformance", "*_test.yaml"), samples(t, "testdata", "_test.yaml")...)
	files = append(files, samples(t, "cmd/internal/starter/tests", "_test.yaml")...)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		err = schemas.Check(s, file, src)
		if filepath.Base(file) == "errors_test.yaml" && errors.Is(err, schemas.ErrUnseen) {
			continue // there a test asks for the error of a tag
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if len(files) < 20 {
		t.Errorf("only %d files", len(files))
	}
}

// values are given to a key, rightly or wrongly.
var values = []string{
	"", "~", "null", "true", "false", "True", "yes", "0", "1", "-1", "3", "+3", "1.5", "1e3", "0x10", "010",
	"1_000", "2147483647", "2147483648", "-2147483648",
	"-2147483649", "\"\"", "\" \"", "\"3\"", "a", "a-b.c", "-a", "a b", "\"true\"", "always", "turn", "turns",
	"call", "user turn", "2 user turns", "conversation", "tail", "user_turn", "20%", "50%", "51%", "0.2", "0.6",
	"run_start", "Tail", "guidance", "correctness", "safety", "critical", "3 turns", "3turns", "1 turn",
	"0 turns", "+3 turns", "-3 turns", "1.5 turns",
	"\" 3 turns \"", "3 user turns", "5m", "1h30m", "1.5h", ".5h", "5 m", "1h 30m", "5d", "0s", "-5m", "90",
	"2026-01-01", "[]", "[a]", "{}", "{a: b}",
	"{kind: turn}", "{kind: turn, turn_interval: 0}", "{kind: turn, turn_interval: " +
		"5}", "{kind: turns}", "{kind: timer, interval: 5m}", "{kind: timer, interval: 0s}",
	"{kind: timer, interval: 5}", "{kind: timer, interval: 3 turns}", "{kind: condition, condition: " +
		"}", "{kind: condition, condition: turn_count > 3}", "{max_fires: 3}",
	"{kind: }", "{every: 5}", "{turn_interval: 3}", "{max_fires: -1}", "{max_fires: 2, kind: " +
		"always}", "turn_count > 3", "'!user_message'", ".inf", ".nan",
}

// blind are values of keys on which the schema is more lenient than the reader, and why that cannot be seen.
func blind(key, value string) bool {
	switch {
	case value == "True" && (key == "enabled" || key == "pause"):
		return true // to JSON that is true
	case slices.Contains([]string{"1e3", "0x10", "010", "1_000"}, value):
		return true // to JSON these are whole numbers
	default:
		return value == "+3" && key == "id" // to JSON that is 3
	}
}

// TestKeysAndValues holds schema and reader to each other: every key with every value, by itself and beside
// another key. What the reader takes the schema takes, and what the reader refuses it refuses, but for what
// it is blind to.
func TestKeysAndValues(t *testing.T) {
	t.Parallel()
	s := compiled(t, "reminder")
	var sources []string
	blinded := map[string]bool{}
	add := func(key, value, src string) {
		sources = append(sources, src)
		blinded[src] = blinded[src] || blind(key, value)
	}
	keys := append(document.Keys(), "name", "when ", "When", "reminders", "1")
	for _, key := range keys {
		for _, v := range values {
			line := fmt.Sprintf("%s: %s\n", key, v)
			text := "content: c\n"
			if key == "content" {
				text = ""
			}
			add(key, v, line+text)
			if key != "reminders" {
				listed := fmt.Sprintf("reminders:\n  - id: x\n    %s: %s\n    content: c\n", key, v)
				if key == "id" || key == "content" {
					listed = fmt.Sprintf("reminders:\n  - %s: %s\n    %s\n", key, v, map[string]string{"id": "content: c",
						"content": "id: x"}[key])
				}
				add(key, v, listed)
				add(key, v, strings.Replace(listed, "content: c", "enabled: false", 1))
			}
		}
		for _, other := range document.Keys() {
			if key == other {
				continue
			}
			src := ""
			for _, k := range []string{key, other, "content"} {
				if !strings.Contains(src, "\n"+k+": ") && !strings.HasPrefix(src, k+": ") {
					src += k + ": " + map[string]string{
						"id": "x", "description": "d", "when": "always", "trigger": "always", "while": "always",
						"rearm": "never", "for": "3 turns", "keep": "user turn", "cooldown": "1m", "pause": "false",
						"expect": "compacted", "within": "3 turns", "holdout": "20%", "max_ignored": "2",
						"max_fires": "3", "priority": "1", "tier": "safety", "attach": "tail", "enabled": "true",
						"content": "c", "schedule": "{kind: turn, max_fires: 3}",
					}[k] + "\n"
				}
			}
			add(key, "", src)
		}
	}
	for _, src := range []string{"", "~\n", "[]\n", "a\n", "3\n", "reminders: []\n", "reminders: []\nid: x\n",
		"reminders: [a]\n", "reminders: [[]]\n", "reminders: [~]\n", "reminders: [{}]\n",
		"reminders: [{id: x}]\n", "reminders: [{content: x}]\n", "reminders: [{id: x, enabled: " +
			"false}]\n", "reminders: [{id: x, content: c, when: a, while: b}]\n"} {
		add("", "", src)
	}
	lenient, strict, both := 0, 0, 0
	for _, src := range sources {
		ds := structural("x.yaml", []byte(src))
		err := schemas.Check(s, "x.yaml", []byte(src))
		said := len(ds) > 0
		if said && len(ds) == 1 && strings.Contains(ds[0].Message, "the reminder has no text") &&
			!strings.HasPrefix(src, "reminders:") {
			said = false // in a front matter it would be right
		}
		switch {
		case err != nil && !said && len(refused("x.yaml", []byte(src))) > 0: // it is no trigger, either
		case err != nil && !said:
			strict++
			t.Errorf("the reader takes, the schema does not:\n%s%v", src, err)
		case err == nil && said && !blinded[src]:
			lenient++
			t.Errorf("the schema takes, the reader does not:\n%s%v", src, ds)
		case said:
			both++
		}
	}
	if len(sources) < 4000 || both < 2000 {
		t.Errorf("%d sources, %d refused", len(sources), both)
	}
	t.Logf("%d sources, %d refused by both; %d differ", len(sources), both, lenient+strict)
}
