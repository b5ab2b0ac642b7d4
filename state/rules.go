package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Rules are the rules of a set, made ready for Step. They are immutable and may be used concurrently.
//
// Use the same *Rules for every step: with others, even equal ones, a step has to look up each rule for which the run
// remembers something.
type Rules struct {
	rules []Rule
	index map[string]int // of the first rule with that id
	byID  []int          // rule indices in the byte order of ids; nil if the rules themselves are in that order
	twice []bool         // by rule index, whether an earlier rule has the same id; nil if that is true of none
}

// NewRules returns the rules of a set. The index of a rule in the list is the one that Input.Judge and Input.Render use.
//
// A value that makes no sense is replaced by the default: a negative span or count by zero, a tier or place that does not
// exist by the first one, Rearm of a While by false, and MaxFires of a Safety rule, which must never fall silent, by no limit.
// Of several rules with the same id only the first can fire. NewRules copies the list.
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

// settle puts defaults in the place of missing values and of those that make no sense, as NewRules says.
func settle(r *Rule) {
	r.For, r.Cooldown = floor(r.For), floor(r.Cooldown)
	r.MaxFires = max(r.MaxFires, 0)
	if r.Tier > reminder.Safety {
		r.Tier = reminder.Guidance
	}
	if r.Attach > reminder.RunStart {
		r.Attach = reminder.Tail
	}
	if r.Tier == reminder.Safety {
		r.MaxFires = 0
	}
	if r.While {
		r.Rearm = false
	}
	switch r.Keep.Unit {
	case reminder.KeepCall, reminder.KeepTurn, reminder.KeepConversation:
		r.Keep.Turns = 0
	case reminder.KeepTurns:
		r.Keep.Turns = max(r.Keep.Turns, 1)
	default:
		r.Keep = reminder.Keep{Unit: reminder.KeepTurn}
		if r.While {
			r.Keep.Unit = reminder.KeepCall
		}
	}
}

func floor(s reminder.Span) reminder.Span {
	return reminder.Span{Turns: max(s.Turns, 0), Time: max(s.Time, 0)}
}

// Len returns how many rules there are.
func (r *Rules) Len() int { return len(r.rules) }

// Rule returns rule i, with the defaults of NewRules filled in.
func (r *Rules) Rule(i int) Rule { return r.rules[i] }

// Index returns the index of the rule with that id, and whether there is one.
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

// truth returns the truth of rule i in ts; Unknown if ts ends before it, or if another rule has the id.
func (r *Rules) truth(ts []fact.Truth, i int) fact.Truth {
	if i >= len(ts) || r.twice != nil && r.twice[i] {
		return fact.Unknown
	}
	return ts[i]
}

// digest returns what a snapshot keeps of Rule.Version, which may be as long as a trigger: a hash of 96 bits.
func digest(version string) string {
	sum := sha256.Sum256([]byte(version))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
