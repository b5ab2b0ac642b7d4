package lint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// DefaultMaxTokens is the greatest size of a text without a finding, in tokens of four bytes.
const DefaultMaxTokens = 500

// Options select the findings. "aside check" without flags uses the zero value.
type Options struct {
	MaxTokens int             // more in a text is a finding; 0: DefaultMaxTokens, and a remark only
	Agent     string          // one of Agents, whose unknown facts are findings, too; "": any
	Allow     []grammar.Code  // codes that are not told anywhere; errors are told all the same
	Only      map[string]bool // the files whose reminders are looked at; nil: all
	Tools     []string        // names of tools here, beside those of agents
}

// Run returns all findings about a set: ds, the diagnostics of reading and compiling, the findings of
// package analysis, and those of Check, without the ones that a comment in files or Options.Allow silences.
// files are the bytes of the set's files, by name.
func Run(set *compile.Set, ds grammar.Diagnostics, files map[string][]byte,
	opts Options) grammar.Diagnostics {
	more := analysis.Check(set, func(i int) bool { return opts.Only == nil || opts.Only[set.Reminder(i).File] })
	own := Check(set, files, opts)
	known, before := byFile(more), byFile(ds)
	own = slices.DeleteFunc(own, func(d grammar.Diagnostic) bool {
		return idle(d, known[d.File]) || told(d, before[d.File])
	})
	better := byFile(own)
	more = slices.DeleteFunc(more, func(d grammar.Diagnostic) bool { return twice(d, better[d.File]) })
	return silence(slices.Concat(ds, more, own), set, files, opts)
}

func byFile(ds grammar.Diagnostics) map[string]grammar.Diagnostics {
	m := make(map[string]grammar.Diagnostics)
	for _, d := range ds {
		m[d.File] = append(m[d.File], d)
	}
	return m
}

// The findings about how often a trigger fires, and those of package analysis that leave them no use.
var (
	often    = []grammar.Code{code.Flapping, code.EndlessRepetition, code.EdgeOnAbsence}
	constant = []grammar.Code{code.NeverFires, code.AlwaysTrue, code.IdlePart, code.PartNever, code.PartAlways}
)

// idle reports whether d, about how often a trigger fires, is of no use since one of more, of the same file,
// says that it never does, or always, or that the part does not matter.
func idle(d grammar.Diagnostic, more grammar.Diagnostics) bool {
	return slices.Contains(often, d.Code) && slices.ContainsFunc(more, func(o grammar.Diagnostic) bool {
		return slices.Contains(constant, o.Code) && within(d.Range, o.Range)
	})
}

// told reports whether an error of ds is about the very character that d calls invisible.
func told(d grammar.Diagnostic, ds grammar.Diagnostics) bool {
	return d.Code == code.InvisibleCharacter && slices.ContainsFunc(ds, func(o grammar.Diagnostic) bool {
		return o.Severity == grammar.Error && within(d.Range, o.Range)
	})
}

func within(inner, outer grammar.Range) bool {
	return outer.Start.Offset <= inner.Start.Offset && inner.End.Offset <= outer.End.Offset
}

// twice reports whether d, of package analysis, repeats less precisely a finding of own about the same key,
// or about a comparison in the part that d is about.
func twice(d grammar.Diagnostic, own grammar.Diagnostics) bool {
	return slices.ContainsFunc(own, func(o grammar.Diagnostic) bool {
		if d.Code == code.IdleLimit {
			return o.Code == code.IdleKey && o.Range == d.Range
		}
		return (o.Code == code.NeverHolds || o.Code == code.AlwaysHolds) && d.Code != code.IdlePart &&
			slices.Contains(constant, d.Code) && within(o.Range, d.Range)
	})
}

// Unique sorts diagnostics, and leaves out those that say the same as another one.
func Unique(ds grammar.Diagnostics) grammar.Diagnostics {
	ds.Sort()
	return slices.CompactFunc(ds, func(a, b grammar.Diagnostic) bool {
		return a.File == b.File && a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
	})
}

// Check looks at the reminders of a set and at the files they come from. It silences nothing.
func Check(set *compile.Set, files map[string][]byte, opts Options) grammar.Diagnostics {
	var all grammar.Diagnostics
	for i := range set.Len() {
		r := set.Reminder(i)
		if opts.Only != nil && !opts.Only[r.File] {
			continue
		}
		s := newSubject(set, i, files[r.File], opts)
		s.look()
		all = append(all, s.found...)
	}
	for name, src := range files {
		if opts.Only == nil || opts.Only[name] {
			all = append(all, hidden(name, src)...)
		}
	}
	all.Sort()
	return all
}

// A subject is one reminder that is looked at.
type subject struct {
	*compile.Source
	set       *compile.Set
	src       string // of its file; "" in code
	opts      Options
	agent     *agent.Agent // nil: any
	predicate *compiled.Predicate
	trigger   *condition.Node
	rearm     *condition.Node // nil: none
	names     [][]toolUse     // of the trigger that is looked at; those of a chain together
	found     grammar.Diagnostics
}

func newSubject(set *compile.Set, i int, src []byte, opts Options) *subject {
	s := &subject{Source: set.Reminder(i), set: set, src: string(src), opts: opts, predicate: set.Trigger(i),
		trigger: set.Trigger(i).Root()}
	s.agent, _ = agent.Host(opts.Agent)
	if rearm := set.Rearm(i); rearm != nil {
		s.rearm = rearm.Root()
	}
	return s
}

func (s *subject) look() {
	s.repetition()
	s.idleKeys()
	s.leaves("trigger", s.trigger)
	s.comparisons("trigger", s.trigger)
	s.untold("trigger", s.predicate)
	if s.rearm != nil {
		s.rearmOnPurpose()
		s.leaves("rearm", s.rearm)
		s.comparisons("rearm", s.rearm)
		i, _ := s.set.Index(s.ID)
		s.untold("rearm", s.set.Rearm(i))
	}
	s.text()
	s.decoded()
	s.file()
	s.noTrigger()
}

// finding is a finding before its place in the file is known.
type finding struct {
	code          grammar.Code
	severity      grammar.Severity // grammar.Error: the usual one of the code
	field         string
	at            grammar.Range // in the field's value; the zero range is the whole field
	message, hint string
	fix           string        // how to follow the hint: the text to write at that place; "": not so
	fixAt         grammar.Range // where fix is written, if that is another place
}

// severities are the words of the registry of codes.
var severities = map[string]grammar.Severity{"warning": grammar.Warning, "info": grammar.Info}

// add adds a finding to those of the reminder. A finding is never an error.
func (s *subject) add(f finding) *grammar.Diagnostic {
	d := grammar.Diagnostic{Code: f.code, Severity: f.severity, Range: f.at, Message: f.message, Hint: f.hint}
	if d.Severity == grammar.Error {
		info, _ := code.Lookup(string(f.code))
		d.Severity = severities[info.Severity]
	}
	if f.fix != "" {
		d.Fix = &grammar.Edit{Range: cmp.Or(f.fixAt, f.at), Text: f.fix, Unsafe: true}
	}
	s.found = append(s.found, compile.Placed(s.Source, f.field, d))
	return &s.found[len(s.found)-1]
}

// addKey is the edit that puts a further key behind the trigger; nil where the trigger stands for something
// else, or the place is not plain to see.
func (s *subject) addKey(key, value string) *grammar.Edit {
	if s.Origin == nil {
		return nil
	}
	mode, at := s.Place("mode"), s.Place("trigger")
	from, to := mode.Start.Offset, mode.End.Offset
	if from < 0 || from >= to || to > len(s.src) ||
		!slices.Contains([]string{"when", "trigger", "while"}, s.src[from:to]) {
		return nil
	}
	before := s.src[strings.LastIndexByte(s.src[:from], '\n')+1 : from]
	if strings.Trim(before, " -") != "" || at.Start.Line != at.End.Line || at.Start.Line != mode.Start.Line {
		return nil
	}
	behind, _, _ := strings.Cut(s.src[at.End.Offset:], "\n")
	behind = strings.TrimSuffix(behind, "\r")
	if rest := strings.TrimSpace(behind); rest != "" && rest[0] != '#' {
		return nil
	}
	p := at.End.After(behind)
	return &grammar.Edit{Range: grammar.Range{Start: p, End: p}, Text: "\n" + strings.Repeat(" ", len(before)) +
		key + ": " + value}
}
