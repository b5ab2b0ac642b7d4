package session

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/cmd/aside/internal/transcript/machines"
	"github.com/aside-go/aside/compile/fact"
)

// Codex reads a rollout file of Codex CLI (HOOKS.md §5). It tells the size of the window itself, and uses less than models have.
// A file that is not there tells nothing, and is no error.
func Codex(ctx context.Context, path string, o Options) (Record, error) {
	return read(ctx, path, o, func(o Options) reader { return &codex{Options: o, rec: Record{LastFailed: fact.Unknown}} })
}

// ownRollout reports whether a rollout is that of a thread: its file is named after the thread.
func ownRollout(path, thread string) bool {
	return plainName(thread) && strings.HasSuffix(strings.TrimSuffix(filepath.Base(path), ".jsonl"), thread)
}

// codex reads lines of a rollout, the last one first.
type codex struct {
	Options
	rec     Record
	counted bool // ContextTokens is known, or known to be unknown
	told    bool // ResponseTokens is
	events  int64
	items   int64
}

func (c *codex) done(whole bool) Record {
	if whole && c.Whole && !c.Subagent {
		n := c.events
		if n == 0 { // an older version has no events of prompts
			n = c.items
		}
		c.rec.HumanTurns = &n
	}
	return c.rec
}

func (c *codex) line(at int64, line []byte) (from int64) {
	c.take(at, line)
	if !c.Whole && c.counted && c.told && c.rec.Model != "" {
		return at
	}
	return 0
}

func (c *codex) take(at int64, line []byte) {
	kind := kindOf(line)
	switch kind {
	case "event_msg", "turn_context", "compacted":
	case "response_item":
		if !c.Whole {
			return
		}
	default:
		return
	}
	v, ok := object(line)
	if !ok {
		return
	}
	p := v.Get("payload")
	switch kind {
	case "compacted":
		c.counted = true // what was counted before is no more
	case "turn_context":
		if c.rec.Model == "" {
			c.rec.Model = name(p.Get("model"))
		}
	case "event_msg":
		switch text(p.Get("type")) {
		case "token_count":
			c.tokens(at, p.Get("info"))
		case "user_message":
			if !machines.Wrote(text(p.Get("message"))) {
				c.events++
			}
		}
	case "response_item":
		if text(p.Get("type")) == "message" && text(p.Get("role")) == "user" && !codexMachine(text(p.Get("content.0.text"))) {
			c.items++
		}
	}
}

// tokens takes in a count of the tokens of the last model call. The same call may be counted in several lines.
func (c *codex) tokens(at int64, info gjson.Result) {
	last := info.Get("last_token_usage")
	if !last.IsObject() {
		return
	}
	if !c.counted {
		c.counted = true
		if n := count(last.Get("total_tokens")); n != nil && *n > 0 {
			c.rec.ContextTokens, c.rec.At = n, at
		}
	}
	if n := count(info.Get("model_context_window")); c.rec.ContextWindow == nil && n != nil && *n > 0 {
		c.rec.ContextWindow = n
	}
	// After a compaction what is left is counted, without a call.
	if out := count(last.Get("output_tokens")); !c.told && out != nil && *out > 0 {
		c.told = true
		c.rec.ResponseTokens = out
		c.rec.Response = strconv.FormatInt(at, 10)
		if total := count(info.Get("total_token_usage.total_tokens")); total != nil {
			c.rec.Response = "total " + strconv.FormatInt(*total, 10)
		}
	}
}

// codexMachine reports whether a message in a user's place is the agent's own.
func codexMachine(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, tag := range [...]string{"<environment_context", "<user_instructions", "<turn_aborted", "# AGENTS.md instructions"} {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return machines.Wrote(text)
}
