package manual

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/document"
)

// TestTriggers holds the page about the language to the language: its examples compile, and its keys are all
// the keys that are read.
func TestTriggers(t *testing.T) {
	t.Parallel()
	forms := 0
	for _, heading := range []string{"Compare a fact", "Calls of tools", "Time and count", "Two other moments",
		"Join them"} {
		for _, row := range rowsOf("triggers", heading) {
			forms++
			if _, ds := trigger.Compile(strings.Trim(row[0], "`"), nil); len(ds) > 0 {
				t.Errorf("%s: %v", row[0], ds)
			}
		}
	}
	if forms < 25 {
		t.Errorf("%d triggers", forms)
	}
	var keys []string
	for _, row := range rowsOf("triggers", "Keys of a rule file") {
		k := strings.Trim(row[0], "`")
		name, _, _ := strings.Cut(k, ":")
		keys = append(keys, name)
		file, text := "a.md", "---\n"+beside(name)+strings.Replace(k, "TRIGGER", "turn_count > 3", 1)+"\n---\nx\n"
		if name == "content" {
			file, text = "a.yaml", "when: always\n"+k
		}
		rs, ds := document.Read(file, []byte(text))
		if _, more := compile.FromFiles(rs, compile.Options{}); len(ds)+len(more) > 0 {
			t.Errorf("%s: %v %v", k, ds, more)
		}
	}
	slices.Sort(keys)
	want := document.Keys()
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Errorf("keys: got %v, want %v", keys, want)
	}
}

// beside returns the keys that a key needs to be without findings.
func beside(key string) string {
	switch key {
	case "when", "while", "trigger", "schedule":
		return ""
	case "pause":
		return "when: before_tool:Bash\n"
	case "within", "max_ignored":
		return "when: turn_count > 3\nexpect: compacted\n"
	}
	return "when: context_usage > 75%\n"
}

// TestFacts: the functions on the page of facts compile, and none of those that there are is missing.
func TestFacts(t *testing.T) {
	t.Parallel()
	_, ds := trigger.Compile("zzz(3) > 3", nil)
	all := ""
	for _, d := range ds {
		all += d.Hint + ","
	}
	for _, row := range rowsOf("facts", "Functions over the history of the run") {
		f := strings.Trim(row[0], "`")
		if _, ds := trigger.Compile(f, nil); len(ds) > 0 {
			t.Errorf("%s: %v", f, ds)
		}
		name, _, _ := strings.Cut(f, "(")
		if !strings.Contains(all, " "+name+",") {
			t.Errorf("there is no function %s: %s", name, all)
		}
		all = strings.ReplaceAll(all, " "+name+",", "")
	}
	if strings.Contains(all, "_") || strings.Contains(all, "used") {
		t.Errorf("functions that the page does not list: %s", all)
	}
	if len(rowsOf("facts", "Facts that an agent never reports to its hooks")) < 10 {
		t.Error("agents tell nearly everything")
	}
	types := rowsOf("facts", "Types")
	if len(types) != int(fact.Calls)-1 {
		t.Errorf("%d types", len(types))
	}
	for _, row := range types {
		typ, ok := fact.ParseType(row[0])
		condition := strings.Trim(row[2], "`")
		schema, err := fact.NewSchema(fact.Fact{Name: "vars.x", Type: typ})
		if _, ds := trigger.Compile(condition, schema); !ok || err != nil || len(ds) > 0 {
			t.Errorf("%s: %v, %v, %v", row[0], ok, err, ds)
		}
	}
	for line := range strings.Lines(aliases) {
		topic, words, _ := strings.Cut(line, ":")
		for word := range strings.FieldsSeq(words) {
			if got, ok := Find(word); !ok || got != topic || !slices.Contains(Topics(), topic) ||
				slices.Contains(Topics(), word) {
				t.Errorf("%s: %s, %v", word, got, ok)
			}
		}
	}
}
