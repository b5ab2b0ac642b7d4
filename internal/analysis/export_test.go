package analysis

import (
	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
)

// Example is a turn on which a trigger is true.
type Example struct {
	Frame *fact.Frame
	Text  string // as Describe says it
}

// Witness returns a turn on which the trigger is true: it was evaluated on it. ok is false where the trigger
// can never be true, and where no such turn was found.
func Witness(p *compiled.Predicate) (ex Example, ok bool) {
	st := newExamination(p, self, "trigger", occasion{})
	if st != nil {
		ex.Frame, ex.Text, ok = st.m.witness(st.root, p)
	}
	return ex, ok
}
