package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// injectCase is one file of conformance/inject; its README explains the keys.
type injectCase struct {
	Name        string          `json:"name"`
	Args        []string        `json:"args"`
	In          json.RawMessage `json:"in"`
	InRaw       *string         `json:"in_raw"`
	Out         json.RawMessage `json:"out"`
	OutRaw      *string         `json:"out_raw"`
	RawPrefix   string          `json:"raw_prefix"`
	RawSuffix   string          `json:"raw_suffix"`
	RawContains oneOrMany       `json:"raw_contains"`
	Check       *outCheck       `json:"out_check"`
}

type outCheck struct {
	Exit        int               `json:"exit"`
	Unchanged   bool              `json:"unchanged"`
	Kept        bool              `json:"kept"`
	Added       *int              `json:"added"`
	AddedRoles  string            `json:"added_roles"`
	Roles       []string          `json:"roles"`
	TextMatches map[string]string `json:"text_matches"`
	TailTexts   []string          `json:"tail_texts"`
	LastText    string            `json:"last_message_last_block_text_contains"`
	Count       map[string]int    `json:"count"`
}

// oneOrMany is a string or a list of them.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		*o = make([]string, 1)
		return json.Unmarshal(b, &(*o)[0])
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// TestI2I3I6Conformance runs the shared cases of the shapes that inject can write.
func TestI2I3I6Conformance(t *testing.T) {
	t.Parallel()
	files := testkit.DataGlob(t, "conformance", "inject", "*.json")
	ran := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var c injectCase
		dec := json.NewDecoder(bytes.NewReader(src))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		ran++
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			in := string(c.In)
			if c.InRaw != nil {
				in = *c.InRaw
			}
			r := exe.Invoke(t, t.TempDir(), strings.NewReader(in), append([]string{"inject"}, c.Args...)...)
			c.compare(t, in, r)
			if r.Code == 0 { // and back
				back := exe.Invoke(t, t.TempDir(), strings.NewReader(r.Out), "strip", "--api", argument(c.Args, "--api"))
				if argument(c.Args, "--placement") != "text" && back.Out != in {
					t.Errorf("strip(inject(x)) is not x:\n%s", cmp.Diff(in, back.Out))
				}
			}
		})
	}
	if ran == 0 {
		t.Error("no case at all")
	}
}

// argument returns the word after a flag, "" if the flag is not there.
func argument(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 {
		return args[i+1]
	}
	return ""
}

func (c *injectCase) compare(t *testing.T, in string, r process.Result) {
	t.Helper()
	exit := 0
	if c.Check != nil {
		exit = c.Check.Exit
	}
	if r.Code != exit {
		t.Fatalf("%s: exit code %d, want %d: %s", c.Name, r.Code, exit, r.Err)
	}
	if c.Out != nil {
		if d := cmp.Diff(decode(t, string(c.Out)), decode(t, r.Out)); d != "" {
			t.Errorf("%s: -want +got\n%s", c.Name, d)
		}
	}
	if c.OutRaw != nil && r.Out != *c.OutRaw {
		t.Errorf("%s: -want +got\n%s", c.Name, cmp.Diff(*c.OutRaw, r.Out))
	}
	if !strings.HasPrefix(r.Out, c.RawPrefix) || !strings.HasSuffix(r.Out, c.RawSuffix) {
		t.Errorf("%s: not between %q and %q: %q", c.Name, c.RawPrefix, c.RawSuffix, r.Out)
	}
	for _, s := range c.RawContains {
		if !strings.Contains(r.Out, s) {
			t.Errorf("%s: %q is not in %q", c.Name, s, r.Out)
		}
	}
	if c.Check != nil {
		for _, fault := range c.Check.faults(t, in, r.Out) {
			t.Errorf("%s: %s", c.Name, fault)
		}
	}
}

// decode keeps the digits of numbers.
func decode(t *testing.T, s string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, s)
	}
	return v
}

// faults returns the expectations that do not hold.
func (k *outCheck) faults(t *testing.T, in, out string) (faults []string) {
	fail := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if k.Unchanged && in != out {
		fail("changed: %s", cmp.Diff(in, out))
	}
	if k.Exit != 0 {
		return faults
	}
	before, after := messages(decode(t, in)), messages(decode(t, out))
	if k.Kept && (len(after) < len(before) || !cmp.Equal(before, after[:len(before)])) {
		fail("the messages of the input do not come first: %v", after)
	}
	if k.Added != nil && len(after)-len(before) != *k.Added {
		fail("%d messages added, want %d", len(after)-len(before), *k.Added)
	}
	if k.AddedRoles != "" {
		for _, m := range after[min(len(before), len(after)):] {
			if !whole(k.AddedRoles, role(m)) {
				fail("added role %q, want %q", role(m), k.AddedRoles)
			}
		}
	}
	if k.Roles != nil {
		ok := len(k.Roles) == len(after)
		for i := 0; ok && i < len(after); i++ {
			ok = whole(k.Roles[i], role(after[i]))
		}
		if !ok {
			fail("roles of %v, want %q", after, k.Roles)
		}
	}
	for i, re := range k.TextMatches {
		var n int
		if _, err := fmt.Sscan(i, &n); err != nil || n >= len(after) ||
			!regexp.MustCompile(re).MatchString(strings.Join(texts(after[n]), "")) {
			fail("text of message %s does not match %q: %v", i, re, after)
		}
	}
	var all []string
	for _, m := range after {
		all = append(all, texts(m)...)
	}
	if n := len(k.TailTexts); n > 0 && (len(all) < n || !slices.Equal(all[len(all)-n:], k.TailTexts)) {
		fail("the last texts are %q, want %q", all, k.TailTexts)
	}
	if k.LastText != "" {
		last := texts(after[len(after)-1])
		if len(last) == 0 || !strings.Contains(last[len(last)-1], k.LastText) {
			fail("the last text is %q, without %q", last, k.LastText)
		}
	}
	for s, n := range k.Count {
		if got := strings.Count(strings.Join(all, "\n"), s); got != n {
			fail("%q is there %d times, want %d", s, got, n)
		}
	}
	return faults
}

func whole(re, s string) bool { return regexp.MustCompile("^(?:" + re + ")$").MatchString(s) }

func messages(v any) []any {
	body, _ := v.(map[string]any)
	for _, key := range []string{"messages", "input", "contents"} {
		if ms, ok := body[key].([]any); ok {
			return ms
		}
	}
	return nil
}

func role(m any) string {
	o, _ := m.(map[string]any)
	if r, ok := o["role"].(string); ok {
		return r
	}
	r, _ := o["type"].(string)
	return r
}

// texts returns the text blocks of a message; string content is one.
func texts(m any) (list []string) {
	o, _ := m.(map[string]any)
	content := o["content"]
	if parts, ok := o["parts"]; ok {
		content = parts
	}
	switch c := content.(type) {
	case string:
		return []string{c}
	case []any:
		for _, b := range c {
			if o, ok := b.(map[string]any); ok && (o["type"] == "text" || o["type"] == nil && o["text"] != nil) {
				s, _ := o["text"].(string)
				list = append(list, s)
			}
		}
	}
	return list
}

// TestRuleTests runs the shared rule tests through the command.
func TestRuleTests(t *testing.T) {
	t.Parallel()
	files := testkit.DataGlob(t, "conformance", "*_test.yaml")
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			abs, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			if r := exe.Invoke(t, t.TempDir(), nil, "test", abs); r.Code != 0 {
				t.Errorf("exit code %d\n%s%s", r.Code, r.Out, r.Err)
			}
		})
	}
}
