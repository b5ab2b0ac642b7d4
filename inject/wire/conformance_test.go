package wire_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// conformance is a case of shared/conformance/inject; its README says what each member means.
type conformance struct {
	Name        string          `json:"name"`
	Args        []string        `json:"args"`
	In          json.RawMessage `json:"in"`
	InRaw       string          `json:"in_raw"`
	Out         json.RawMessage `json:"out"`
	OutRaw      *string         `json:"out_raw"`
	RawPrefix   string          `json:"raw_prefix"`
	RawSuffix   string          `json:"raw_suffix"`
	RawContains []string        `json:"raw_contains"`
	OutCheck    struct {
		Exit        int               `json:"exit"`
		Unchanged   bool              `json:"unchanged"`
		Kept        bool              `json:"kept"`
		Added       *int              `json:"added"`
		AddedRoles  string            `json:"added_roles"`
		Roles       []string          `json:"roles"`
		TextMatches map[string]string `json:"text_matches"`
		TailTexts   []string          `json:"tail_texts"`
		Last        string            `json:"last_message_last_block_text_contains"`
		Count       map[string]int    `json:"count"`
	} `json:"out_check"`
}

func TestConformance(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "conformance", "inject", "*.json"))
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("shared conformance cases: not there")
		}
		t.Skip("shared conformance cases: not there")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c conformance
			dec := json.NewDecoder(bytes.NewReader(src))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&c); err != nil {
				t.Fatal(err)
			}
			c.run(t)
		})
	}
}

func (c *conformance) run(t *testing.T) {
	t.Helper()
	due, opts := arguments(t, c.Args)
	in := []byte(c.InRaw)
	if c.In != nil {
		in = c.In
	}
	out, err := wire.Inject(in, due, opts)
	if failed := err != nil; failed != (c.OutCheck.Exit != 0) {
		t.Fatalf("error %v, want exit %d", err, c.OutCheck.Exit)
	}
	if c.OutCheck.Unchanged && !bytes.Equal(out, in) {
		t.Errorf("changed:\n%s", out)
	}
	if c.Out != nil {
		if d := cmp.Diff(parse(t, c.Out), parse(t, out)); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	}
	if c.OutRaw != nil && string(out) != *c.OutRaw {
		t.Errorf("got  %s\nwant %s", out, *c.OutRaw)
	}
	if !strings.HasPrefix(string(out), c.RawPrefix) || !strings.HasSuffix(string(out), c.RawSuffix) {
		t.Errorf("prefix or suffix touched:\n%s", out)
	}
	for _, s := range c.RawContains {
		if !bytes.Contains(out, []byte(s)) {
			t.Errorf("%s is not in\n%s", s, out)
		}
	}
	c.check(t, messagesOf(t, in), messagesOf(t, out))
	if back, err := wire.Strip(out, opts); err != nil || !bytes.Equal(back, in) {
		t.Errorf("strip gives %s, %v", back, err)
	}
}

func (c *conformance) check(t *testing.T, in, out []map[string]any) {
	t.Helper()
	k := c.OutCheck
	if k.Kept && (len(out) < len(in) || !cmp.Equal(in, out[:len(in)])) {
		t.Errorf("not all kept:\n%v", out)
	}
	if k.Added != nil && len(out)-len(in) != *k.Added {
		t.Errorf("added %d messages, want %d", len(out)-len(in), *k.Added)
	}
	if k.AddedRoles != "" {
		for _, m := range out[len(in):] {
			match(t, "added role", k.AddedRoles, m["role"].(string))
		}
	}
	if k.Roles != nil {
		if len(k.Roles) != len(out) {
			t.Fatalf("%d messages, want %d", len(out), len(k.Roles))
		}
		for i, want := range k.Roles {
			match(t, "role", want, out[i]["role"].(string))
		}
	}
	var all []string
	for _, m := range out {
		all = append(all, textsOf(m)...)
	}
	for i, want := range k.TextMatches {
		n, err := strconv.Atoi(i)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(textsOf(out[n]), ""); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("message %d: %q does not match %s", n, got, want)
		}
	}
	if n := len(k.TailTexts); n > 0 && (len(all) < n || !cmp.Equal(all[len(all)-n:], k.TailTexts)) {
		t.Errorf("texts end %q, want %q", all, k.TailTexts)
	}
	if k.Last != "" {
		if last := textsOf(out[len(out)-1]); len(last) == 0 || !strings.Contains(last[len(last)-1], k.Last) {
			t.Errorf("last text of %q does not hold %q", last, k.Last)
		}
	}
	for s, n := range k.Count {
		if got := strings.Count(strings.Join(all, "\x00"), s); got != n {
			t.Errorf("%q is there %d times, want %d", s, got, n)
		}
	}
}

func match(t *testing.T, what, pattern, got string) {
	t.Helper()
	if !regexp.MustCompile("^(?:" + pattern + ")$").MatchString(got) {
		t.Errorf("%s %q, want %s", what, got, pattern)
	}
}

func arguments(t *testing.T, args []string) (due []terms.Due, opts wire.Options) {
	t.Helper()
	for i := 0; i+1 < len(args); i += 2 {
		switch v := args[i+1]; args[i] {
		case "--api":
			opts.API = wire.API(v)
		case "--delivery":
			opts.Delivery = map[string]wire.Delivery{"auto": wire.Auto, "native": wire.Native, "anchored": wire.Anchored, "tail": wire.Tail}[v]
		case "--text":
			due = append(due, terms.Due{Text: v})
		case "--mark":
			opts.Mark = v
		case "--placement":
			opts.Placement = map[string]inject.Placement{"block": inject.PlaceBlock, "text": inject.PlaceText, "system": inject.PlaceSystem}[v]
		default:
			t.Fatalf("argument %q", args[i])
		}
	}
	return due, opts
}

func parse(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

func messagesOf(t *testing.T, b []byte) []map[string]any {
	t.Helper()
	var out []map[string]any
	body := parse(t, b).(map[string]any)
	for _, key := range []string{"messages", "input", "contents"} {
		list, _ := body[key].([]any)
		for _, m := range list {
			out = append(out, m.(map[string]any))
		}
	}
	return out
}

// textsOf returns the text blocks of a message; string content is one.
func textsOf(m map[string]any) []string {
	content := m["content"]
	if parts, ok := m["parts"]; ok {
		content = parts
	}
	switch c := content.(type) {
	case string:
		return []string{c}
	case []any:
		var out []string
		for _, b := range c {
			if b, ok := b.(map[string]any); ok && (b["type"] == "text" || b["type"] == nil && b["text"] != nil) {
				out = append(out, b["text"].(string))
			}
		}
		return out
	default:
		return nil
	}
}
