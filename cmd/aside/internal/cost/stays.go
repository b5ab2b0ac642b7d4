package cost

// stays is the texts that stand in a prompt for good. In most requests nearly all of them are read from the cache, and all alike:
// so that is noted once for as many as it is true of, and not for each.
type stays struct {
	ours []stayed
	sums []int                                          // tokens of the first so many of ours
	held []held                                         // held[n] is what was noted of the first n of ours, and of no more
	over func(t Text, requests int, millionths float64) // is told of a text that stands there no longer: in how many requests it was read, and what its tokens cost each
}

// stayed is a text and the unit that it is.
type stayed struct {
	Text
	unit int
}

type held struct {
	requests   int
	millionths float64
}

func (s *stays) add(unit int, t Text) {
	if len(s.ours) == 0 {
		s.sums, s.held = append(s.sums[:0], 0), append(s.held[:0], held{})
	}
	s.sums = append(s.sums, s.sums[len(s.ours)]+t.Tokens)
	s.held = append(s.held, held{})
	s.ours = append(s.ours, stayed{t, unit})
}

// tokens returns how long the first n texts are.
func (s *stays) tokens(n int) int {
	if n == 0 {
		return 0
	}
	return s.sums[n]
}

// note notes that a request has read the first n texts at a price for a million tokens.
func (s *stays) note(n int, price float64) {
	if n > 0 {
		s.held[n].requests++
		s.held[n].millionths += price
	}
}

// cut takes away the texts from a unit on.
func (s *stays) cut(unit int) {
	var all held
	for n := len(s.ours); n > 0 && s.ours[n-1].unit >= unit; n-- {
		all.requests += s.held[n].requests
		all.millionths += s.held[n].millionths
		if all.requests > 0 {
			s.over(s.ours[n-1].Text, all.requests, all.millionths)
		}
		s.ours, s.sums, s.held = s.ours[:n-1], s.sums[:n], s.held[:n]
	}
	if n := len(s.ours); n > 0 {
		s.held[n].requests += all.requests
		s.held[n].millionths += all.millionths
	}
}
