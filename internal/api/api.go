package api

import (
	"errors"
	"slices"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/body"
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
	paths  []path                                  // the paths that name no model
	named  func(path string) (e Endpoint, ok bool) // reads the paths that name a model; nil: there are none
	usage  response.Vocabulary
	answer func(value []byte, a *response.Answer) // reads the answer off a value of a response
	// the calls of an answer, as a list of messages holds them; nil: Items reads them off the response
	calls func(a *response.Answer) []byte
	tools agent.Agent                          // that the API defines, see Tools
	fault func(status int, message string) any // an error, to be written as JSON; nil: see Fault
}

// all are the APIs, sorted by name. To add one is to write its file, its fake in package modelapi, and its
// row here.
var all = []*API{&anthropic, &converse, &gemini, &interactions, &messages, &chat, &responses}

// Names returns the names of all APIs, sorted.
func Names() []Name {
	names := make([]Name, len(all))
	for i, a := range all {
		names[i] = a.format.Name
	}
	slices.Sort(names)
	return names
}

// FormatOf returns the format of an API, that of Messages for "", or ErrAPI.
func FormatOf(name Name) (*body.Format, error) {
	if name == "" {
		name = Messages
	}
	for _, a := range all {
		if a.format.Name == name {
			return &a.format, nil
		}
	}
	return nil, ErrAPI
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
func Tools(name Name) *agent.Agent {
	for _, a := range all {
		if a.format.Name == name {
			return &a.tools
		}
	}
	return &agent.Agent{}
}

// vocabulary is that of all APIs, since a gateway may answer in the words of another one.
var vocabulary = func() response.Vocabulary {
	v := response.Vocabulary{Words: response.Words{}, Events: response.Events{}}
	for _, a := range all {
		v.Add(a.usage)
	}
	return v
}()

// NewTap returns a Tap for one response of any API.
func NewTap() *response.Tap { return response.NewTap(vocabulary) }

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
		r.Skip()
	case "previous_response_id", "previous_interaction_id":
		null := r.Peek() == 'n'
		var id body.Span
		at := r.Around(func() { id = r.Quoted() })
		r.AddID(PreviousID, id)
		if d.Partial = d.Partial || id.Found(); !null {
			d.Stateful, d.Previous = true, at
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
	default:
		r.Skip()
	}
}

// Fault returns an error with an HTTP status for a request of an API, to be written as JSON: in the shape in
// which the API's SDKs read one; for no API, with the members of several.
func Fault(name Name, status int, message string) any {
	for _, a := range all {
		if a.format.Name == name && a.fault != nil {
			return a.fault(status, message)
		}
	}
	return anthropicFault(status, message)
}

// object is a JSON object that is to be written.
type object = map[string]any

// faultType returns the type of an error with an HTTP status, in the words of Anthropic and OpenAI.
func faultType(status int) string {
	switch status {
	case 400, 405:
		return "invalid_request_error"
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	default:
		return "api_error"
	}
}
