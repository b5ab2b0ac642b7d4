package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// ClaudeCode reads a session file of Claude Code (HOOKS.md §4.8). A file that does not exist is a zero Record and no error.
func ClaudeCode(ctx context.Context, path string, o Options) (Record, error) {
	return read(ctx, path, o, func(o Options) reader {
		return &claudeCode{Options: o, rec: Record{LastFailed: fact.Unknown}, results: map[string]bool{}, prompts: map[string]struct{}{}}
	})
}

// Subagent returns the path of a subagent's file, given the file of its session; "" where there is no such file, or id cannot be part of
// a file's name.
func Subagent(transcript, id string) string {
	base, ok := strings.CutSuffix(transcript, ".jsonl")
	if !ok || !plainName(id) {
		return ""
	}
	dir, file := filepath.Join(base, "subagents"), "agent-"+id+".jsonl"
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
		return filepath.Join(dir, file)
	}
	entries, _ := os.ReadDir(dir) // files of a workflow's subagents are one directory deeper
	for _, e := range entries {
		if e.IsDir() {
			if _, err := os.Stat(filepath.Join(dir, e.Name(), file)); err == nil {
				return filepath.Join(dir, e.Name(), file)
			}
		}
	}
	return ""
}

// AgentType returns the type of a subagent, which the .meta.json file beside its own has; "" where that does not say.
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

// stepReach is how many bytes before the last response the calls and results of its step are looked for.
const stepReach = 1 << 20

// claudeCode reads lines of a session file, the last one first.
type claudeCode struct {
	Options
	rec     Record
	counted bool                // nothing earlier in the file can set ContextTokens any more
	last    string              // id of the model's last message; "": not found yet
	end     int64               // offset of that message's last line
	step    string              // id of the last message that calls tools; "": not found yet
	before  bool                // the reading has left the last step: calls and results here are of earlier ones
	results map[string]bool     // by the id of a call, whether it failed
	prompts map[string]struct{} // ids of the prompts that are counted in turns
	turns   int64               // prompts of persons
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
	default: // other kinds, of which every version brings new ones, may hold messages that count nowhere
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

// user reads a line in the user's place: results of tools, or a prompt.
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
	case agent.Wrote(opening(content)) != "":
		return
	}
	c.before = c.before || c.last != "" // a step ends at a person's prompt
	id := name(v.Get("promptId"))
	if id != "" {
		if _, again := c.prompts[id]; again || id == c.TurnKey {
			return
		}
		c.prompts[id] = struct{}{}
	}
	c.turns++
}

// opening returns the first text of a prompt.
func opening(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	return text(content.Get("0.text"))
}

// assistant reads a line of a message of the model. A message is several lines with the same usage.
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

// ended reads whether a call of the last step has failed. The call's result was read already, since it comes later in the file.
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

// usage reads the usage of the last message. The output is not known before the message has ended. Where a server-side tool loop made
// several iterations, what is in the window is the prompt of the last one.
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

// prompt returns the tokens of a model call's prompt; false where usage does not tell.
func prompt(usage gjson.Result) (int64, bool) {
	return sum(count(usage.Get("input_tokens")), count(usage.Get("cache_creation_input_tokens")), count(usage.Get("cache_read_input_tokens")))
}
