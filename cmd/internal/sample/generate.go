//go:build ignore

// This program writes the sample recording: the conversation of script.go in the form of Claude Code's
// session files. It reads no clock and draws no lots, so it writes the same bytes each time.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/jsonscan"
)

// turn is one model call: what stood before it, and what the model answered.
type turn struct {
	wait    time.Duration // before anything happens
	resume  bool
	compact int    // tokens left after a compaction; 0: none
	you     string // a person's message
	machine string // a message of the agent's own in the user's place

	say   string
	calls []call
	out   int // tokens of the answer
	add   int // tokens by which the next prompt is longer, beside the answer
}

type call struct {
	tool   string
	input  any
	result string
	failed bool
}

// file writes the lines of one session or subagent.
type file struct {
	session, agent, model string
	at                    time.Time
	buf                   bytes.Buffer
	parent                any
	n                     int
	context               int
	cached                int
}

type fields map[string]any

func (f *file) id(kind string, n int) string {
	h := sha256.Sum256([]byte(strings.Join([]string{f.session, f.agent, kind, time.Duration(n).String()}, " ")))
	return hex.EncodeToString(h[:])
}

func (f *file) uuid() string {
	f.n++
	h := f.id("line", f.n)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}

// pair keeps the members of an object in order, as the agent writes them.
type pair struct {
	key   string
	value any
}

func object(ps ...pair) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(p.key))
		b.WriteByte(':')
		b.Write(encode(p.value))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func encode(v any) []byte {
	b, err := jsonscan.Encode(v)
	if err != nil {
		log.Fatal(err)
	}
	return b
}

func (f *file) meta(ps ...pair) {
	f.buf.Write(object(append(ps, pair{"sessionId", f.session})...))
	f.buf.WriteByte('\n')
}

// line writes a record of the conversation.
func (f *file) line(kind string, ps ...pair) string {
	id := f.uuid()
	head := []pair{{"parentUuid", f.parent}, {"isSidechain", f.agent != ""}}
	if f.agent != "" {
		head = append(head, pair{"agentId", f.agent})
	}
	head = append(head, pair{"type", kind})
	head = append(head, ps...)
	head = append(head, pair{"uuid", id}, pair{"timestamp", f.at.Format("2006-01-02T15:04:05.000Z")},
		pair{"cwd", "/home/noor/tidewatch"}, pair{"sessionId", f.session}, pair{"version", "2.1.270"})
	f.buf.Write(object(head...))
	f.buf.WriteByte('\n')
	f.parent = id
	return id
}

func (f *file) user(content any, ps ...pair) {
	f.line("user", append([]pair{{"message", object(pair{"role", "user"}, pair{"content", content})}}, ps...)...)
}

func (f *file) turn(i int, t turn) {
	f.at = f.at.Add(t.wait)
	if t.resume {
		f.line("attachment", pair{"attachment", object(pair{"type", "hook_success"},
			pair{"hookName", "SessionStart:resume"}, pair{"hookEvent", "SessionStart"}, pair{"exitCode", 0})})
	}
	if t.compact > 0 {
		f.line("system", pair{"subtype", "compact_boundary"}, pair{"content", "Conversation compacted"},
			pair{"isMeta", false},
			pair{"compactMetadata", object(pair{"trigger", "auto"}, pair{"preTokens", f.context},
				pair{"postTokens", t.compact})})
		f.user(t.machine, pair{"isCompactSummary", true}, pair{"isVisibleInTranscriptOnly", true})
		f.context, f.cached = t.compact, 0
	} else if t.machine != "" {
		f.user(t.machine, pair{"origin", object(pair{"kind", "task-notification"})}, pair{"promptSource", "system"})
	}
	if t.you != "" {
		if f.agent == "" {
			f.meta(pair{"type", "file-history-snapshot"}, pair{"messageId", f.id("snapshot", i)[:8]},
				pair{"snapshot", fields{}}, pair{"isSnapshotUpdate", false})
			f.user(t.you, pair{"origin", object(pair{"kind", "human"})}, pair{"promptSource", "typed"})
		} else {
			f.user(t.you)
		}
	}
	f.at = f.at.Add(time.Duration(4+t.out/12) * time.Second)
	f.answer(i, t)
	f.cached = f.context
	f.context += t.out + t.add
}

// answer writes the model's message, a line for each block, and the results. In a parallel batch they
// alternate.
func (f *file) answer(i int, t turn) {
	stop := "end_turn"
	if len(t.calls) > 0 {
		stop = "tool_use"
	}
	usage := object(pair{"input_tokens", 4}, pair{"cache_creation_input_tokens", f.context - f.cached - 4},
		pair{"cache_read_input_tokens", f.cached}, pair{"output_tokens", t.out})
	block := func(b json.RawMessage) {
		f.line("assistant", pair{"message", object(pair{"model", f.model},
			pair{"id", "msg_01" + f.id("message", i)[:16]}, pair{"type", "message"}, pair{"role", "assistant"},
			pair{"content", []any{b}}, pair{"stop_reason", stop}, pair{"usage", usage})})
	}
	if t.say != "" {
		block(object(pair{"type", "text"}, pair{"text", t.say}))
	}
	for j, c := range t.calls {
		id := "toolu_01" + f.id("call", i*100+j)[:12]
		block(object(pair{"type", "tool_use"}, pair{"id", id}, pair{"name", c.tool}, pair{"input", c.input}))
		f.at = f.at.Add(1100 * time.Millisecond)
		if c.tool == "Bash" {
			f.line("progress", pair{"data", object(pair{"type", "bash_progress"}, pair{"elapsedTimeSeconds", 1})},
				pair{"toolUseID", id})
			f.at = f.at.Add(11 * time.Second)
		}
		f.user([]any{object(pair{"tool_use_id", id}, pair{"type", "tool_result"}, pair{"content", c.result},
			pair{"is_error", c.failed})})
	}
}

// folder is where the files go.
func folder() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return "sample"
}

func (f *file) write(name string, tail string) {
	path := filepath.Join(folder(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	f.buf.WriteString(tail)
	if err := os.WriteFile(path, f.buf.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func (f *file) play(turns []turn) {
	for i, t := range turns {
		f.turn(i, t)
	}
}

func main() {
	log.SetFlags(0)
	start := time.Date(2026, 6, 9, 8, 30, 0, 0, time.UTC)
	const first, second = "b1e6f0c2-7d34-4a59-9e21-5c8a3f6d0b17", "e42a9c18-3b75-4f60-8d9c-27d1b05e6f43"
	const agent = "a7c31f9d2"

	main := &file{session: first, model: "claude-opus-4-6", at: start, context: 18_400}
	main.meta(pair{"type", "mode"}, pair{"mode", "default"})
	main.play(session)
	main.meta(pair{"type", "ai-title"}, pair{"aiTitle", "Alerts an hour late in summer"})
	main.write(first+".jsonl", "")

	sub := &file{session: first, agent: agent, model: "claude-haiku-4-5-20251001",
		at: start.Add(100 * time.Second), context: 9_100}
	sub.play(explore)
	sub.write(first+"/subagents/agent-"+agent+".jsonl", "")
	meta := &file{}
	meta.buf.Write(object(pair{"agentType", "Explore"}, pair{"description", "find conversions to local time"},
		pair{"spawnDepth", 1}))
	meta.write(first+"/subagents/agent-"+agent+".meta.json", "\n")

	next := &file{session: second, model: "claude-opus-4-6", at: start.Add(25 * time.Hour), context: 17_900}
	next.play(morning)
	next.write(second+".jsonl",
		`{"parentUuid":"0b9d2c61-54a0-4c1f-a7de-90f2be3315aa","isSidechain":false,"type":"assistant","message":{"model":"claude-opus-4-6","id":"msg_01cut","type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_01cut","name":"Edit","input":{"file_path":"/home/noor/tidewatch/dig`)
}
