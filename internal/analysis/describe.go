package analysis

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/excerpt"
)

// Description tells people what analysis knows of a reminder before it runs.
type Description struct {
	Never  bool // its trigger can never be true
	Always bool // its trigger is true whenever its facts are known
	// its trigger has one edge a run at most, and it fires on edges; a text that never got through counts for
	// none
	Once    bool
	Example Example
	Lines   []string // all of this in words, a sentence each, without a full stop
}

// named is how many others a line names.
const named = 5

// Describe describes the i-th reminder.
func Describe(s *compile.Set, i int) Description {
	r := s.Reminder(i)
	d := describe(s.Trigger(i), r.Mode == reminder.When && r.Rearm == "")
	if f, ok := waits(s, i); ok && !d.Never {
		why := strings.TrimPrefix(f.message, "the trigger can never be true: ")
		return Description{Never: true, Lines: []string{"can never fire: " + why}}
	}
	if d.Never || d.Always {
		return d
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
		d.Lines = append(d.Lines, fmt.Sprintf(l.words, list(ids)))
	}
	return d
}

// describe describes a trigger by itself; edges is whether its reminder fires on edges and has no rearm.
func describe(p *compile.Predicate, edges bool) Description {
	var d Description
	st := newExamination(p, self, "trigger", occasion{})
	if st == nil {
		return d
	}
	m := st.reach(st.root, usual)
	m |= st.reach(st.root, oddest) & (maskF | maskT)
	d.Never, d.Always = m&maskT == 0, m&maskF == 0
	if where := st.where(st.root, maskT); m&maskT != 0 && st.reach(st.root, usual)&maskT == 0 {
		d.Lines = append(d.Lines, "fires only where "+where)
	}
	if d.Never {
		why := st.blame(st.root, maskT).reason
		d.Lines = append(d.Lines, strings.TrimSuffix("can never fire: "+why, ": "))
		return d
	}
	if ex, ok := st.m.witness(st.root, p); ok {
		d.Example = ex
		if ex.Text != "" {
			d.Lines = append(d.Lines, "fires for example when "+ex.Text)
		}
	}
	if d.Always {
		d.Lines = append(d.Lines, "is true on every turn on which its facts are known")
	}
	if once, _ := st.once(); edges && (once || st.root.op == formFixed) {
		d.Once = true
		d.Lines = append(d.Lines, "fires at most once a run")
	}
	return d
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
