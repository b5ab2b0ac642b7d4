package transcript_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent/session"
)

// Lines of a session file, made as short as they can be.
const (
	head     = `"parentUuid":null,"isSidechain":false,"sessionId":"s1",`
	prompt   = `{` + head + `"type":"user","message":{"role":"user","content":"fix it"},"uuid":"u1","timestamp":"2026-01-01T10:00:00Z"}`
	boundary = `{` + head + `"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":9%s},"timestamp":"2026-01-01T10:05:00Z"}`
)

func says(id, text string) string {
	return fmt.Sprintf(`{%s"message":{"model":"claude-opus-4-6","id":%q,"role":"assistant","content":[{"type":"text","text":%q}],"stop_reason":"end_turn","usage":{"input_tokens":1,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7}},"type":"assistant","uuid":"a-%s","timestamp":"2026-01-01T10:01:00Z"}`, head, id, text, id)
}

func calls(id, call, tool string) string {
	return fmt.Sprintf(`{%s"message":{"model":"claude-opus-4-6","id":%q,"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":{"type":"text","text":"}]\"{"}}],"stop_reason":null,"usage":{"input_tokens":1,"cache_read_input_tokens":200,"output_tokens":3}},"type":"assistant","uuid":"b-%s","timestamp":"2026-01-01T10:02:00Z"}`, head, id, call, tool, call)
}

func result(call string, failed string) string {
	return fmt.Sprintf(`{%s"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"out"%s}]},"uuid":"r-%s","toolUseResult":"out"}`, head, call, failed, call)
}

func user(content, more string) string {
	return fmt.Sprintf(`{%s"type":"user","message":{"role":"user","content":%s}%s,"uuid":"u9"}`, head,
		content, more)
}

// show writes turns, the pending one last, so that they can be compared by eye.
func show(turns []*session.Turn, r *transcript.Reader) string {
	var b strings.Builder
	if p := r.Pending(); p != nil {
		turns = append(turns, p)
	}
	for _, t := range turns {
		fmt.Fprintf(&b, "%s %s %d", t.Run.ID, t.Run.Thread, t.N)
		if t.Key != "" {
			fmt.Fprintf(&b, " %s", t.Key)
		} else {
			b.WriteString(" -")
		}
		for _, c := range t.Calls {
			fmt.Fprintf(&b, " %s=%s", c.Name, map[fact.Truth]string{fact.True: "failed", fact.False: "ok",
				fact.Unknown: "?"}[c.Failed])
		}
		if t.Compacted {
			b.WriteString(" compacted")
		}
		if t.Resumed {
			b.WriteString(" resumed")
		}
		for _, c := range []struct {
			name  string
			count session.Count
		}{{"context", t.ContextTokens}, {"out", t.ResponseTokens}, {"messages", t.MessageCount}} {
			if c.count.Known {
				fmt.Fprintf(&b, " %s=%d", c.name, c.count.N)
			}
		}
		for _, p := range t.Prompts {
			fmt.Fprintf(&b, " you=%q", p)
		}
		if t.Response != "" {
			fmt.Fprintf(&b, " said=%q", t.Response)
		}
		b.WriteByte('\n')
	}
	for _, n := range r.Notes() {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

type reading struct{ name, in, want string }

var readings = []reading{
	{"empty", "", ""},
	{"blank lines only", "\n\r\n  \n", ""},
	{"byte order mark and nothing else", "\ufeff", ""},
	{"one call", prompt + "\n" + says("m1", "done"), `
s1 root 1 m1 you="fix it"
s1 root 2 - context=111 out=7 said="done"
`},
	{"byte order mark, carriage returns, blank lines", "\ufeff" + prompt + "\r\n\r\n" + says("m1",
		"done") + "\r\n", `
s1 root 1 m1 you="fix it"
s1 root 2 - context=111 out=7 said="done"
`},
	{"several lines are one message", says("m1", "a") + "\n" + says("m1", "b") + "\n" + calls("m1",
		"c1", "Read"), `
s1 root 1 m1
s1 root 2 - Read=? context=201 out=7 said="a\n\nb"
`},
	{"a parallel batch alternates", calls("m1", "c1", "Read") + "\n" + result("c1", "") + "\n" + calls("m1",
		"c2", "Bash") + "\n" + result("c2", `,"is_error":true`) + "\n" + says("m2", "ok"), `
s1 root 1 m1
s1 root 2 m2 Read=ok Bash=failed context=201
s1 root 3 - context=111 out=7 said="ok"
`},
	{"results in another order", calls("m1", "c1", "Read") + "\n" + calls("m1", "c2", "Bash") + "\n" +
		result("c2", `,"is_error":true`) + "\n" + result("c1", `,"is_error":false`) + "\n" + says("m2", "ok"), `
s1 root 1 m1
s1 root 2 m2 Read=ok Bash=failed context=201
s1 root 3 - context=111 out=7 said="ok"
`},
	{"a copy of an earlier message is not a turn", says("m1", "a") + "\n" + says("m2", "b") + "\n" +
		says("m1", "a"), `
s1 root 1 m1
s1 root 2 m2 context=111 out=7 said="a"
s1 root 3 - context=111 out=7 said="b"
`},
	{"made up answers are not turns", strings.Replace(says("m1", "API Error"), "claude-opus-4-6", "<synthetic>",
		1) + "\n" + says("m2", "b"), `
s1 root 1 m2
s1 root 2 - context=111 out=7 said="b"
`},
	{"a message without an id", strings.Replace(says("m1", "a"), `"id":"m1",`, "", 1), `
s1 root 1 a-m1
s1 root 2 - context=111 out=7 said="a"
`},
	{"compaction without a size", says("m1", "a") + "\n" + fmt.Sprintf(boundary, "") + "\n" +
		user(`"This session is being continued"`, `,"isCompactSummary":true`) + "\n" + says("m2", "b"), `
s1 root 1 m1
s1 root 2 m2 compacted out=7 said="a"
s1 root 3 - context=111 out=7 said="b"
`},
	{"compaction with a size", says("m1", "a") + "\n" + fmt.Sprintf(boundary, `,"postTokens":33`) + "\n" +
		says("m2", "b"), `
s1 root 1 m1
s1 root 2 m2 compacted context=33 out=7 said="a"
s1 root 3 - context=111 out=7 said="b"
`},
	{"who is not a person", strings.Join([]string{
		user(`"meta"`, `,"isMeta":true`), user(`"summary"`, `,"isCompactSummary":true`), user(`"note"`,
			`,"origin":{"kind":"task-notification"}`),
		user(`"<command-name>/x</command-name>"`, ""), user(`" \n<local-command-stdout>x"`,
			""), user(`"<task-notification>x"`, ""),
		user(`[{"type":"text","text":"[Request interrupted by user]"}]`,
			""), user(`[{"type":"text","text":"blocks that nobody signed"}]`, ""),
		strings.Replace(user(`"side"`, ""), `"isSidechain":false`, `"isSidechain":true`, 1),
		says("m1", "a")}, "\n"), `
s1 root 1 m1
s1 root 2 - context=111 out=7 said="a"
`},
	{"who is", strings.Join([]string{
		user(`"<div> is centred \u00e4"`, ""), user(`"signed"`,
			`,"origin":{"kind":"human"}`), user(`[{"type":"text","text":"in blocks"}]`, `,"origin":{"kind":"human"}`),
		user(`[{"type":"text","text":"look"},{"type":"image","source":{"data":"…"}}]`, ""), says("m1",
			"a")}, "\n"), `
s1 root 1 m1 you="<div> is centred ä" you="signed" you="in blocks" you="look"
s1 root 2 - context=111 out=7 said="a"
`},
	{"resumed, by a hook", says("m1", "a") + "\n" + `{` + head +
		`"type":"progress","data":{"type":"hook_progress","hookName":"SessionStart:resume"},"toolUseID":"x"}` +
		"\n" + says("m2", "b"), `
s1 root 1 m1
s1 root 2 m2 resumed context=111 out=7 said="a"
s1 root 3 - context=111 out=7 said="b"
`},
	{"resumed, under another session id", says("m1", "a") + "\n" + strings.Replace(says("m2", "b"), `"s1"`,
		`"s2"`, 1), `
s1 root 1 m1
s1 root 2 m2 resumed context=111 out=7 said="a"
s1 root 3 - context=111 out=7 said="b"
`},
	{"a session id with escapes is the same one", strings.ReplaceAll(says("m1", "a")+"\n"+says("m2", "b"),
		`"s1"`, `"s\u0031"`) + "\n" + says("m3", "c"), `
s1 root 1 m1
s1 root 2 m2 context=111 out=7 said="a"
s1 root 3 m3 context=111 out=7 said="b"
s1 root 4 - context=111 out=7 said="c"
`},
	{"a text about resuming is not resuming", user(`"the hook \"SessionStart:resume\" ran"`, "") + "\n" +
		says("m1", "a"), `
s1 root 1 m1 you="the hook \"SessionStart:resume\" ran"
s1 root 2 - context=111 out=7 said="a"
`},
	{"a server-side tool loop", strings.Replace(says("m1", "a"), `"output_tokens":7`,
		`"output_tokens":7,"iterations":[{"type":"message","input_tokens":1},{"input_tokens":5,"cache_read_input_tokens":50,"type":"message"},{"type":"compaction","input_tokens":999}]`, 1), `
s1 root 1 m1
s1 root 2 - context=55 out=7 said="a"
`},
	{"no usage is unknown, not 0", strings.Replace(says("m1", "a"),
		`"input_tokens":1,"cache_creation_input_tokens":10,"cache_read_input_tokens":100`, `"input_tokens":0`, 1), `
s1 root 1 m1
s1 root 2 - out=7 said="a"
`},
	{"torn", prompt + "\n" + says("m1", "a") + "\n" + says("m2", "b")[:120], `
s1 root 1 m1 you="fix it"
s1 root 2 - context=111 out=7 said="a"
f.jsonl:3: note: the last line is cut off and was left out
`},
	{"torn, and carried on", prompt + "\n" + says("m2", "b")[:120] + "\n" + says("m1", "a"), `
s1 root 1 m1 you="fix it"
s1 root 2 - context=111 out=7 said="a"
f.jsonl:2: note: a line that could not be read was left out
`},
	{"nothing but a torn line", says("m1", "b")[:200], `
f root 1 -
f.jsonl:1: note: the last line is cut off and was left out
`},
	{"kinds from the future", `{"type":"novelty","sessionId":"s1","message":{"role":"assistant","id":"no"}}` +
		"\n" + says("m1", "a") + "\n" + `{"type":"api-request-blob","message":{"id":"x"},"sessionId":"s1"}`, `
s1 root 1 m1
s1 root 2 - context=111 out=7 said="a"
`},
	{"an old summary first", `{"type":"summary","summary":"x","leafUuid":"y"}` + "\n" + says("m1", "a"), `
s1 root 1 m1
s1 root 2 - context=111 out=7 said="a"
`},
	{"a subagent's file", strings.NewReplacer(`"isSidechain":false`,
		`"isSidechain":true,"agentId":"a12"`).Replace(prompt + "\n" + says("m1", "a")), `
s1/agent-a12 subagent 1 m1
s1/agent-a12 subagent 2 - context=111 out=7 said="a"
`},
	{"a request that summarises", strings.NewReplacer(`"isSidechain":false`,
		`"isSidechain":true,"agentId":"acompact-12"`).Replace(prompt + "\n" + says("m1", "a")), `
s1/agent-acompact-12 subagent 1 -
`},
	{"chat", `{"id":"t1","model":"gpt-5","messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hello"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look_up","arguments":"{}"}},{"id":"c2","function":{"name":"add"}}]},{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c2","content":"y","is_error":true},{"role":"assistant","content":"bye"}]}`, `
t1 root 1 message 2 messages=2 you="hello"
t1 root 2 message 5 look_up=? add=failed messages=5
t1 root 3 message 6 messages=6 said="bye"
`},
	{"blocks", `{"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]},{"role":"assistant","content":[{"type":"text","text":"let me see"},{"type":"tool_use","id":"c1","name":"Bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"x"},{"type":"text","text":"not a turn of the user's"}]},{"role":"assistant","content":"bye"}]}`, `
request-1 root 1 message 1 messages=1 you="hello"
request-1 root 2 message 3 Bash=failed messages=3 said="let me see"
request-1 root 3 message 4 messages=4 said="bye"
`},
	{"usage in a log", `{"id":7,"messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"bye","usage":{"prompt_tokens":50,"completion_tokens":4}},{"role":"user","content":"again"}]}`, `
7 root 1 message 1 messages=1 you="hello"
7 root 2 message 3 context=50 out=4 messages=3 you="again" said="bye"
`},
	{"usage in the words of two APIs", `{"id":7,"messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"bye","usage":{"prompt_tokens":100,"input_tokens":100,"cache_read_input_tokens":90,"completion_tokens":4}},{"role":"user","content":"again"}]}`, `
7 root 1 message 1 messages=1 you="hello"
7 root 2 message 3 context=100 out=4 messages=3 you="again" said="bye"
`},
	{"a request on several lines",
		"{\n  \"id\": \"t1\",\n  \"messages\": [\n    {\"role\": \"user\", \"content\": \"hello\"},\n    " +
			"{\"role\": " +
			"\"assistant\", \"content\": \"bye\"}\n  ]\n}\n", `
t1 root 1 message 1 messages=1 you="hello"
t1 root 2 message 2 messages=2 said="bye"
`},
	{"requests, the last one torn", `{"id":"a","messages":[{"role":"assistant","content":"x"}]}` + "\n" +
		`{"id":"b","messages":[{"role":"assi`, `
a root 1 message 0 messages=0
a root 2 message 1 messages=1 said="x"
f.jsonl:2: note: the last line is cut off and was left out
`},
}

// anyKey is the name of a turn in a log of requests.
var anyKey = regexp.MustCompile(` [0-9a-f]{16} `)

func TestReading(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(readings, codexReadings, geminiReadings, piReadings, logReadings) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			turns, r, err := drain(strings.NewReader(c.in), "f.jsonl", "")
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimPrefix(c.want, "\n")
			show := func(turns []*session.Turn, r *transcript.Reader) string {
				return anyKey.ReplaceAllString(show(turns, r), " KEY ")
			}
			if diff := cmp.Diff(want, show(turns, r)); diff != "" {
				t.Error(diff)
			}
			// In whatever pieces the bytes come, they say the same.
			for name, slow := range map[string]io.Reader{"bytes": iotest.OneByteReader(strings.NewReader(c.in)),
				"halves": iotest.HalfReader(strings.NewReader(c.in)), "data with the end": iotest.DataErrReader(
					strings.NewReader(c.in))} {
				turns, r, err := drain(slow, "f.jsonl", "")
				if err != nil || show(turns, r) != want {
					t.Errorf("read in %s: %v\n%s", name, err, show(turns, r))
				}
			}
		})
	}
}

func TestNoTranscript(t *testing.T) {
	t.Parallel()
	random := make([]byte, 4096)
	chacha := rand.NewChaCha8([32]byte{1})
	if _, err := chacha.Read(random); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"text":                "Dear diary,\nnothing happened.\n",
		"binary":              string(random),
		"zeros":               strings.Repeat("\x00", 1000),
		"other JSON":          `{"a":1}`,
		"other JSON lines":    "{\"a\":1}\n{\"b\":2}\n",
		"JSON over lines":     "{\n \"a\": 1\n}\n",
		"half an object":      "{\n \"a\": 1\n",
		"a list":              `[1,2,3]`,
		"messages as a word":  `{"messages":"many"}`,
		"brackets":            strings.Repeat("{", 1<<20),
		"quotes":              `{"` + strings.Repeat(`\"`, 1<<20),
		"backslashes":         `{"` + strings.Repeat(`\`, 1<<20),
		"nested lists, a key": `{"x":` + strings.Repeat("[", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns, _, err := drain(strings.NewReader(in), "f", "")
			var format *transcript.FormatError
			if len(turns) > 0 || !errors.As(err, &format) {
				t.Errorf("%d turns, %v", len(turns), err)
			}
		})
	}
}

// TestDamage changes bytes of a session at random: whatever comes out, nothing panics and turns count from 1.
func TestDamage(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 12 {
		id := fmt.Sprint("m", i)
		lines = append(lines, prompt, calls(id, "c"+id, "Read"), result("c"+id, `,"is_error":true`),
			fmt.Sprintf(boundary, ""))
	}
	whole := []byte(strings.Join(lines, "\n"))
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		in := append([]byte{}, whole...)
		for range 1 + rnd.IntN(8) {
			switch at := rnd.IntN(len(in)); rnd.IntN(3) {
			case 0:
				in[at] = byte(rnd.IntN(256))
			case 1:
				in[at] = `"\{}[],:`[rnd.IntN(8)]
			default:
				in = append(in[:at], in[min(len(in), at+rnd.IntN(300)):]...)
			}
			if len(in) == 0 {
				break
			}
		}
		turns, _, _ := drain(strings.NewReader(string(in)), "f", "")
		for i, turn := range turns {
			if turn.N != i+1 {
				t.Fatalf("turn %d is called %d in %q", i+1, turn.N, in)
			}
		}
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	long := io.LimitReader(forever('x'), transcript.MaxLine+100)
	in := io.MultiReader(strings.NewReader(prompt+"\n{\"sessionId\":\""), long,
		strings.NewReader("\"}\n"+says("m1", "a")))
	turns, r, err := drain(in, "f.jsonl", "")
	if err != nil {
		t.Fatal(err)
	}
	want := "s1 root 1 m1 you=\"fix it\"\ns1 root 2 - context=111 out=7 said=\"a\"\nf.jsonl:2: " +
		"note: a line of " +
		"more than 64 MB was skipped\n"
	if got := show(turns, r); got != want {
		t.Errorf("got\n%s", got)
	}
}

// forever is a reader of one byte.
type forever byte

func (f forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(f)
	}
	return len(b), nil
}

func TestTimes(t *testing.T) {
	t.Parallel()
	at := func(id, stamp string) string {
		return strings.Replace(says(id, "a"), `"timestamp":"2026-01-01T10:01:00Z"`, stamp, 1)
	}
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"as recorded", at("m1", `"timestamp":"2026-01-01T10:00:00.5Z"`) + "\n" + at("m2",
			`"timestamp":"2026-01-01T12:00:00+02:00"`), []string{"10:00:00.5", "10:00:00"}},
		{"missing later on", at("m1", `"timestamp":"2026-01-01T10:00:00Z"`) + "\n" + at("m2", `"x":1`) + "\n" +
			at("m3", `"timestamp":1767261600`), []string{"10:00:00", "10:00:00", "10:00:00"}},
		{"going back", at("m1", `"timestamp":"2026-01-01T10:00:00Z"`) + "\n" + at("m2",
			`"timestamp":"2026-01-01T09:00:00Z"`), []string{"10:00:00", "09:00:00"}},
		{"none at first", at("m1", `"timestamp":"yesterday"`) + "\n" + at("m2",
			`"timestamp":"2026-01-01T09:00:00Z"`), []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			turns, _, err := drain(strings.NewReader(c.in), "f", "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, turn := range turns {
				s := ""
				if !turn.At.IsZero() {
					s = turn.At.UTC().Format("15:04:05.999")
				}
				if turn.Run.Timed == turn.At.IsZero() {
					t.Errorf("timed %v, at %v", turn.Run.Timed, turn.At.Format(time.RFC3339))
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
