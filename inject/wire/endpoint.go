package wire

import (
	"net/url"
	"strings"
)

// Kind is what a request is for. Only a Turn is one: on all others no state advances and nothing is added.
type Kind uint8

// The kinds of requests.
const (
	KindTurn       Kind = iota // the model goes on with the conversation
	KindCount                  // tokens are counted: the body is that of a turn that has not been
	KindCompaction             // a summary of the conversation is asked for
	KindTitle                  // a name for the conversation is asked for
	KindRouter                 // the host asks which model should answer
	KindSide                   // the host asks something else beside the conversation
	KindOther                  // not a request to a model, or not one that can be read
)

// String returns "turn", "count", "compaction", "title", "router", "side" or "other".
func (k Kind) String() string {
	names := [...]string{"turn", "count", "compaction", "title", "router", "side", "other"}
	if int(k) < len(names) {
		return names[k]
	}
	return "other"
}

// Endpoint is what the path of a request says about it.
type Endpoint struct {
	API    API    // "" unknown
	Kind   Kind   // KindOther for a path that is not known
	Model  string // as the path names it, unescaped; "" if it does not
	Stream bool   // the path asks for a stream; of most APIs only the body does
}

// EndpointOf tells an API by the suffix of a path, so that gateways and Azure's deployments are known too. Query and
// fragment may be there; escapes in a model's name are undone. It may be called concurrently.
//
// Sources: the vendors' API references; WIRE.md §1.
func EndpointOf(path string) Endpoint {
	if n := strings.IndexAny(path, "?#"); n >= 0 {
		path = path[:n]
	}
	path = strings.TrimRight(path, "/")
	for _, e := range endpoints {
		if path == e.suffix[1:] || strings.HasSuffix(path, e.suffix) {
			return Endpoint{API: e.api, Kind: e.kind}
		}
	}
	if e, ok := googlePath(path); ok {
		return e
	}
	if e, ok := bedrockPath(path); ok {
		return e
	}
	return Endpoint{Kind: KindOther}
}

// endpoints are the paths that name no model.
var endpoints = [...]struct {
	suffix string
	api    API
	kind   Kind
}{
	{"/v1/messages", Anthropic, KindTurn},
	{"/v1/messages/count_tokens", Anthropic, KindCount},
	{"/chat/completions", Chat, KindTurn},
	{"/responses", Responses, KindTurn},
	{"/responses/compact", Responses, KindCompaction},
	{"/responses/input_tokens", Responses, KindCount},
	{"/messages", Anthropic, KindTurn}, // a base URL without the version
	{"/messages/count_tokens", Anthropic, KindCount},
}

// googlePath reads …/models/MODEL:METHOD. Claude on Vertex is one of them, told by its methods.
func googlePath(path string) (e Endpoint, ok bool) {
	colon := strings.LastIndexByte(path, ':')
	if colon < 0 {
		return e, false
	}
	name := path[strings.LastIndexByte(path[:colon], '/')+1 : colon]
	switch path[colon+1:] {
	case "generateContent":
		e = Endpoint{API: Gemini, Model: name}
	case "streamGenerateContent":
		e = Endpoint{API: Gemini, Model: name, Stream: true}
	case "countTokens":
		e = Endpoint{API: Gemini, Model: name, Kind: KindCount}
	case "rawPredict":
		e = Endpoint{API: Anthropic, Model: name}
	case "streamRawPredict":
		e = Endpoint{API: Anthropic, Model: name, Stream: true}
	default:
		return e, false
	}
	if e.API == Anthropic {
		if name == "count-tokens" {
			e.Model, e.Kind = "", KindCount
		} else if strings.Contains(path, "/publishers/") && !strings.Contains(path, "/publishers/anthropic/") {
			return Endpoint{}, false
		}
	}
	if !strings.Contains(path, "/models/") {
		e.Model = "" // v1internal:generateContent
	}
	e.Model = unescaped(e.Model)
	return e, true
}

// bedrockPath reads /model/MODEL/ACTION. What InvokeModel is given is the shape of the model's vendor.
func bedrockPath(path string) (e Endpoint, ok bool) {
	slash := strings.LastIndexByte(path, '/')
	at := strings.LastIndex(path[:max(slash, 0)], "/model/")
	if at < 0 {
		return e, false
	}
	e.Model = unescaped(path[at+len("/model/") : slash])
	switch path[slash+1:] {
	case "converse":
		e.API = Converse
	case "converse-stream":
		e.API, e.Stream = Converse, true
	case "count-tokens":
		e.API, e.Kind = Converse, KindCount
	case "invoke", "invoke-with-response-stream":
		e.Stream = path[slash+1:] != "invoke"
		if !strings.Contains(e.Model, "anthropic") && !strings.Contains(e.Model, "inference-profile/") {
			return e, false
		}
		e.API = Anthropic
	default:
		return e, false
	}
	return e, true
}

func unescaped(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}
