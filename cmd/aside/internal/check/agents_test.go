package check

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/code"
)

// TestWhatCannotBeKnown: "aside check --agent" says of each agent which facts and moments it never tells,
// with advice, and what else its hooks cannot know, as testdata/agents.txt has it. -update writes that file.
func TestWhatCannotBeKnown(t *testing.T) {
	t.Parallel()
	dir, schema := t.TempDir(), fact.Builtin()
	rule := func(name, when string) {
		text := fmt.Sprintf("---\nwhen: %s\n---\nText.\n", when)
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for id := range fact.ID(schema.Len()) {
		f := schema.Fact(id)
		switch {
		case f.Type == fact.Bool:
			rule(f.Name, f.Name)
		case f.Type == fact.Duration:
			rule(f.Name, f.Name+" > 5m")
		case f.Type == fact.Dollars:
			rule(f.Name, f.Name+" >= $1")
		case f.Type.Numeric():
			rule(f.Name, f.Name+" >= 1")
		case f.Type == fact.Calls:
			rule(f.Name, "len("+f.Name+") > 0")
		case f.Name == "weekday":
			rule(f.Name, f.Name+" == mon")
		default:
			rule(f.Name, f.Name+` contains "x"`)
		}
	}
	rule("a-call", "before_tool:@shell")
	rule("an-end", "stopping")
	var got strings.Builder
	for _, a := range agent.Hosts() {
		c := Options{Agent: a.Name, Paths: []string{dir}}
		opts, err := c.lints()
		if err != nil {
			t.Fatal(err)
		}
		var note bytes.Buffer
		e := &command.Env{Out: bufio.NewWriter(io.Discard), Err: &note}
		f, err := c.findings(e, opts)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "== %s\n", a.Name)
		for _, d := range f.ds {
			switch {
			case d.Severity == grammar.Error:
				t.Error(d)
			case d.Code == code.FactNotTold:
				fmt.Fprintf(&got, "%s → %s\n", d.Message, d.Hint)
			}
		}
		c.print(e, f)
		if _, rest, ok := strings.Cut(note.String(), "\n"); ok { // after the number of reminders
			got.WriteString(rest)
		}
	}
	path := filepath.Join("testdata", "agents.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
