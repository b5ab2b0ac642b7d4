package wire_test

import (
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
