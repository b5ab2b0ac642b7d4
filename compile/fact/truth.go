package fact

// Truth is one of three values: what is not known is neither true nor false (Kleene's strong logic). The order of the
// constants makes "and" the lesser and "or" the greater of two truths.
type Truth uint8

const (
	// False is known not to hold.
	False Truth = iota
	// Unknown is not known to hold or not to hold; it is what a fact that the host did not report leads to.
	Unknown
	// True is known to hold.
	True
)

// Of returns True or False.
func Of(b bool) Truth {
	if b {
		return True
	}
	return False
}

// And is False when either is, True when both are.
func (t Truth) And(u Truth) Truth { return min(t, u) }

// Or is True when either is, False when both are.
func (t Truth) Or(u Truth) Truth { return max(t, u) }

// Not turns True and False round and leaves Unknown.
func (t Truth) Not() Truth { return True - t }

// String returns "false", "unknown" or "true".
func (t Truth) String() string { return [...]string{"false", "unknown", "true"}[t] }
