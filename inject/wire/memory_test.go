package wire_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// seenBy is all that a request says, and what becomes of it with texts in it.
func seenBy(read func(wire.Incoming, wire.Options) (*wire.Request, *wire.Conversation, error), api wire.API, body []byte) string {
	q, c, err := read(wire.Incoming{API: api, Body: body}, wire.Options{Options: inject.Options{Mark: "m"}})
	defer c.Release()
	var s strings.Builder
	fmt.Fprintf(&s, "%+v %v\n", *q, err)
	if c == nil {
		return s.String()
	}
	keys := c.Keys()
	fmt.Fprintln(&s, keys, c.Heads(), c.Beginning(), c.Answered(), slices.Collect(c.Calls()))
	past := []wire.Put{{API: api, Shape: wire.ShapePrompt, Texts: []string{"prompt"}}}
	for _, k := range keys {
		past = append(past, wire.Put{API: api, Anchor: k, Shape: wire.ShapeMessage, Role: "user", Texts: []string{k}}, wire.Put{API: api, Anchor: k, Shape: wire.ShapeBlock, Texts: []string{"b"}})
	}
	due := []reminder.Due{{ID: "a", Text: "at the end"}, {ID: "b", Text: "at the start", Attach: reminder.RunStart}}
	for n := range 3 {
		since := ""
		if len(keys) > 0 {
			since = keys[n*(len(keys)-1)/2]
		}
		out, made := c.Compose(nil, past[:n*len(past)/2], due[:n], since)
		fmt.Fprintf(&s, "%s %+v\n", out, made)
	}
	return s.String()
}

// holdReads holds that a Reader reads as Read does, whatever it has read before.
func holdReads(t interface{ Fatalf(string, ...any) }, r *wire.Reader, api wire.API, body string) {
	if d := cmp.Diff(seenBy(wire.Read, api, []byte(body)), seenBy(r.Read, api, []byte(body))); d != "" {
		t.Fatalf("%s: %s\n%s", api, body, d)
	}
}

// histories are messages as clients write them, by API.
var histories = map[wire.API][]string{
	wire.Anthropic: {
		`{"role":"user","content":"do it"}`, `{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"do it \"now\""}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"on it"},{"type":"tool_use","id":"toolu_1","name":"ls","input":{}},{"type":"tool_use","id":"toolu_2","name":"rm","input":{}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a </system-reminder>"},{"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":[{"type":"text","text":"b"}]}]}`,
		`{"role":"system","content":"env"}`, `{"role":"assistant","content":"done"}`, `{"content":"a","role":"user","content":[{"type":"text","text":"twice"}]}`,
		`{"role":"user","content":[{"type":"document","source":{"type":"text","data":"<system-reminder>"}}]}`, `{"role":"user","content":"<system-reminder>x</system-reminder>"}`,
	},
	wire.Chat: {
		`{"role":"system","content":"s"}`, `{"role":"user","content":"do it"}`, `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"ls"}},{"id":"c2","function":{"name":"rm"}}]}`,
		`{"role":"tool","tool_call_id":"c1","content":"a"}`, `{"role":"tool","tool_call_id":"c2","content":"b","is_error":true}`, `{"role":"assistant","content":"done","function_call":{"name":"old"}}`,
		`{"role":"function","name":"old","content":"x"}`, `{"role":"user","name":"hook","content":"go on"}`,
	},
	wire.Responses: {
		`{"role":"developer","content":"s"}`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}`, `{"type":"reasoning","summary":[]}`,
		`{"type":"function_call","call_id":"f1","name":"ls","arguments":"{}"}`, `{"type":"function_call_output","call_id":"f1","output":"a"}`, `{"type":"web_search_call","id":"w","status":"completed"}`,
		`{"type":"item_reference","id":"r"}`, `{"role":"assistant","content":[{"type":"output_text","text":"done"}]}`,
	},
	wire.Gemini: {
		`{"parts":[{"text":"do it"}]}`, `{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"ls","args":{}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}}]}`, `{"role":"model","parts":[{"text":"done"}]}`, `{"role":"user","parts":[{"inlineData":{}}]}`,
	},
}

// oddMessages are elements of a list that are no messages, some of which go on where they seem to end.
var oddMessages = []string{`1`, `12`, `null`, `"a"`, `"a b"`, `[]`, `{}`, `tru`, `{"role":"user"`, `-`}

// TestReader holds that a Reader reads as Read does, over requests of runs that grow, are edited, cut, compacted and mixed.
func TestReader(t *testing.T) {
	t.Parallel()
	apis := []wire.API{wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini}
	lists := map[wire.API]string{wire.Responses: "input", wire.Gemini: "contents"}
	rapid.Check(t, func(t *rapid.T) {
		var r wire.Reader
		n := func(label string, below int) int { return rapid.IntRange(0, below-1).Draw(t, label) }
		api := apis[n("api", len(apis))]
		some := func() string {
			if n("odd", 30) == 0 {
				return oddMessages[n("which", len(oddMessages))]
			}
			return histories[api][n("message", len(histories[api]))]
		}
		list, ok := lists[api]
		if !ok {
			list = "messages"
		}
		runs := [][]string{{some()}, {some()}}
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			run := &runs[n("run", len(runs))]
			switch op := n("op", 12); {
			case op < 5: // it goes on
				for range n("more", 6) {
					*run = append(*run, some())
				}
			case op == 5 && len(*run) > 0: // a mark moves, or something in the middle is written anew
				i := max(0, len(*run)-1-n("at", 8))
				(*run)[i] = strings.Replace((*run)[i], `"role"`, `"cache_control":{},"role"`, 1)
			case op == 6 && len(*run) > 0:
				(*run)[n("at", len(*run))] = some()
			case op == 7: // it goes back
				*run = (*run)[:n("to", len(*run)+1)]
			case op == 8 && len(*run) > 0: // compacted
				*run = slices.Clone((*run)[n("from", len(*run)):])
			case op == 9: // another one begins as it does
				runs = append(runs, slices.Clone(*run))
			}
			body := `"` + list + `":[` + strings.Join(*run, ",") + `]`
			switch n("around", 10) {
			case 0:
				body = `"tools":[{}],` + body
			case 1:
				body += `,"previous_response_id":"p","model":"m"`
			case 2:
				body = `"` + list + `":[` + strings.Join(runs[0], ",") + `],` + body
			case 3:
				body += `,"` + list + `":"no"`
			case 4:
				body = body[:n("cut", len(body))]
			case 5:
				body = strings.ReplaceAll(body, ",", ", ")
			}
			holdReads(t, &r, api, `{`+body+`}`)
		}
	})
}

// TestReaderGoesOn holds that what was read before goes on as it should: what seems to have ended is read to its end, and keys
// rest on those that came before.
func TestReaderGoesOn(t *testing.T) {
	t.Parallel()
	const m = `{"messages":[{"role":"user","content":"a"},`
	for _, c := range []struct {
		first string
		then  []string
	}{
		{`1]}`, []string{`12]}`, `1.5]}`, `1e3]}`, `1,{}]}`, `1 ]}`, `1`, `1]`, `1}`, `1]}]`, `1]} `}},
		{hostsOwn + `,` + hostsOwn + `]}`, []string{hostsOwn + `,` + hostsOwn + `,` + hostsOwn + `,` + sameCall + `]}`}},
		{sameCall + `,` + sameResult + `,` + sameCall + `]}`, []string{sameCall + `,` + sameResult + `,` + sameCall + `,` + sameCall + `,` + sameResult + `]}`}},
	} {
		for _, then := range c.then {
			var r wire.Reader
			holdReads(t, &r, wire.Anthropic, m+c.first)
			holdReads(t, &r, wire.Anthropic, m+then)
		}
	}
}

// TestReaderAtOnce reads the requests of a few runs at once, for the race detector.
func TestReaderAtOnce(t *testing.T) {
	t.Parallel()
	var r wire.Reader
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			run := []string{fmt.Sprintf(`{"role":"user","content":"run %d"}`, i%3)}
			for range 20 {
				run = append(run, histories[wire.Anthropic][2:4]...)
				holdReads(t, &r, wire.Anthropic, `{"messages":[`+strings.Join(run, ",")+`]}`)
			}
		})
	}
	all.Wait()
}

// TestReaderForgets holds that a Reader keeps no more than it says, and all of that to some use: it is given more runs than it can
// keep, and forks of them, and reads on.
func TestReaderForgets(t *testing.T) {
	t.Parallel()
	var r wire.Reader
	turn := strings.Join(histories[wire.Anthropic][2:4], ",")
	for i := range 300 {
		body := fmt.Sprintf(`{"messages":[{"role":"user","content":"run %d"},%s]}`, i%150, strings.Repeat(turn+",", 300+i/150)+turn)
		if i%4 == 0 { // a short branch of the run that follows, after which nothing finds it
			body = fmt.Sprintf(`{"messages":[{"role":"user","content":"run %d"},{"role":"assistant","content":"%d"}]}`, (i+1)%150, i)
		}
		_, c, err := r.Read(wire.Incoming{API: wire.Anthropic, Body: []byte(body)}, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
		if counted, found := wire.Remembered(&r); counted > 16<<20 || counted != found {
			t.Fatal(counted, found)
		}
	}
}

// TestReaderOfManyRuns holds that the bound is of what memories really take, of those too that are short.
func TestReaderOfManyRuns(t *testing.T) {
	var r wire.Reader
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first leaves pools their victims
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 60_000 {
		body := fmt.Appendf(nil, `{"messages":[{"role":"user","content":"run %d"}]}`, i)
		_, c, err := r.Read(wire.Incoming{API: wire.Anthropic, Body: body}, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
	}
	took := int64(heap()) - int64(before)
	counted, _ := wire.Remembered(&r)
	if counted < 15<<20 || took > 19<<20 {
		t.Errorf("%d bytes are counted and %d are taken", counted, took)
	}
}

// TestReaderKeepsTheLatest holds that what is asked for again and again is kept, however much else comes by.
func TestReaderKeepsTheLatest(t *testing.T) {
	t.Parallel()
	var r wire.Reader
	turn := strings.Join(histories[wire.Anthropic][2:4], ",")
	read := func(run int) *wire.Conversation {
		body := fmt.Sprintf(`{"messages":[{"role":"user","content":"run %d"}%s]}`, run, strings.Repeat(","+turn, 300))
		_, c, err := r.Read(wire.Incoming{API: wire.Anthropic, Body: []byte(body)}, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for i := range 200 {
		if i%20 == 0 {
			c := read(0)
			if i > 0 && wire.Known(c) != c.Len() {
				t.Fatal(i, wire.Known(c), c.Len())
			}
			c.Release()
		}
		read(1 + i).Release()
	}
	if c := read(1); wire.Known(c) > 0 {
		t.Error("more is kept than there is room for")
	}
}

// TestReaderUsesAgain holds that new runs take the memory of those that are forgotten for them.
func TestReaderUsesAgain(t *testing.T) {
	var r wire.Reader
	turns := strings.Repeat(","+strings.Join(histories[wire.Anthropic][2:4], ","), 300)
	var bodies [200][]byte
	for i := range bodies {
		bodies[i] = fmt.Appendf(nil, `{"messages":[{"role":"user","content":"run %d"}%s]}`, i, turns)
	}
	allocated := func(bodies [][]byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, body := range bodies {
			_, c, _ := r.Read(wire.Incoming{API: wire.Anthropic, Body: body}, wire.Options{})
			c.Release()
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / uint64(len(bodies))
	}
	first := allocated(bodies[:20])
	allocated(bodies[20:150])
	if later := allocated(bodies[150:]); later > first/2 { // under the race detector a sync.Pool loses a quarter
		t.Error(later, "bytes for a run, at first", first)
	}
}

// TestReaderRemembers holds that a request that goes on from another one costs what is new in it: its memory is that of the
// other one.
func TestReaderRemembers(t *testing.T) {
	var r wire.Reader
	turn := strings.Join(histories[wire.Anthropic][2:4], ",")
	long := []byte(`{"messages":[{"role":"user","content":"a"}` + strings.Repeat(","+turn, 400) + `]}`)
	longer := []byte(strings.TrimSuffix(string(long), "]}") + "," + turn + "]}")
	read := func(body []byte) {
		_, c, _ := r.Read(wire.Incoming{API: wire.Anthropic, Body: body}, wire.Options{})
		c.Release()
	}
	read(longer)
	if n := testing.AllocsPerRun(10, func() { read(long); read(longer) }); n > 60 {
		t.Error(n, "allocations")
	}
}

func ExampleReader() {
	var r wire.Reader
	for _, messages := range []string{`{"role":"user","content":"Fix it."}`, `{"role":"user","content":"Fix it."},{"role":"assistant","content":"Done."},{"role":"user","content":"Thanks."}`} {
		q, c, err := r.Read(wire.Incoming{Path: "/v1/messages", Body: []byte(`{"messages":[` + messages + `]}`)}, wire.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(q.Prompt.S, c.Len()) // what is in it was read once
		c.Release()
	}
	// Output:
	// Fix it. 1
	// Thanks. 3
}
