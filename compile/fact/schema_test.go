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
		if !ok || ft.ID != fact.ID(i) || s.Fact(ft.ID).Name != ft.Name || s.Fact(ft.ID).ID != ft.ID {
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
	s, err := fact.NewSchema(fact.Fact{Name: "vars.a", Type: fact.Set, ID: 77}, fact.Fact{Name: "vars._b2",
		Type: fact.Number})
	if err != nil {
		t.Fatal(err)
	}
	if ft, ok := s.Lookup("vars.a"); !ok || int(ft.ID) != fact.Builtin().Len() || ft.Type != fact.Set {
		t.Errorf("vars.a is %+v, %v", ft, ok)
	}
	for _, name := range []string{"a", "vars.", "vars.a b", "vars.1", "vars.a.b", "vars.a-b", "turn_count", "",
		"vars.a"} {
		again := fact.Fact{Name: "vars.a", Type: fact.Bool}
		if _, err := fact.NewSchema(again, fact.Fact{Name: name, Type: fact.Bool}); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	for _, f := range []fact.Fact{{}, {Type: fact.Calls}, {Type: fact.Calls + 1},
		{Type: fact.Int, Kind: fact.Attribute + 1}} {
		f.Name = "vars.a"
		if _, err := fact.NewSchema(f); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}

// TestOwnSchema: a schema of a host's own facts has no built-in one, and may name its own as those are named.
func TestOwnSchema(t *testing.T) {
	t.Parallel()
	s, err := fact.OwnSchema(fact.Fact{Name: "load", Type: fact.Number}, fact.Fact{Name: "model",
		Type: fact.Int})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Names(), " "); got != "load model" {
		t.Errorf("the names are %s", got)
	}
	if _, ok := s.Lookup("turn_count"); ok || s.Has(fact.TurnCount) || s.Same(fact.Builtin()) {
		t.Error("a built-in fact is there")
	}
	f := s.NewFrame()
	f.SetInt(fact.TurnCount, 3)
	f.SetText(fact.Model, "hidden")
	if err := f.SetValue("model", 7); err != nil {
		t.Fatal(err)
	}
	if err := f.SetValue("turn_count", 7); err == nil {
		t.Error("a built-in fact is set")
	}
	raw, err := f.Kept(fact.Values{}).MarshalJSON()
	if err != nil || string(raw) != `{"facts":{"model":7}}` {
		t.Errorf("kept are %s, %v", raw, err)
	}
	for _, name := range []string{"vars.a", "and", "always", "every", "1a", "", "vars"} {
		if _, err := fact.OwnSchema(fact.Fact{Name: name, Type: fact.Bool}); err == nil {
			t.Errorf("%q is accepted", name)
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
