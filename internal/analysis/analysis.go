package analysis

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// Check returns the findings about the reminders of a set for whose index want holds, each by itself and
// compared with all others. They are sorted and name places in the reminders' files. nil wants all reminders.
func Check(s *compile.Set, want func(i int) bool) grammar.Diagnostics {
	if want == nil {
		want = func(int) bool { return true }
	}
	var ds grammar.Diagnostics
	again := repeated(s, want)
	for i := range s.Len() {
		if !want(i) {
			continue
		}
		found := slices.Concat(single(s, i), expected(s, i))
		if f, ok := again[i]; ok {
			found = append(found, f)
		}
		for _, f := range found {
			ds = append(ds, diagnostic(s.Reminder(i), f))
		}
	}
	ds.Sort()
	return ds
}

// single returns the findings about a reminder by itself.
func single(s *compile.Set, i int) []finding {
	r, p := s.Reminder(i), s.Trigger(i)
	st := newExamination(p, r.ID, "trigger", occasion{})
	if st == nil {
		return nil
	}
	st.gaps = p.Moment() == fact.Turn && p.Events() && edges(r)
	never, always := st.examine()
	if f, ok := waits(s, i); ok && !never {
		return []finding{f}
	}
	switch {
	case r.Mode == reminder.While, never:
	case r.Rearm != "":
		st.found = append(st.found, rearm(r, p, s.Rearm(i))...)
	default:
		st.edge(r, always)
	}
	return st.found
}

// edges reports whether a reminder is armed again where its trigger is false between two turns.
func edges(r *compile.Source) bool {
	return r.Mode == reminder.When && r.Rearm == "" && r.For.IsZero()
}

// edge returns the findings about a trigger that has at most one edge, in a reminder that fires on edges.
func (st *examination) edge(r *compile.Source, always bool) {
	once, lasts, why := true, true, "it is always true"
	if st.root.op != formFixed && !(always && st.reach(st.root)&maskF == 0) {
		once, lasts = st.once()
		why = "what it counts never falls"
	}
	f := finding{code: code.IdleLimit, severity: grammar.Warning,
		hint: "leave it out, or write while to fire on every turn on which the trigger is true"}
	switch {
	case !once:
		return
	case r.Cooldown != (reminder.Span{}):
		f.field, f.message = "cooldown", "cooldown has no effect"
	case r.MaxFires > 1:
		f.field, f.message = "max_fires", "max_fires is never reached"
	case r.MaxFires == 0 && !lasts: // a limit that is passed once is plainly meant so
		st.add(finding{code: code.FiresOnce, severity: grammar.Info,
			message: "the reminder fires at most once a run: " + why,
			hint:    "for more, write while, or join it with something that changes"}, st.root, st.root)
		return
	default:
		return
	}
	f.message += ": the trigger becomes true at most once a run, since " + why
	st.found = append(st.found, f)
}

// rearm returns the findings about a rearm condition and its relation to the trigger.
func rearm(r *compile.Source, trigger, rearm *compiled.Predicate) []finding {
	st := newExamination(rearm, r.ID, "rearm", occasion{})
	if st == nil || st.root.op == formFixed && st.root.truth == fact.False { // said on purpose
		return nil
	}
	if never, _ := st.examine(); never {
		return st.found
	}
	m, roots := newModel(occasion{}, []string{r.ID, r.ID}, trigger, rearm)
	if m == nil {
		return st.found
	}
	t, a := roots[0], roots[1]
	add := func(id grammar.Code, sev grammar.Severity, message, hint string) []finding {
		return append(st.found, finding{code: id, severity: sev, field: "rearm", message: message, hint: hint})
	}
	m.ask(0)
	strict := m.together(t, a)
	if m.over {
		return st.found
	}
	opposite := pair(fact.True, fact.False) | pair(fact.False, fact.True) | pair(fact.Unknown, fact.Unknown)
	if strict&^opposite == 0 && !trigger.Events() && r.For.IsZero() {
		return add(code.IdleRearm, grammar.Info,
			"rearm says what holds without it: the reminder re-arms once its trigger is false",
			"leave it out; a compaction re-arms a reminder with rearm alone")
	}
	const instead = "write a rearm that is false as long as the trigger is true"
	switch with := strict.second(fact.True); {
	case with&(maskF|maskT) == maskT:
		return add(code.RearmWithTrigger, grammar.Warning,
			"rearm is true whenever the trigger is, so the reminder fires on every turn on which it is true",
			"write while without rearm, or"+strings.TrimPrefix(instead, "write"))
	case with&maskT != 0 && m.thresholds(t.in, a.in):
		text, f := "", m.schema.NewFrame()
		if m.example(join(formAnd, t, a), f) {
			text = ", as when " + list(slices.Compact(slices.Concat(
				deciding(trigger.Root(), trigger.Explain(f), fact.Turn),
				deciding(rearm.Root(), rearm.Explain(f), fact.Turn))))
		}
		return add(code.RearmWithTrigger, grammar.Warning,
			"rearm and the trigger can both be true"+text+": there the reminder fires on every turn", instead)
	}
	hint := "count from the last firing, as in turns_since(\"" + r.ID + "\") >= 20"
	if rearms, fires := m.again(t, a); !rearms {
		return add(code.RearmNever, grammar.Warning,
			"rearm can never be true once the reminder has fired: what it counts never falls"+onlyCompaction, hint)
	} else if !fires {
		return add(code.RearmNever, grammar.Warning,
			"once rearm is true the trigger can never be true again: what it counts never falls", hint)
	}
	return st.found
}

// expected returns the findings about what a reminder expects.
func expected(s *compile.Set, i int) []finding {
	p := s.Expect(i)
	if p == nil {
		return nil
	}
	st := newExamination(p, s.Reminder(i).ID, "expect", occasion{})
	if st == nil {
		return nil
	}
	if st.root.op != formFixed {
		st.examine()
		return st.found
	}
	f := finding{code: code.ExpectNever, severity: grammar.Warning, field: "expect",
		message: "expect is never true" + fields["expect"].ifNever,
		hint:    "write what the model should do, as in after_tool:@edit, or leave it out"}
	if st.root.truth == fact.True {
		f.code, f.message = code.ExpectAlways, "expect is always true"+fields["expect"].ifAlways
	}
	return []finding{f}
}

// thresholds reports whether a rearm asks for nothing but numbers that its trigger asks for too.
func (m *model) thresholds(trigger, rearm uint64) bool {
	if rearm&^trigger != 0 {
		return false
	}
	for c := range members(rearm) {
		for _, v := range m.groups[c].vars {
			if x := &m.vars[v]; x.kind != varFact || !m.schema.Fact(x.id).Type.Numeric() {
				return false
			}
		}
	}
	return true
}

// diagnostic puts a finding in its place in the file of its reminder.
func diagnostic(r *compile.Source, f finding) grammar.Diagnostic {
	d := grammar.Diagnostic{Code: f.code, Severity: f.severity, Message: f.message, Hint: f.hint}
	if src := map[string]string{"trigger": r.Trigger, "rearm": r.Rearm, "expect": r.Expect}[f.field]; src != "" {
		d.Range = between(src, 0, len(src))
		if f.instead != "" {
			d.Fix = &grammar.Edit{Range: d.Range, Text: f.instead, Unsafe: true}
		}
		if f.drop {
			d.Fix = without(src, f.root, f.from.Span()).Doubtful()
		}
		if f.from != nil { // parentheses around the parts are left out
			d.Range = f.from.Span()
			if end := f.to.Span().End; end.Offset > d.Range.End.Offset {
				d.Range.End = end
			}
		}
	}
	return compile.Placed(r, f.field, d)
}
