package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/history"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// spoken writes so many bytes that stand for a digest.
func spoken(words uint64, n int) string {
	r := rand.New(rand.NewPCG(words, 1))
	b := make([]byte, max(4, min(n, 400)))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// written returns a message as a client of Anthropic's writes it.
func written(m history.Message) map[string]any {
	text := map[string]any{"type": "text", "text": spoken(m.Words, m.N)}
	id := fmt.Sprint("call_", m.ID)
	if m.ID > 1<<32 {
		id = fmt.Sprintf("toolu_%020x", m.ID)
	}
	switch {
	case m.Role == 'r':
		return map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
			"tool_use_id": id, "content": text["text"]}}}
	case m.Role == 'a' && m.Call:
		return map[string]any{"role": "assistant", "content": []any{text, map[string]any{"type": "tool_use",
			"id": id, "name": "Read", "input": map[string]any{}}}}
	case m.Role == 'a':
		return map[string]any{"role": "assistant", "content": []any{text}}
	default:
		return map[string]any{"role": "user", "content": text["text"]}
	}
}

// mortal is a store of a process that may be killed before any of its writes.
type mortal struct {
	state.Store

	mu   sync.Mutex // guards what follows: some writes are made while the model answers
	left int        // writes until then; below 0: it is not
	dead bool
}

// errKilled is of what nobody tries again.
var errKilled = fmt.Errorf("the process is killed: %w", context.Canceled)

func (m *mortal) killed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// kill has the process killed before the write after n others; below 0: it is not.
func (m *mortal) kill(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = n
}

func (m *mortal) write() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead = m.dead || m.left == 0; m.dead {
		return errKilled
	}
	m.left--
	return nil
}

func (m *mortal) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if err := m.write(); err != nil {
		return 0, err
	}
	return m.Store.Save(ctx, run, prev, next)
}

func (m *mortal) Delete(ctx context.Context, run string) error {
	if err := m.write(); err != nil {
		return err
	}
	return m.Store.Delete(ctx, run)
}

// drawing is agents in front of processes over one store, and what becomes of their requests.
type drawing struct {
	*testing.T
	w      *history.World
	clock  time.Time
	disk   state.Store
	store  *mortal // of the process
	rt     *transport.Transport
	answer history.Message
	report transport.Report
	sent   []byte              // the body of the request, as the API got it
	lines  map[string][]string // of the latest requests of a conversation, and of a run
	lost   map[int]bool        // turns whose answers nobody has noted
	moved  int                 // requests that were sent again and were another turn
}

// start starts a process, in place of the one before.
func (d *drawing) start() {
	set := compiled(d.T,
		reminder.Reminder{ID: "edge", Trigger: "turn_count == 6", Text: "EDGE"},
		reminder.Reminder{ID: "cap", Trigger: "after_tool:*", Mode: reminder.While, MaxFires: 2, Text: "CAP"})
	d.store = &mortal{Store: d.disk, left: -1}
	d.rt = transport.New(eval.New(set, eval.Options{Store: d.store, Clock: func() time.Time { return d.clock }}),
		transport.Options{Base: d, Report: func(_ context.Context, r transport.Report) { d.report = r }})
}

// RoundTrip answers as the model.
func (d *drawing) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.store.killed() {
		return nil, errKilled
	}
	body, err := io.ReadAll(r.Body)
	d.sent = body
	b := raw(map[string]any{"type": "message", "id": fmt.Sprint("msg_", d.answer.Turn), "role": "assistant",
		"stop_reason": "end_turn", "content": written(d.answer)["content"],
		"usage": map[string]any{"input_tokens": 9, "output_tokens": 3}})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(b)), ContentLength: int64(len(b)), Request: r}, err
}

// post sends a request, and reports whether the answer came.
func (d *drawing) post(c *history.Client, req []history.Message) bool {
	d.Helper()
	var list []any
	for _, m := range req {
		list = append(list, written(m))
	}
	models := []string{plainly, "claude-opus-4-1", "claude-sonnet-4-5"}
	v := map[string]any{"model": models[c.Moves%len(models)], "max_tokens": 9, "messages": list,
		"tools": []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}}
	body := raw(v)
	if c.Edit == "ids and form anew" {
		loosen(list)
		body, _ = json.MarshalIndent(v, "", strings.Repeat(" ", c.Turns%4))
	}
	r, err := http.NewRequestWithContext(d.Context(), http.MethodPost, "http://api.test"+messages,
		bytes.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("X-Api-Key", fmt.Sprint("key ", c.Moves))
	d.report, d.sent = transport.Report{}, nil
	resp, err := d.rt.RoundTrip(r)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	if err != nil && !d.store.killed() {
		d.Fatal(err)
	}
	return err == nil
}

// loosen writes a content that is one block of text as a string.
func loosen(list []any) {
	for _, m := range list {
		m := m.(map[string]any)
		if blocks, is := m["content"].([]any); is && len(blocks) == 1 {
			if text, is := blocks[0].(map[string]any)["text"]; is {
				m["content"] = text
			}
		}
	}
}

// ask has a client send its next request until it has an answer: a process that is killed is started again.
// It returns the report of the request when it became a turn, and whether a process was killed before it had
// saved all of the answer.
func (d *drawing) ask(c *history.Client, turn int) (req []history.Message, r transport.Report, lost bool) {
	moves := c.Moves
	req = c.Request()
	if c.Moves != moves {
		d.start()
	}
	for {
		d.answer = c.Answer(turn)
		if d.store.kill(-1); d.w.Chance(5) {
			d.store.kill(d.w.Draw(8))
		}
		came := d.post(c, req)
		switch again := d.report; {
		case r.Turn == 0:
			r = again
		case again.Turn != 0 && (again.Run != r.Run || again.Turn != r.Turn || !again.Again) &&
			tells(req, c.History, d.lost): // else the process that was killed alone knew all that was said
			d.moved++
			d.note(c, turn, again, req)
			d.explain(c, again.Run, r.Run, "%s: request %d that is sent again is turn %d of %s, after turn %d of %s",
				c.Edit, turn, again.Turn, again.Run, r.Turn, r.Run)
		}
		if killed := d.store.killed(); killed {
			d.start()
			if came && d.w.Chance(50) {
				return req, r, true
			}
		} else if c.Edit != "retry" || d.w.Chance(75) {
			return req, r, false
		}
	}
}

// note keeps a line about a request.
func (d *drawing) note(c *history.Client, turn int, r transport.Report, req []history.Message) {
	line := fmt.Sprintf("%6d of %d, turn %d of %s, again %v:", turn, c.Family, r.Turn, r.Run, r.Again)
	for _, m := range req {
		line += fmt.Sprintf(" %c%x:%d", m.Role, m.Words>>44, m.N)
		if m.ID != 0 {
			line += fmt.Sprintf("#%x", m.ID>>44)
		}
		if m.Role == 'a' {
			line += fmt.Sprintf("=%d", m.Turn)
		}
	}
	line += fmt.Sprintf(" > a%x:%d", d.answer.Words>>44, d.answer.N)
	for _, of := range []string{r.Run, fmt.Sprint(c.Family)} {
		list := append(d.lines[of], line)
		d.lines[of] = list[max(0, len(list)-9):]
	}
}

// explain logs what became of a request, with the latest ones of its conversation and of runs.
func (d *drawing) explain(c *history.Client, run, other, format string, args ...any) {
	d.Helper()
	lines := slices.Concat(d.lines[fmt.Sprint(c.Family)], d.lines[run], d.lines[other])
	slices.Sort(lines)
	d.Logf(format+"\n%s", append(args, strings.Join(slices.Compact(lines), "\n"))...)
}

// score counts requests of clients with one way to cut their histories.
type score struct {
	requests, right  int
	anew, wrong      int // begun anew, at another place of the run; of those that keep an answer
	strange, unheard int // went to another's run; that where the newest answer was never noted
	broken           int // begun anew though an answer that tells was kept
}

func (t score) String() string {
	return fmt.Sprintf("%6d requests, right %6d, begun anew %4d (%d with an answer that tells), at another "+
		"place %4d, another's %d and %d", t.requests, t.right, t.anew, t.broken, t.wrong, t.strange, t.unheard)
}

// TestDrawn: of many conversations whose clients cut their histories in all ways, through processes that are
// killed before any of their writes, no request goes on with the run of another conversation. Those that keep
// an answer that tells go on with theirs, all but one in 20,000, at its turn: an edge fires once, and a limit
// holds. With -long it plays 100,000 requests. The clock is the test's own: on a busy machine, a request
// would give its state up.
func TestDrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, drawn)
}

func drawn(t *testing.T) {
	by := map[string]*score{}
	for _, e := range history.Edits {
		by[e] = &score{}
	}
	w := history.New(5, 200)
	d := &drawing{T: t, w: w, clock: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC),
		disk: onDisk{state.NewMemory()}, lines: map[string][]string{}}
	d.start()
	owner, alike, lost := map[string]int{}, map[[2]int]bool{}, map[int]bool{}
	d.lost = lost
	asked := map[string]int{}    // by the run and its turn: whose it is
	spoke := map[string]uint64{} // by the run and its turn: all that was said up to its answer
	// how many turns later a run, and a client's latest one, has begun than its conversation
	late, lateOf := map[string]int{}, map[*history.Client]int{}
	fired, astray := map[int]map[string]int{}, map[int]bool{}
	strayed := map[int]bool{} // its answers are not of one run
	n := testkit.Repeat(500, 4_000)
	if testkit.Long() {
		n = 100_000
		defer debug.SetGCPercent(debug.SetGCPercent(300)) // a fifth of the time is the collector's
	}
	for turn := 1; turn <= n; turn++ {
		c := w.Next()
		d.clock = d.clock.Add(10 * time.Second)
		parent, want := c.Parent(), 1
		for _, m := range c.History {
			if m.Role == 'a' {
				want++
			}
		}
		req, r, killed := d.ask(c, turn)
		lost[turn] = killed
		s := by[c.Edit]
		s.requests++
		keeps := slices.ContainsFunc(req, func(m history.Message) bool { return m.Turn > 0 })
		at := fmt.Sprint(r.Run, " ", r.Turn)
		d.note(c, turn, r, req)
		if o := asked[at]; o != 0 && r.Again { // to the word the same
			alike[[2]int{o, c.Family}], alike[[2]int{c.Family, o}] = true, true
		}
		asked[at] = c.Family
		o := owner[r.Run]
		ahead, known := late[r.Run]
		if !known { // it has parted from the run before
			ahead = lateOf[c]
		}
		switch {
		case r.Turn < 1:
			t.Fatalf("a request is not a turn: %+v", r)
		case !r.Again && r.Turn > 1 && o != 0 && o != c.Family && !alike[[2]int{o, c.Family}] &&
			spoke[fmt.Sprint(r.Run, " ", r.Turn-1)] != digest(c.Answered()):
			strayed[c.Family] = true
			if lost[parent] || parent == 0 { // nobody has noted its newest answer, and one run alone says the same
				s.unheard++
			} else {
				s.strange++
				d.explain(c, r.Run, "", "%s: request %d of conversation %d is turn %d of %s, which is that of %d", c.Edit,
					turn, c.Family, r.Turn, r.Run, o)
			}
			astray[c.Family] = true
		case r.Turn == want-ahead || !keeps:
			s.right++
		case r.Turn == 1:
			if s.anew++; !strayed[c.Family] && tells(req, c.History, lost) {
				s.broken++
				d.explain(c, r.Run, "", "%s: request %d of conversation %d begins anew", c.Edit, turn, c.Family)
			}
			astray[c.Family], strayed[c.Family] = true, true
		default:
			s.wrong++
			astray[c.Family], strayed[c.Family] = true, true
		}
		late[r.Run], lateOf[c] = want-r.Turn, want-r.Turn
		if r.Turn > 1 && !r.Again {
			owner[r.Run] = c.Family
		}
		if fired[c.Family] == nil {
			fired[c.Family] = map[string]int{}
		}
		for _, f := range r.Fired {
			if !r.Again {
				fired[c.Family][f.ID]++
			}
		}
		if c.Edit == "fork" || c.Edit == "rewind" || !keeps && want > 1 { // it has several turns with one number
			astray[c.Family] = true
		}
		if edges, caps := bytes.Count(d.sent, []byte(`\nEDGE\n`)), bytes.Count(d.sent, []byte(`\nCAP\n`)); edges > 1 ||
			caps > 2 && !astray[c.Family] {
			t.Errorf("conversation %d: a request holds %d and %d texts", c.Family, edges, caps)
		}
		c.Take(d.answer)
		spoke[at] = digest(c.Answered())
	}
	var sum score
	for _, e := range history.Edits {
		s := by[e]
		t.Logf("%-30s %v", e, s)
		sum.requests, sum.right, sum.anew, sum.wrong = sum.requests+s.requests, sum.right+s.right, sum.anew+s.anew,
			sum.wrong+s.wrong
		sum.strange, sum.unheard, sum.broken = sum.strange+s.strange, sum.unheard+s.unheard, sum.broken+s.broken
	}
	t.Logf("%-30s %v", "all", sum)
	if sum.strange > 0 || 20_000*(sum.broken+d.moved) > n || 2000*sum.unheard > n || 20*sum.anew > n ||
		33*sum.wrong > n { // nearly all of these keep stock answers alone
		t.Error("that is more than the law allows")
	}
	whole := 0
	for family, f := range fired {
		if astray[family] {
			continue
		}
		if whole++; f["edge"] > 1 || f["cap"] > 2 {
			t.Errorf("conversation %d: fired %v", family, f)
		}
	}
	t.Logf("%d conversations are at their turn throughout; %d requests that were sent again were another turn",
		whole, d.moved)
}

// digest is one of all that messages say.
func digest(list []history.Message) (sum uint64) {
	for _, m := range list {
		sum = history.Mix(sum, m.Words)
	}
	return sum
}

// tells reports whether a request keeps one of the newest 16 answers of its history that tells, and no answer
// that its run has not heard.
func tells(req, all []history.Message, lost map[int]bool) (one bool) {
	newest := map[int]bool{}
	for _, m := range slices.Backward(all) {
		if m.Role == 'a' && len(newest) < 16 {
			newest[m.Turn] = true
		}
	}
	for _, m := range req {
		if m.Role != 'a' {
			continue
		}
		if m.Turn == 0 || m.Recoded || lost[m.Turn] {
			return false
		}
		one = one || m.Tells() && newest[m.Turn]
	}
	return one
}
