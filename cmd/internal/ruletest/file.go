package ruletest

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/yamlfile"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
	"github.com/aside-go/aside/internal/near"
)

// maxFile is the length in bytes of the longest test file. Triggers of a megabyte, which tests may want to
// see refused, have room in it.
const maxFile = 16 << 20

// reader reads one test file and collects its diagnostics.
type reader struct {
	yamlfile.Reader

	only    *regexp.Regexp // matches the names of the tests to read; nil: all
	home    string         // the user's home directory
	bounds  string         // the directory out of which the tests name no file
	skipped int            // how many tests were not read
	names   map[string]int // the names of the tests read so far, with their lines

	configured []fact.Fact // that configurations declare

	loaded  map[loadKey]loaded
	sources map[string][]byte // by path, the texts that diagnostics may point into
}

func newReader(file string, src []byte) *reader {
	return &reader{
		Reader: yamlfile.Reader{File: file, Src: src, Most: maxFile,
			Codes: yamlfile.Codes{YAML: code.TestYAML, Key: code.TestKey, Value: code.TestValue},
			Empty: "a rule test has the key tests",
			// package document checks reminders, and a test may want to see its errors
			Apart: []string{"reminders", "reload"}},
		names: map[string]int{}, loaded: map[loadKey]loaded{}, sources: map[string][]byte{file: src},
	}
}

// testCase is one test as written.
type testCase struct {
	name string
	node *yaml.Node
	from int  // the index in reader.Diags of its first diagnostic
	bad  bool // it has an error, and is not run

	schema *fact.Schema
	start  time.Time
	order  reminder.Order
	budget reminder.Budget
	held   reminder.Holdout

	set     *compile.Set
	steps   []step
	firesAt map[string][]int // for a series: by id, the turns on which the reminder must fire; nil for steps

	// For a test of an error: either trigger or reminders must not compile.
	trigger   *string
	reminders *yaml.Node     // the test's own, or nil
	wantError *regexp.Regexp // matches one of the errors; nil: this is no such test
}

// step is one turn, part of a turn or moment with its expectations, or a reload.
type step struct {
	node   *yaml.Node
	reload *compile.Set // nil: a turn

	at     clock
	key    string
	remind []string
	facts  map[string]any
	more   bool // a further part of the turn before
	moment fact.Moment
	call   *fact.Call // of the moment before it

	fires            []string
	due, paused      []string          // nil: nothing is expected
	outcomes         map[string]string // nil: nothing is expected
	text             map[string]string
	discard, refused bool
}

// clock is the value of `at`: an advance of the clock, or a time.
type clock struct {
	add time.Duration
	abs time.Time // zero: add counts
}

// defaults are the members of a file that hold for all its tests.
type defaults struct {
	options, vars, reminders *yaml.Node
	schema                   *fact.Schema
}

var (
	fileKeys = []string{"reminders", "options", "vars", "tests"}
	testKeys = []string{"name", "reminders", "options", "vars", "start", "steps", "series", "fires_at",
		"trigger", "error"}
	stepKeys = []string{"facts", "fires", "due", "at", "key", "remind", "text", "more", "before",
		"stopping", "paused",
		"outcomes", "discard", "refused", "reload"}

	defaultStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

// tests reads the whole file.
func (r *reader) tests() []*testCase {
	doc := r.Parse()
	if doc == nil {
		return nil
	}
	at := r.members(doc, "the file", fileKeys)
	def, list := defaults{options: at["options"], vars: at["vars"], reminders: at["reminders"]}, at["tests"]
	def.schema = r.schema(def.vars)
	var out []*testCase
	if list != nil {
		for _, n := range r.List(list, "tests") {
			if r.only != nil && !r.only.MatchString(nameOf(n)) {
				r.skipped++
				continue
			}
			t := r.test(n, def)
			t.bad = r.hasErrors(t)
			out = append(out, t)
		}
	}
	if r.skipped > 0 {
		return out // with --run, the rest of the file need not be right
	}
	if len(out) == 0 && len(r.Diags) == 0 {
		r.Fail(doc, code.EmptyTest, "a rule test has the key tests, a list", "there is no test in the file")
	}
	if def.reminders != nil && !slices.ContainsFunc(out, func(t *testCase) bool {
		return t.trigger == nil && (t.reminders == nil || t.reminders == def.reminders)
	}) {
		r.load(def.reminders, def.schema) // no test has compiled them, and they must be right all the same
	}
	return out
}

// members returns the members of a mapping, whose keys are among some, by their keys.
func (r *reader) members(n *yaml.Node, what string, keys []string) map[string]*yaml.Node {
	at := map[string]*yaml.Node{}
	for _, e := range r.Entries(n, what, keys) {
		at[e.Key.Value] = e.Value
	}
	return at
}

// nameOf returns the name of a test that may not be read, "" where it has none.
func nameOf(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "name" {
				return n.Content[i+1].Value
			}
		}
	}
	return ""
}

func (r *reader) test(n *yaml.Node, def defaults) *testCase {
	t := &testCase{node: n, from: len(r.Diags), start: defaultStart}
	at := r.members(n, "a test", testKeys)
	if name := at["name"]; name == nil {
		r.Fail(n, code.EmptyTest, "give it a name", "a test without a name")
	} else if s, ok := r.Text(name, "name"); ok {
		t.name = s
		r.checkName(s, name)
	}
	if t.schema = def.schema; at["vars"] != nil {
		t.schema = r.schema(def.vars, at["vars"])
	}
	r.options(def.options, t)
	r.options(at["options"], t)
	t.reminders = at["reminders"]
	if s := at["start"]; s != nil {
		t.start = r.instant(s, "start")
	}
	if at["trigger"] != nil || at["error"] != nil {
		r.errorTest(t, at, def)
		return t
	}
	node := t.reminders
	if node == nil {
		node = def.reminders
	}
	if node == nil {
		r.Fail(n, code.EmptyTest, "give it reminders, here or at the file's top level", "a test without reminders")
		return t
	}
	if t.set = r.load(node, t.schema); t.set == nil {
		return t
	}
	switch steps, series := at["steps"], at["series"]; {
	case steps != nil && series != nil:
		r.Fail(series, code.TestKey, "make two tests of it", "steps and series in one test")
	case series != nil:
		r.series(t, series, at["fires_at"])
	case at["fires_at"] != nil:
		r.Fail(at["fires_at"], code.TestKey, "", "fires_at without series")
	case steps != nil:
		r.steps(t, steps)
	default:
		r.checksNothing(t, "give it steps, series, or error")
	}
	return t
}

// checkName records that a test has a name, which stands at n, and warns where another test has it. In
// reports for machines and with --run such tests cannot be told apart, but both are run.
func (r *reader) checkName(name string, n *yaml.Node) {
	if first, taken := r.names[name]; taken {
		r.Diags = append(r.Diags, grammar.Diagnostic{
			Severity: grammar.Warning, Code: code.TestName, File: r.File, Range: r.Span(n),
			Message: fmt.Sprintf("a second test is called %q", name),
			Hint:    fmt.Sprintf("give one of the two another name: the first is on line %d", first),
		})
		return
	}
	r.names[name] = n.Line
}

// errorTest reads a test of an error of compilation. at are the members of the test.
func (r *reader) errorTest(t *testCase, at map[string]*yaml.Node, def defaults) {
	for _, key := range []string{"steps", "series", "fires_at"} {
		if n := at[key]; n != nil {
			r.Fail(n, code.TestKey, "a test of an error has trigger or reminders, and vars", "%s beside error", key)
		}
	}
	switch {
	case at["trigger"] == nil && t.reminders == nil:
		if t.reminders = def.reminders; t.reminders == nil {
			r.Fail(t.node, code.EmptyTest, "give it a trigger, or reminders", "an error of what?")
		}
	case at["trigger"] != nil && t.reminders != nil:
		r.Fail(at["trigger"], code.TestKey, "make two tests of it", "trigger and reminders beside one error")
	case at["trigger"] != nil:
		if n := at["trigger"]; n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
			t.trigger = new(string)
		} else if s, ok := r.Text(n, "trigger"); ok {
			t.trigger = &s
		}
	}
	if at["error"] == nil { // any error will do
		t.wantError = regexp.MustCompile("")
		return
	}
	src, ok := r.Text(at["error"], "error")
	if !ok {
		return
	}
	re, err := regexp.Compile(src)
	if err != nil {
		r.Fail(at["error"], code.TestValue, "", "error is not a regular expression: %v", err)
	}
	t.wantError = re
}

// hasErrors reports whether an error was found in t so far. t must be the test that was read last.
func (r *reader) hasErrors(t *testCase) bool { return slices.ContainsFunc(r.Diags[t.from:], isError) }

// checksNothing adds the error that t checks nothing, unless t has an error that may be why.
func (r *reader) checksNothing(t *testCase, hint string) {
	if !r.hasErrors(t) {
		r.Fail(t.node, code.EmptyTest, hint, "the test %q checks nothing", t.name)
	}
}

// oneOf returns which of some words n is; any other value is an error, and returns 0.
func (r *reader) oneOf(n *yaml.Node, what string, words ...string) int {
	i, last := slices.Index(words, n.Value), len(words)-1
	if i < 0 {
		r.Fail(n, code.TestValue, near.Hint("", n.Value, words), "%s is %s or %s", what,
			strings.Join(words[:last], ", "), words[last])
	}
	return max(i, 0)
}

// options reads an options node, which may be nil, into t. What the node does not say stays as it is.
func (r *reader) options(n *yaml.Node, t *testCase) {
	if n == nil {
		return
	}
	at := r.members(n, "options", []string{"order", "budget", "holdout"})
	if v := at["order"]; v != nil {
		t.order = []reminder.Order{reminder.ByPriority, reminder.ByTier}[r.oneOf(v, "order", "priority", "tier")]
	}
	if v := at["holdout"]; v != nil {
		t.held = reminder.HoldoutSent + reminder.Holdout(r.oneOf(v, "holdout", "sent", "held"))
	}
	if v := at["budget"]; v != nil {
		most := r.members(v, "budget", []string{"turn", "run"})
		for key, to := range map[string]*int{"turn": &t.budget.Turn, "run": &t.budget.Run} {
			if v := most[key]; v != nil {
				*to = r.Whole(v, "budget."+key, 0)
			}
		}
	}
}

// schema returns a schema with the facts that vars nodes declare. Nodes may be nil; a later declaration of a
// fact replaces an earlier one.
func (r *reader) schema(nodes ...*yaml.Node) *fact.Schema {
	vars := slices.Clone(r.configured)
	for _, n := range nodes {
		if n == nil {
			continue
		}
		for _, f := range facts.Declared(&r.Reader, n) {
			vars = slices.DeleteFunc(vars, func(old fact.Fact) bool { return old.Name == f.Name })
			vars = append(vars, f)
		}
	}
	s, err := fact.NewSchema(vars...)
	if err != nil {
		panic(err) // every declaration was accepted by itself, and names are distinct
	}
	return s
}

// instant reads a point in time.
func (r *reader) instant(n *yaml.Node, what string) time.Time {
	t, err := time.Parse(time.RFC3339, n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		r.Fail(n, code.TestValue, "such as 2026-01-01T00:00:00Z", "%s must be a time as in RFC 3339", what)
	}
	return t
}

// Keys returns the keys that a file, a test and a step may have. The test of the JSON Schema holds it against
// them. The caller owns the slices.
func Keys() (file, test, step []string) {
	return slices.Clone(fileKeys), slices.Clone(testKeys), slices.Clone(stepKeys)
}

// loaded is a compiled reminders node.
type loaded struct {
	set   *compile.Set
	diags grammar.Diagnostics
}

// loadKey is the key of a compilation: the same node with the same schema is compiled once.
type loadKey struct {
	node   *yaml.Node
	schema *fact.Schema
}

// load compiles the reminders of n, and adds their diagnostics to those of the file. It returns nil where one
// of them is an error.
func (r *reader) load(n *yaml.Node, schema *fact.Schema) *compile.Set {
	l := r.compile(n, schema)
	r.Diags = append(r.Diags, l.diags...)
	if l.diags.HasErrors() {
		return nil
	}
	return l.set
}

// compile compiles the reminders of n, a list of reminders, and of files or patterns of files, relative to
// the test file.
func (r *reader) compile(n *yaml.Node, schema *fact.Schema) loaded {
	key := loadKey{n, schema}
	if l, ok := r.loaded[key]; ok {
		return l
	}
	opts := compile.Options{Schema: schema}
	inline := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line, Column: n.Column, Style: n.Style}
	var sources []load.Source
	before := len(r.Diags)
	for _, item := range r.List(n, "reminders") {
		switch item.Kind {
		case yaml.ScalarNode:
			sources = append(sources, r.paths(item)...)
		case yaml.MappingNode:
			inline.Content = append(inline.Content, item)
		default:
			r.Fail(item, code.TestValue, "", "an item of reminders is a reminder or the path of a file of reminders")
		}
	}
	var all []compile.Source
	var diags grammar.Diagnostics
	diags = append(diags, r.Diags[before:]...)
	r.Diags = r.Diags[:before]
	if len(sources) > 0 {
		res := load.Load(sources, load.Options{Options: opts})
		all = append(all, res.Reminders...)
		diags = append(diags, res.Diagnostics...)
		maps.Copy(r.sources, res.Files)
	}
	if len(inline.Content) > 0 {
		rs, ds := document.ReadList(r.File, inline, r.Src)
		all = append(all, rs...)
		diags = append(diags, ds...)
	}
	set, ds := compile.FromFiles(all, opts)
	l := loaded{set: set, diags: lint.Unique(append(diags, ds...))}
	r.loaded[key] = l
	return l
}

// paths returns the files that a pattern matches.
func (r *reader) paths(n *yaml.Node) []load.Source {
	pattern, ok := r.Text(n, "the path of a file of reminders")
	if !ok {
		return nil
	}
	path := filepath.FromSlash(pattern)
	if !filepath.IsAbs(path) {
		dir := filepath.Dir(r.File)
		if strings.ContainsAny(pattern, `*?[`) {
			dir = literal(dir)
		}
		path = filepath.Join(dir, path)
	}
	if !bounded(r.bounds, path) {
		r.Fail(n, code.TestFile, "put a copy there, or name a directory above both on the command line",
			"the path leads out of %s", r.bounds)
		return nil
	}
	sources, err := load.Paths(r.home, path)
	for i := range sources {
		sources[i].Below = r.bounds
	}
	if err != nil {
		r.Fail(n, code.TestFile, "paths are relative to the test file", "%v", err)
	}
	return sources
}

// bounded reports whether a path stays in a directory.
func bounded(dir, path string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// literal returns a pattern that matches this directory alone.
func literal(dir string) string {
	if filepath.Separator == '\\' {
		return dir // on Windows a backslash in a pattern does not quote
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

func isError(d grammar.Diagnostic) bool { return d.Severity == grammar.Error }
