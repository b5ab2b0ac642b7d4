package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
)

// Rules is the set of rules that a step obeys. It is immutable and may be used concurrently.
//
// Stepping with the same *Rules as before is cheapest; another one, even with equal rules, costs a look at each rule for
// which the run has state.
type Rules struct {
	rules []Rule
	index map[string]int
	byID  []int // rule indices in the byte order of ids; nil if the rules already are in it
	twice []bool
}

// NewRules returns the rules of a set; the index of a rule here is the index that Input.Judge and Input.Render use.
// Values that a rule cannot mean are read as their default: a negative span or count is none, a tier or place that does not exist is
// the zero one, Rearm of a While is off, and MaxFires of a Safety rule is no limit. Of rules that share an id only the first can fire.
func NewRules(rules []Rule) *Rules {
	r := &Rules{rules: slices.Clone(rules), index: make(map[string]int, len(rules))}
	for i := range r.rules {
		settle(&r.rules[i])
		if _, ok := r.index[r.rules[i].ID]; !ok {
			r.index[r.rules[i].ID] = i
			continue
		}
		if r.twice == nil {
			r.twice = make([]bool, len(rules))
		}
		r.twice[i] = true
	}
	byID := func(a, b int) int { return cmp.Compare(r.rules[a].ID, r.rules[b].ID) }
	order := make([]int, len(rules))
	for i := range order {
		order[i] = i
	}
	if !slices.IsSortedFunc(order, byID) {
		slices.SortStableFunc(order, byID)
		r.byID = order
	}
	return r
}

// settle gives a rule the values it means.
func settle(r *Rule) {
	r.For, r.Cooldown = floor(r.For), floor(r.Cooldown)
	r.MaxFires = max(r.MaxFires, 0)
	if r.Tier > terms.Safety {
		r.Tier = terms.Guidance
	}
	if r.Attach > terms.RunStart {
		r.Attach = terms.Tail
	}
	if r.Tier == terms.Safety {
		r.MaxFires = 0
	}
	if r.While {
		r.Rearm = false
	}
	switch r.Keep.Unit {
	case terms.KeepCall, terms.KeepTurn, terms.KeepConversation:
		r.Keep.Turns = 0
	case terms.KeepTurns:
		r.Keep.Turns = max(r.Keep.Turns, 1)
	default:
		r.Keep = terms.Keep{Unit: terms.KeepTurn}
		if r.While {
			r.Keep.Unit = terms.KeepCall
		}
	}
}

func floor(s terms.Span) terms.Span { return terms.Span{Turns: max(s.Turns, 0), Time: max(s.Time, 0)} }

// Len returns how many rules there are.
func (r *Rules) Len() int { return len(r.rules) }

// Rule returns rule i with its defaults filled in.
func (r *Rules) Rule(i int) Rule { return r.rules[i] }

// Index returns the index of the rule with that id.
func (r *Rules) Index(id string) (int, bool) {
	i, ok := r.index[id]
	return i, ok
}

// at returns the index of the rule at a position in id order.
func (r *Rules) at(pos int) int {
	if r.byID == nil {
		return pos
	}
	return r.byID[pos]
}

// truth returns what ts says of rule i; what a judge leaves out is unknown.
func (r *Rules) truth(ts []fact.Truth, i int) fact.Truth {
	if i >= len(ts) || r.twice != nil && r.twice[i] {
		return fact.Unknown
	}
	return ts[i]
}

// digest is what a snapshot keeps of a version, which may be as long as a trigger.
func digest(version string) string {
	sum := sha256.Sum256([]byte(version))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
