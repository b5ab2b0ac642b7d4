package modelapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Stable checks law I4 of RELIABILITY.md: where a request, without what was put into it, is the beginning of
// a later request, it is so to the byte with what was put into it, and nothing new stands in front of what
// the model has answered since. Cache marks do not count, nor whether a text is a string or a block.
type Stable struct {
	// Ours reports whether text, which stands between reminder tags, was put in. It is for clients that write
	// such tags themselves. nil: every such text was put in.
	Ours func(text string) bool
	// Tail leaves out what was put in at the end of the earlier request: the delivery tail promises only what is
	// before that.
	Tail bool
}

// Check compares each request that could be read with the latest earlier one that it goes on from; so the
// records of several conversations may be mixed. It returns the first violation.
func (s Stable) Check(rs []Record) error {
	var before []stream
	for _, r := range rs {
		if r.Prompt == nil || r.Prompt.Count {
			continue
		}
		now := s.stream(r)
		for i := len(before) - 1; i >= 0; i-- {
			if !now.continues(before[i].own) {
				continue
			}
			if err := now.holds(before[i], s.Tail); err != nil {
				return err
			}
			break
		}
		before = append(before, now)
	}
	return nil
}

// stream is a prompt as the model reads it, a line for each block.
type stream struct {
	n         int      // number of the record
	own       []string // without what was put in
	all, bare []string // with what was put in; and the same lines, each without what was put into it
	tail      int      // how many lines of all stand behind the last one that is the client's own
}

// tagged matches a reminder with the line ends in front of it, in a text or in a JSON string.
var tagged = regexp.MustCompile(`(?s)(?:\\n|\n|\x00)*<system-reminder\b[^>]*>(.*?)</system-reminder>`)

func (s Stable) stream(r Record) stream {
	out := stream{n: r.N}
	lines := func(role string, bs []Block) (kept int) {
		for i, b := range bs {
			all := fmt.Sprintf("%s %d\x00%s", role, i, b.Raw)
			own := b.Raw
			if strings.Contains(own, "<system-reminder") { // most have none, and the expression is slow
				own = tagged.ReplaceAllStringFunc(own, func(m string) string {
					text := tagged.FindStringSubmatch(m)[1]
					if (b.Kind == Text || b.Kind == ToolResult) && (s.Ours == nil || s.Ours(strings.Trim(text, "\n"))) {
						return ""
					}
					return m
				})
			}
			out.all = append(out.all, all)
			out.bare = append(out.bare, fmt.Sprintf("%s %d\x00%s", role, i, own))
			if out.tail++; own != b.Raw && strings.TrimSpace(own) == "" {
				continue
			}
			out.own = append(out.own, fmt.Sprintf("%s %d\x00%s", role, kept, own))
			out.tail, kept = 0, kept+1
		}
		return kept
	}
	lines("tool", r.Prompt.Tools)
	lines("system prompt", r.Prompt.System)
	out.tail = 0
	for _, m := range r.Prompt.Messages {
		lines(m.Role+m.ClearAt, m.Blocks)
	}
	return out
}

// continues reports whether s, without what was put in, begins with these lines.
func (s stream) continues(lines []string) bool {
	return len(lines) <= len(s.own) && slices.Equal(s.own[:len(lines)], lines)
}

// holds returns where s does not begin with all of an earlier stream, nil if it does.
func (s stream) holds(before stream, tail bool) error {
	want := before.all
	if tail {
		want = want[:len(want)-before.tail]
	}
	for i, line := range want {
		end := tail && i == len(want)-1 // the last line of the client's, into which a text may have been put
		if i >= len(s.all) || s.all[i] != line && !(end && s.bare[i] == before.bare[i]) {
			got := "nothing"
			if i < len(s.all) {
				got = fmt.Sprintf("%q", s.all[i])
			}
			return fmt.Errorf("request %d has %s where request %d had %q", s.n, got, before.n, line)
		}
	}
	if at := len(before.own); at < len(s.own) && answers(s.own[at]) && s.all[len(want)] != s.own[at] {
		return fmt.Errorf("request %d has %q in front of the answer to request %d", s.n, s.all[len(want)], before.n)
	}
	return nil
}

// answers reports whether a line is the model's.
func answers(line string) bool {
	return strings.HasPrefix(line, "assistant ") || strings.HasPrefix(line, "model ")
}
