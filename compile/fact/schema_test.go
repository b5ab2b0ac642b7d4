package fact_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

func TestBuiltin(t *testing.T) {
	t.Parallel()
	s := fact.Builtin()
	for i, name := range s.Names() {
		ft, ok := s.Lookup(name)
		if !ok || ft.ID != fact.ID(i) || s.Fact(ft.ID) != ft {
			t.Errorf("%s has id %d, looked up as %+v, %v", name, i, ft, ok)
		}
		if ft.Doc == "" || strings.HasSuffix(ft.Doc, ".") {
			t.Errorf("%s is described as %q", name, ft.Doc)
		}
	}
	for id, want := range map[fact.ID]string{fact.ContextUsage: "context_usage", fact.ToolUsed: "tool_used",
		fact.CallList: "calls", fact.Resumed: "resumed", fact.Weekday: "weekday", fact.Idle: "idle"} {
		if got := s.Fact(id).Name; got != want {
			t.Errorf("id %d is %s, want %s", id, got, want)
		}
	}
	if s.Fact(fact.Idle).ID != fact.ID(s.Len()-1) {
		t.Error("idle is not the last")
	}
}

func TestNewSchema(t *testing.T) {
	t.Parallel()
	s, err := fact.NewSchema(fact.Fact{Name: "vars.a", Type: fact.Set, ID: 77}, fact.Fact{Name: "vars._b2"})
	if err != nil {
		t.Fatal(err)
	}
	if ft, ok := s.Lookup("vars.a"); !ok || int(ft.ID) != fact.Builtin().Len() || ft.Type != fact.Set {
		t.Errorf("vars.a is %+v, %v", ft, ok)
	}
	for _, vars := range [][]fact.Fact{
		{{Name: "a"}}, {{Name: "vars."}}, {{Name: "vars.a b"}}, {{Name: "vars.1"}}, {{Name: "vars.a.b"}}, {
			{Name: "vars.a-b"}},
		{{Name: "turn_count"}}, {{Name: "vars.a"}, {Name: "vars.a"}}, {{Name: "vars.a", Type: fact.Set +
			1}}, {{Name: ""}},
	} {
		if _, err := fact.NewSchema(vars...); err == nil {
			t.Errorf("%+v is accepted", vars)
		}
	}
}

func TestParseType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]fact.Type{"bool": fact.Bool, "int": fact.Int, "ratio": fact.Ratio,
		"number": fact.Number, "dollars": fact.Dollars, "duration": fact.Duration, "string": fact.String,
		"set": fact.Set} {
		if got, ok := fact.ParseType(name); !ok || got != want {
			t.Errorf("%s is %v, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", "Bool", "float", "set of string", "calls"} {
		if _, ok := fact.ParseType(name); ok {
			t.Errorf("%q is accepted", name)
		}
	}
	for _, k := range []fact.Kind{fact.Gauge, fact.Counter, fact.Event, fact.Attribute} {
		if got, ok := fact.ParseKind(k.String()); !ok || got != k {
			t.Errorf("%v is %v, %v", k, got, ok)
		}
	}
	if k, ok := fact.ParseKind("level"); ok {
		t.Errorf("level is %v", k)
	}
	if !fact.Duration.Numeric() || fact.Bool.Numeric() || fact.Set.String() != "set of string" ||
		fact.Event.String() != "event" {
		t.Error("types and kinds")
	}
}

// TestPage holds the table of facts to the table of LANGUAGE.md §1.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.Open(filepath.Join("..", "..", "grammar", "LANGUAGE.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	row := regexp.MustCompile("^\\| ((?:`[a-z_]+`(?:, )?)+) \\| ([^|]+) \\| ([a-z]+) \\|")
	types := regexp.MustCompile(`(bool|int|ratio|dollars|duration|string|set of string|list of call)\b`)
	s := fact.Builtin()
	var seen []string
	for lines := bufio.NewScanner(page); lines.Scan(); {
		m := row.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		said := types.FindAllString(m[2], -1) // one for all names of the row, or one for each
		for i, name := range strings.Split(m[1], ", ") {
			name = strings.Trim(name, "`")
			ft, ok := s.Lookup(name)
			if !ok {
				t.Errorf("there is no fact %s", name)
				continue
			}
			seen = append(seen, name)
			if said := said[min(i, len(said)-1)]; ft.Type.String() != said || ft.Kind.String() != m[3] {
				t.Errorf("%s is %v, %v; the page says %s, %s", name, ft.Type, ft.Kind, said, m[3])
			}
		}
	}
	if !slices.Equal(seen, s.Names()) {
		t.Errorf("the page has %v\nthe schema %v", seen, s.Names())
	}
}
