package session_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent/session"
)

// billOf adds up what the calls of a file cost, as replay does.
func billOf(t *testing.T, format, text string) session.Bill {
	t.Helper()
	var out session.Sink
	lines := strings.SplitAfter(text, "\n")
	_, s := session.Recognise([]byte(lines[0]), "s.jsonl", "", &out)
	if s == nil {
		t.Fatalf("%s: not recognised", format)
	}
	for i, line := range lines {
		if line != "" {
			s.Line([]byte(line), i+1)
		}
	}
	s.Finish()
	var b session.Bill
	turns := append(out.Turns, s.Pending()...)
	for i := range turns[1:] {
		b.Add(turns[i].Model, turns[i+1])
	}
	return b
}

// codexSteps is a session of Codex with so many responses, each with a count of its tokens.
func codexSteps(n int) string {
	var b strings.Builder
	b.WriteString(`{"timestamp":"2026-09-20T20:00:58Z","type":"session_meta","payload":{"id":"s","cwd":"/p"}}` +
		"\n" +
		`{"type":"turn_context","payload":{"model":"gpt-5.4"}}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"response_item","payload":{"type":"function_call","name":"exec_command",`+
			`"arguments":"{}","call_id":"c%d"}}`+"\n", i)
		fmt.Fprintf(&b, `{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":`+
			`{"total_tokens":%d},"last_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":7,`+
			`"total_tokens":%d}}}}`+"\n", (i+1)*100, 1000+i, 500, 1007+i)
		fmt.Fprintf(&b, `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c%d",`+
			`"output":"ok"}}`+"\n", i)
	}
	return b.String()
}

// TestSpent: what a session has cost, told while its file grows, is what the whole file tells.
func TestSpent(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for name, text := range map[string]string{"claude-code": steps(r, 40, 300), "codex": codexSteps(40)} {
		path := file(t, name+".jsonl", "")
		spent, reads := &session.Billed{}, 0
		for end := 0; end < len(text); {
			end = min(len(text), end+1+r.IntN(4000)) // somewhere in a line, too
			if err := os.WriteFile(path, []byte(text[:end]), 0o600); err != nil {
				t.Fatal(err)
			}
			facts, err := session.Read(t.Context(), session.File{Agent: name, Path: path, Spent: spent})
			if err != nil {
				t.Fatal(err)
			}
			spent, reads = facts.Spent, reads+1
			whole := strings.LastIndexByte(text[:end], '\n') + 1
			if whole < 1000 {
				continue
			}
			want, known := must(billOf(t, name, text[:whole])).Total()
			switch {
			case !known:
				t.Fatalf("%s: no price", name)
			case facts.Cost == nil || math.Abs(*facts.Cost-want) > 1e-9:
				t.Errorf("%s, %d bytes: %v, want %g", name, end, facts.Cost, want)
			}
		}
		if reads < 5 || spent.At == 0 {
			t.Errorf("%s: %d reads, at last from %d", name, reads, spent.At)
		}
	}
}

func must(b session.Bill) *session.Bill { return &b }

// TestSpentUnpriced: the cost is not known where a model has no price, or nothing was read. Before the first
// model call it is 0.
func TestSpentUnpriced(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(codexSteps(3), "gpt-5.4", "nobody-knows-1")
	for _, text := range []string{text, person + "\n", ""} {
		agent := "codex"
		if strings.HasPrefix(text, person) {
			agent = "claude-code"
		}
		facts, err := session.Read(t.Context(), session.File{Agent: agent, Path: file(t, "s.jsonl", text),
			Spent: &session.Billed{}})
		begun := agent == "claude-code"
		if err != nil || (facts.Cost != nil) != begun || begun && *facts.Cost != 0 {
			t.Errorf("%.40q: %v, %v", text, facts.Cost, err)
		}
	}
}
