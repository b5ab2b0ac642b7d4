package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/cmd/aside/internal/transcript/machines"
	"github.com/aside-go/aside/compile/fact"
)

// ClaudeCode reads a session file of Claude Code (HOOKS.md §4.8). A file that is not there tells nothing, and is no error.
func ClaudeCode(ctx context.Context, path string, o Options) (Record, error) {
	return read(ctx, path, o, func(o Options) reader {
		return &claudeCode{Options: o, rec: Record{LastFailed: fact.Unknown}, results: map[string]bool{}, prompts: map[string]struct{}{}}
	})
}

// Subagent returns the file of a subagent, given the file of the session that it belongs to; "" where an id is none, or there is
// none of that id.
func Subagent(transcript, id string) string {
	base, ok := strings.CutSuffix(transcript, ".jsonl")
	if !ok || !plainName(id) {
		return ""
	}
	dir, file := filepath.Join(base, "subagents"), "agent-"+id+".jsonl"
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
		return filepath.Join(dir, file)
	}
	entries, _ := os.ReadDir(dir) // those of a workflow are one level deeper
	for _, e := range entries {
		if e.IsDir() {
			if _, err := os.Stat(filepath.Join(dir, e.Name(), file)); err == nil {
				return filepath.Join(dir, e.Name(), file)
			}
		}
	}
	return ""
}

// AgentType returns what a subagent is, by the file beside its own; "" where that does not tell.
func AgentType(path string) string {
	f, size, err := open(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	if f == nil || err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, min(size, firstStep))
	if n, _ := f.ReadAt(b, 0); n < len(b) {
		return ""
	}
	v, _ := object(b)
	return name(v.Get("agentType"))
}

// stepReach is how far before the last response the other results of its step are looked for, in bytes.
const stepReach = 1 << 20

// claudeCode reads lines of a session file, the last one first.
type claudeCode struct {
	Options
	rec     Record
	counted bool                // ContextTokens is known, or known to be unknown
	last    string              // id of the model's last message; "" before it was met
	end     int64               // where its last line begins
	step    string              // id of the last message that calls tools; "" before it was met
	before  bool                // what stands here is from before that message, or it is too far away
	results map[string]bool     // of calls, whether they failed
	prompts map[string]struct{} // that were counted
	turns   int64
}

func (c *claudeCode) done(whole bool) Record {
	slices.Reverse(c.rec.Calls)
	slices.Reverse(c.rec.Delivered)
	c.rec.ContextWindow = window(c.rec.Model, c.rec.ContextTokens)
	if whole && c.Whole && !c.Subagent {
		c.rec.HumanTurns = &c.turns
	}
	return c.rec
}

func (c *claudeCode) line(at int64, line []byte) (from int64) {
	c.take(at, line)
	switch {
	case c.Whole || c.last == "":
		return 0
	case c.before:
		return at
	}
	return c.end - stepReach
}

func (c *claudeCode) take(at int64, line []byte) {
	kind := kindOf(line)
	switch kind {
	case "user", "assistant", "system", "attachment":
	default: // New ones come often, and some of them hold messages.
		return
	}
	v, ok := object(line)
	if !ok || v.Get("isSidechain").Bool() && !c.Subagent {
		return
	}
	switch kind {
	case "user":
		c.user(v)
	case "assistant":
		c.assistant(at, v)
	case "system":
		if text(v.Get("subtype")) == "compact_boundary" && !c.counted {
			c.counted, c.before = true, true
			if c.rec.ContextTokens = count(v.Get("compactMetadata.postTokens")); c.rec.ContextTokens != nil {
				c.rec.At, c.rec.Compacted = at, true
			}
		}
	case "attachment":
		if a := v.Get("attachment"); text(a.Get("type")) == "hook_additional_context" {
			texts := a.Get("content").Array()
			for _, t := range slices.Backward(texts) {
				c.rec.Delivered = append(c.rec.Delivered, text(t))
			}
		}
	}
}

// user takes in what came from the user's side: results of tools, or a prompt.
func (c *claudeCode) user(v gjson.Result) {
	content := v.Get("message.content")
	results, media := false, false
	content.ForEach(func(_, block gjson.Result) bool {
		switch text(block.Get("type")) {
		case "tool_result":
			results = true
			if id := name(block.Get("tool_use_id")); id != "" && !c.before {
				c.results[id] = block.Get("is_error").Bool()
			}
		case "image", "document":
			media = true
		}
		return true
	})
	origin := text(v.Get("origin.kind"))
	switch {
	case results, v.Get("isMeta").Bool(), v.Get("isCompactSummary").Bool():
		return
	case origin != "" && origin != "human":
		return
	case content.Type != gjson.String && !media && origin == "": // only people send images
		return
	case machines.Wrote(opening(content)):
		return
	}
	c.before = c.before || c.last != "" // the step is over where a person wrote
	id := name(v.Get("promptId"))
	if id != "" {
		if _, again := c.prompts[id]; again || id == c.TurnKey {
			return
		}
		c.prompts[id] = struct{}{}
	}
	c.turns++
}

// opening returns the text that a prompt begins with.
func opening(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	return text(content.Get("0.text"))
}

// assistant takes in a line of a message of the model's. A message is several lines, which all have the same usage.
func (c *claudeCode) assistant(at int64, v gjson.Result) {
	m := v.Get("message")
	model := name(m.Get("model"))
	if !m.Get("usage").IsObject() || model == "<synthetic>" || v.Get("isApiErrorMessage").Bool() {
		return
	}
	id := name(m.Get("id"))
	if id == "" {
		id = name(v.Get("uuid"))
	}
	if id == "" {
		id = "?"
	}
	if c.last == "" {
		c.last, c.end, c.rec.Model = id, at, model
		c.usage(at, id, m)
	}
	if c.step != "" && id != c.step {
		c.before = true
	}
	blocks := m.Get("content").Array()
	for _, b := range slices.Backward(blocks) {
		if text(b.Get("type")) != "tool_use" {
			continue
		}
		c.rec.Calls = append(c.rec.Calls, name(b.Get("name")))
		if !c.before {
			c.step = id
			c.ended(name(b.Get("id")))
		}
	}
}

// ended takes in a call of the last step: its result was met before, since it stands behind it.
func (c *claudeCode) ended(call string) {
	failed, ok := c.results[call]
	switch {
	case !ok:
	case failed:
		c.rec.Failed, c.rec.LastFailed = append(c.rec.Failed, call), fact.True
	case c.rec.LastFailed == fact.Unknown:
		c.rec.LastFailed = fact.False
	}
}

// usage takes in what the last message tells of tokens. Before it has ended its output is not known; of what a server-side loop of
// tools sums up the last iteration is what stands in the window.
func (c *claudeCode) usage(at int64, id string, m gjson.Result) {
	u := m.Get("usage")
	if out := count(u.Get("output_tokens")); out != nil && text(m.Get("stop_reason")) != "" {
		c.rec.ResponseTokens, c.rec.Response = out, id
	}
	if c.counted {
		return
	}
	c.counted = true
	n, ok := prompt(u)
	iterations := u.Get("iterations").Array()
	for _, it := range slices.Backward(iterations) {
		if kind := text(it.Get("type")); kind != "" && kind != "message" {
			continue
		}
		if last, there := prompt(it); there {
			n, ok = last, true
			break
		}
	}
	if ok && n > 0 { // no request has no tokens
		c.rec.ContextTokens, c.rec.At = &n, at
	}
}

// prompt is what went into a model call.
func prompt(usage gjson.Result) (int64, bool) {
	return sum(count(usage.Get("input_tokens")), count(usage.Get("cache_creation_input_tokens")), count(usage.Get("cache_read_input_tokens")))
}
