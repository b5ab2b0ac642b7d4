package ruletest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/internal/test/testkit"
)

const root = "../../.."

// files returns what pattern matches below the repository; nothing is a failure.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: no files, %v", pattern, err)
	}
	return list
}

// run runs the files and returns the report and its text.
func run(t *testing.T, paths ...string) (*ruletest.Report, string) {
	t.Helper()
	rep, err := ruletest.Run(context.Background(), paths, ruletest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return rep, b.String()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	rep, text := run(t, testkit.DataGlob(t, "conformance", "*_test.yaml")...)
	if passed, _, _ := rep.Counts(); !rep.OK() || passed < 80 {
		t.Errorf("%d passed\n%s", passed, text)
	}
}

// caseFiles are the cases of this repository.
func caseFiles(t *testing.T) []string {
	return append(files(t, "testdata/ruletests/*_test.yaml"), files(t, "testdata/threads/*_test.yaml")...)
}

func TestCases(t *testing.T) {
	t.Parallel()
	rep, text := run(t, caseFiles(t)...)
	if passed, _, _ := rep.Counts(); !rep.OK() || passed < 80 {
		t.Errorf("%d passed\n%s", passed, text)
	}
}

// TestCasesCanFail changes each expectation of each case, one at a time: every changed case must fail.
func TestCasesCanFail(t *testing.T) {
	t.Parallel()
	for i, path := range append(caseFiles(t), testkit.DataGlob(t, "conformance", "*_test.yaml")...) {
		if i%testkit.Repeat(4, 1) > 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir, err := filepath.Abs(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			src = []byte(strings.NewReplacer("./*.md", dir+"/*.md", " files/", " "+dir+"/files/", "[files/",
				"["+dir+"/files/").Replace(string(src)))
			var doc yaml.Node
			if err := yaml.Unmarshal(src, &doc); err != nil {
				t.Fatal(err)
			}
			tests := member(doc.Content[0], "tests")
			var mutants []*yaml.Node
			for _, c := range tests.Content {
				made := mutate(c)
				if r := member(c, "reminders"); len(made) == 0 && (r == nil || len(r.Content) > 0) {
					t.Errorf("%s: no expectation to change", member(c, "name").Value)
				}
				mutants = append(mutants, made...)
			}
			tests.Content = mutants
			changed, err := yaml.Marshal(&doc)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "changed_test.yaml")
			if err := os.WriteFile(file, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			rep, err := ruletest.Run(t.Context(), []string{file}, ruletest.Options{Named: []string{"/"}})
			var text strings.Builder
			if err == nil {
				err = rep.WriteText(&text)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, _, mistakes := rep.Counts(); mistakes > 0 {
				t.Fatalf("a change that is not a mistake was meant\n%s", &text)
			}
			for _, c := range rep.Files[0].Tests {
				if c.Status != ruletest.Failed {
					t.Errorf("%s: %s", c.Name, c.Status)
				}
			}
		})
	}
}

// member returns the value of a key of a mapping, or nil.
func member(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func without(n *yaml.Node, key string) *yaml.Node {
	c := *n
	c.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			c.Content = append(c.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &c
}

func with(n *yaml.Node, key string, value *yaml.Node) *yaml.Node {
	c := without(n, key)
	c.Content = append(slices.Clone(c.Content), word(key), value)
	c.Style = yaml.FlowStyle
	return c
}

func word(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

func number(i int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(i)}
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle, Content: items}
}

// mutate returns copies of a case with one expectation changed in each.
func mutate(c *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	add := func(what string, m *yaml.Node) {
		out = append(out, with(m, "name", word(fmt.Sprintf("%s: %s (%d)", member(c, "name").Value, what,
			len(out)+1))))
	}
	if member(c, "error") != nil {
		add("error", with(c, "error", word("^this is never said$")))
	}
	if at := member(c, "fires_at"); at != nil {
		for i := 0; i+1 < len(at.Content); i += 2 {
			id, turns := at.Content[i].Value, at.Content[i+1]
			add("one less "+id, with(c, "fires_at", with(at, id, list(turns.Content[:len(turns.Content)-1]...))))
		}
		ids := ids(c)
		if len(at.Content) == 0 && len(ids) > 0 {
			add("one more", with(c, "fires_at", with(at, ids[0], list(number(1)))))
		}
	}
	steps := member(c, "steps")
	if steps == nil {
		return out
	}
	known := ids(c)
	for i, s := range steps.Content {
		if r := member(s, "reload"); r != nil {
			known = idsOf(r)
			continue
		}
		change := func(what string, m *yaml.Node) {
			all := slices.Clone(steps.Content)
			all[i] = m
			add(fmt.Sprintf("step %d %s", i+1, what), with(c, "steps", &yaml.Node{Kind: yaml.SequenceNode,
				Tag: "!!seq", Content: all}))
		}
		if member(s, "refused") != nil {
			change("refused", without(s, "refused"))
			continue
		}
		fires := member(s, "fires")
		if fires != nil && len(fires.Content) > 0 {
			change("fires nothing", without(s, "fires"))
		} else if len(known) > 0 {
			change("fires", with(s, "fires", list(word(known[0]))))
		}
		if fires != nil && len(fires.Content) > 1 {
			turned := slices.Clone(fires.Content)
			slices.Reverse(turned)
			change("order", with(s, "fires", list(turned...)))
		}
		if due := member(s, "due"); due != nil && len(due.Content) > 0 {
			change("due", with(s, "due", list(due.Content[1:]...)))
		} else if due != nil && len(known) > 0 {
			change("due", with(s, "due", list(word(known[0]))))
		}
		if paused := member(s, "paused"); paused != nil && len(paused.Content) > 0 {
			change("paused", with(s, "paused", list(paused.Content[1:]...)))
		} else if paused != nil {
			change("paused", with(s, "paused", list(word(known[0]))))
		}
		if ended := member(s, "outcomes"); ended != nil && len(ended.Content) > 0 {
			last := len(ended.Content) - 2
			change("outcome", with(s, "outcomes", without(ended, ended.Content[last].Value)))
		} else if ended != nil {
			change("outcome", with(s, "outcomes", with(ended, known[0], word("open"))))
		}
		if text := member(s, "text"); text != nil {
			for j := 0; j+1 < len(text.Content); j += 2 {
				change("text", with(s, "text", with(text, text.Content[j].Value, word(text.Content[j+1].Value+"!"))))
			}
		}
	}
	return out
}

// ids are the ids of a case's reminders.
func ids(c *yaml.Node) []string {
	if r := member(c, "reminders"); r != nil {
		return idsOf(r)
	}
	return []string{"root"} // of the file's reminders, which testdata/threads alone has
}

func idsOf(reminders *yaml.Node) []string {
	var out []string
	for _, r := range reminders.Content {
		if r.Kind != yaml.MappingNode {
			return []string{"plain"} // of the files in testdata/ruletests
		}
		if e := member(r, "enabled"); e == nil || e.Value != "false" {
			out = append(out, member(r, "id").Value)
		}
	}
	return out
}
