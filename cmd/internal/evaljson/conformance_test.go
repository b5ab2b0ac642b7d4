package evaljson_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

// conformance is a file of rule tests, as far as a host of the protocol can play it.
type conformance struct {
	Options options
	Vars    map[string]declared
	Tests   []struct {
		Name      string
		Options   options
		Vars      map[string]declared
		Reminders yaml.Node
		Start     time.Time
		Error     string
		Steps     []step
	}
}

// declared is a custom fact: a type, or a type and a kind.
type declared struct{ Type, Kind string }

func (d *declared) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&d.Type)
	}
	type keys declared
	return n.Decode((*keys)(d))
}

type options struct {
	Order, Holdout string
	Budget         reminder.Budget
}

// step is a step; the members up to At go to the co-process as they are, and so does Discard, as prepare.
type step struct {
	Facts    map[string]any
	Before   map[string]any
	Stopping bool
	More     bool
	Key      string
	Remind   []string

	At       string
	Fires    []string
	Due      []string
	Paused   []string
	Outcomes map[string]string
	Text     map[string]string
	Discard  bool
	Refused  bool
	Reload   yaml.Node
}

// set compiles reminders that stand in a rule test.
func set(t *testing.T, file string, n *yaml.Node, src []byte, s *fact.Schema) *compile.Set {
	t.Helper()
	rs, ds := document.ReadList(file, n, src)
	set, more := compile.FromFiles(rs, compile.Options{Schema: s})
	if ds = append(ds, more...); ds.HasErrors() {
		t.Fatal(ds)
	}
	return set
}

// known replaces the word unknown by null, which a host of the protocol sends.
func known(v any) any {
	switch v := v.(type) {
	case string:
		if v == "unknown" {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = known(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = known(v[k])
		}
	}
	return v
}

// schemaOf returns the schema with custom facts of a file and of a test in it.
func schemaOf(t *testing.T, vars ...map[string]declared) *fact.Schema {
	t.Helper()
	var list []string
	for _, of := range vars {
		for name, d := range of {
			list = append(list, strings.TrimSuffix(name+":"+d.Type+":"+d.Kind, ":"))
		}
	}
	slices.Sort(list)
	schema, err := rules.Schema(&command.Env{}, list)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestConformance plays the rule tests of the shared suite and our own through the protocol.
// Errors of compilation are not part of it, and neither are series and reminders in files of their own.
func TestConformance(t *testing.T) {
	t.Parallel()
	played := 0
	for _, path := range append(testkit.DataGlob(t, "conformance", "*_test.yaml"),
		testkit.DataGlob(t, "ruletests", "*_test.yaml")...) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file conformance
		if err := yaml.Unmarshal(src, &file); err != nil {
			t.Fatal(err)
		}
		for _, test := range file.Tests {
			isFile := func(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode }
			if test.Error != "" || test.Steps == nil || slices.ContainsFunc(test.Reminders.Content, isFile) {
				continue
			}
			played++
			schema := schemaOf(t, file.Vars, test.Vars)
			t.Run(filepath.Base(path)+"/"+test.Name, func(t *testing.T) {
				t.Parallel()
				opts := eval.Options{Budget: test.Options.Budget,
					Order: map[string]reminder.Order{"tier": reminder.ByTier}[file.Options.Order+test.Options.Order],
					Holdout: map[string]reminder.Holdout{"sent": reminder.HoldoutSent,
						"held": reminder.HoldoutHeld}[test.Options.Holdout]}
				first := set(t, path, &test.Reminders, src, schema)
				p := &player{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
				if !test.Start.IsZero() {
					p.now = test.Start
				}
				p.server = &evaljson.Server{Eval: eval.New(first, opts)}
				for i, s := range test.Steps {
					if s.Reload.Kind != 0 {
						p.server.Eval.Reload(set(t, path, &s.Reload, src, schema))
						continue
					}
					p.step(i+1, s)
				}
			})
		}
	}
	if played < 400 {
		t.Errorf("only %d tests", played)
	}
}

// player plays the steps of a test as a host would.
type player struct {
	t      *testing.T
	server *evaljson.Server
	now    time.Time
}

func (p *player) step(n int, s step) {
	if add, ok := strings.CutPrefix(s.At, "+"); ok {
		if days, rest, ok := strings.Cut(add, "d"); ok {
			count, err := strconv.Atoi(days)
			if err != nil {
				p.t.Fatal(err)
			}
			p.now, add = p.now.Add(time.Duration(count)*24*time.Hour), "0s"+rest
		}
		d, err := time.ParseDuration(add)
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = p.now.Add(d)
	} else if s.At != "" {
		at, err := time.Parse(time.RFC3339, s.At)
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = at
	}
	line := map[string]any{"facts": known(s.Facts), "at": p.now.Format(time.RFC3339)}
	for key, v := range map[string]any{"before": s.Before, "stopping": s.Stopping, "more": s.More, "key": s.Key,
		"remind": s.Remind, "prepare": s.Discard} {
		switch v := v.(type) {
		case map[string]any:
			if v != nil {
				line[key] = v
			}
		case bool:
			if v {
				line[key] = v
			}
		case string:
			if v != "" {
				line[key] = v
			}
		case []string:
			if v != nil {
				line[key] = v
			}
		}
	}
	text, err := json.Marshal(line)
	if err != nil {
		p.t.Fatal(err)
	}
	got := decode(p.t, ask(p.t, p.server, string(text)))
	differ := func(what string, want, is any) {
		p.t.Errorf("step %d, %s: %v, want %v\n%s", n, what, is,
			want, text)
	}
	if s.Refused != (len(got.Errors) > 0 && strings.Contains(got.Errors[0], "older")) {
		differ("refused", s.Refused, got.Errors)
	}
	if want := append([]string{}, s.Fires...); !slices.Equal(want, got.fired()) {
		differ("fired", want, got)
	}
	due := slices.Clone(got.Kept)
	for _, f := range got.Fired {
		if !f.HeldOut {
			due = append(due, f.ID)
		}
		if want, ok := s.Text[f.ID]; ok && f.Text != want {
			differ("text", want, f.Text)
		}
	}
	slices.Sort(due)
	if want := slices.Sorted(slices.Values(s.Due)); s.Due != nil && !slices.Equal(want, due) {
		differ("due", want, due)
	}
	if !slices.Equal(s.Paused, got.Paused) {
		differ("paused", s.Paused, got.Paused)
	}
	for _, o := range got.Outcomes {
		if s.Outcomes[o.ID] != o.Outcome {
			differ("outcome of "+o.ID, s.Outcomes[o.ID], o.Outcome)
		}
	}
	if len(s.Outcomes) != len(got.Outcomes) {
		differ("outcomes", s.Outcomes, got.Outcomes)
	}
}
