package api

import (
	"net/url"
	"strings"

	"github.com/aside-go/aside/internal/agent"
)

// Kind is the purpose of a request. Only on a KindTurn does state advance and are texts added.
type Kind = agent.Purpose

// The kinds of requests.
const (
	KindTurn       = agent.Turn
	KindCompaction = agent.Compaction
	KindTitle      = agent.Title
	KindRouter     = agent.Router
	KindSide       = agent.Side
	KindCount      = Kind("count") // the tokens of a turn are counted, without taking it
	KindOther      = Kind("other") // no request to a model, or a request that cannot be read
)

// Endpoint is the knowledge in the path of a request.
type Endpoint struct {
	API    Name   // "" if unknown
	Kind   Kind   // KindOther if the path is unknown
	Model  string // unescaped; "" if the path names none
	Stream bool   // whether the path asks for a stream; with most APIs only the body does
}

// path is the end of a path.
type path struct {
	suffix string
	kind   Kind
	stream bool
	// reads the model off what stands before the suffix; ok is false where the API does not have this path. nil:
	// the path names none
	model func(before string) (id string, ok bool)
}

// EndpointOf tells the API by the end of a path, so that the paths of gateways and of Azure's deployments are
// known too. The path may have a query and a fragment. EndpointOf may be called concurrently.
//
// Sources: the vendors' API references; WIRE.md §1.
func EndpointOf(of string) Endpoint {
	if n := strings.IndexAny(of, "?#"); n >= 0 {
		of = of[:n]
	}
	of = "/" + strings.TrimRight(of, "/")
	for _, a := range all {
		for _, p := range a.paths {
			before, ok := strings.CutSuffix(of, p.suffix)
			id := ""
			if ok && p.model != nil {
				id, ok = p.model(before)
			}
			if ok {
				return Endpoint{API: a.format.Name, Kind: p.kind, Model: id, Stream: p.stream}
			}
		}
	}
	return Endpoint{Kind: KindOther}
}

// googleModel reads …/models/MODEL, before the method of Google's clouds. The model is "" where the path
// names none.
func googleModel(before string) (id string, ok bool) {
	if strings.Contains(before, "/models/") { // there is v1internal:generateContent too
		id = unescaped(before[strings.LastIndexByte(before, '/')+1:])
	}
	return id, true
}

// bedrockModel reads …/model/MODEL, before the action of Amazon Bedrock.
func bedrockModel(before string) (id string, ok bool) {
	at := strings.LastIndex(before, "/model/")
	if at < 0 {
		return "", false
	}
	return unescaped(before[at+len("/model/"):]), true
}

// unescaped undoes the escapes of a path segment. A segment with a broken escape comes back as it is.
func unescaped(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}
