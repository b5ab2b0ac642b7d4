package modelapi

import (
	"fmt"
	"slices"
	"strings"
)

func readConverse(p *Prompt, body *node) *Refusal {
	bad := refusals(Converse).bad
	for i, t := range body.get("toolConfig").list("tools") {
		if t.get("cachePoint") != nil {
			if len(p.Tools) > 0 {
				p.Tools[len(p.Tools)-1].Mark = point(t, fmt.Sprintf("toolConfig.tools.%d", i))
			}
			continue
		}
		raw := t.compact()
		p.Tools = append(p.Tools, Block{Raw: raw, Bytes: len(raw), Name: t.get("toolSpec").str("name")})
	}
	var no *Refusal
	if p.System, no = converseBlocks(body.list("system"), "system", false); no != nil {
		return no
	}
	for i, m := range body.list("messages") {
		path := fmt.Sprintf("messages.%d", i)
		msg := Message{Role: m.str("role"), Path: path}
		if !slices.Contains([]string{"user", "assistant", "system"}, msg.Role) {
			return bad(BadShape, "1 validation error detected: Value '%s' at '%s.role' failed to satisfy constraint: "+
				"Member must satisfy enum value set: [user, assistant]", msg.Role, path)
		}
		if len(m.list("content")) == 0 {
			return bad(BadShape, "The content field in the Message object at %s is empty. Add a "+
				"ContentBlock object to "+
				"the content field and try again.", path)
		}
		if msg.Blocks, no = converseBlocks(m.list("content"), path+".content", false); no != nil {
			return no
		}
		p.Messages = append(p.Messages, msg)
	}
	if len(p.Messages) == 0 {
		return bad(BadShape, "A conversation must start with a user message. Try again with a conversation that "+
			"starts with a user message.")
	}
	return nil
}

func point(n *node, path string) *Mark {
	return &Mark{Hour: n.get("cachePoint").str("ttl") == "1h", Path: path}
}

// converseBlocks reads a content; inner is whether it is that of a toolResult. A cachePoint becomes the mark
// of the block before it.
func converseBlocks(items []*node, path string, inner bool) ([]Block, *Refusal) {
	bad := refusals(Converse).bad
	var out []Block
	for i, n := range items {
		at := fmt.Sprintf("%s.%d", path, i)
		b := Block{Raw: n.compact(), Path: at}
		b.Bytes = len(b.Raw)
		use, res, think := n.get("toolUse"), n.get("toolResult"), n.get("reasoningContent")
		switch {
		case n.get("cachePoint") != nil && inner:
			return nil, bad(PointInResult,
				"The content block at %s is invalid: cachePoint is not supported inside toolResult content.", at)
		case n.get("cachePoint") != nil:
			if len(out) == 0 {
				return nil, bad(BadShape, "The cachePoint at %s must follow another content block.", at)
			}
			if out[len(out)-1].Kind == Thinking {
				return nil, bad(PointAfterThink, "The cachePoint at %s cannot follow a reasoningContent block.", at)
			}
			out[len(out)-1].Mark = point(n, at)
			continue
		case n.get("text").is('"'):
			b = TextBlock(n.str("text"))
			b.Path = at
			if blank(b.Text) && !inner {
				return nil, bad(BlankBlock,
					"The text field in the ContentBlock object at %s is blank. Add text to the text field, and "+
						"try again.", at)
			}
		case use != nil:
			b.Kind, b.ID, b.Name = ToolUse, use.str("toolUseId"), use.str("name")
			b.Bytes = len(b.Name) + len(use.get("input").compact())
		case res != nil:
			in, no := converseBlocks(res.list("content"), at+".toolResult.content", true)
			if no != nil {
				return nil, no
			}
			b = result(res.str("toolUseId"), in)
			b.Path = at
		case think != nil:
			t := think.get("reasoningText")
			b.Kind, b.Text, b.Signature = Thinking, t.str("text"), t.str("signature")+think.str("redactedContent")
			b.Bytes = len(b.Text)
		case len(n.members) != 1:
			return nil, bad(BadShape, "The content block at %s must have exactly one member.", at)
		}
		out = append(out, b)
	}
	return out, nil
}

func checkConverse(p *Prompt, m Model) *Refusal {
	bad := refusals(Converse).bad
	if no := checkSystem(p, m); no != nil {
		return no
	}
	last := ""
	for i, msg := range p.Messages {
		switch {
		case i == 0 && msg.Role != "user":
			return bad(StartsWithUser,
				"A conversation must start with a user message. Try again with a conversation that starts with a "+
					"user message.")
		case msg.Role == "system":
			continue
		case msg.Role == last:
			return bad(Alternation, "A conversation must alternate between user and assistant roles. Make sure the "+
				"conversation alternates between user and assistant roles and try again.")
		}
		last = msg.Role
		if no := toolResults(p, i); no != nil {
			return no
		}
	}
	for _, check := range []func(*Prompt, Model) *Refusal{checkResults, checkMarks, checkEnd, checkThinking} {
		if no := check(p, m); no != nil {
			return no
		}
	}
	return nil
}

// toolResults refuses results in message i that do not match the calls of the message before.
func toolResults(p *Prompt, i int) *Refusal {
	bad := refusals(Converse).bad
	var calls []string
	if i > 0 && p.Messages[i-1].Role == "assistant" {
		calls = p.Messages[i-1].ids(ToolUse)
	}
	got := p.Messages[i].ids(ToolResult)
	if len(got) > len(calls) {
		return bad(ResultMismatch,
			"The number of toolResult blocks at messages.%d.content exceeds the number of toolUse blocks of "+
				"previous turn.", i)
	}
	var missing []string
	for _, id := range calls {
		if !slices.Contains(got, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return bad(ResultMismatch, "Expected toolResult blocks at messages.%d.content for the following Ids: %s", i,
			strings.Join(missing, ", "))
	}
	return nil
}
