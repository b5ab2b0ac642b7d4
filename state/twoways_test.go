package state_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// runOf takes the run out of an encoded snapshot.
func runOf(t testing.TB, encoded []byte) []byte {
	t.Helper()
	var env struct{ Run json.RawMessage }
	if err := json.Unmarshal(encoded, &env); err != nil {
		t.Fatal(err)
	}
	return env.Run
}

// twoWays checks that a run which is read by hand is read alike by encoding/json, and reports whether it is.
func twoWays(t interface {
	Helper()
	Errorf(string, ...any)
}, run []byte) (byHand []byte, read bool) {
	t.Helper()
	byHand, byJSON, read, err := state.TwoWays(run)
	switch {
	case err != nil:
		t.Errorf("%s\nis read by hand: %v", run, err)
	case !bytes.Equal(byHand, byJSON):
		t.Errorf("%s\nis by hand\n%s\nand by encoding/json\n%s", run, byHand, byJSON)
	}
	return byHand, read
}

// TestTwoWays: what Encode writes is what encoding/json writes, and is read by hand; whatever else is read by hand is what
// encoding/json reads.
func TestTwoWays(t *testing.T) {
	t.Parallel()
	run := runOf(t, full(t).Encode())
	if again, read := twoWays(t, run); !read || !bytes.Equal(again, run) {
		t.Errorf("%s\nis read: %v, and written by encoding/json as\n%s", run, read, again)
	}
	read := 0
	for at := range run {
		for _, c := range []byte("\"\\,:}]0.\x80") {
			changed := bytes.Clone(run)
			changed[at] = c
			if _, ok := twoWays(t, changed); ok {
				read++
			}
		}
		for _, c := range []byte("\", 0") {
			twoWays(t, append(append(bytes.Clone(run[:at]), c), run[at:]...))
		}
		twoWays(t, append(bytes.Clone(run[:at]), run[at+1:]...))
		twoWays(t, run[:at])
	}
	if read < len(run) {
		t.Errorf("only %d changed runs were read by hand", read)
	}
	for _, text := range []string{"\\ud83d\\ude00", "\\ud800", "\xff", "\\/", "\\u00e9", "a\tb"} {
		twoWays(t, bytes.Replace(run, []byte(`"key 2"`), []byte(`"`+text+`"`), 1))
	}
}

// TestTwoWaysOfHistories: so it is after any turns.
func TestTwoWaysOfHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := newRun(drawRules(t), reminder.ByPriority, reminder.Budget{})
		for _, tu := range history(t) {
			r.must(t, tu)
			var env struct{ Run json.RawMessage }
			if err := json.Unmarshal(r.snap.Encode(), &env); err != nil {
				t.Fatal(err)
			}
			if again, read := twoWays(t, env.Run); !read || !bytes.Equal(again, env.Run) {
				t.Fatalf("%s\nis read: %v, and written by encoding/json as\n%s", env.Run, read, again)
			}
		}
	})
}

// TestDecodeOtherwise: a run in another form than Encode's is read, and written in that form.
func TestDecodeOtherwise(t *testing.T) {
	t.Parallel()
	snap := full(t)
	run := string(runOf(t, snap.Encode()))
	blanks := strings.NewReplacer(`{`, `{ `, `:`, ` : `, `,`, ` , `)
	for name, other := range map[string]string{
		"blanks in facts":  strings.Replace(run, `"facts":{"context_usage":0.5,"prompt":"<p>"}`, blanks.Replace(`"facts":{"context_usage":0.5,"prompt":"<p>"}`), 1),
		"another order":    strings.Replace(strings.Replace(run, `{"calls"`, `{"tag":"t4g","calls"`, 1), `"spent":18,"tag":"t4g"`, `"spent":18`, 1),
		"surrogate halves": strings.Replace(run, `"t4g"`, `"\u00744g"`, 1),
		"null":             strings.Replace(run, `"queue":`, `"tool_calls":null,"queue":`, 1),
	} {
		if other == run {
			t.Fatalf("%s: it is as Encode writes it", name)
		}
		got, err := state.Decode(envelope(other))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got.Encode(), snap.Encode()) {
			t.Errorf("%s: it is read as\n%s", name, got.Encode())
		}
	}
}
