package modelapi

import (
	"net/url"
	"strings"
)

// route is what a path says.
type route struct {
	api    API
	model  string // "" if the path does not name it
	stream bool
	count  bool
	cuts   bool // the answer is a compaction of the conversation
	legacy bool // Bedrock InvokeModel
	inURL  bool // the model is named by the path, and must not be by the body
}

// routeOf tells the API by the end of the path, because gateways and Azure's deployments put something in
// front.
func routeOf(path string) (route, bool) {
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimSuffix(path, "/")
	between := func(from, to string) string {
		_, rest, _ := strings.Cut(path, from)
		name, _, _ := strings.Cut(rest, to)
		if s, err := url.PathUnescape(name); err == nil {
			name = s
		}
		return name
	}
	has := func(s string) bool { return strings.HasSuffix(path, s) }
	switch {
	case has("/messages/count_tokens"):
		return route{api: Anthropic, count: true}, true
	case has("/messages"):
		return route{api: Anthropic}, true
	case has("/invoke"), has("/invoke-with-response-stream"):
		return route{api: Anthropic, model: between("/model/", "/"), stream: has("stream"), legacy: true,
			inURL: true}, true
	case has("/count-tokens:rawPredict"):
		return route{api: Anthropic, count: true}, true
	case has(":rawPredict"), has(":streamRawPredict"):
		return route{api: Anthropic, model: between("/models/", ":"), stream: has(":streamRawPredict"),
			inURL: true}, true
	case has("/chat/completions"):
		return route{api: Chat, model: between("/deployments/", "/")}, true
	case has("/interactions"):
		return route{api: Interactions}, true
	case has("/responses"):
		return route{api: Responses}, true
	case has("/responses/compact"):
		return route{api: Responses, cuts: true}, true
	case has("/responses/input_tokens"):
		return route{api: Responses, count: true}, true
	case has(":generateContent"), has(":streamGenerateContent"), has(":countTokens"):
		return route{api: Gemini, model: between("/models/", ":"), stream: has(":streamGenerateContent"),
			count: has(":countTokens")}, true
	case has("/converse"), has("/converse-stream"):
		return route{api: Converse, model: between("/model/", "/"), stream: has("-stream")}, true
	}
	return route{}, false
}

// Read reads a request, and refuses what has not the shape of its API. It does not look at what models and
// conversations demand; Check does.
func Read(r Request) (*Prompt, *Refusal) {
	rt, ok := routeOf(r.Path)
	if !ok {
		return nil, &Refusal{Rule: NoRoute, Status: 404, Message: "no such path: " + r.Path}
	}
	body, err := parse(r.Body)
	if err != nil {
		return nil, notJSON(rt.api, err)
	}
	p := &Prompt{API: rt.api, Model: rt.model, Stream: rt.stream, Count: rt.count, legacy: rt.legacy,
		cuts: rt.cuts, sse: strings.Contains(r.Path, "alt=sse")}
	if p.Model == "" {
		p.Model = body.str("model")
	}
	if !body.is('{') {
		return nil, refusals(rt.api).bad(BadShape, "the request body is not an object")
	}
	var no *Refusal
	switch rt.api {
	case Anthropic:
		no = readAnthropic(p, body, rt, betas(r, body))
	case Chat:
		no = readChat(p, body)
	case Responses:
		no = readResponses(p, body)
	case Gemini:
		no = readGemini(p, body)
	case Interactions:
		no = readInteractions(p, body)
	case Converse:
		no = readConverse(p, body)
	}
	if no != nil {
		return nil, no
	}
	return p, nil
}

// betas returns the values of the anthropic-beta header and of the member that stands in for it in the body.
func betas(r Request, body *node) string {
	all := strings.Join(r.Header.Values("Anthropic-Beta"), ",")
	for _, v := range body.list("anthropic_beta", "betas") {
		all += "," + v.text
	}
	return all
}

func notJSON(a API, err error) *Refusal {
	switch a {
	case Anthropic:
		return refusals(a).bad(NotJSON, "The request body is not valid JSON: %v", err)
	case Gemini, Interactions:
		return refusals(a).bad(NotJSON, "Invalid JSON payload received. %v", err)
	case Converse:
		return refusals(a).bad(NotJSON, "The request body is not valid JSON: %v", err)
	}
	return refusals(a).bad(NotJSON,
		"We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "+
			"library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)")
}

// Check returns why a request is refused, or nil. It needs nothing but the request: the signature of thinking
// tells the prompt that it was made for. A request that goes on from a stored response needs a Fake. models
// nil is Models().
func Check(r Request, models []Model) *Refusal {
	p, no := Read(r)
	if no != nil {
		return no
	}
	return p.check(pick(models, p.Model))
}

func pick(models []Model, id string) Model {
	if models == nil {
		models = Models()
	}
	return find(models, id)
}

// check refuses what Read does not look at.
func (p *Prompt) check(m Model) *Refusal {
	switch p.API {
	case Anthropic:
		return checkAnthropic(p, m)
	case Chat:
		return checkChat(p, m)
	case Responses:
		return checkResponses(p)
	case Gemini:
		return checkGemini(p, m)
	case Interactions:
		return checkInteractions(p)
	}
	return checkConverse(p, m)
}
