package transport_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

func session(id string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("X-Claude-Code-Session-Id", id) }
}

func key(k string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("X-Api-Key", k) }
}

// TestRun: what names the run, in the order in which it counts.
func TestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{Options: transport.Options{
		Run: func(r *http.Request) string { return r.Header.Get("X-My-Run") }}})
	body := chat{}.user("do it").of(plainly)
	own := func(r *http.Request) { r.Header.Set("X-My-Run", "mine") }
	named := func(r *http.Request) { r.Header.Set(transport.RunHeader, "named") }
	agent := func(r *http.Request) { r.Header.Set("X-Claude-Code-Agent-Id", "sub") }
	tests := map[string][]func(*http.Request){
		"mine":         {own, named, session("s")},
		"named":        {named, session("s"), agent},
		"s":            {session("s")},
		"s/sub":        {session("s"), agent},
		"conversation": {},
	}
	for want, edits := range tests {
		w.post(messages, body, edits...)
		if _, r := w.last(); r.Run != want && !strings.HasPrefix(r.Run, want+"-") {
			t.Errorf("%q, want %q", r.Run, want)
		}
	}
}

// TestConversations: conversations without a name are told apart by what they hold, and known again when they
// go on.
func TestConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{})
	run := func(c chat, edits ...func(*http.Request)) string {
		w.post(messages, c.of(plainly), edits...)
		_, r := w.last()
		if r.Passed != "" {
			t.Fatalf("%+v", r)
		}
		return r.Run
	}
	one := chat{}.user("hello")
	begin := run(one)
	if again := run(one); again != begin {
		t.Errorf("a retry is of run %q, not %q", again, begin)
	}
	one = one.uses("toolu_000000000000000000000001", "Edit")
	first := run(one)
	if first != begin {
		t.Error("what follows upon an answer is another run")
	}
	if second := run(chat{}.user("hello")); second != begin {
		t.Error("another conversation that begins alike does not share its beginning")
	}
	two := chat{}.user("hello").uses("toolu_000000000000000000000002", "Edit")
	second := run(two)
	if second == first {
		t.Errorf("the second went on as %q, the first as %q after %q", second, first, begin)
	}
	if on := run(one.says("done").user("more")); on != first {
		t.Errorf("the first went on as %q, not %q", on, first)
	}
	if on := run(two.says("done").user("more")); on != second {
		t.Errorf("the second went on as %q, not %q", on, second)
	}
	if other := run(chat{}.user("good morning")); other == first || other == second || other == begin {
		t.Error("another beginning is the same run")
	}
	// The history was shortened; a call that was kept says whose it is.
	short := chat{}.user("a summary").uses("toolu_000000000000000000000002", "Edit").says("done").user("on")
	run(short)
	if _, r := w.last(); r.Turn != 3 { // beside that with "more"
		t.Errorf("after a compaction it is turn %d, not 3", r.Turn)
	}
	// Clients change their keys. The answers that a conversation holds tell whose it is.
	if on := run(short.says("well").user("and on"), key("another")); on != w.reports[len(w.reports)-2].Run {
		t.Errorf("with another key it is run %q", on)
	}
	if on := run(chat{}.user("hello"), key("another")); on == begin {
		t.Errorf("two clients begin alike, and are one run")
	}
}

// TestBranches: attempts at one task beside each other are one run until the model has answered, and then one
// each; each holds what it was given, and fires for itself.
func TestBranches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always", "b: turn_count == 3"), setting{})
	const n = 4
	attempts := make([]chat, n)
	for i := range attempts {
		attempts[i] = chat{}.user("solve it")
		w.post(messages, attempts[i].of(plainly))
	}
	first, _ := w.last()
	tag := first[strings.Index(first, "<system-reminder"):strings.Index(first, "</system-reminder>")]
	names := map[string]bool{}
	for turn := 2; turn < 5; turn++ {
		for i := range attempts {
			attempts[i] = attempts[i].says(strings.Repeat("hm ", i+1)).user("go on")
			w.post(messages, attempts[i].of(plainly))
			body, r := w.last()
			if names[r.Run] = true; !strings.Contains(body, tag) || strings.Count(body, `>\nA\n<`) != 1 {
				t.Errorf("turn %d of %d: %s", turn, i, body)
			}
		}
	}
	if len(names) != n {
		t.Errorf("%d attempts are %d runs", n, len(names))
	}
	if got := strings.Count(strings.Join(w.fired(), ""), "b"); got != n {
		t.Errorf("b fired %d times in %d runs", got, n)
	}
}

// TestSummary: a call that was first seen in the request for a summary says whose the shortened history is:
// the process was killed before it had saved the answer with the call.
func TestSummary(t *testing.T) {
	t.Parallel()
	set, store := rules(t, "a: always", "b: compacted"), state.NewMemory()
	w := newWorld(t, set, setting{store: store, Options: transport.Options{Later: func(func() error) {}}})
	c := chat{}.user("do it")
	w.post(messages, c.of(plainly))
	w.opts.Later = nil
	w.restart(eval.New(set, eval.Options{Store: store}))
	_, first := w.last()
	c = c.uses("toolu_000000000000000000000001", "Edit")
	w.post(messages, c.says("all is well").user(
		"Your task is to create a detailed summary of the conversation.").of(plainly))
	if body, r := w.last(); r.Kind != "compaction" || r.Turn != 0 || first.Turn != 1 ||
		strings.Count(body, "</system-reminder>") != 1 {
		t.Errorf("%+v\n%s", r, body)
	}
	w.post(messages, append(chat{}.user("a summary"), c[1:]...).of(plainly))
	if _, r := w.last(); r.Turn != 2 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]string{"a", "b"}, w.fired()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRestart: a process that comes after another finds the runs of sessions and of conversations.
func TestRestart(t *testing.T) {
	t.Parallel()
	store := state.NewMemory()
	c := chat{}.user("hello")
	for _, edit := range []func(*http.Request){session("s"), key("k")} {
		w := newWorld(t, rules(t, "a: always"), setting{store: store})
		w.post(messages, c.of(plainly), edit)
		_, before := w.last()
		w = newWorld(t, rules(t, "a: always"), setting{store: store})
		w.post(messages, c.uses("toolu_000000000000000000000001", "Edit").of(plainly), edit)
		if _, r := w.last(); r.Turn != 2 || len(r.Fired) != 0 || before.Turn != 1 {
			t.Errorf("%+v", r)
		}
		if diff := cmp.Diff([]string{"A"}, w.texts()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestFork: a session that begins with the history of another goes on from where that one was: what stood in
// the requests stands in them still, and what fired does not fire again.
func TestFork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{})
	c := chat{}.user(strings.Repeat("hello ", 20))
	w.post(messages, c.of(plainly), session("parent"))
	before, _ := w.last()
	c = c.uses("toolu_000000000000000000000001", "Edit")
	w.post(messages, c.of(plainly), session("parent"))
	w.post(messages, c.says("done").user("otherwise").of(plainly), session("child"))
	body, r := w.last()
	if r.Run != "child" || r.Turn != 3 || len(r.Fired) != 0 || !strings.HasPrefix(body,
		before[:strings.Index(before, "</system-reminder>")]) {
		t.Errorf("%+v\n%s", r, body)
	}
	w.post(messages, c.says("done").user("on").of(plainly), session("parent"))
	if _, r := w.last(); r.Run != "parent" || r.Turn != 3 {
		t.Errorf("%+v", r)
	}
}

// TestCacheKey: a prompt_cache_key that many conversations share does not make one run of them.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{})
	var runs []string
	for _, prompt := range []string{"one", "two"} {
		w.post("/v1/chat/completions",
			`{"model":"gpt-5.6","prompt_cache_key":"app","messages":[{"role":"user","content":"`+prompt+`"}]}`)
		_, r := w.last()
		runs = append(runs, r.Run)
	}
	if runs[0] == runs[1] || runs[0] == "app" {
		t.Errorf("%q", runs)
	}
	if len(w.fired()) != 2 {
		t.Errorf("fired %q", w.fired())
	}
}

// TestConversationsOfAPIs: conversations without a name that begin alike at different APIs are runs of their
// own, each of which gets its texts; a retry at the same API is none.
func TestConversationsOfAPIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{})
	runs := map[string]string{} // the API of each
	for _, c := range []struct{ path, body string }{
		{"/v1/chat/completions", `{"model":"gpt-5","messages":[{"role":"user","content":"hello"}]}`},
		{"/v1/responses", `{"model":"gpt-5","input":"hello"}`},
		{messages, chat{}.user("hello").of(plainly)},
	} {
		w.post(c.path, c.body)
		_, r := w.last()
		if api, met := runs[r.Run]; met || r.Again || len(r.Put) != 1 {
			t.Errorf("%s: %+v, whose run is one of %s", c.path, r, api)
		}
		runs[r.Run] = c.path
		w.post(c.path, c.body)
		if _, again := w.last(); again.Run != r.Run || !again.Again || again.Tokens != r.Tokens {
			t.Errorf("%s, sent again: %+v after %+v", c.path, again, r)
		}
	}
}

// TestNamesInIDs: Gemini CLI asks for a summary with ids that have the name of the function in front, and
// with results twice. The request holds what the conversation held.
func TestNamesInIDs(t *testing.T) {
	t.Parallel()
	set, store := rules(t, "a! always"), onDisk{state.NewMemory()}
	w := newWorld(t, set, setting{store: store, fake: modelapi.Options{
		Script: modelapi.Turns(modelapi.Reply{Parts: []modelapi.Part{modelapi.Use("fc_00000000000000001", "ls",
			`{"dir":"."}`)}})}})
	ask := func(prefix, last string) {
		w.post("/v1beta/models/gemini-2.5-pro:generateContent", `{"contents":[
			{"role":"user","parts":[{"text":"go"}]}`+strings.ReplaceAll(last, "ID", prefix+"fc_00000000000000001")+`]}`)
	}
	const call = `,{"role":"model","parts":[{"functionCall":{"id":"ID","name":"ls","args":{"dir":"."}}}]}`
	const result = `{"functionResponse":{"id":"ID","name":"ls","response":{"output":"a.go"}}}`
	ask("", "")
	ask("", call+`,{"role":"user","parts":[`+result+`]}`)
	run := w.reports[1].Run
	w.restart(eval.New(set, eval.Options{Store: store}))
	ask("ls__", call+`,{"role":"user","parts":[`+result+","+result+`]},{"role":"model","parts":[{"text":"done"}]},
		{"role":"user","parts":[{"text":"Sum it up."}]}`)
	if _, r := w.last(); r.Run != run || r.Repeat != 2 {
		t.Errorf("%+v, want 2 texts of %s", r, run)
	}
}

// TestStateful: where the API keeps the conversation, a run is the chain of its responses.
func TestStateful(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always", "b: turn_count == 2"), setting{})
	var names []string
	previous := ""
	for i := range 3 {
		body := map[string]any{"model": "gpt-5.6", "input": []any{map[string]any{"role": "user",
			"content": strings.Repeat("on ", i+1)}}, "store": true}
		if previous != "" {
			body["previous_response_id"] = previous
		}
		w.post("/v1/responses", string(raw(body)))
		_, r := w.last()
		names = append(names, r.Run)
		previous = r.Usage.ID
		if r.Turn != i+1 {
			t.Errorf("turn %d is %+v", i+1, r)
		}
	}
	if names[0] != names[1] || names[1] != names[2] {
		t.Errorf("%q", names)
	}
	if diff := cmp.Diff([]string{"a", "b"}, w.fired()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, want := range []int{1, 1, 0} {
		if got := strings.Count(string(w.bodies[i]), "system-reminder mark"); got != want {
			t.Errorf("request %d holds %d texts, want %d:\n%s", i+1, got, want, w.bodies[i])
		}
	}
}

// TestTitle: a request that offers no tools in a run that has them has a system prompt of its own: nothing
// goes into it.
func TestTitle(t *testing.T) {
	t.Parallel()
	set, diags := compile.New([]reminder.Reminder{{ID: "a", Trigger: "always", Text: "A",
		Attach: reminder.RunStart}, {ID: "b", Trigger: "always", Text: "B"}}, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	w := newWorld(t, set, setting{})
	c := chat{}.user("do it")
	w.post(messages, c.of(plainly), session("s"))
	if diff := cmp.Diff([]string{"A", "B"}, w.texts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.post(messages, string(raw(map[string]any{"model": plainly, "max_tokens": 9, "system": "Name this.",
		"messages": c.says("done").user("name it")})), session("s"))
	if diff := cmp.Diff([]string{"B"}, w.texts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, r := w.last(); r.Kind == "turn" || r.Turn != 0 || r.Repeat != 1 {
		t.Errorf("%+v", r)
	}
}

// TestStatefulFailed: where the API keeps the conversation, the text of a request that failed for good is
// offered again in a run with a name. A conversation that nobody names goes on as if there had been no such
// request.
func TestStatefulFailed(t *testing.T) {
	t.Parallel()
	t.Run("named", func(t *testing.T) { statefulFailed(t, "run", 4, "a") })
	t.Run("unnamed", func(t *testing.T) { statefulFailed(t, "", 3, "a", "a") })
}

func statefulFailed(t *testing.T, run string, turns int, fired ...string) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: turn_count == 2"), setting{fake: modelapi.Options{
		Faults: map[int]modelapi.Fault{2: {Status: 500}}}})
	if run != "" {
		w.header.Set(transport.RunHeader, run)
	}
	w.post("/v1/responses", `{"model":"gpt-5.6","input":"A","store":true}`)
	_, first := w.last()
	for _, prompt := range []string{"B", "C", "C"} {
		w.post("/v1/responses", `{"model":"gpt-5.6","store":true,"input":"`+prompt+
			`","previous_response_id":"`+first.Usage.ID+`"}`)
		if got := strings.Count(string(w.bodies[len(w.bodies)-1]), "system-reminder mark"); got != 1 {
			t.Errorf("%s holds %d texts: %s", prompt, got, w.bodies[len(w.bodies)-1])
		}
	}
	_, r := w.last()
	w.post("/v1/responses", `{"model":"gpt-5.6","store":true,"input":"D","previous_response_id":"`+r.Usage.ID+`"}`)
	if body, r := w.last(); r.Turn != turns ||
		strings.Contains(body, "system-reminder mark") {
		t.Errorf("%+v, %s", r, body)
	}
	if diff := cmp.Diff(fired, w.fired()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAnew: what begins with the same words after a while, or under other rules, is another conversation,
// whose first turn is decided anew. Both go on with what each of them held, even where the model has answered
// the same.
func TestAnew(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	store := state.NewMemory()
	set := rules(t, "a: always", "late: elapsed > 1h")
	w := newWorld(t, set, setting{})
	send := func(c chat) (texts []string, mark string, r transport.Report) {
		t.Helper()
		w.restart(eval.New(set, eval.Options{Store: onDisk{store}, Clock: func() time.Time { return now }}))
		w.post(messages, c.of(plainly))
		body, r := w.last()
		texts, mark = oursIn(t, []byte(body))
		if r.Passed != "" {
			t.Fatalf("%+v", r)
		}
		return texts, mark, r
	}
	hello := chat{}.user("hello")
	_, first, _ := send(hello)
	if _, again, r := send(hello); !r.Again || again != first {
		t.Errorf("at once: %+v", r)
	}
	now = now.Add(24 * time.Hour)
	_, second, r := send(hello)
	if r.Again || r.Turn != 1 || second == first {
		t.Errorf("a day later: mark %s after %s, %+v", second, first, r)
	}
	set = rules(t, "a: always", "new: always", "late: elapsed > 1h")
	if texts, _, r := send(hello); r.Again || !slices.Contains(texts, "NEW") {
		t.Errorf("under other rules: %q, %+v", texts, r)
	}
	set = rules(t, "a: always", "late: elapsed > 1h")
	_, third, _ := send(hello)

	// The last one goes on, and the first one is taken up again; to the API all are the same.
	on := hello.says("done").user("on")
	if texts, mark, r := send(on); mark != third || r.Turn != 2 || slices.Contains(texts, "LATE") {
		t.Errorf("the last one goes on with %q and mark %s, not %s: %+v", texts, mark, third, r)
	}
	if _, mark, r := send(on.says("done").user("more")); mark != third || r.Turn != 3 {
		t.Errorf("%s, not %s: %+v", mark, third, r)
	}
	for range 3 {
		now = now.Add(time.Hour)
		if _, mark, r := send(hello); r.Again || mark == third {
			t.Errorf("%+v", r)
		}
		_, mark, _ := send(hello)
		if _, is, r := send(hello.says("done").user(now.String())); is != mark || r.Turn != 2 {
			t.Errorf("%s, not %s: %+v", is, mark, r)
		}
	}
	if _, mark, r := send(on.says("done").user("more").says("done").user("even more")); mark != third ||
		r.Turn != 4 {
		t.Errorf("%s, not %s: %+v", mark, third, r)
	}
}

// TestShortIDs: an id that other conversations have, too, says nothing: whose call has failed is told by its
// result.
func TestShortIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "failed: last_tool_call_failed"), setting{})
	well := chat{}.user("do it").uses("call_1", "Read")
	badly := append(well[:2:2], raw(map[string]any{"role": "user", "content": []any{map[string]any{
		"type": "tool_result", "tool_use_id": "call_1", "content": "no such file", "is_error": true}}}))
	for _, c := range []struct {
		chat chat
		want int
	}{{chat{}.user("do it"), 0}, {well, 0}, {badly, 1}, {well.says("done").user("on"), 0}} {
		w.post(messages, c.chat.of(plainly))
		if _, r := w.last(); len(r.Fired) != c.want || r.Passed != "" {
			t.Errorf("%d messages: %+v", len(c.chat), r)
		}
	}
}

// TestOthersUsage: a conversation that goes on from another answer than the run that it parts from does not
// take the usage of that answer for its own, if its own was never saved.
func TestOthersUsage(t *testing.T) {
	t.Parallel()
	saves := true
	w := newWorld(t, rules(t, "known! context_tokens > 0"), setting{Options: transport.Options{
		Later: func(save func() error) {
			if saves {
				_ = save()
			}
		}}})
	one := chat{}.user("one")
	two := one.says("done").user("two")
	for i, c := range []struct {
		chat  chat
		saves bool
		want  int
	}{
		{one, true, 0}, {two, true, 1}, {two.says("done").user("three"), true, 1},
		{two.says("another answer, which was never saved").user("four"), true, 0},
		{two.says("done").user("five"), true, 1}, // the run's own answer
	} {
		saves = c.saves
		w.post(messages, c.chat.of(plainly))
		if _, r := w.last(); len(r.Fired) != c.want || r.Passed != "" {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// TestQuery: what the address of a request says beside the key does not tell who sends it. A conversation is
// the same with it and without it, also while the first answer is not saved.
func TestQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a! always"), setting{Options: transport.Options{Later: func(func() error) {}}})
	c := chat{}.user("one")
	w.post(messages+"?beta=true", c.of(natively))
	c = c.says("done").user("two")
	w.post(messages, c.of(natively))
	if _, r := w.last(); r.Turn != 2 {
		t.Errorf("turn %d of %s", r.Turn, r.Run)
	}
	w.post(messages+"?key=other", chat{}.user("one").of(natively))
	if _, r := w.last(); r.Turn != 1 || r.Again {
		t.Errorf("another key: turn %d, again %t", r.Turn, r.Again)
	}
}
