package api

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// Name is the name of an API.
type Name = body.Name

// The APIs.
const (
	Messages  Name = "messages"
	Anthropic Name = "anthropic"
	Chat      Name = "openai-chat"
	Responses Name = "openai-responses"
	Gemini    Name = "gemini"
	Converse  Name = "converse"

	Interactions Name = "gemini-interactions"
)

// ErrAPI says that there is no such API.
var ErrAPI = errors.New("no such API")

// API is an API of a model, or the generic shape.
type API struct {
	format body.Format
	paths  []path
	usage  response.Vocabulary
	// reads the answer off a value of a response
	answer func(f *body.Format, value []byte, a *response.Answer)
	calls  func(a *response.Answer) any         // see Calls, before it is JSON; nil: the API keeps no response
	tools  agent.Agent                          // that the API defines, see Tools
	fault  func(status int, message string) any // an error, to be written as JSON; nil: see Fault
}

// all are the APIs, sorted by name.
var all = []*API{&anthropic, &converse, &gemini, &interactions, &messages, &chat, &responses}

// Names returns the names of all APIs, sorted.
func Names() []Name {
	names := make([]Name, len(all))
	for i, a := range all {
		names[i] = a.format.Name
	}
	return names
}

// FormatOf returns the format of an API, that of Messages for "", or ErrAPI.
func FormatOf(name Name) (*body.Format, error) {
	if a := of(cmp.Or(name, Messages)); a.format.Name != "" {
		return &a.format, nil
	}
	return nil, ErrAPI
}

// of returns the API with a name, one without anything where there is none.
func of(name Name) *API {
	if i := slices.IndexFunc(all, func(a *API) bool { return a.format.Name == name }); i >= 0 {
		return all[i]
	}
	return &API{}
}

// Read reads a request body of an API, which is taken to be valid JSON.
func Read(name Name, b []byte) (*body.Body, error) {
	f, err := FormatOf(name)
	if err != nil {
		return nil, err
	}
	d, unread := body.Read(f, b)
	if unread != nil {
		return nil, unread
	}
	return d, nil
}

// Tools returns the tools that an API defines, in the form in which agents have theirs: the tools that its
// server runs, and those that it names for clients to run. The caller must not change them.
func Tools(name Name) *agent.Agent { return &of(name).tools }

// vocabulary is that of all APIs, since a gateway may answer in the words of another one: a word that two of
// them have means the same.
var vocabulary = func() response.Vocabulary {
	v := response.Vocabulary{Words: response.Words{}, Events: response.Events{}}
	for _, a := range all {
		maps.Copy(v.Words, a.usage.Words)
		maps.Copy(v.Events, a.usage.Events)
	}
	return v
}()

// NewTap returns a Tap for one response of any API.
func NewTap() *response.Tap { return response.NewTap(vocabulary, nil) }

// NewAnswerTap returns a Tap for one response of an API that reads the answer, too.
func NewAnswerTap(name Name) *response.Tap {
	api := of(name)
	if api.answer == nil {
		return NewTap()
	}
	read := func(value []byte, a *response.Answer) { api.answer(&api.format, value, a) }
	return response.NewTap(vocabulary, read)
}

// Calls returns the calls of an answer that is whole as an array of messages of an API that keeps responses;
// nil where they are not known.
func Calls(name Name, a *response.Answer) []byte {
	if calls := of(name).calls; calls != nil {
		if list := calls(a); list != nil {
			b, _ := jsonscan.Encode(list) // it is made of valid JSON
			return b
		}
	}
	return nil
}

// ReadUsage returns the usage of a response that is there as a whole.
func ReadUsage(b []byte) response.Usage {
	t := NewTap()
	_, _ = t.Write(b)
	t.End(true)
	return t.Usage()
}

// setRole sets who speaks in a message by its role, as in most APIs.
func setRole(m *body.Message, role string) {
	switch role {
	case "user":
		m.Class, m.Speaker = body.User, body.ByUser
	case "assistant", "model":
		m.Class, m.Speaker = body.Assistant, body.ByModel
	case "system", "developer":
		m.Class = body.System
	case "tool", "function":
		m.Speaker = body.ByTool
	default:
		m.Speaker = body.BySomebody
	}
}

// PreviousID is the path of the id of the response, kept by the server, that a body goes on from.
const PreviousID = "previous"

// readKept reads a member of a body of an API that keeps responses, or any other.
func readKept(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "store":
		d.Keeps = r.Peek() != 'f'
	case "previous_response_id", "previous_interaction_id":
		if r.Peek() != 'n' {
			var id body.Span
			d.Previous = r.Around(func() { id = r.Quoted() })
			r.AddID(PreviousID, id)
			d.Partial, d.Stateful = d.Partial || id.Found(), true
		}
	default:
		readMember(r, name)
	}
}

// readMember reads a member of a body that clients send to several APIs.
func readMember(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "model":
		d.Model = r.Word()
	case "stream":
		d.Stream = r.IsTrue()
	case "tools", "functions":
		d.Tools = r.NonEmpty()
	case "system", "instructions": // of APIs whose prompt is something else
		d.Opening = r.Opening()
	case "metadata":
		r.AddID("metadata.user_id", r.Named("user_id"))
	case "prompt_cache_key":
		r.AddID("prompt_cache_key", r.Quoted())
	case "client_metadata":
		r.EachMember(func(name []byte) { r.AddID("client_metadata."+string(name), r.Quoted()) })
	}
}

// Fault returns an error with an HTTP status for a request of an API, to be written as JSON: in the shape in
// which the API's SDKs read one; for no API, with the members of several.
func Fault(name Name, status int, message string) any {
	if fault := of(name).fault; fault != nil {
		return fault(status, message)
	}
	return anthropicFault(status, message)
}

// object is a JSON object that is to be written.
type object = map[string]any

// faultType returns the type of an error with an HTTP status, in the words of Anthropic and OpenAI.
func faultType(status int) string { return cmp.Or(faultTypes[status], "api_error") }

var faultTypes = map[int]string{400: "invalid_request_error", 405: "invalid_request_error",
	401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large",
	429: "rate_limit_error"}

// Model says which texts the models take whose ids begin with Prefix, see wire.Model.
type Model struct {
	Prefix  string
	Places  []model.Place // nil: as its API does, but with a Role in a message of its own first
	System  []model.Platform
	ClearAt string
	Binds   bool
	Role    string
	Checked string
	Source  string
}

// Takes returns Options.Takes: the row of own with the longest prefix, else the table's.
func Takes(own []Model) func(id string) model.Delivery {
	return func(id string) model.Delivery {
		n, _ := model.Longest(id, len(own), func(i int) string { return own[i].Prefix })
		if n < 0 {
			return model.Of(id).Delivery
		}
		m := &own[n]
		places := m.Places
		if places == nil && m.Role != "" {
			places = []model.Place{model.Message, model.User, model.Result}
		}
		return model.Delivery{Places: places, System: m.System, ClearAt: m.ClearAt, Binds: m.Binds, Role: m.Role}
	}
}
