package compile

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Need is what has to change for a trigger to become true, or false. It is one condition (Text), or several (Parts) of which all
// or any one have to hold. The zero Need says that nothing has to change: the trigger has that truth, and keeps it unless some
// fact changes.
type Need struct {
	Text    string   `json:"text,omitempty"`    // the condition, in canonical form; "" if there are Parts
	Now     string   `json:"now,omitempty"`     // what it reads on this turn, such as "71%"; "" if that says nothing about the next one
	Left    string   `json:"left,omitempty"`    // how long until it holds, where that is certain, such as "3 turns"
	Unknown []string `json:"unknown,omitempty"` // what it reads and is unknown: names of facts, or a few words
	Again   bool     `json:"again,omitempty"`   // it holds on this turn, but is about a single turn, so it has to hold again
	Never   bool     `json:"never,omitempty"`   // it cannot hold any more in this run, since what it reads only grows
	Any     bool     `json:"any,omitempty"`     // any one of Parts is enough; otherwise all of them are needed
	Number  bool     `json:"-"`                 // it compares numbers
	Parts   []Need   `json:"parts,omitempty"`
}

// IsZero reports whether nothing is needed.
func (n *Need) IsZero() bool { return n.Text == "" && len(n.Parts) == 0 }

// String returns n on one line: "context_usage > 75% (now 71%) and user_message".
func (n Need) String() string {
	if len(n.Parts) == 0 {
		if note := n.Note(); note != "" {
			return n.Text + " (" + note + ")"
		}
		return n.Text
	}
	word := " and "
	if n.Any {
		word = " or "
	}
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		if parts[i] = p.String(); len(p.Parts) > 0 && p.Any != n.Any {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, word)
}

// Note returns what else there is to say of the condition Text, such as "now 71%" or "now 12, in 3 turns"; "" if there is
// nothing.
func (n Need) Note() string {
	var notes []string
	switch {
	case strings.HasPrefix(n.Now, "never "):
		notes = append(notes, n.Now)
	case n.Now != "":
		notes = append(notes, "now "+n.Now)
	}
	if n.Left != "" {
		notes = append(notes, "in "+n.Left)
	}
	switch {
	case len(n.Unknown) == 1 && n.Unknown[0] == strings.TrimPrefix(n.Text, "not "):
		notes = append(notes, "which this host has not told")
	case len(n.Unknown) > 0:
		notes = append(notes, "needs "+strings.Join(n.Unknown, " and ")+", which this host has not told")
	}
	return strings.Join(notes, ", ")
}

// Needs returns what has to change after the turn of f for p to become want, which is True or False. It leaves out the parts of
// p that already are as they have to be, unless they are about a single turn. Of a Func it knows only the name. For Unknown it
// returns the zero Need.
func (p *Predicate) Needs(f *fact.Frame, want fact.Truth) Need {
	switch {
	case want == fact.Unknown || p.root == nil && p.eval(f) == want:
		return Need{}
	case p.root == nil && want == fact.False:
		return Need{Text: "not " + p.text}
	case p.root == nil:
		return Need{Text: p.text}
	}
	return p.root.need(f, want)
}

func (n *node) need(f *fact.Frame, want fact.Truth) Need {
	if n.leaf != nil {
		return n.needLeaf(f, want)
	}
	switch n.expr.(type) {
	case *grammar.Not:
		return n.kids[0].need(f, want.Not())
	case *grammar.And:
		return n.needKids(f, want, want == fact.False)
	default:
		return n.needKids(f, want, want == fact.True)
	}
}

// needKids returns what the operands of an "and" or an "or" need: any one of them is enough, or all are needed.
func (n *node) needKids(f *fact.Frame, want fact.Truth, any bool) Need {
	out := Need{Any: any}
	var never []Need
	for _, k := range n.kids {
		part := k.need(f, want)
		switch {
		case part.IsZero() && any:
			return Need{} // that is enough, and lasts
		case part.IsZero():
		case part.Never:
			never = append(never, part)
		case part.Any == any && len(part.Parts) > 0:
			out.Parts = append(out.Parts, part.Parts...)
		default:
			out.Parts = append(out.Parts, part)
		}
	}
	if len(never) > 0 && (!any || len(out.Parts) == 0) {
		return never[0]
	}
	if len(out.Parts) == 1 {
		return out.Parts[0]
	}
	return out
}
