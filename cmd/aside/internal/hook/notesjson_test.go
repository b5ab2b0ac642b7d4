package hook

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

// TestNotesTwoWays: notes are written by hand as encoding/json writes them, and read by hand and by it as they were, whichever of them
// there are.
func TestNotesTwoWays(t *testing.T) {
	t.Parallel()
	all := filledNotes()
	fields := reflect.TypeFor[notes]().NumField()
	cases := []notes{{}, all, {Tools: []Tool{{Name: "Read"}, {Name: "Edit", Failed: fact.True}, {ID: "t"}}}}
	for i := range fields {
		var one, others notes
		others = all
		reflect.ValueOf(&one).Elem().Field(i).Set(reflect.ValueOf(all).Field(i))
		reflect.ValueOf(&others).Elem().Field(i).SetZero()
		cases = append(cases, one, others)
	}
	for _, n := range cases {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(n); err != nil {
			t.Fatal(err)
		}
		raw := n.write()
		if got := string(raw); got != strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("written as\n%s\nand by encoding/json as\n%s", got, want.String())
		}
		if got, ok := writtenNotes(string(raw)); !ok || !reflect.DeepEqual(got, n) {
			t.Errorf("%s\nis read by hand (%v) as\n%+v", raw, ok, got)
		}
		if _, ok := writtenNotes(string(raw[:len(raw)-1])); ok {
			t.Errorf("%s is read without its end", raw)
		}
		for _, other := range []string{strings.Replace(string(raw), `{`, `{"later":1`+strings.Repeat(",", min(len(raw)-2, 1)), 1), strings.ReplaceAll(string(raw), ":", ": ")} {
			if got, err := readNotes(json.RawMessage(other)); err != nil || !reflect.DeepEqual(got, n) {
				t.Errorf("%s\nis read as\n%+v, %v", other, got, err)
			}
		}
	}
	if _, err := readNotes(json.RawMessage(`{"tools":[{"name":"x","failed":7}`)); err == nil {
		t.Error("notes that are no JSON are read")
	}
}

// filledNotes are notes with something in each field.
func filledNotes() (n notes) {
	number, usage := int64(7), 0.25
	v := reflect.ValueOf(&n).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *bool:
			*f = true
		case *string:
			*f = "a <b> \"c\"\n ü"
		case *int64:
			*f = 1 << 40
		case *int:
			*f = 12
		case **int64:
			*f = &number
		case **float64:
			*f = &usage
		case *[]string:
			*f = []string{"toolu_01", ""}
		case *[]Kind:
			*f = []Kind{ToolBatch, SubagentStart}
		case *[]Tool:
			*f = []Tool{{Name: "Read", ID: "t1", Failed: fact.Unknown}}
		default:
			panic("a field of another type")
		}
	}
	return n
}
