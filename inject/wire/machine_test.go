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
	identity  = request.Identity
	usage     = response.Usage
	number    = response.Count
)

const (
	shapeBlock   = body.ShapeBlock
	shapeText    = body.ShapeText
	shapeMessage = body.ShapeMessage
	shapePrompt  = body.ShapePrompt
	maxDepth     = body.MaxDepth

	kindTurn       = api.KindTurn
	kindCount      = api.KindCount
	kindCompaction = api.KindCompaction
	kindTitle      = api.KindTitle
	kindRouter     = api.KindRouter
	kindSide       = api.KindSide
	kindOther      = api.KindOther
)

func readConversation(b []byte, opts wire.Options) (*conv, error) {
	return api.ReadConversation(opts.API, b, opts.Machine())
}

func readBoth(in incoming, opts wire.Options) (*facts, *conv, error) {
	return request.Read(in, opts.Machine())
}

func readFacts(in incoming) (*facts, error) { return request.ReadFacts(in) }

func newTap() *response.Tap { return api.NewTap() }

func readUsage(b []byte) usage { return api.ReadUsage(b) }

func endpointOf(path string) api.Endpoint { return api.EndpointOf(path) }
