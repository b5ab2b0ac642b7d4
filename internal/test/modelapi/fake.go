package modelapi

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Options say what a Fake does. The zero Options are a new account, whose models answer "done".
type Options struct {
	Models []Model          // nil: Models()
	Script Script           // nil: always the text "done"
	Clock  func() time.Time // the time for caches; nil: a clock that stands still
	Faults map[int]Fault    // by the number of the request, from 1; they go before the fault of a reply
	// the account is from before 2026-08-31: thinking that stands behind another prompt is reported, not refused
	OldAccount bool
}

// Fake is all APIs in one; the path picks. It is an http.Handler and may be used concurrently.
type Fake struct {
	opts Options

	mu      sync.Mutex // guards what follows, and calls of the script and the clock
	cache   Cache
	records []Record
	stored  map[string]*stored // conversations, by the id of a response or conversation
	items   map[string]Message // of Responses: items of answers, by id
}

// stored is a conversation that the server keeps: of Responses its messages alone.
type stored struct {
	system, tools []Block
	messages      []Message
	continued     bool
}

// chain is what a request says about the conversation that the server keeps.
type chain struct {
	previous, conversation string
	keep                   bool // the response is to be stored
}

// Answer is what came of a request.
type Answer struct {
	ID      string
	Refusal *Refusal // nil: the request was accepted
	Usage   Usage    // tokens of prompt and output
	Reply   Reply    // with its thinking signed; empty if tokens are only counted
	Fault   Fault    // from the options, else from the reply
	// Transformations report thinking that was dropped, or that was let through although it stands behind
	// another prompt.
	Transformations []Transformation
}

// Transformation is an entry of input_transformations. That there are such entries is documented; their form
// is a guess.
type Transformation struct {
	Type string `json:"type"` // "thinking_block_dropped" or "thinking_mismatch_allowed"
	Path string `json:"path"`
}

// New returns a Fake that has not seen any request.
func New(opts Options) *Fake {
	if opts.Models == nil {
		opts.Models = Models()
	}
	if opts.Script == nil {
		opts.Script = Turns()
	}
	if opts.Clock == nil {
		opts.Clock = func() time.Time { return time.Unix(1_700_000_000, 0) }
	}
	opts.Faults = maps.Clone(opts.Faults)
	return &Fake{opts: opts, stored: map[string]*stored{}, items: map[string]Message{}}
}

// Ask answers a request without HTTP, and records it.
func (f *Fake) Ask(r Request) Answer {
	_, a := f.handle(r)
	return a
}

func (f *Fake) handle(r Request) (*Prompt, Answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.records) + 1
	p, a := f.answer(r, n)
	f.records = append(f.records, Record{N: n, Request: r, Prompt: p, Answer: a})
	return p, a
}

func (f *Fake) answer(r Request, n int) (*Prompt, Answer) {
	a := Answer{ID: fmt.Sprintf("%024d", n)}
	if fault := f.opts.Faults[n]; fault.Status != 0 {
		rt, _ := routeOf(r.Path)
		a.Refusal, a.Fault = rt.api.fault(fault.Status), fault
		return nil, a
	}
	p, no := Read(r)
	if no == nil {
		no = f.resolve(p)
	}
	if no == nil && (p.chain.previous != "" || p.chain.conversation != "") {
		no = f.recall(p)
	}
	if no != nil {
		a.Refusal = no
		return p, a
	}
	m := find(f.opts.Models, p.Model)
	if f.opts.OldAccount && p.onMismatch == "" {
		p.onMismatch = allow
	}
	if no := p.check(m); no != nil {
		a.Refusal = no
		return p, a
	}
	seen := p
	if at, ok := p.mismatch(); ok && m.Binds {
		if p.onMismatch == "drop_block" {
			seen = p.without(at.Path)
			a.Transformations = []Transformation{{"thinking_block_dropped", at.Path}}
		} else {
			a.Transformations = []Transformation{{"thinking_mismatch_allowed", at.Path}}
		}
	}
	if p.Count {
		a.Usage.Prompt = seen.tokens(m)
		return p, a
	}
	if !p.emptied(m) && !p.cuts {
		a.Reply = f.opts.Script(p)
	}
	a.Fault = a.Reply.Fault
	if fault, ok := f.opts.Faults[n]; ok {
		a.Fault = fault
	}
	if a.Fault.Status != 0 {
		a.Refusal, a.Reply = p.API.fault(a.Fault.Status), Reply{}
		return p, a
	}
	a.Usage = f.cache.Serve(seen, m, f.opts.Clock())
	var said Usage
	a.Reply, said = a.Reply.finish(seen)
	a.Usage.Output, a.Usage.Reasoning = said.Output, said.Reasoning
	if m.Cache.Outputs {
		f.cache.Serve(p.answered(a.Reply), m, f.opts.Clock())
	}
	f.keep(p, a)
	return p, a
}

// recall puts the stored conversation in front of the messages of a request.
func (f *Fake) recall(p *Prompt) *Refusal {
	key := "resp_" + p.chain.conversation
	if p.chain.previous != "" {
		key = p.chain.previous
	}
	s := f.stored[key]
	switch {
	case s != nil && p.API == Anthropic && s.continued:
		no := refusals(Anthropic).bad(ThreadContinued, "The message '%s' has been continued.", key)
		no.Code = "thread_already_continued"
		return no
	case s != nil:
	case p.API == Anthropic:
		return &Refusal{Anthropic, ThreadNotFound, 404, "There is no message '" + key + "'.", "thread_not_found"}
	case p.API == Interactions:
		return &Refusal{Interactions, UnknownResponse, 404, "There is no interaction '" + key + "'.", ""}
	case p.chain.previous != "":
		return refusals(Responses).bad(UnknownResponse, "Previous response with id '%s' not found.", key)
	default:
		s = &stored{}
	}
	if p.Messages = append(slices.Clone(s.messages), p.Messages...); p.API == Anthropic {
		p.System, p.Tools = s.system, s.tools
	}
	p.earlier = false
	return nil
}

// resolve puts the items that the server keeps in the place of references to them.
func (f *Fake) resolve(p *Prompt) *Refusal {
	for i, m := range p.Messages {
		if len(m.Blocks) == 1 && m.Blocks[0].Kind == Reference {
			kept, ok := f.items[m.Blocks[0].ID]
			if !ok {
				return refusals(Responses).bad(UnknownItem, "Item with id '%s' not found.", m.Blocks[0].ID)
			}
			p.Messages[i] = kept
		}
	}
	return nil
}

// keep stores the conversation with its answer, if the request asks for that.
func (f *Fake) keep(p *Prompt, a Answer) {
	if !p.chain.keep {
		return
	}
	all := p.answered(a.Reply).Messages
	s := &stored{p.System, p.Tools, all, false}
	if p.API == Anthropic {
		if was := f.stored[p.chain.previous]; was != nil {
			was.continued = true
		}
		f.stored["msg_"+a.ID] = s
		return
	}
	if p.API == Interactions {
		f.stored[interactionID(a.ID)] = s
		return
	}
	for i, m := range all[len(p.Messages):] {
		f.items[itemID(a.Reply.Parts[i], fmt.Sprintf("%s_%d", a.ID, i))] = m
	}
	f.stored["resp_"+a.ID] = s
	if p.chain.conversation != "" {
		f.stored["resp_"+p.chain.conversation] = s
	}
}
