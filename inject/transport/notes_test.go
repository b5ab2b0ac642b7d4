package transport

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/body"
)

// filled are notes with something in each field.
func filled() notes {
	put := body.Insertion{API: wire.Anthropic, Anchor: "m", Shape: body.ShapeBlock,
		Texts: []string{"<system-reminder>\na & b\n</system-reminder>"}, IDs: []string{"a"}}
	failed := true
	calls := &toolCalls{Response: "r", Asked: "a", Calls: []toolCall{{ID: "c", Item: "i", Tool: "Bash",
		Class:  "shell",
		Failed: &failed, Hits: []string{"Bash(x)"}, Doubts: []string{"Bash(y)"}}}}
	return notes{
		Ledger: ledger.Ledger{}.Add(1, false, put).Accept(1),
		Turn:   1, API: wire.Anthropic, Head: "h", First: "f", Last: "l", Keys: 2,
		Prompt: "p", Window: "w", Begun: "b",
		Usage: usage{Context: count{0, true}, Response: count{7, true}, Cost: dollars{0.25, true}},
		Made:  calls, Behind: "b",
		Spent: dollars{0, true}, Free: true,
		Summary: true, Tools: true,
		Refusals: []refusal{{"model", body.Placement{Place: "result", Tool: true}}},
	}
}

// TestNotesStored: notes are stored in the form that every version of ours has read and written.
func TestNotesStored(t *testing.T) {
	t.Parallel()
	const entries = `{"ledger":{"entries":[{"api":"anthropic","anchor":"m","shape":"block",` +
		`"texts":["\u003csystem-reminder\u003e\na \u0026 b\n\u003c/system-reminder\u003e"],` +
		`"ids":["a"],"turn":1,"accepted":true}]},"turn":1,"api":"anthropic",` +
		`"head":"h","first":"f","last":"l","keys":2,"prompt":"p","behind":"b","window":"w","begun":"b",`
	const spent = `"made":{"response":"r","calls":[{"id":"c","item":"i","tool":"Bash","class":"shell",` +
		`"failed":true,"matches":["Bash(x)"],"maybe":["Bash(y)"]}],"asked":"a"},"spent":0,"free":true,`
	const rest = `"summary":true,"tools":true,"refusals":[{"model":"model","place":"result","after_tool":true}]}`
	all, response, none := filled(), filled(), filled()
	response.Usage.Context = count{}
	none.Usage = usage{}
	for want, n := range map[string]notes{
		entries + `"usage":{"context":0,"response":7,"cost":0.25},` + spent + rest: all,
		entries + `"usage":{"response":7,"cost":0.25},` + spent + rest:             response,
		entries + spent + rest: none,
		`{"ledger":{}}`:        {},
	} {
		carried := &carriedNotes{n}
		raw, err := carried.MarshalJSON()
		if err != nil || string(raw) != want {
			t.Errorf("%v, written as\n%s\nwant\n%s", err, raw, want)
		}
		for name, c := range map[string]json.Marshaler{"as it is": carried, "bytes": json.RawMessage(want)} {
			got, err := decode(c)
			if diff := cmp.Diff(n, got, cmp.AllowUnexported(ledger.Entry{})); diff != "" || err != nil {
				t.Errorf("%s: %v %s", name, err, diff)
			}
		}
	}
	if n, err := decode(nil); err != nil || n.Turn != 0 {
		t.Error(n, err)
	}
	if n, err := decode(json.RawMessage(`{"turn":"x"}`)); err == nil {
		t.Error(n)
	}
}

// TestNotesBefore: notes of before, in which a refusal was of the whole run, are read, and the run goes on.
func TestNotesBefore(t *testing.T) {
	t.Parallel()
	n, err := decode(json.RawMessage(`{"ledger":{},"turn":2,"refused":"model"}`))
	if err != nil || n.Turn != 2 || n.Refusals != nil {
		t.Errorf("%+v, %v", n, err)
	}
}
