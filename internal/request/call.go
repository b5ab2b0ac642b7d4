package request

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Call is one call of a tool. Without a result it has no output, and whether it failed is unknown.
type Call struct {
	ID   string // "" where the API has none
	Item string // the id of the item that is the call, in OpenAI Responses
	fact.Call
}

// Detail is how much is read of the calls of the previous turn.
type Detail uint8

// The details.
const (
	Everything Detail = iota // tools, classes, subjects and outputs
	Subjects                 // no outputs
	Names                    // tools and classes alone
)

// call returns a call as the body tells it, without its result.
func (y *history) call(c *body.Call) Call {
	name := cmp.Or(y.d.Says(c.Name), c.Type)
	out := Call{ID: y.d.Says(idOf(*c)), Item: y.d.Says(c.Item)}
	out.Tool = name
	if y.detail == Names && y.client == nil && c.Type == "" && c.Kind != body.ServerCalled {
		out.Class, out.Failed = agent.ClassOf(name), c.Failed
		if out.Class != fact.NoClass {
			return out
		}
	}
	var input []byte
	if y.detail < Names {
		input = y.input(c)
	}
	for _, a := range y.tables(name, c) {
		if u := a.Call(name, input, nil, y.where); u.Class != fact.NoClass && !out.Told {
			out.Call = u
		}
	}
	if out.Class == fact.NoClass {
		out.Call = (&agent.Agent{}).Call(name, input, nil, y.where)
	}
	y.settle(&out, c)
	return out
}

// tables returns the agents whose tables of tools may have the tool of a call: the client, if it is known, or
// else all that know the name; and the API, which goes first for tools of its own.
func (y *history) tables(name string, c *body.Call) []*agent.Agent {
	own := api.Tools(y.d.Format.Name)
	switch {
	case c.Kind == body.ServerCalled || c.Type != "" && !c.Name.Found():
		return []*agent.Agent{own}
	case y.client != nil:
		return []*agent.Agent{y.client, own}
	case agent.ClassOf(name) == fact.NoClass:
		return []*agent.Agent{own}
	}
	return append(slices.Clone(agent.All()), own)
}

// input returns the input of a call as JSON: arguments that are JSON in a string as that JSON, and no input
// as an empty object. Any other string is the text of a tool that takes a text. It returns nil for arguments
// that cannot be read.
func (y *history) input(c *body.Call) []byte {
	raw := bytes.TrimSpace(c.Input.Of(y.d.Bytes))
	if len(raw) > 0 && raw[0] == '"' {
		said := []byte(strings.TrimSpace(jsonscan.Unquote(raw)))
		switch {
		case len(said) == 0 || said[0] == '{' && json.Valid(said):
			raw = said
		case said[0] == '{': // arguments that were cut short
			return nil
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return []byte("{}")
	}
	return raw
}

// settle sets whether a call failed, and its output, from a result of it, or from the call itself, if the
// server ran it.
func (y *history) settle(to *Call, c *body.Call) {
	to.Failed = c.Failed
	if y.detail > Everything || !c.IsResult() && !c.Output.Found() {
		return
	}
	raw := bytes.TrimSpace(c.Output.Of(y.d.Bytes))
	var said string
	if y.d.Format.Name == api.Gemini {
		said = responseText(raw)
	} else {
		said = outputText(raw)
	}
	to.Output, to.OutputTold = fact.CutOutput(strings.ToValidUTF8(said, "\uFFFD")), true
}

// outputText returns the text of a result: a string, blocks with texts in them, or what a program wrote.
// Pictures and the like have none.
func outputText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	var parts []string
	switch raw[0] {
	case '"':
		return jsonscan.Unquote(raw)
	case '[':
		for _, block := range jsonscan.Elements(raw) {
			if s := outputText(block); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	case '{':
		for key, value := range jsonscan.Of(raw).Members() {
			switch string(key) {
			case "text", "stdout", "stderr", "logs", "content":
				parts = append(parts, outputText(value))
			case "json":
				parts = append(parts, jsonscan.Compact(value))
			}
		}
	}
	return agent.Lines(parts...)
}

// responseText returns the text of a function's response in Gemini: its members "output" and "error", or a
// member that is the only one, else all of it as JSON.
func responseText(raw []byte) string {
	var parts []string
	only, n := "", 0
	if len(raw) > 0 && raw[0] == '{' {
		for key, value := range jsonscan.Of(raw).Members() {
			if only, n = jsonscan.Compact(value), n+1; bytes.HasPrefix(value, []byte{'"'}) {
				only = jsonscan.Unquote(value)
			}
			if k := string(key); k == "output" || k == "error" && !api.IsNothing(value) {
				parts = append(parts, only)
			}
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "\n")
	case n == 0:
		return ""
	case n == 1:
		return only
	}
	return jsonscan.Compact(raw)
}
