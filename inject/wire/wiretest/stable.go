package wiretest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Stable is law I4 of RELIABILITY.md: wherever a request, read without what was put into it, is the beginning of a later one,
// it is so with what was put into it, to the byte; and nothing new stands in front of what the model has answered since.
// Cache marks and whether a text is a string or a block make no difference.
type Stable struct {
	// Ours tells what was put in by the text between its tags, where clients write such tags too. nil: every text between
	// reminder tags was.
	Ours func(text string) bool
	// Tail takes away what was put at the end of the earlier request before the two are compared: delivery tail promises only
	// what is before that.
	Tail bool
}

// Check holds each request that could be read against the latest one before it that it goes on from, so that conversations
// may be mixed. It returns what is wrong with the first that does not keep the law.
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

// stream is a prompt as the model reads it: one line for a block.
type stream struct {
	n         int      // of the record
	own       []string // without what was put in
	all, bare []string // with it; the same lines, each without what was put into it
	tail      int      // how many of all stand behind the last line that is the client's own
}

// tagged is a reminder with the blanks around it, in a text and in a string of JSON.
var tagged = regexp.MustCompile(`(?s)(?:\\n|\n|\x00)*<system-reminder\b[^>]*>(.*?)</system-reminder>`)

func (s Stable) stream(r Record) stream {
	out := stream{n: r.N}
	lines := func(role string, bs []Block) (kept int) {
		for i, b := range bs {
			all := fmt.Sprintf("%s %d\x00%s", role, i, b.Raw)
			own := tagged.ReplaceAllStringFunc(b.Raw, func(m string) string {
				text := tagged.FindStringSubmatch(m)[1]
				if (b.Kind == Text || b.Kind == ToolResult) && (s.Ours == nil || s.Ours(strings.Trim(text, "\n"))) {
					return ""
				}
				return m
			})
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

// continues reports whether lines are the beginning of the client's own.
func (s stream) continues(lines []string) bool {
	return len(lines) <= len(s.own) && slices.Equal(s.own[:len(lines)], lines)
}

func (s stream) holds(before stream, tail bool) error {
	want := before.all
	if tail {
		want = want[:len(want)-before.tail]
	}
	for i, line := range want {
		end := tail && i == len(want)-1 // where it may have been put into what is the client's own
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

// answers reports whether a line is what the model said.
func answers(line string) bool {
	return strings.HasPrefix(line, "assistant ") || strings.HasPrefix(line, "model ")
}
