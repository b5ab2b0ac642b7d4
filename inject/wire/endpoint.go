package wire

import (
	"net/url"
	"strings"
)

// Kind is what a request is for. Only on a KindTurn does state advance and are texts added.
type Kind uint8

// The kinds of requests.
const (
	KindTurn       Kind = iota // the model goes on with the conversation
	KindCount                  // the tokens of a turn are counted, without taking it
	KindCompaction             // a summary of the conversation is asked for
	KindTitle                  // a name for the conversation is asked for
	KindRouter                 // the host asks which model should answer
	KindSide                   // the host asks something else beside the conversation
	KindOther                  // no request to a model, or one that cannot be read
)

// String returns "turn", "count", "compaction", "title", "router", "side" or "other".
func (k Kind) String() string {
	names := [...]string{"turn", "count", "compaction", "title", "router", "side", "other"}
	if int(k) < len(names) {
		return names[k]
	}
	return "other"
}

// Endpoint is what the path of a request says.
type Endpoint struct {
	API    API    // "" if unknown
	Kind   Kind   // KindOther if the path is unknown
	Model  string // unescaped; "" if the path names none
	Stream bool   // whether the path asks for a stream; with most APIs only the body does
}

// EndpointOf tells the API by the end of a path, so that the paths of gateways and of Azure's deployments are known too. path may
// have a query and a fragment. It may be called concurrently.
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

// googlePath reads …/models/MODEL:METHOD, the paths of Gemini and of Vertex. Claude on Vertex is known by its methods.
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

// bedrockPath reads …/model/MODEL/ACTION. The body of an InvokeModel has the shape of the model's vendor; only Anthropic's is
// known.
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

// unescaped undoes the escapes of a path segment. A segment with a broken escape comes back as it is.
func unescaped(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}
