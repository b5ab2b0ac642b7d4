package agent

import (
	"cmp"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// Request is a request to a model API, as far as it tells about its client.
type Request interface {
	// Header returns the first value of a header, "" for none. The name is in lower case.
	Header(name string) string
	// Member returns a string that a header or an id of the body holds as a member of a JSON object, "" for
	// none.
	Member(header, name string) string
	// ID returns an id in the body by the path of its member, such as "client_metadata.thread_id", "" for
	// none.
	ID(path string) string
	// System returns the first text of the system prompt.
	System() string
	// Person reports whether the last message has the form of a person's.
	Person() bool
}

// Thread is the conversation that a request is of, as its client names it. A field that is "" is unknown.
type Thread struct {
	Run    string // the conversation; of a subagent it is the parent's
	Source string // header or member that Run is from
	Thread string // the subagent's own id; "" in the main conversation
	Type   string // "root", or the kind of the subagent

	Turn   string // id of the user turn
	Begun  string // the client's word for how the history came about
	Window string // id of the context window; when it changes within a run, the history was compacted

	Previous     string // the id of the response, kept by the server, that the request goes on from
	Conversation string // the id of the conversation that the server keeps

	Agent *Agent // the client, as Identify knows it; nil if no agent knows the request
}

// Key is the key of the run's state: Run, and in a subagent "Run/Thread"; "" where the run is unknown.
func (t Thread) Key() string {
	if t.Run == "" || t.Thread == "" {
		return t.Run
	}
	return t.Run + "/" + t.Thread
}

// settle fills in Type, for a client that says which threads are subagents.
func (t *Thread) settle() {
	switch {
	case t.Thread == "":
		t.Type = "root"
	case t.Type == "" || t.Type == "root" || t.Type == "main":
		t.Type = "subagent"
	}
}

// Identify returns the conversation that a request is of, as the first agent that knows the request says;
// zero where none does. Of a family, whose requests are alike, it is the one that the request names.
func Identify(q Request) (id Thread) {
	said := q.Header("user-agent")
	for _, a := range All() {
		named := a.UserAgent != "" && strings.HasPrefix(said, a.UserAgent)
		if a.Identify == nil || id.Run != "" && !named || a.UserAgent != "" && !named {
			continue
		}
		if t, ok := a.Identify(q); ok {
			id = t
			id.Agent = cmp.Or(t.Agent, a)
		}
	}
	return id
}

// Spoke says whether a person has just submitted a message, by the marks of agents.
func Spoke(q Request) fact.Truth {
	for _, a := range All() {
		if a.Spoke == nil {
			continue
		}
		if t := a.Spoke(q); t != fact.Unknown {
			return t
		}
	}
	return fact.Unknown
}

// Purpose is what an agent makes a request for.
type Purpose string

// The purposes of requests.
const (
	Turn       Purpose = ""           // the model goes on with the conversation
	Compaction Purpose = "compaction" // a summary of the conversation is wanted
	Title      Purpose = "title"      // a name for the conversation is wanted
	Side       Purpose = "side"       // a question beside the conversation
	Router     Purpose = "router"     // the choice of a model for the next request
)

// String returns "turn" for Turn, and the word for any other.
func (p Purpose) String() string { return cmp.Or(string(p), "turn") }

// Sign is a header that says what a request is for.
type Sign struct {
	Header string
	Member string // of the JSON object that the header holds; "": the header itself is meant
	Value  string // "": any value but "", "0" and "false"; "x-*": one that begins with "x-"
	Says   Purpose
}

// Signed returns the purpose that the headers of a request tell, Turn where they tell none.
func Signed(q Request) Purpose {
	for _, a := range All() {
		for _, s := range a.Signs {
			var v string
			if s.Member == "" {
				v = q.Header(s.Header)
			} else {
				v = q.Member(s.Header, s.Member)
			}
			begins, open := strings.CutSuffix(s.Value, "*")
			if v != "" && (v == s.Value || s.Value == "" && v != "0" && v != "false" ||
				open && strings.HasPrefix(v, begins)) {
				return s.Says
			}
		}
	}
	return Turn
}

// Opening is how an agent begins a request of its own. Its words have nothing that JSON escapes. They age,
// so each opening names its source.
type Opening struct {
	Words  string
	System bool // the words begin the system prompt; else a text of the last message in a user's place
	Says   Purpose
	Source string
}

// Opened returns the purpose of a request by a text, Turn where the text begins with no opening. The first
// 512 bytes of the text are enough.
func Opened(text string, system bool) Purpose {
	text = strings.TrimLeft(text, " \n\r\t#")
	for _, a := range All() {
		for _, o := range a.Openings {
			if o.System == system && strings.HasPrefix(text, o.Words) {
				return o.Says
			}
		}
	}
	return Turn
}

// maxClient is the length in bytes of the longest name of a client.
const maxClient = 64

// IsClient reports whether a text can be the name of an agent or of another client: a word of at most 64
// letters, digits, ".", "_" and "-".
func IsClient(s string) bool {
	return s != "" && len(s) <= maxClient && !strings.ContainsFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.ContainsRune("._-", c))
	})
}

// Client names who made a request: an agent, known by Identify or by its user-agent, else the product that
// this header begins with, in lower case; "" where it names none.
func Client(q Request, known *Agent) string {
	said := q.Header("user-agent")
	for _, a := range All() {
		if known == nil && a.UserAgent != "" && strings.HasPrefix(said, a.UserAgent) {
			known = a
		}
	}
	if known != nil {
		return known.Name
	}
	product, _, _ := strings.Cut(said, "/")
	if product = strings.ToLower(product); !IsClient(product) {
		return ""
	}
	return product
}

// Structured returns the purpose of a request without tools and stream that asks for JSON of a schema.
func Structured(q Request) Purpose {
	for _, a := range All() {
		if a.Structured != Turn && strings.HasPrefix(q.Header("user-agent"), a.UserAgent) {
			return a.Structured
		}
	}
	return Turn
}
