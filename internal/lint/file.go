package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
)

// notes are names of files that people write for people.
var notes = map[string]bool{"readme": true, "changelog": true, "contributing": true, "license": true, "licence": true, "notes": true, "todo": true, "index": true,
	"claude": true, "agents": true, "gemini": true}

// file tells of a Markdown file without a front matter, whose whole text is a reminder: of one for people that lies among the rules,
// and of one whose keys are sent as text.
func (s *subject) file() {
	base := s.File[strings.LastIndexAny(s.File, `/\`)+1:]
	stem, ok := strings.CutSuffix(base, ".md")
	if !ok || strings.HasPrefix(strings.TrimPrefix(s.src, "\uFEFF"), "---") {
		return
	}
	if notes[strings.ToLower(stem)] {
		s.add(finding{
			code: code.FileForPeople, field: "id",
			message: fmt.Sprintf("%s is read as a reminder, and its text is sent once at the beginning of each run", base),
			hint:    "move it out of the directory, or give it a front matter if it is meant so",
		})
	}
	line, _, _ := strings.Cut(s.Text, "\n")
	if key, value, is := strings.Cut(line, ":"); is && slices.Contains(document.Keys(), key) && (strings.TrimSpace(value) == "" || value[0] == ' ') {
		s.add(finding{
			code: code.KeysInText, field: "text", at: s.in(0, len(key)),
			message: fmt.Sprintf("%s is no key here but the beginning of the text: there is no front matter", key),
			hint:    "put a line `---` above the keys, and one between them and the text",
		})
	}
}
