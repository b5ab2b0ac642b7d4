// Package generic owns what can be read off a request body of the generic shape: the facts that the next model call can be
// judged by. It keeps nothing and writes nothing. All functions may be called concurrently.
package generic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

type body struct {
	Model    any        `json:"model"`
	Provider any        `json:"provider"`
	Messages *[]message `json:"messages"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
	Calls   []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tool_calls"` // as OpenAI-compatible hosts write them
}

// content is a string or blocks; a string is one text block.
type content []block

type block struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	ID      string `json:"id"`          // of tool_use
	Name    string `json:"name"`        // of tool_use
	Use     string `json:"tool_use_id"` // of tool_result
	IsError *bool  `json:"is_error"`    // of tool_result
}

// UnmarshalJSON takes anything: what is neither a string nor blocks has nothing to say.
func (c *content) UnmarshalJSON(b []byte) error {
	*c = nil
	switch {
	case bytes.HasPrefix(b, []byte(`"`)):
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*c = content{{Type: "text", Text: s}}
	case bytes.HasPrefix(b, []byte(`[`)):
		var raw []json.RawMessage
		if err := json.Unmarshal(b, &raw); err != nil {
			return err
		}
		for _, r := range raw {
			var bl block
			if json.Unmarshal(r, &bl) == nil {
				*c = append(*c, bl)
			}
		}
	}
	return nil
}

// Check says whether b is JSON; if not, the error begins with line:column: where it stops to be.
func Check(b []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(b, &v)
	var s *json.SyntaxError
	if !errors.As(err, &s) {
		return err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("1:1: empty, not JSON")
	}
	upTo := b[:min(max(int(s.Offset)-1, 0), len(b))]
	line := 1 + bytes.Count(upTo, []byte("\n"))
	column := 1 + len([]rune(string(upTo[bytes.LastIndexByte(upTo, '\n')+1:])))
	return fmt.Errorf("%d:%d: not JSON: %w", line, column, err)
}

// Facts returns what b says about the turn, by the names of the schema. With counts it also counts turns and calls off the
// messages, for want of anybody who has counted them before.
func Facts(b []byte, counts bool) (map[string]any, error) {
	var req body
	if err := json.Unmarshal(b, &req); err != nil {
		return nil, fmt.Errorf("not of the shape {\"messages\":[…]}: %w", err)
	}
	if req.Messages == nil {
		return nil, errors.New(`not of the shape {"messages":[…]}: there is no "messages"`)
	}
	ms := *req.Messages
	f := map[string]any{"message_count": len(ms)}
	for name, v := range map[string]any{"model": req.Model, "provider": req.Provider} {
		if s, ok := v.(string); ok {
			f[name] = s
		}
	}
	previousTurn(f, ms)
	thisTurn(f, ms)
	if counts {
		tally(f, ms)
	}
	return f, nil
}

// previousTurn tells of the last model call: what it said, which tools it called, whether one failed.
func previousTurn(f map[string]any, ms []message) {
	last := -1
	for i, m := range ms {
		if m.Role == "assistant" {
			last = i
		}
	}
	if last < 0 {
		if len(ms) > 0 {
			f["tool_used"] = []string{}
		}
		return
	}
	f["response"] = ms[last].text()
	tools := ms[last].tools()
	names := map[string]string{}
	for _, b := range ms[last].Content {
		if b.Type == "tool_use" {
			names[b.ID] = b.Name
		}
	}
	answered, silent, failed := 0, false, []string{}
	for _, m := range ms[last+1:] {
		if m.Role == "tool" {
			answered, silent = answered+1, true // this shape has no place for an error
		}
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				answered++
				if b.IsError != nil && *b.IsError {
					failed = append(failed, names[b.Use])
				}
			}
		}
	}
	if len(tools) == 0 && answered > 0 {
		return // calls that this shape does not show
	}
	f["tool_used"] = tools
	if len(failed) > 0 || !silent {
		f["last_tool_call_failed"], f[fact.FailedTools] = len(failed) > 0, failed
	}
}

// thisTurn tells what the coming model call answers.
func thisTurn(f map[string]any, ms []message) {
	said, prompt := false, ""
	for _, m := range ms {
		if m.submitted() {
			said, prompt = true, m.text()
		}
	}
	if said {
		f["prompt"] = prompt
	}
	for i := len(ms) - 1; i >= 0; i-- {
		switch m := ms[i]; {
		case m.Role == "system":
			continue
		case m.submitted():
			f["user_message"] = true
		case m.Role == "tool", m.Role == "user":
			f["user_message"] = false
		}
		return
	}
}

func tally(f map[string]any, ms []message) {
	turns, users, calls, hidden := 1, 0, 0, false
	for i, m := range ms {
		switch {
		case m.Role == "assistant":
			turns++
			calls += len(m.tools())
		case m.submitted():
			users++
		case m.Role == "tool":
			hidden = hidden || i > 0 && ms[i-1].Role == "assistant" && len(ms[i-1].tools()) == 0
		}
	}
	f["turn_count"], f["user_turn_count"] = turns, users
	if !hidden {
		f["tool_calls"] = calls
	}
}

// submitted reports whether a person sent m: a user message that is not made of tool results.
func (m message) submitted() bool {
	if m.Role != "user" {
		return false
	}
	other := len(m.Content) == 0
	for _, b := range m.Content {
		if b.Type == "tool_result" {
			return false
		}
		other = other || b.Type != "text" || !reminder(b.Text)
	}
	return other
}

func (m message) tools() []string {
	tools := []string{}
	for _, b := range m.Content {
		if b.Type == "tool_use" && b.Name != "" {
			tools = append(tools, b.Name)
		}
	}
	for _, c := range m.Calls {
		if c.Function.Name != "" {
			tools = append(tools, c.Function.Name)
		}
	}
	return tools
}

// text joins the text blocks of m that are not reminders.
func (m message) text() string {
	var parts []string
	for _, b := range m.Content {
		if b.Type == "text" && !reminder(b.Text) {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// reminder reports whether s is wholly one reminder tag, which no person typed.
func reminder(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "<system-reminder") && strings.HasSuffix(s, "</system-reminder>")
}
