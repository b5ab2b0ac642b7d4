package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
)

// said is all that messages say, each on a line.
func said(messages []inject.Message) []string {
	var out []string
	for _, m := range messages {
		out = append(out, fmt.Sprint(m.Role, " ", m.Auto, " ", m.ID, " ", saying(m.Text, m.Blocks)))
	}
	return out
}

func saying(text string, blocks []inject.Block) string {
	out := fmt.Sprintf("%q", string([]rune(text))) // as JSON has it
	for _, b := range blocks {
		out += fmt.Sprintf(" [%s %s %s %s %v %s]", b.Type, b.ID, b.Tool, b.Input, b.Failed,
			saying(b.Text, b.Blocks))
	}
	return out
}

// without returns messages without the texts that carry a mark. Blocks of the host's have a Value.
func without(messages []inject.Message, mark string) (out []inject.Message) {
	theirs := func(text string) (left string) {
		for _, s := range inject.Segments(text, mark) {
			if !s.Reminder {
				left += s.Text
			}
		}
		return left
	}
	for _, m := range messages {
		left := theirs(m.Text)
		switch {
		case m.Blocks != nil:
			m.Blocks = slices.DeleteFunc(slices.Clone(m.Blocks), func(b inject.Block) bool {
				return b.Text != "" && theirs(b.Text) == ""
			})
			if len(m.Blocks) == 1 && m.Blocks[0].Value == nil {
				m.Text, m.Blocks = m.Blocks[0].Text, nil
			}
		case left == "" && m.Text != "":
			continue
		case left != m.Text:
			m.Text = strings.TrimRight(left, "\n")
		}
		out = append(out, m)
	}
	return out
}

// drawMessage draws a message of a host, whose Value and those of its blocks say what they say.
func drawMessage(t *rapid.T, role string, n int) inject.Message {
	text := rapid.SampledFrom([]string{"go on", "", "über\n提醒", "not UTF-8: \xff\xfe", "a < b && \"c\"",
		"<system-reminder>theirs</system-reminder>", "\u2028"})
	m := inject.Message{Role: role}
	m.Auto = role == "user" && rapid.IntRange(0, 4).Draw(t, "auto") == 0
	if role == "tool" {
		m.ID, m.Failed = fmt.Sprint("call", n), rapid.Bool().Draw(t, "failed")
	}
	if rapid.Bool().Draw(t, "string") || role == "system" {
		m.Text = text.Draw(t, "text")
		if role != "assistant" {
			m.Text += "."
		}
	} else {
		m.Blocks = []inject.Block{}
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			b := inject.Block{Type: rapid.SampledFrom([]string{"text", "image", "odd"}).Draw(t, "type")}
			if b.Type == "text" {
				b.Text = text.Draw(t, "text") + "."
			}
			b.Value = saying(b.Text, b.Blocks)
			m.Blocks = append(m.Blocks, b)
		}
	}
	if role == "assistant" && m.Blocks != nil && rapid.Bool().Draw(t, "call") {
		m.Blocks = append(m.Blocks, inject.Block{Type: "tool_use", ID: fmt.Sprint("call", n+1), Tool: "Edit",
			Input: []byte(`{"path": "a<b"}`), Value: saying("", nil)})
	}
	m.Value = saying(m.Text, m.Blocks)
	return m
}

// TestValuesLaw: over a run of a host that holds messages as values, each copy begins with the one before,
// without ours it is the history, and no Value disagrees with what stands beside it.
func TestValuesLaw(t *testing.T) {
	t.Parallel()
	while := func(id, trigger string, at reminder.Attach) reminder.Reminder {
		return reminder.Reminder{ID: id, Mode: reminder.While, Trigger: trigger, Attach: at,
			Text: id + " {{.turn_count}}"}
	}
	set := compiled(t, while("all", "every 2 turns", reminder.Tail), while("asked", "user_message",
		reminder.UserTurn),
		while("start", "started", reminder.RunStart))
	rapid.Check(t, func(t *rapid.T) {
		ev := eval.New(set, eval.Options{})
		tr := transport.New(ev, transport.Options{})
		ctx := eval.WithRun(t.Context(), "run")
		var history []inject.Message
		if rapid.Bool().Draw(t, "prompt") {
			history = append(history, drawMessage(t, "system", 0))
		}
		history = append(history, drawMessage(t, "user", 0))
		var before []string
		stands := 0
		for n := range rapid.IntRange(1, 5).Draw(t, "turns") {
			was := said(history)
			c := tr.Copy(ctx, transport.Request{Model: "m", Messages: history})
			c.Done(transport.Response{})
			if now := said(history); strings.Join(now, "\n") != strings.Join(was, "\n") {
				t.Fatalf("the history was %q, and is %q", was, now)
			}
			if c.Report.Passed != "" || c.Report.Why != "" || len(c.Report.Gone) > 0 {
				t.Fatalf("%+v", c.Report)
			}
			stands += len(c.Report.Stands)
			for _, m := range c.Messages {
				if now := saying(m.Text, m.Blocks); m.Value != nil && m.Value != now || m.Was == now {
					t.Fatalf("%+v", m)
				}
				for _, b := range m.Blocks {
					if b.Value != nil && b.Value != saying(b.Text, b.Blocks) {
						t.Fatalf("%+v", b)
					}
				}
			}
			_, mark, err := ev.Notes(ctx, "run")
			if err != nil {
				t.Fatal(err)
			}
			got := said(c.Messages)
			if len(got) < len(before) || strings.Join(got[:len(before)], "\n") != strings.Join(before, "\n") {
				t.Fatalf("%q, and before\n%q", got, before)
			}
			before = got
			if back := said(without(c.Messages, mark)); strings.Join(back, "\n") != strings.Join(was, "\n") {
				t.Fatalf("without ours\n%q, the history\n%q", back, was)
			}
			answer := drawMessage(t, "assistant", n)
			history = append(history, answer)
			if len(answer.Blocks) > 0 && answer.Blocks[len(answer.Blocks)-1].Tool != "" {
				history = append(history, drawMessage(t, "tool", n+1))
			} else {
				history = append(history, drawMessage(t, "user", n))
			}
		}
		if stands == 0 {
			t.Fatal("nothing was put")
		}
	})
}

// TestRequestAllocates: a request of 101 messages takes fewer than five pieces of memory a message, the
// client's and the response among them.
func TestRequestAllocates(t *testing.T) {
	set := compile.Must(compile.New([]reminder.Reminder{{ID: "a", Trigger: "turn_count == 3", Text: "Mind."}},
		compile.Options{}))
	const answer = `{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],` +
		`"usage":{"input_tokens":10,"output_tokens":5}}`
	tr := transport.New(eval.New(set, eval.Options{}), transport.Options{
		Base: client.Trip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(len(answer)),
				Body: io.NopCloser(strings.NewReader(answer))}, nil
		})})
	c := chat{}
	for i := range 50 {
		c = c.user(fmt.Sprint("message ", i)).says(fmt.Sprint("answer ", i))
	}
	const times = 20
	var bodies []string
	for turn := range times + 1 {
		bodies = append(bodies, c.user(fmt.Sprint("and turn ", turn)).of(plainly))
	}
	n := testing.AllocsPerRun(times, func() {
		body := bodies[0]
		bodies = bodies[1:]
		r, err := http.NewRequest(http.MethodPost, "http://api.test"+messages, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(transport.RunHeader, "run")
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	})
	if t.Log(n, "pieces"); n >= 5*101 { // the race detector adds some
		t.Errorf("%v pieces for 101 messages", n)
	}
}

// TestCopyAllocates: a copy of a conversation takes fewer than three pieces of memory a message.
func TestCopyAllocates(t *testing.T) {
	rule := reminder.Reminder{ID: "a", Mode: reminder.While, Text: "Mind the tests."}
	set := compile.Must(compile.New([]reminder.Reminder{rule},
		compile.Options{}))
	tr := transport.New(eval.New(set, eval.Options{}), transport.Options{})
	history := make([]inject.Message, 201)
	for i := range history {
		history[i] = inject.Message{Role: []string{"user", "assistant"}[i%2], Text: fmt.Sprint("message ", i)}
	}
	ctx := eval.WithRun(t.Context(), "run")
	n := testing.AllocsPerRun(20, func() {
		if c := tr.Copy(ctx, transport.Request{Messages: history}); len(c.Messages) != len(history) {
			t.Fatalf("%+v", c.Report)
		}
	})
	if n >= 3*float64(len(history)) {
		t.Errorf("%v pieces for %d messages", n, len(history))
	}
}
