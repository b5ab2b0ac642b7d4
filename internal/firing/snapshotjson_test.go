package firing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// full is a run that has something in each member of its snapshot.
func full(t testing.TB) *state.Snapshot {
	t.Helper()
	rules := []reminder.Reminder{
		{ID: "armed", Trigger: "a", For: reminder.Span{Turns: 9}},
		{ID: "edge", Trigger: "b", Cooldown: reminder.Span{Time: time.Hour},
			Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 3}, Priority: -2, Tier: reminder.Safety},
		{ID: "fails", Trigger: "c"},
		{ID: "hand", Trigger: "never", Attach: reminder.RunStart,
			Keep: reminder.Keep{Unit: reminder.KeepConversation}},
		{ID: "level", Trigger: "d", Mode: reminder.While, Tier: reminder.Correctness, Attach: reminder.UserTurn},
		{ID: "long", Trigger: "e", Cooldown: reminder.Span{Turns: 7}, MaxFires: 3},
		{ID: "paused", Trigger: "p", Pause: true},
		{ID: "quiet", Trigger: "f"},
		{ID: "waits", Trigger: "g"},
		{ID: "was", Trigger: "h", Expect: "e", MaxIgnored: 9},
	}
	set := firing.NewRules(rules, command("Bash:ls"))
	truths := []map[string]fact.Truth{
		{"edge": fact.True, "level": fact.True, "long": fact.True, "was": fact.True},
		{"waits": fact.True, "edge": fact.False, "level": fact.True, "long": fact.False},
		{"armed": fact.True, "edge": fact.True, "level": fact.True, "long": fact.True, "fails": fact.True},
	}
	var snap *state.Snapshot
	for i, tr := range truths {
		in := turn{
			key: fmt.Sprint("key ", i), at: start.Add(time.Duration(i)*time.Minute +
				5*time.Millisecond), user: fact.Of(i == 0), compacted: fact.False,
			trigger: tr, silent: i == 1,
			text: map[string]string{"edge": "at the \"edge\" <&>", "level": "level\n\u2028ü", "long": "x",
				"waits": "late", "hand": "by hand", "was": "x"}, fails: map[string]bool{"fails": true},
		}.input(rules, reminder.ByPriority, reminder.Budget{})
		in.Calls = append(named("mcp__x"), fact.Call{Tool: "Bash", Class: fact.Shell, Command: "ls", Told: true},
			fact.Call{Tool: "Bash", Class: fact.Shell})
		in.ToolsKnown, in.CallsTold, in.Failed = true, true, fact.True
		in.ResponseTokens, in.ResponseKnown = 12, true
		in.Facts, in.Tag = factsOf(t, `{"context_usage":0.5,"prompt":"<p>"}`), "t4g"
		if i == 2 {
			set = firing.NewRules(rules[:len(rules)-1], command("Bash:ls"))
			in.Remind = []string{"hand", "gone"}
		}
		next, _, err := firing.Step(snap, set, in)
		if err != nil {
			t.Fatal(err)
		}
		snap = next
	}
	snap = pauses(t, snap, rules, set)
	return firing.Missed(firing.Remind(firing.Remind(snap, "quiet"), "edge"), "hand")
}

// pauses takes a moment at which a reminder held back a call, and says nothing of it but a hash.
func pauses(t testing.TB, snap *state.Snapshot, rules []reminder.Reminder,
	set *firing.Rules) *state.Snapshot {
	t.Helper()
	in := turn{at: start.Add(time.Hour), trigger: map[string]fact.Truth{"paused": fact.True},
		text: map[string]string{"paused": "stop"}}.input(rules, reminder.ByPriority, reminder.Budget{})
	in.Moment, in.Call = fact.BeforeTool, &fact.Call{Tool: "Bash", Command: "rm", Told: true}
	next, d, err := firing.Step(snap, set, in)
	if err != nil || len(d.Paused) != 1 {
		t.Fatal(d, err)
	}
	return next
}

const golden = "testdata/snapshot-v4.json"

// TestS10Before: snapshots that format 3 and the first versions of format 4 wrote load, and are the same run,
// but for the pause, of which they have a hash that says nothing now.
func TestS10Before(t *testing.T) {
	t.Parallel()
	pause := regexp.MustCompile(`"(pauses":\[[^]]*\]|seen":"[^"]*"|sum":"[^"]*"),?`)
	run := func(s *state.Snapshot) string {
		return strings.ReplaceAll(pause.ReplaceAllString(string(s.Encode()), ""), ",}", "}")
	}
	for _, name := range []string{"snapshot-v3.json", "snapshot-v4-seen.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		snap, err := state.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run(full(t)), run(snap)); diff != "" {
			t.Errorf("%s: the same run (-now +then):\n%s", name, diff)
		}
	}
}

// TestS10Golden: the snapshot that format 4 wrote loads, and is written as it was.
func TestS10Golden(t *testing.T) {
	t.Parallel()
	got := append(full(t).Encode(), '\n')
	if testkit.Update() {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := state.Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(snap.Encode())+"\n"); diff != "" {
		t.Errorf("decoded and encoded (-golden +now):\n%s", diff)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the same run (-golden +now):\n%s", diff)
	}
	if diff := cmp.Diff(full(t).Decision(), snap.Decision()); diff != "" {
		t.Errorf("decision (-now +golden):\n%s", diff)
	}
	if got := snap.Decision(); short(got) == "" || len(got.Held) == 0 || len(got.Errors) == 0 ||
		len(got.Undelivered) == 0 {
		t.Errorf("the golden run has too little in it: %s", short(got))
	}
}

// TestEncodeSorted: the keys of every object stand in byte order, so that equal snapshots have equal bytes.
func TestEncodeSorted(t *testing.T) {
	t.Parallel()
	dec := json.NewDecoder(bytes.NewReader(full(t).Encode()))
	objects := 0
	if err := sorted(dec, "", &objects); err != nil {
		t.Error(err)
	}
	if objects < 20 {
		t.Errorf("only %d objects were looked at", objects)
	}
}

func sorted(dec *json.Decoder, at string, objects *int) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return nil
	}
	last := ""
	for dec.More() {
		name := ""
		if delim == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			if name = key.(string); name <= last {
				return fmt.Errorf("%s: %q after %q", at, name, last)
			}
			last = name
		}
		if err := sorted(dec, at+"/"+name, objects); err != nil {
			return err
		}
	}
	*objects++
	_, err = dec.Token()
	return err
}

// TestEncodeSparse: rules that never fired and never saw an edge take no bytes, and neither does one whose
// edge is over.
func TestEncodeSparse(t *testing.T) {
	t.Parallel()
	rules := make([]reminder.Reminder, 1000)
	for i := range rules {
		rules[i] = reminder.Reminder{ID: fmt.Sprintf("r%03d", i), Trigger: "v", For: reminder.Span{Turns: 2}}
	}
	none, many := newRun(nil, 0, reminder.Budget{}), newRun(rules, 0, reminder.Budget{})
	for _, r := range []*run{none, many} {
		was := fact.False // a turn keeps the state before it: further parts of it may come
		for _, tr := range []fact.Truth{fact.False, fact.True, fact.Unknown, fact.False, fact.False} {
			if _, err := r.step(turn{at: start, trigger: map[string]fact.Truth{"r007": tr,
				"r008": fact.False}}); err != nil {
				t.Fatal(err)
			}
			if seen := bytes.Contains(r.snap.Encode(), []byte("r007")); seen != (r == many &&
				max(tr, was) != fact.False) {
				t.Errorf("r007 is in the snapshot after a turn on which its trigger is %v: %v", tr, seen)
			}
			was = tr
		}
	}
	if a, b := none.snap.Encode(), many.snap.Encode(); !bytes.Equal(a, b) {
		t.Errorf("without rules\n%s\nwith a thousand\n%s", a, b)
	}
}

// envelope returns a snapshot with that run in it and the right checksum.
func envelope(run string) []byte {
	b := fmt.Appendf(nil, `{"run":%s`, run)
	return fmt.Appendf(b, `,"sum":"%08x","v":4}`, crc32.ChecksumIEEE(b))
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	whole := full(t).Encode()
	if _, err := state.Decode(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := state.Decode(whole[:n]); !errors.Is(err, state.ErrCorrupt) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		for _, bit := range []byte{4, 32} {
			b := bytes.Clone(whole)
			b[n] ^= bit
			if _, err := state.Decode(b); !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrNewer) {
				t.Fatalf("bit %d of byte %d (%q) turned round: %v", bit, n, whole[n], err)
			}
		}
	}
	var env struct{ Run json.RawMessage }
	if err := json.Unmarshal(whole, &env); err != nil {
		t.Fatal(err)
	}
	run := string(env.Run)
	if _, err := state.Decode(envelope(run)); err != nil {
		t.Fatal(err)
	}
	swap := func(from, to string) []byte {
		if !strings.Contains(run, from) {
			t.Fatalf("no %s in %s", from, run)
		}
		return envelope(strings.Replace(run, from, to, 1))
	}
	for name, b := range map[string][]byte{
		"nothing":                        nil,
		"null":                           []byte("null"),
		"a list":                         []byte("[]"),
		"an empty object":                []byte("{}"),
		"no version":                     bytes.Replace(whole, []byte(`,"v":4`), nil, 1),
		"version 1":                      bytes.Replace(whole, []byte(`"v":4`), []byte(`"v":1`), 1),
		"version 0":                      bytes.Replace(whole, []byte(`"v":4`), []byte(`"v":0`), 1),
		"a version that is not a number": bytes.Replace(whole, []byte(`"v":4`), []byte(`"v":"1"`), 1),
		"something behind":               append(bytes.Clone(whole), '{'),
		"twice":                          append(bytes.Clone(whole), whole...),
		"an unknown member":              bytes.Replace(whole, []byte(`,"v":4`), []byte(`,"u":0,"v":4`), 1),
		"run is null":                    envelope("null"),
		"run is a list":                  envelope("[]"),
		"a turn without a decision": envelope(
			`{"clock":{"first":1767225600000,"high":1767225600000,"last":1767225600000,"prev":1767225600000},` +
				`"turn":1}`),
		"a turn below zero":           swap(`"turn":3,"user_turns"`, `"turn":-3,"user_turns"`),
		"a turn that is not a number": swap(`"turn":3,"user_turns"`, `"turn":"3","user_turns"`),
		"a turn too great":            swap(`"turn":3,"user_turns"`, `"turn":9007199254740993,"user_turns"`),
		"a firing of the future": swap(`"turn":3,"user_turns":1},"version":"vYMU`,
			`"turn":4,"user_turns":1},"version":"vYMU`),
		"a call of no tool":        swap(`"calls":[0,`, `"calls":[9,`),
		"a tier that is none":      swap(`"tier":"safety"`, `"tier":"great"`),
		"a keep that is none":      swap(`"keep":"3 turns"`, `"keep":"0 turns"`),
		"a time that is none":      swap(`"high":1767225`, `"high":"1767225"`),
		"a text that is not there": swap(`"due":["edge"`, `"due":["nobody"`),
		"rules in no order":        swap(`"id":"fails","prior"`, `"id":"aaaaa","prior"`),
		"a queue in no order":      swap(`"queue":["edge","quiet"]`, `"queue":["quiet","edge"]`),
		"a key that is none":       swap(`"keys":"`, `"keys":"x`),
		"a key that is forgotten": envelope(run[:strings.Index(run, `"keys"`)] +
			run[strings.Index(run, `"output_tokens"`):]),
	} {
		if s, err := state.Decode(b); !errors.Is(err, state.ErrCorrupt) || s != nil {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
	for name, b := range map[string][]byte{
		"the next":              []byte(`{"v":5}`),
		"with unknown members":  []byte(`{"a":[],"run":7,"v":99}`),
		"otherwise as this one": bytes.Replace(whole, []byte(`"v":4`), []byte(`"v":5`), 1),
	} {
		if s, err := state.Decode(b); !errors.Is(err, state.ErrNewer) ||
			errors.Is(err, state.ErrCorrupt) || s != nil {
			t.Errorf("%s: %v, want ErrNewer", name, err)
		}
	}
}

// TestDecodeMembers: members that only a later version knows, wherever they stand, are read over.
func TestDecodeMembers(t *testing.T) {
	t.Parallel()
	want := full(t).Encode()
	var env struct{ Run json.RawMessage }
	if err := json.Unmarshal(want, &env); err != nil {
		t.Fatal(err)
	}
	more := strings.NewReplacer(`{"id":`, `{"ahead":{"a":[1]},"id":`, `"clock":{`, `"clock":{"ahead":1,`,
		`"decision":{`, `"decision":{"ahead":[],`).Replace(string(env.Run))
	if n := strings.Count(more, "ahead"); n < 5 {
		t.Fatalf("%d members in %s", n, more)
	}
	s, err := state.Decode(envelope(`{"ahead":null,` + more[1:]))
	if err != nil {
		t.Fatal(err)
	}
	without, err := state.Decode(envelope(string(env.Run)))
	if err != nil || !bytes.Equal(s.Encode(), without.Encode()) {
		t.Errorf("%v\n%s\n%s", err, s.Encode(), without.Encode())
	}
}

// TestEncodeNew: a run that has not begun is a snapshot, too, with its queue.
func TestEncodeNew(t *testing.T) {
	t.Parallel()
	var none *state.Snapshot
	for _, s := range []*state.Snapshot{none, firing.Remind(nil, "a"), firing.Missed(nil, "a")} {
		again, err := state.Decode(s.Encode())
		if err != nil || again.Turn() != 0 || again.Decision() != nil || len(again.Queued()) != len(s.Queued()) {
			t.Errorf("%s: %v", s.Encode(), err)
		}
	}
}

// TestPrevIsNotWritten: no function changes the snapshot that it is given.
func TestPrevIsNotWritten(t *testing.T) {
	t.Parallel()
	snap := firing.Remind(full(t), "third")
	before, decision := snap.Encode(), decisionJSON(snap.Decision())
	rules := []reminder.Reminder{{ID: "edge", Trigger: "b"}, {ID: "quiet", Trigger: "w"},
		{ID: "level", Trigger: "d", Mode: reminder.While}}
	in := turn{at: start, compacted: fact.True, trigger: map[string]fact.Truth{"edge": fact.False,
		"quiet": fact.True, "level": fact.True}}.input(rules, 0, reminder.Budget{})
	in.Calls, in.ToolsKnown = named("Bash", "New"), true
	for range 2 { // a second pass would see the writes of the first
		if _, _, err := firing.Step(snap, firing.NewRules(rules), in); err != nil {
			t.Fatal(err)
		}
		firing.Remind(snap, "a")
		firing.Remind(firing.Remind(snap, "x"), "y")
		firing.Missed(snap, "edge", "level")
		snap.Queued()[0] = "x"
	}
	if !bytes.Equal(snap.Encode(), before) || decisionJSON(snap.Decision()) != decision {
		t.Errorf("it was\n%s\nand is\n%s", before, snap.Encode())
	}
}

// TestDecodeOtherwise: a run in another form than Encode's is read, and written in that form.
func TestDecodeOtherwise(t *testing.T) {
	t.Parallel()
	snap := full(t)
	var env struct{ Run json.RawMessage }
	if err := json.Unmarshal(snap.Encode(), &env); err != nil {
		t.Fatal(err)
	}
	run := string(env.Run)
	blanks := strings.NewReplacer(`{`, `{ `, `:`, ` : `, `,`, ` , `)
	for name, other := range map[string]string{
		"blanks in facts": strings.Replace(run, `"facts":{"context_usage":0.5,"prompt":"<p>"}`,
			blanks.Replace(`"facts":{"context_usage":0.5,"prompt":"<p>"}`), 1),
		"another order": strings.Replace(strings.Replace(run, `{"calls"`, `{"tag":"t4g","calls"`, 1),
			`"spent":20,"tag":"t4g"`, `"spent":20`, 1),
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

// TestEncodeTime: a run counts in the milliseconds that its snapshot has, so that it goes on the same in the
// process that has it in memory and in another.
func TestEncodeTime(t *testing.T) {
	t.Parallel()
	rules := []reminder.Reminder{{ID: "r", Trigger: "v"}}
	r := newRun(rules, 0, reminder.Budget{})
	for i := range 3 {
		at := start.Add(time.Duration(i)*time.Second + 1_999_999*time.Nanosecond)
		if _, err := r.step(turn{at: at, trigger: map[string]fact.Truth{"r": fact.True},
			text: map[string]string{"r": "x"}}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := state.Decode(r.snap.Encode())
	if err != nil {
		t.Fatal(err)
	}
	is := r.snap.Reminder("r")
	if diff := cmp.Diff(is, again.Reminder("r")); diff != "" || !is.Since.Equal(start.Add(time.Millisecond)) ||
		is.Last.At.IsZero() {
		t.Errorf("%+v (-in memory +decoded):\n%s", is, diff)
	}
}
