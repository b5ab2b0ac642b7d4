package check

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/code"
)

// TestWhatCannotBeKnown: "aside check --agent" says of each agent which facts and moments it never reports,
// with advice, which facts no reminder can read before a call and at the end, and what else its hooks cannot
// know, as testdata/agents.txt has it. -update writes that file.
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
		asked := f.Name + ` contains "x"`
		switch {
		case f.Type == fact.Bool:
			asked = f.Name
		case f.Type == fact.Duration:
			asked = f.Name + " > 5m"
		case f.Type == fact.Dollars:
			asked = f.Name + " >= $1"
		case f.Type.Numeric():
			asked = f.Name + " >= 1"
		case f.Type == fact.Calls:
			asked = "len(" + f.Name + ") > 0"
		case f.Name == "weekday":
			asked = f.Name + " == mon"
		}
		rule(f.Name, asked)
		rule("call-"+f.Name, "before_tool:* and "+asked)
		rule("end-"+f.Name, "stopping and "+asked)
	}
	rule("duration", "any(calls, .duration > 5m)")
	rule("a-call", "before_tool:@shell")
	rule("an-end", "stopping")
	var got strings.Builder
	for _, a := range agent.Hosts() {
		c := Cmd{Agent: a.Name, Paths: []string{dir}}
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
		pairs := map[string][]string{} // by moment, the facts beside which nothing ever fires
		for _, d := range f.ds {
			name := strings.TrimSuffix(filepath.Base(d.File), ".md")
			moment, fact, at := strings.Cut(name, "-")
			switch {
			case d.Severity == grammar.Error:
				t.Error(d)
			case at && fact != "call" && fact != "end" && (d.Code == code.FactNotTold || d.Code == code.NeverFires):
				pairs[moment] = append(pairs[moment], fact)
			case d.Code == code.FactNotTold:
				fmt.Fprintf(&got, "%s → %s\n", d.Message, d.Hint)
			}
		}
		for _, moment := range slices.Sorted(maps.Keys(pairs)) {
			with := slices.Compact(pairs[moment])
			if len(with) == schema.Len() {
				with = []string{"anything"}
			}
			fmt.Fprintf(&got, "%s: never with %s\n", moment, strings.Join(with, ", "))
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
