package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/request"
)

// toolCalls are the calls of a response that the server keeps, so that the next request need not hold them.
type toolCalls struct {
	Response string     `json:"response,omitempty"` // the response's id
	Calls    []toolCall `json:"calls,omitempty"`
	// the patterns that were asked about the calls, as patternsOf names them
	Asked string `json:"asked,omitempty"`
}

// toolCall is one tool call of an answer. Its input is not stored: Hits and Doubts say which patterns of the
// rules match it, such as "Bash(git push*)".
type toolCall struct {
	ID     string     `json:"id,omitempty"`
	Item   string     `json:"item,omitempty"`
	Tool   string     `json:"tool,omitempty"`
	Class  fact.Class `json:"class,omitempty"`
	Failed *bool      `json:"failed,omitempty"`  // of a call that the server ran; nil: not known
	Hits   []string   `json:"matches,omitempty"` // the texts of the patterns that match
	Doubts []string   `json:"maybe,omitempty"`   // and of those that may match
}

// maxCalls is how many calls of a response are noted. Of a response with more, none is.
const maxCalls = 128

// callsIn returns the calls in a response.
func (x *exchange) callsIn(id string, items []byte) *toolCalls {
	reads := compile.ReadsOf(x.set)
	patterns := reads.Patterns()
	m := &toolCalls{Response: id, Asked: patternsOf(patterns)}
	calls := x.q.Made(items)
	if len(calls) > maxCalls {
		return nil
	}
	for _, c := range calls {
		out := toolCall{ID: c.ID, Item: c.Item, Tool: c.Tool, Class: c.Class}
		if c.Failed != fact.Unknown {
			failed := c.Failed == fact.True
			out.Failed = &failed
		}
		for _, p := range patterns {
			switch p.Match(&c.Call, x.t.opts.Place) {
			case fact.True:
				out.Hits = append(out.Hits, p.String())
			case fact.Unknown:
				out.Doubts = append(out.Doubts, p.String())
			}
		}
		m.Calls = append(m.Calls, out)
	}
	return m
}

// with returns what the request tells together with the calls of the response before it. For a request that
// goes on from another response it is what the request tells alone.
func (m *toolCalls) with(q *request.Request, reads compile.CallReads) *request.Request {
	if m == nil || q.Thread.Previous != "" && q.Thread.Previous != m.Response {
		return q
	}
	patterns := reads.Patterns()
	same := m.Asked == patternsOf(patterns) // else some were not asked
	calls := make([]request.Call, len(m.Calls))
	for i, c := range m.Calls {
		matches := map[string]fact.Truth{}
		for _, p := range patterns {
			switch text := p.String(); {
			case slices.Contains(c.Hits, text):
				matches[text] = fact.True
			case same && !slices.Contains(c.Doubts, text):
				matches[text] = fact.False
			}
		}
		failed := fact.Unknown
		if c.Failed != nil {
			failed = fact.Of(*c.Failed)
		}
		calls[i] = request.Call{ID: c.ID, Item: c.Item, Call: fact.Call{Tool: c.Tool, Class: c.Class,
			Failed:  failed,
			Matches: matches}}
	}
	return q.With(calls)
}

// patternsOf names a list of patterns: 16 hexadecimal digits, "" for none.
func patternsOf(ps []fact.Pattern) string {
	if len(ps) == 0 {
		return ""
	}
	h := sha256.New()
	for _, p := range ps {
		_, _ = h.Write(append([]byte(p.String()), 0))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
