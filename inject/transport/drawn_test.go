package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
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

// drawing is agents in front of processes over one store, and what becomes of their requests.
type drawing struct {
	*testing.T
	clock  time.Time
	ev     *eval.Evaluator
	rt     *transport.Transport
	opts   transport.Options
	answer history.Message
	report transport.Report
	killed bool // the process is killed before it saves the answer
}

func (d *drawing) start(store state.Store) {
	set := compiled(d.T,
		reminder.Reminder{ID: "edge", Trigger: "turn_count == 6", Text: "EDGE"},
		reminder.Reminder{ID: "cap", Trigger: "after_tool:*", Mode: reminder.While, MaxFires: 2, Text: "CAP"})
	d.ev = eval.New(set, eval.Options{Store: store, Clock: func() time.Time { return d.clock }})
	d.rt = transport.New(d.ev, d.opts)
}

// RoundTrip answers as the model.
func (d *drawing) RoundTrip(r *http.Request) (*http.Response, error) {
	_, err := io.Copy(io.Discard, r.Body)
	b := raw(map[string]any{"type": "message", "id": fmt.Sprint("msg_", d.answer.Turn), "role": "assistant",
		"stop_reason": "end_turn", "content": written(d.answer)["content"],
		"usage": map[string]any{"input_tokens": 9, "output_tokens": 3}})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(b)), ContentLength: int64(len(b)), Request: r}, err
}

func (d *drawing) post(req []history.Message) {
	d.Helper()
	var list []any
	for _, m := range req {
		list = append(list, written(m))
	}
	body, err := json.Marshal(map[string]any{"model": plainly, "max_tokens": 9, "messages": list,
		"tools": []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}})
	if err != nil {
		d.Fatal(err)
	}
	r, err := http.NewRequestWithContext(d.Context(), http.MethodPost, "http://api.test"+messages,
		bytes.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	resp, err := d.rt.RoundTrip(r)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if err != nil {
		d.Fatal(err)
	}
	_ = resp.Body.Close()
}

// TestDrawn: of many conversations whose clients cut their histories in all ways, through processes that are
// killed before they have saved an answer, no request goes on with the run of another conversation. Those
// that keep an answer that tells go on with theirs, at its turn: an edge fires once, and a limit holds. With
// -long it plays 100,000 requests.
func TestDrawn(t *testing.T) {
	t.Parallel()
	type score struct{ right, anew, wrong, unheard, strange int }
	by := map[string]*score{}
	w := history.New(5, 200)
	d := &drawing{T: t, clock: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)}
	store := onDisk{state.NewMemory()}
	d.opts = transport.Options{Base: d, Report: func(_ context.Context, r transport.Report) { d.report = r },
		Later: func(save func() error) {
			if d.killed = w.Chance(3); !d.killed {
				if err := save(); err != nil {
					t.Error(err)
				}
			}
		}}
	d.start(store)
	owner, alike, lost := map[string]int{}, map[[2]int]bool{}, map[int]bool{}
	asked := map[string]int{} // by the run and its turn: whose it is
	// how many turns later a run, and a client's latest one, has begun than its conversation
	late, lateOf := map[string]int{}, map[*history.Client]int{}
	fired, astray := map[int]map[string]int{}, map[int]bool{}
	turn, n := 0, testkit.Repeat(1_500, 6_000)
	if testkit.Long() {
		n = 100_000
	}
	for range n {
		c := w.Next()
		d.clock = d.clock.Add(10 * time.Second)
		turn++
		req, parent := c.Request(), c.Parent()
		d.answer = c.Answer(turn)
		want := 1
		for _, m := range c.History {
			if m.Role == 'a' {
				want++
			}
		}
		if d.post(req); c.Edit == "retry" && w.Chance(25) {
			was := d.report
			if d.post(req); d.report.Run != was.Run || d.report.Turn != was.Turn || !d.report.Again {
				t.Fatalf("a request that is sent again is turn %d of %s, after turn %d of %s", d.report.Turn,
					d.report.Run, was.Turn, was.Run)
			}
			d.report = was
		}
		r := d.report
		if lost[turn] = d.killed; d.killed {
			d.start(store)
		}
		s := by[c.Edit]
		if s == nil {
			s = &score{}
			by[c.Edit] = s
		}
		keeps := slices.ContainsFunc(req, func(m history.Message) bool { return m.Role == 'a' })
		at := fmt.Sprint(r.Run, " ", r.Turn)
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
			t.Fatalf("a request is no turn: %+v", r)
		case !r.Again && r.Turn > 1 && o != 0 && o != c.Family && !alike[[2]int{o, c.Family}]:
			if lost[parent] {
				s.unheard++
			} else {
				s.strange++
			}
			astray[c.Family] = true
		case r.Turn == want-ahead || !keeps:
			s.right++
		case r.Turn == 1:
			s.anew++
			astray[c.Family] = true
		default:
			s.wrong++
			astray[c.Family] = true
		}
		late[r.Run], lateOf[c] = want-r.Turn, want-r.Turn
		if r.Turn > 1 && !r.Again {
			owner[r.Run] = c.Family
		}
		if fired[c.Family] == nil {
			fired[c.Family] = map[string]int{}
		}
		for _, f := range r.Fired {
			fired[c.Family][f.ID]++
		}
		if c.Edit == "fork" || c.Edit == "rewind" || !keeps && want > 1 { // it has several turns with one number
			astray[c.Family] = true
		}
		c.Take(d.answer)
	}
	var sum score
	for _, e := range history.Edits {
		s := by[e]
		t.Logf("%-30s right %6d, begun anew %4d, at another place %3d, another's %d and %d", e, s.right, s.anew,
			s.wrong, s.strange, s.unheard)
		sum.right, sum.anew, sum.wrong = sum.right+s.right, sum.anew+s.anew, sum.wrong+s.wrong
		sum.strange, sum.unheard = sum.strange+s.strange, sum.unheard+s.unheard
	}
	if sum.strange > 0 || 2000*sum.unheard > n || 20*sum.anew > n || 40*sum.wrong > n {
		t.Errorf("of %d requests %d and %d went to another's run, %d began anew, %d went to another place",
			n, sum.strange, sum.unheard, sum.anew, sum.wrong)
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
	t.Logf("%d conversations are at their turn throughout", whole)
}
