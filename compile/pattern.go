package compile

import "strings"

// pattern is the name of a tool, in which * stands for any characters.
type pattern struct {
	text  string
	parts []string // what stands between the wildcards; nil without any
	match func(tool string) bool
}

func newPattern(text string) *pattern {
	p := &pattern{text: text}
	if strings.Contains(text, "*") {
		p.parts = strings.Split(text, "*")
	}
	switch {
	case p.parts == nil:
		p.match = func(tool string) bool { return tool == text }
	case strings.Trim(text, "*") == "":
		p.match = func(string) bool { return true }
	default:
		p.match = p.glob
	}
	return p
}

// glob takes the first place at which each part stands; with nothing but * between them that finds a match if there is one.
func (p *pattern) glob(tool string) bool {
	head, tail := p.parts[0], p.parts[len(p.parts)-1]
	if len(tool) < len(head)+len(tail) || !strings.HasPrefix(tool, head) || !strings.HasSuffix(tool, tail) {
		return false
	}
	rest := tool[len(head) : len(tool)-len(tail)]
	for _, part := range p.parts[1 : len(p.parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}

// anyOf reports whether any of the tools is accepted by any of the patterns.
func anyOf(ps []*pattern, tools []string) bool {
	for _, tool := range tools {
		for _, p := range ps {
			if p.parts == nil && p.text == tool || p.parts != nil && p.match(tool) {
				return true
			}
		}
	}
	return false
}
