package wire_test

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/internal/response"
)

// The tests of the machine behind package wire use its types by these names.
type (
	conv      = body.Conversation
	insertion = body.Insertion
	copied    = body.Copy
	incoming  = request.Incoming
	facts     = request.Request
)

const (
	shapeBlock   = body.ShapeBlock
	shapeText    = body.ShapeText
	shapeMessage = body.ShapeMessage
	shapePrompt  = body.ShapePrompt
	maxDepth     = body.MaxDepth
)

func readConversation(b []byte, opts wire.Options) (*conv, error) {
	d, err := api.Read(opts.API, b)
	if err != nil {
		return nil, err
	}
	return body.NewConversation(d, opts.Machine()), nil
}

func readBoth(in incoming, opts wire.Options) (*facts, *conv, error) {
	return request.Read(in, opts.Machine())
}

func readFacts(in incoming) (*facts, error) { return request.ReadFacts(in) }

func newTap() *response.Tap { return api.NewTap() }

// told writes what is known of a request on one line: what is not there is not known.
func told(q *facts) string {
	var b strings.Builder
	say := func(known bool, format string, args ...any) {
		if known {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	b.WriteString(q.Kind.String())
	say(q.Model != "", "model=%s", q.Model)
	say(q.Stream, "stream")
	say(q.Partial, "partial")
	say(q.Messages.Known, "messages=%d", q.Messages.N)
	say(q.UserMessage != fact.Unknown, "user=%v", q.UserMessage)
	say(q.Prompt.Known, "prompt=%q", q.Prompt.S)
	say(q.Response.Known, "response=%q", q.Response.S)
	if q.CallsKnown || len(q.Calls) > 0 {
		var calls []string
		for _, c := range q.Calls {
			s := c.Tool
			switch c.Failed {
			case fact.True:
				s += "!"
			case fact.Unknown:
				s += "?"
			}
			calls = append(calls, s)
		}
		say(true, "calls=%s", strings.Join(calls, ","))
		say(!q.CallsKnown, "and others")
	}
	return b.String()
}
