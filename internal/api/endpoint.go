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
}

// EndpointOf tells the API by the end of a path, so that the paths of gateways and of Azure's deployments are
// known too. The path may have a query and a fragment. EndpointOf may be called concurrently.
//
// Sources: the vendors' API references; WIRE.md §1.
func EndpointOf(of string) Endpoint {
	if n := strings.IndexAny(of, "?#"); n >= 0 {
		of = of[:n]
	}
	of = strings.TrimRight(of, "/")
	for _, a := range all {
		for _, p := range a.paths {
			if of == p.suffix[1:] || strings.HasSuffix(of, p.suffix) {
				return Endpoint{API: a.format.Name, Kind: p.kind}
			}
		}
	}
	for _, a := range all {
		if a.named == nil {
			continue
		}
		if e, ok := a.named(of); ok {
			return e
		}
	}
	return Endpoint{Kind: KindOther}
}

// methods returns the reader of paths that split tells a model and a method of, for an API with these
// methods.
func methods(split func(path string) (model, method string),
	known map[string]Endpoint) func(path string) (e Endpoint, ok bool) {
	return func(path string) (e Endpoint, ok bool) {
		id, method := split(path)
		e, ok = known[method]
		e.Model = id
		return e, ok
	}
}

// googleMethod reads …/models/MODEL:METHOD, the paths of Google's clouds. The model is "" where the path
// names none.
func googleMethod(path string) (model, method string) {
	colon := strings.LastIndexByte(path, ':')
	if colon < 0 {
		return "", ""
	}
	if method = path[colon+1:]; strings.Contains(path, "/models/") { // there is v1internal:generateContent too
		model = unescaped(path[strings.LastIndexByte(path[:colon], '/')+1 : colon])
	}
	return model, method
}

// bedrockAction reads …/model/MODEL/ACTION, the paths of Amazon Bedrock.
func bedrockAction(path string) (model, action string) {
	slash := strings.LastIndexByte(path, '/')
	at := strings.LastIndex(path[:max(slash, 0)], "/model/")
	if at < 0 {
		return "", ""
	}
	return unescaped(path[at+len("/model/") : slash]), path[slash+1:]
}

// unescaped undoes the escapes of a path segment. A segment with a broken escape comes back as it is.
func unescaped(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}
