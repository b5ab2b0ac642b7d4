package analysis

import "strings"

// A pattern of tools is a text in which * stands for any characters, as in package compile.

// accepts reports whether a pattern accepts a name.
func accepts(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	head, tail := parts[0], parts[len(parts)-1]
	if len(name) < len(head)+len(tail) || !strings.HasPrefix(name, head) || !strings.HasSuffix(name, tail) {
		return false
	}
	rest := name[len(head) : len(name)-len(tail)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}

// maxPattern is how long a pattern may be of which more is asked than whether it accepts a name.
const maxPattern = 63

// within reports whether every name that p accepts is surely one that q accepts.
func within(p, q string) bool {
	switch {
	case p == q || strings.Trim(q, "*") == "" && q != "":
		return true
	case !strings.Contains(p, "*"):
		return accepts(q, p)
	case !strings.Contains(q, "*") || len(p) > maxPattern || len(q) > maxPattern:
		return false
	}
	// Names are read letter by letter: p is at one of its places, q at all those that it can have come to. A letter that
	// neither has stands for all of those.
	letters := distinct(p + q)
	type place struct {
		p int
		q uint64
	}
	seen := map[place]bool{}
	todo := []place{{0, stars(q, 1)}}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if len(seen) > 4096 {
			return false
		}
		for i := at.p; ; i++ { // p may leave its stars at any time
			if i == len(p) {
				if at.q&(1<<len(q)) == 0 {
					return false
				}
				break
			}
			if p[i] == '*' {
				for _, c := range letters {
					todo = append(todo, place{i, step(q, at.q, c)})
				}
				continue
			}
			todo = append(todo, place{i + 1, step(q, at.q, p[i])})
			break
		}
	}
	return true
}

// apart reports whether there is surely no name that both accept.
func apart(p, q string) bool {
	if len(p) > maxPattern || len(q) > maxPattern {
		return false
	}
	// reach[i] are the places of q that can be come to while p is at i.
	seen := make([]uint64, len(p)+1)
	var visit func(i, j int) bool // reports a name that both accept
	visit = func(i, j int) bool {
		if seen[i]&(1<<j) != 0 {
			return false
		}
		seen[i] |= 1 << j
		switch {
		case i == len(p) && j == len(q):
			return true
		case i < len(p) && p[i] == '*' && visit(i+1, j), j < len(q) && q[j] == '*' && visit(i, j+1):
			return true
		case i == len(p) || j == len(q):
			return false
		case p[i] == '*' && q[j] == '*':
			return false // one of them leaves its star first
		case p[i] == '*':
			return visit(i, j+1)
		case q[j] == '*':
			return visit(i+1, j)
		default:
			return p[i] == q[j] && visit(i+1, j+1)
		}
	}
	return !visit(0, 0)
}

// distinct returns the letters of s but *, and one that is not in it.
func distinct(s string) []byte {
	var has [256]bool
	var out []byte
	for i := range len(s) {
		if c := s[i]; c != '*' && !has[c] {
			has[c] = true
			out = append(out, c)
		}
	}
	for c := range has {
		if !has[c] && c != '*' {
			return append(out, byte(c))
		}
	}
	return out
}

// step moves the places of q over a letter.
func step(q string, at uint64, c byte) uint64 {
	var next uint64
	for i := range members(at) {
		if i < len(q) && q[i] == '*' {
			next |= 1 << i
		} else if i < len(q) && q[i] == c {
			next |= 1 << (i + 1)
		}
	}
	return stars(q, next)
}

// stars adds the places behind stars, which may stand for nothing.
func stars(q string, at uint64) uint64 {
	for i := range len(q) {
		if q[i] == '*' && at&(1<<i) != 0 {
			at |= 1 << (i + 1)
		}
	}
	return at
}
