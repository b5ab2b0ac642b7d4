package cases

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Known returns a turn that knows every fact and has a history that allocates nothing.
func Known(s *fact.Schema) *fact.Frame {
	f := s.NewFrame()
	for i := range s.Len() {
		switch ft := s.Fact(fact.ID(i)); ft.Type {
		case fact.String:
			f.SetText(ft.ID, "plan")
		case fact.Set:
			f.SetSet(ft.ID, []string{"Read", "Bash"})
		case fact.Bool:
			f.SetBool(ft.ID, true)
		case fact.Ratio:
			f.SetRatio(ft.ID, 0.8)
		case fact.Calls: // tool_used tells the names alone
		default:
			f.SetInt(ft.ID, 30)
		}
	}
	f.SetHistory(flat{})
	f.SetSelf("r")
	return f
}

// flat is a history in which everything happened three turns ago.
type flat struct{}

func (flat) Now() fact.Mark {
	return fact.Mark{Turn: 30, UserTurn: 10, UserTurnOK: true, OutputTokens: 100, OutputOK: true,
		At: time.Unix(1000, 0)}
}
func (flat) Begin() fact.Mark { return fact.Mark{UserTurnOK: true, At: time.Unix(100, 0)} }

func (flat) CallCount(of fact.Pattern) (int, bool) {
	if of.Match(&bashCall, fact.Place{}) == fact.True {
		return 4, true
	}
	return 0, true
}

func (flat) TurnsSinceCall(of fact.Pattern) (int, bool) {
	return 3, of.Match(&bashCall, fact.Place{}) == fact.True
}

func (flat) CalledSince(a, _ fact.Pattern) fact.Truth { return a.Match(&bashCall, fact.Place{}) }

var bashCall = fact.Call{Tool: "Bash", Class: fact.Shell, Command: "ls", Told: true}

func (flat) ChainRepeats(chain []func(string) bool) (int, bool) { return len(chain), true }

func (flat) LastFire(id string) (fact.Mark, bool) {
	return fact.Mark{Turn: 27, UserTurn: 9, UserTurnOK: true, OutputTokens: 50, OutputOK: true,
		At: time.Unix(400, 0)}, id == "r"
}
