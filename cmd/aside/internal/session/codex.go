package session

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// Codex reads a rollout, a session file of Codex CLI (HOOKS.md §5). Such a file has the size of the window, which is less than what the
// model has. A file that does not exist is a zero Record and no error.
func Codex(ctx context.Context, path string, o Options) (Record, error) {
	return read(ctx, path, o, func(o Options) reader { return &codex{Options: o, rec: Record{LastFailed: fact.Unknown}} })
}

// ownRollout reports whether a rollout is that of a thread: whether its name ends in the thread's id.
func ownRollout(path, thread string) bool {
	return plainName(thread) && strings.HasSuffix(strings.TrimSuffix(filepath.Base(path), ".jsonl"), thread)
}

// codex reads lines of a rollout, the last one first.
type codex struct {
	Options
	rec     Record
	counted bool  // nothing earlier in the file can set ContextTokens any more
	told    bool  // ResponseTokens is known
	events  int64 // events of prompts of persons
	items   int64 // response items that look like prompts of persons
}

func (c *codex) done(whole bool) Record {
	if whole && c.Whole && !c.Subagent {
		n := c.events
		if n == 0 { // older versions write no events of prompts
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
		c.counted = true // counts from before the compaction no longer hold
	case "turn_context":
		if c.rec.Model == "" {
			c.rec.Model = name(p.Get("model"))
		}
	case "event_msg":
		switch text(p.Get("type")) {
		case "token_count":
			c.tokens(at, p.Get("info"))
		case "user_message":
			if agent.Wrote(text(p.Get("message"))) == "" {
				c.events++
			}
		}
	case "response_item":
		if text(p.Get("type")) == "message" && text(p.Get("role")) == "user" && agent.Wrote(text(p.Get("content.0.text"))) == "" {
			c.items++
		}
	}
}

// tokens reads a count of the tokens of the last model call. Several lines may have the count of the same call.
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
	// A count without output is of what a compaction has left, and of no call.
	if out := count(last.Get("output_tokens")); !c.told && out != nil && *out > 0 {
		c.told = true
		c.rec.ResponseTokens = out
		c.rec.Response = strconv.FormatInt(at, 10)
		if total := count(info.Get("total_token_usage.total_tokens")); total != nil {
			c.rec.Response = "total " + strconv.FormatInt(*total, 10)
		}
	}
}
