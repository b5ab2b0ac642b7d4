package fact_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
)

// TestValues: the known facts of a frame come back from Values, also through JSON, and under another schema
// as far as it has them. Prompt and Response come back only from Unkept.
func TestValues(t *testing.T) {
	t.Parallel()
	schema := func(vars ...fact.Fact) *fact.Schema {
		s, err := fact.NewSchema(vars...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	was := schema(fact.Fact{Name: "vars.tags", Type: fact.Set}, fact.Fact{Name: "vars.n", Type: fact.Int})
	now := schema(fact.Fact{Name: "vars.n", Type: fact.Int}, fact.Fact{Name: "vars.tags", Type: fact.Bool})
	frame := was.NewFrame()
	given := map[string]any{"context_usage": 0.25, "context_tokens": int64(5), "idle": 90 * time.Second,
		"user_message": false, "compacted": true, "model": "m", "provider": "", "tool_used": []string{"a", "b"},
		"vars.tags": []string{}, "vars.n": int64(-7), "prompt": "p"}
	for name, v := range given {
		if err := frame.SetValue(name, v); err != nil {
			t.Fatal(err)
		}
	}
	frame.SetFailed([]string{"b"})
	kept, unkept := frame.Kept(fact.Values{}), frame.Unkept()
	raw, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	var stored fact.Values
	if err := json.Unmarshal(raw, &stored); err != nil {
		t.Fatal(err)
	}
	frame.Reset() // the values do not share its memory
	for _, c := range []struct {
		name   string
		schema *fact.Schema
		from   fact.Values
		unkept fact.Values
		lacks  []string
		miss   []string
	}{
		{"the same schema", was, kept, unkept, nil, nil},
		{"no texts", was, kept, fact.Values{}, []string{"prompt"}, []string{"prompt"}},
		{"read", was, stored, unkept, nil, nil},
		{"another schema", now, kept, unkept, []string{"vars.tags"}, nil},
		{"read under another schema", now, stored, fact.Values{}, []string{"vars.tags", "prompt"},
			[]string{"prompt"}},
	} {
		f := c.schema.NewFrame()
		missing, err := f.Restore(c.from, c.unkept)
		if diff := cmp.Diff(c.miss, missing); diff != "" || err != nil {
			t.Errorf("%s: missing %s, %v", c.name, diff, err)
		}
		want, got := map[string]any{}, map[string]any{}
		for name, v := range given {
			want[name] = v
		}
		for _, name := range c.lacks {
			delete(want, name)
		}
		for id := range fact.ID(c.schema.Len()) {
			if v := f.Value(id); v != nil {
				got[c.schema.Fact(id).Name] = v
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if failed, known := f.Failed(); !known || !cmp.Equal(failed, []string{"b"}) {
			t.Errorf("%s: failed %v, %v", c.name, failed, known)
		}
	}
	frame.SetText(fact.Prompt, "q")
	if _, err := frame.Restore(fact.Values{}, unkept); err != nil {
		t.Error(err)
	} else if text, _ := frame.Text(fact.Prompt); text != "q" {
		t.Errorf("a text that was not known comes back: %q", text)
	}
	if err := json.Unmarshal([]byte(`{"facts":7}`), &stored); err != nil {
		t.Fatal(err)
	}
	if _, err := frame.Restore(stored, unkept); err == nil {
		t.Error("facts of another shape are restored")
	}
}

// TestToldOfFormat3: truths of conditions that format 3 of snapshots has are read under the keys of now.
func TestToldOfFormat3(t *testing.T) {
	t.Parallel()
	var v fact.Values
	if err := v.UnmarshalJSON([]byte(`{"facts":{},"told":{"abcdefghijklmnop":true,"ABCDEFGHijklmnop":false}}`)); err != nil {
		t.Fatal(err)
	}
	f := fact.Builtin().NewFrame()
	if _, err := f.Restore(v, fact.Values{}); err != nil {
		t.Fatal(err)
	}
	f.SetTold("01234567", 3)
	f.SetBefore(fact.Memory{{Key: "abcdefgh", Value: 2}})
	b, err := f.Kept(fact.Values{}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"facts":{},"told":{"f":"ABCDEFGH","n":{"01234567":3},"t":"abcdefgh"},"before":{"n":{"abcdefgh":2}}}`
	if string(b) != want {
		t.Errorf("%s, want %s", b, want)
	}
	g := fact.Builtin().NewFrame()
	var again fact.Values
	if err := again.UnmarshalJSON(b); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Restore(again, fact.Values{}); err != nil || !slices.Equal(g.Told(), f.Told()) ||
		!slices.Equal(g.Before(), f.Before()) {
		t.Error(err, g.Told(), g.Before())
	}
}
