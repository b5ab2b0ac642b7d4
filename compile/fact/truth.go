package fact

// Truth is a truth value of Kleene's strong three-valued logic, in which what is not known is neither true nor false. The
// zero Truth is False. The constants are ordered so that "and" is the least and "or" the greatest of its operands.
type Truth uint8

const (
	// False is known not to hold.
	False Truth = iota
	// Unknown is not known to hold, nor known not to: what the host did not report.
	Unknown
	// True is known to hold.
	True
)

// Of returns True if b holds, else False.
func Of(b bool) Truth {
	if b {
		return True
	}
	return False
}

// And returns False if either is False, True if both are True, and Unknown otherwise.
func (t Truth) And(u Truth) Truth { return min(t, u) }

// Or returns True if either is True, False if both are False, and Unknown otherwise.
func (t Truth) Or(u Truth) Truth { return max(t, u) }

// Not returns False for True, True for False, and Unknown for Unknown.
func (t Truth) Not() Truth { return True - t }

// String returns "false", "unknown" or "true".
func (t Truth) String() string { return [...]string{"false", "unknown", "true"}[t] }
