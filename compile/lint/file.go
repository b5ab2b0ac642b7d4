package lint

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/grammar"
)

// notes are names of files that people write for people.
var notes = map[string]bool{"readme": true, "changelog": true, "contributing": true, "license": true, "licence": true, "notes": true, "todo": true, "index": true,
	"claude": true, "agents": true, "gemini": true}

// file tells of a file for people that lies among the rules: without a front matter its whole text is a reminder.
func (s *subject) file() {
	base := s.File[strings.LastIndexAny(s.File, `/\`)+1:]
	stem, ok := strings.CutSuffix(base, ".md")
	if !ok || !notes[strings.ToLower(stem)] || strings.HasPrefix(strings.TrimPrefix(s.src, "\uFEFF"), "---") {
		return
	}
	s.add("R1019", grammar.Warning, "id", grammar.Range{}, fmt.Sprintf("%s is read as a reminder, and its text is sent once at the beginning of each run", base), "move it out of the directory, or give it a front matter if it is meant so")
}
