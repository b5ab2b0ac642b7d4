package wire

import "github.com/aside-go/aside/compile/terms"

// Put is what was put at one place of a request, and what later requests must hold there again.
type Put struct {
	API    API      `json:"api"`
	Anchor string   `json:"anchor,omitempty"` // the key of the message that it stands with; "": the system prompt
	After  int      `json:"after,omitempty"`  // how many system messages of the client's own stand between the two
	Shape  Shape    `json:"shape"`
	Role   string   `json:"role,omitempty"`   // of a message
	Lapses bool     `json:"lapses,omitempty"` // a message that the API lets lapse with the turn
	Texts  []string `json:"texts"`            // as they stand: wrapped
	IDs    []string `json:"ids"`              // of the reminders, one for each text
}

// Shape is how a text stands in a request.
type Shape string

// The shapes.
const (
	ShapeBlock   Shape = "block"   // a block at the end of a content; string content becomes blocks
	ShapeText    Shape = "text"    // at the end of a string
	ShapeMessage Shape = "message" // a message of its own
	ShapePrompt  Shape = "prompt"  // with the system prompt
)

// Gone is a Put that cannot be repeated, and why.
type Gone struct {
	Put int    // index into what was to be repeated
	Why string // one line
}

// Conversation is a request that was read for putting texts into it. It keeps the body, which must not be written to. It may
// be used concurrently.
type Conversation struct {
	body *body
	opts Options
}

// ReadConversation reads a request of opts.API.
func ReadConversation(b []byte, opts Options) (*Conversation, error) {
	d, err := opts.read(b)
	if err != nil {
		return nil, err
	}
	return &Conversation{d, opts}, nil
}

// Keys returns a key for each message, oldest first, but for those of the host (system, developer) and for thinking.
func (c *Conversation) Keys() []string { return nil }

// Head names the conversation as it stands: it is the same for each request that asks for the next message of the same one,
// whatever its parameters, markers and spelling are.
func (c *Conversation) Head() string { return "" }

// Calls returns the ids of the tool calls that the conversation holds, oldest first; those that are "" left out.
func (c *Conversation) Calls() []string { return nil }

// Answered reports whether the model has said anything in it.
func (c *Conversation) Answered() bool { return false }

// Gone returns which of past cannot be repeated here, in order.
func (c *Conversation) Gone(past []Put) []Gone { return nil }

// Copy is what Compose puts together.
type Copy struct {
	Report
	Puts  []Put  // what of due was put, a Put for each place
	Gone  []Gone // what of past was not repeated
	Since string // what to give to the next Compose of the run
}

// Compose appends to dst the request with past repeated and due put into it.
func (c *Conversation) Compose(dst []byte, past []Put, due []terms.Due, since string) ([]byte, Copy) {
	return append(dst, c.body.b...), Copy{Since: since}
}
