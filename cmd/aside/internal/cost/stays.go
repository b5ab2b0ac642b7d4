package cost

// stays are the texts that stay in a prompt. In most requests nearly all of them are read from the cache. So a request is noted once,
// with the number of texts that it has read from the first one on, and not for each text.
type stays struct {
	ours []stayed
	sums []int  // sums[n]: the tokens of the first n of ours
	held []held // held[n]: the requests that have read just the first n of ours

	// over is called for a text when it is cut: in how many requests it was read, and the sum of their prices for a million tokens.
	over func(t Text, requests int, millionths float64)
}

// stayed is a text, and the index of its unit.
type stayed struct {
	Text
	unit int
}

// held is a number of requests, and the sum of their prices for a million tokens.

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

// tokens returns the tokens of the first n texts.
func (s *stays) tokens(n int) int {
	if n == 0 {
		return 0
	}
	return s.sums[n]
}

// note records a request that has read the first n texts at a price for a million tokens.
func (s *stays) note(n int, price float64) {
	if n > 0 {
		s.held[n].requests++
		s.held[n].millionths += price
	}
}

// cut removes the texts from a unit on.
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
