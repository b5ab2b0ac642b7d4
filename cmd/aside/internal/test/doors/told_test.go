package doors_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	prices "github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/state"
)

// decision is what was decided on a turn: ids, sorted.
type decision struct {
	Fired, Due []string
	said       []byte            // what reached the model
	records    []reminder.Record // at the last turn, of the whole session
}

var place = fact.Place{Project: project, Home: home}

// byEval tells a session as facts to the protocol of aside eval.
func byEval(t *rapid.T, c conversation, rules []rule) (ds []decision) {
	var in, out bytes.Buffer
	var prompt string
	var cost float64
	row := prices.Of(model)
	for _, s := range c {
		facts := map[string]any{"user_message": s.Prompt != "", "compacted": s.Compacted, "resumed": false,
			"thread_type": "root", "model": model, "context_window": window, "cwd": project}
		if s.Prompt != "" {
			prompt = s.Prompt
		}
		facts["prompt"] = prompt
		if s.Context > 0 {
			facts["last_response_tokens"] = s.Response
			dollars, _ := row.Cost(prices.Tokens{Plain: 1, Read: s.Context - 1, Output: s.Response})
			cost += dollars
			if !s.Compacted { // its tokens are those of another history
				facts["context_tokens"] = s.Context
			}
		}
		facts["cost"] = cost
		calls := []any{}
		for _, k := range s.Calls {
			calls = append(calls, k.fact())
		}
		facts["calls"] = calls
		in.Write(encoded(map[string]any{"run": named, "facts": facts, "at": s.At.Format(time.RFC3339)}))
		in.WriteByte('\n')
	}
	store := state.NewMemory()
	server := evaljson.Server{Eval: eval.New(compiled(t, rules), eval.Options{Store: store}), Place: place}
	if err := server.Serve(t.Context(), &in, &evaljson.Lines{Out: &out}); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var a struct {
			Fired  []struct{ ID string }
			Kept   []string
			Errors []string
		}
		if err := json.Unmarshal(line, &a); err != nil || len(a.Errors) > 0 {
			t.Fatal(err, a.Errors)
		}
		d := decision{Due: a.Kept}
		for _, f := range a.Fired {
			d.Fired, d.Due = append(d.Fired, f.ID), append(d.Due, f.ID)
		}
		slices.Sort(d.Due)
		slices.Sort(d.Fired)
		d.said = line
		ds = append(ds, d)
	}
	ds[len(ds)-1].records = recorded(t, store)
	return ds
}

// fact returns the call as the protocol of aside eval takes it. Only what has no member of its own is a
// subject.
func (c call) fact() map[string]any {
	m := map[string]any{"tool": c.Tool, "output": c.Output, "failed": c.Failed}
	for from, to := range map[string]string{"command": "command", "file_path": "path", "pattern": "subject",
		"url": "subject"} {
		if v, ok := c.Input[from]; ok {
			m[to] = v
		}
	}
	if strings.HasPrefix(c.Tool, "mcp__") {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c.Input); err != nil {
			panic(err)
		}
		m["subject"] = strings.TrimSpace(b.String())
	}
	return m
}

// lines returns the lines of the session file of Claude Code that were written before the model call of step
// i was answered; answers are told with the step that they lead to.
func (c conversation) lines(i int) []byte {
	var b bytes.Buffer
	s := c[i]
	line := func(kind string, at time.Time, members map[string]any) {
		m := map[string]any{"parentUuid": nil, "isSidechain": false, "type": kind, "sessionId": "s1",
			"cwd":       project,
			"timestamp": at.Format("2006-01-02T15:04:05.000Z"), "version": "2.1.329", "uuid": callID(b.Len() + i<<20)}
		for k, v := range members {
			m[k] = v
		}
		b.Write(encoded(m))
		b.WriteByte('\n')
	}
	if i > 0 {
		var blocks []any
		if s.Answer != "" {
			blocks = append(blocks, map[string]any{"type": "text", "text": s.Answer})
		}
		for _, k := range s.Calls {
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": k.ID, "name": k.Tool,
				"input": k.Input})
		}
		for _, block := range blocks {
			line("assistant", c[i-1].At, map[string]any{"message": map[string]any{"model": model,
				"id":   "msg_" + callID(i),
				"type": "message", "role": "assistant", "content": []any{block}, "stop_reason": "end_turn",
				"usage": s.usage()}})
		}
		for _, k := range s.Calls {
			line("user", s.At, map[string]any{"message": map[string]any{"role": "user",
				"content": []any{map[string]any{"type": "tool_result", "tool_use_id": k.ID, "content": k.Output,
					"is_error": k.Failed}}}})
		}
	}
	if s.Compacted {
		line("system", s.At, map[string]any{"subtype": "compact_boundary",
			"compactMetadata": map[string]any{"trigger": "auto"}})
		line("user", s.At, map[string]any{"isCompactSummary": true, "message": map[string]any{"role": "user",
			"content": s.summary()}})
	}
	if s.Prompt != "" {
		line("user", s.At, map[string]any{"message": map[string]any{"role": "user", "content": s.Prompt},
			"promptId": "p" + callID(i)})
	}
	return b.Bytes()
}

// summary returns the text that stands in place of the history before a compaction.
func (s step) summary() string {
	return "This session is being continued from a previous conversation that ran out of context. At " +
		s.At.String() + " much was done."
}

// usage returns the usage of the model call before a step, as Anthropic counts.
func (s step) usage() map[string]any {
	return map[string]any{"input_tokens": 1, "cache_read_input_tokens": s.Context - 1,
		"cache_creation_input_tokens": 0,
		"output_tokens":               s.Response}
}

// decided collects the decisions of a replay.
type decided []decision

func (d *decided) Turn(s *replay.Step) {
	var one decision
	for _, f := range s.Decision.Fired {
		one.Fired = append(one.Fired, f.ID)
	}
	for _, f := range s.Decision.Due {
		one.Due = append(one.Due, f.ID)
	}
	slices.Sort(one.Fired)
	slices.Sort(one.Due)
	*d = append(*d, one)
}
func (d *decided) RunOver(*replay.Rest) {}
func (d *decided) End(*replay.Report)   {}

// byFile tells a session by its file to a replay.
func byFile(t *rapid.T, c conversation, rules []rule) []decision {
	var b bytes.Buffer
	for i := range c {
		b.Write(c.lines(i))
	}
	// the answer that the last turn led to, without which there is no turn in the file
	last := append(c[:len(c):len(c)], step{Answer: "bye", At: c[len(c)-1].At, Context: 1, Response: 1})
	b.Write(last.lines(len(c)))
	var ds decided
	var errs strings.Builder
	err := replay.Run(t.Context(), replay.Options{Paths: []string{"s1.jsonl"}, Set: compiled(t, rules),
		Files: fstest.MapFS{"s1.jsonl": {Data: b.Bytes()}}, Views: []replay.View{&ds}, Err: &errs,
		Owner: replay.Owner{Project: func(string) string { return project }, Home: home}})
	if err != nil || errs.Len() > 0 {
		t.Fatal(err, errs.String())
	}
	return ds
}
