package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/agent/session"
)

// steps returns a session of Claude Code with so many steps: a message that calls two tools, on two lines,
// and their results, of which some failed. Lines have up to size bytes.
func steps(r *rand.Rand, n, size int) string {
	var b strings.Builder
	b.WriteString(person + "\n")
	for i := range n {
		for call := range 2 {
			fmt.Fprintf(&b, `{"isSidechain":false,"type":"assistant","message":{"model":"claude-opus-5","id":"m%d",`+
				`"content":[{"type":"tool_use","id":"c%d.%d","name":"Read","input":%q}],`+
				`"usage":{"input_tokens":%d,"output_tokens":3},"stop_reason":"tool_use"}}`+"\n",
				i, i, call, strings.Repeat("x", r.IntN(size)), i+1)
		}
		for call := range 2 {
			fmt.Fprintf(&b, `{"isSidechain":false,"type":"user","message":{"content":[{"type":"tool_result",`+
				`"tool_use_id":"c%d.%d","is_error":%v,"content":%q}]}}`+"\n",
				i, call, r.IntN(2) == 0, strings.Repeat("x", r.IntN(size)))
		}
	}
	return b.String()
}

// TestEnd: the end of a file tells the same as the whole of it, wherever the parts that are read begin.
func TestEnd(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		path := file(t, "s.jsonl", steps(r, 1+r.IntN(60), []int{10, 1000, 10_000, 60_000}[i%4]))
		whole, err := session.ReadFile(t.Context(), path, true)
		if err != nil {
			t.Fatal(err)
		}
		end, err := session.ReadFile(t.Context(), path, false)
		if err != nil || whole.ContextTokens == nil || whole.UserTurns == nil || *whole.UserTurns != 1 {
			t.Fatal(whole, err)
		}
		end.UserTurns = whole.UserTurns
		if diff := cmp.Diff(whole, end); diff != "" {
			t.Errorf("-whole +end:\n%s", diff)
		}
	}
}

// TestEndOfRewound: where the history was rewound to a message that is further back, more is read.
func TestEndOfRewound(t *testing.T) {
	t.Parallel()
	message := func(id string, tokens, size int) string {
		return fmt.Sprintf(`{"id":%q,"type":"gemini","content":%q,"model":"gemini-2.5-flash","tokens":{"input":%d,`+
			`"output":1}}`+"\n", id, strings.Repeat("x", size), tokens)
	}
	path := file(t, "gemini.jsonl", `{"sessionId":"s","projectHash":"h"}`+"\n"+message("g1", 10, 10)+
		`{"id":"u2","type":"user","content":"Go."}`+"\n"+message("g2", 20, 200_000)+message("g3", 30, 10)+
		`{"$rewindTo":"u2"}`+"\n")
	p, err := session.ReadFile(t.Context(), path, false)
	if err != nil || p.ContextTokens == nil || *p.ContextTokens != 10 {
		t.Error(p, err)
	}
}

// TestTimeIsUp: when the time is up, the end of the file is read, and no more, and there is no error.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	filler := strings.Repeat(`{"type":"summary"}`+"\n", 20_000)
	if p, err := session.ReadFile(ctx, file(t, "s.jsonl", response), true); err != nil ||
		p.ContextTokens == nil {
		t.Error(p, err)
	}
	if p, err := session.ReadFile(ctx, file(t, "long.jsonl", response+"\n"+filler), true); err != nil ||
		p.ContextTokens != nil {
		t.Error(p, err)
	}
}
