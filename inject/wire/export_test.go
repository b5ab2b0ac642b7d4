package wire

// Remembered returns how many bytes a Reader counts as what it remembers, and how many of them are those of what can be found.
func Remembered(r *Reader) (counted, found int) {
	seen := map[*memory]bool{}
	for _, m := range r.past.at {
		if !seen[m] {
			found += m.bytes()
		}
		seen[m] = true
	}
	return r.past.bytes, found
}

// Known returns how many messages of a conversation were not read again.
func Known(c *Conversation) int { return c.body.known }
