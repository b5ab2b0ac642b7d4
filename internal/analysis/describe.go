package analysis

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/excerpt"
)

// named is how many others a line names.
const named = 5

// Describe tells people what is known of the i-th reminder before it runs, a clause a line: what Check says
// of its trigger as a whole, a turn on which it fires, and how it stands to the others.
func Describe(s *compile.Set, i int) (lines []string) {
	for _, f := range single(s, i) {
		if f.code == code.NeverFires || f.code == code.AlwaysTrue {
			lines = append(lines, f.message)
		}
		if f.code == code.NeverFires {
			return lines
		}
	}
	r, p := s.Reminder(i), s.Trigger(i)
	st := newExamination(p, self, "trigger", occasion{})
	if st == nil {
		return lines
	}
	if ex, ok := st.m.witness(st.root, p); ok && ex.Text != "" {
		lines = append(lines, "it fires for example when "+ex.Text)
	}
	if once, _ := st.once(); edges(r) && (once || st.root.op == formFixed) {
		lines = append(lines, "it fires at most once a run")
	}
	others := map[Kind][]string{}
	for _, rel := range Relations(s, i) {
		others[rel.Kind] = append(others[rel.Kind], s.Reminder(rel.Other).ID)
	}
	for _, l := range []struct {
		kind  Kind
		words string
	}{
		{Same, "its trigger says the same as that of %s"},
		{Implies, "whenever its trigger is true, so is that of %s"},
		{ImpliedBy, "its trigger is true whenever that of %s is"},
		{Apart, "its trigger is never true together with that of %s"},
	} {
		ids := others[l.kind]
		if len(ids) == 0 {
			continue
		}
		if more := len(ids) - named; more > 0 {
			ids = append(ids[:named:named], fmt.Sprintf("%d others", more))
		}
		lines = append(lines, fmt.Sprintf(l.words, list(ids)))
	}
	return lines
}

// shown is how many bytes of a part of a trigger a message shows.
const shown = 70

// quoted is a part of a trigger as a message shows it.
func quoted(s string) string { return "`" + excerpt.Of(s, shown) + "`" }

// list joins texts as people do.
func list(texts []string) string {
	switch n := len(texts); n {
	case 0:
		return ""
	case 1:
		return texts[0]
	default:
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
}
