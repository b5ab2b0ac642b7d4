package manual

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/document"
)

// TestTriggers holds the page about the language to the language: its examples compile, its keys are all the
// keys that are read, and no line of it is wider than 120 columns.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, p := range triggerForms {
		for _, f := range p.rows {
			if _, ds := trigger.Compile(f[0], nil); len(ds) > 0 {
				t.Errorf("%s: %v", f[0], ds)
			}
		}
	}
	var keys []string
	for _, k := range fileKeys {
		name, _, _ := strings.Cut(k[0], ":")
		keys = append(keys, name)
		file, text := "a.md", "---\n"+beside(name)+strings.Replace(k[0], "TRIGGER", "turn_count > 3",
			1)+"\n---\nx\n"
		if name == "content" {
			file, text = "a.yaml", "when: always\n"+k[0]
		}
		rs, ds := document.Read(file, []byte(text))
		if _, more := compile.FromFiles(rs, compile.Options{}); len(ds)+len(more) > 0 {
			t.Errorf("%s: %v %v", k[0], ds, more)
		}
	}
	slices.Sort(keys)
	want := document.Keys()
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Errorf("keys: got %v, want %v", keys, want)
	}
	for _, print := range []printed{ours()["triggers"], ours()["facts"]} {
		var b strings.Builder
		if err := print.print(&b, func(s string) string { return s }); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			if n := terminal.Width(strings.TrimRight(l, "\n")); n > 140 {
				t.Errorf("%d columns: %s", n, l)
			}
		}
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
	for _, f := range historyForms() {
		if _, ds := trigger.Compile(f[0], nil); len(ds) > 0 {
			t.Errorf("%s: %v", f[0], ds)
		}
		name, _, _ := strings.Cut(f[0], "(")
		if !strings.Contains(all, " "+name+",") {
			t.Errorf("there is no function %s: %s", name, all)
		}
		all = strings.ReplaceAll(all, " "+name+",", "")
	}
	if strings.Contains(all, "_") || strings.Contains(all, "used") {
		t.Errorf("functions that the page does not list: %s", all)
	}
	if len(silent()) < 10 {
		t.Error("agents tell nearly everything")
	}
	if len(typeWords) != int(fact.Calls)-1 {
		t.Errorf("%d types", len(typeWords))
	}
	for _, row := range typeWords {
		typ, ok := fact.ParseType(row[0])
		_, condition, _ := strings.Cut(row[1], ": ")
		schema, err := fact.NewSchema(fact.Fact{Name: "vars.x", Type: typ})
		if _, ds := trigger.Compile(condition, schema); !ok || err != nil || len(ds) > 0 {
			t.Errorf("%s: %v, %v, %v", row[0], ok, err, ds)
		}
	}
	for word, topic := range others {
		if got, ok := Find(word); !ok || got != topic || !slices.Contains(Topics(), topic) ||
			slices.Contains(Topics(), word) {
			t.Errorf("%s: %s, %v", word, got, ok)
		}
	}
}
