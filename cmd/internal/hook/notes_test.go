package hook

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
)

// TestNotes: notes come back from a snapshot as they were, whatever is in them and whatever a later version
// adds.
func TestNotes(t *testing.T) {
	t.Parallel()
	all := filledNotes()
	fields := reflect.TypeFor[runNotes]().NumField()
	cases := []runNotes{{}, all, {Tools: []agent.Call{{Name: "Read"},
		{Name: "Edit", Failed: fact.True}, {ID: "t"}}}}
	for i := range fields {
		var one, others runNotes
		others = all
		reflect.ValueOf(&one).Elem().Field(i).Set(reflect.ValueOf(all).Field(i))
		reflect.ValueOf(&others).Elem().Field(i).SetZero()
		cases = append(cases, one, others)
	}
	for _, n := range cases {
		raw := n.write()
		later := strings.Replace(string(raw), `{`, `{"later":1`+strings.Repeat(",", min(len(raw)-2, 1)), 1)
		for _, stored := range []string{string(raw), later, strings.ReplaceAll(string(raw), ":", ": ")} {
			if got, err := readNotes(json.RawMessage(stored)); err != nil || !reflect.DeepEqual(got, n) {
				t.Errorf("%s\nis read as\n%+v, %v", stored, got, err)
			}
		}
		if n, err := readNotes(raw[:len(raw)-1]); err == nil {
			t.Errorf("%s is read without its end: %+v", raw, n)
		}
	}
	// As a released version wrote them.
	const stored = `{"tools":[{"name":"Read","id":"t1","failed":1}],"user":true,"compacted":true,` +
		`"resumed":true,"response":7,` +
		`"rest":"a <b> \"c\"\n ü","users":1099511627776,"model":"a <b> \"c\"\n ü",` +
		`"thread":"a <b> \"c\"\n ü","mode":"a <b> \"c\"\n ü","over":true,"context":7,"window":7,"usage":0.25,` +
		`"passing":true,"exact":true,"vain":12,"stale":1099511627776,` +
		`"turn":{"open":true,"prompted":true,"results":true,"answer":"msg_1"},` +
		`"shown":["tool_batch"],"told":["toolu_01",""],"prompts":["toolu_01",""],` +
		`"answered":["toolu_01",""],"done":["toolu_01",""],"same":["toolu_01",""],"asked":["toolu_01",""],` +
		`"held":["toolu_01",""],"nested":"a <b> \"c\"\n ü","reason":"a <b> \"c\"\n ü",` +
		`"last":"a <b> \"c\"\n ü","summary":12,` +
		`"spent":{"dollars":0.25,"billed":true,"at":7,"model":"m"}}`
	before := all
	before.Served, before.Carried, before.Unsaid = false, 0, nil
	before.Calls, before.Failures = nil, nil // what earlier versions noted is of an answer that is over
	if got, err := readNotes(json.RawMessage(stored)); err != nil || !reflect.DeepEqual(got, before) {
		t.Errorf("%s\nis read as\n%+v, %v", stored, got, err)
	}
	if string((&runNotes{}).write()) != "{}" {
		t.Errorf("empty notes take bytes: %s", (&runNotes{}).write())
	}
	if _, err := readNotes(json.RawMessage(`{"tools":[{"name":"x","failed":7}`)); err == nil {
		t.Error("notes that are no JSON are read")
	}
}

// filledNotes are notes with something in each field.
func filledNotes() (n runNotes) {
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
		case *[]agent.Kind:
			*f = []agent.Kind{agent.ToolBatch}
		case *openTurn:
			*f = openTurn{Open: true, Prompted: true, Results: true, Answer: "msg_1"}
		case **session.Billed:
			*f = &session.Billed{Bill: session.Bill{Dollars: usage, Billed: true}, At: number, Model: "m"}
		case *[]callNote:
			*f = []callNote{{Key: "k", ID: "t1", Asked: true, Held: true, Told: true}}
		case *[]agent.Call:
			*f = []agent.Call{{Name: "Read", ID: "t1", Failed: fact.Unknown}}
		default:
			panic("a field of another type")
		}
	}
	return n
}
