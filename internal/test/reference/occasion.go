package reference

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// Occasion is a turn, or another moment, written down as a host may tell it.
type Occasion struct {
	// the known facts by name, each a bool, a float64 (a duration in nanoseconds), a string or a []string;
	// those that follow from Calls are not among them
	Facts map[string]any
	Calls []fact.Call // the calls of the previous turn
	Tools bool        // whether their names are told
	Told  bool        // whether all that Calls holds is told, and not names and classes alone

	Failed     []string // the names of the tools that failed, where Told is false
	FailedTold bool

	Place   fact.Place
	Moment  fact.Moment
	Before  *fact.Call // at the moment fact.BeforeTool
	Between bool       // between this turn and the next one
	Absent  []string   // there: the names of the texts that have not come yet
	Past    *Journal   // nil: nothing is known
	Self    string     // the reminder whose trigger is read

	unsure []string // facts that stay unknown though Calls would tell them
	asked  []string // the conditions that were read on this part and on those after it
	story  *story   // of a run; nil where the occasion is all that there is
}

// AfterEvents returns the state between the turn and the next one (LANGUAGE.md §4, step 4), before some texts
// that are new there.
func (o *Occasion) AfterEvents(schema *fact.Schema, absent ...string) *Occasion {
	o = o.atHand()
	p := *o
	p.Between, p.Absent, p.Calls, p.Failed = true, absent, nil, nil
	p.Moment, p.Before = fact.Turn, nil
	p.Facts = map[string]any{}
	for name, v := range o.Facts {
		if ft, _ := schema.Lookup(name); ft.Kind == fact.Event {
			switch v.(type) {
			case bool:
				v = false
			case float64:
				v = 0.0
			case string:
				v = ""
			default:
				v = []string{}
			}
		}
		p.Facts[name] = v
	}
	for _, name := range []string{"tool_used", "command", "path", "written", "output"} {
		if _, all, _ := o.members(name); !all && !o.Told { // of no calls all is known
			p.unsure = append(p.unsure, name)
		}
	}
	if o.value("last_tool_call_failed") == nil {
		p.unsure = append(p.unsure, "last_tool_call_failed")
	}
	return &p
}

// anyFailed returns whether a call failed, as far as the calls say it.
func (o *Occasion) anyFailed() (failed, known bool) {
	if !o.Told {
		return false, false
	}
	known = true
	for _, c := range o.Calls {
		if c.Failed == fact.True {
			return true, true
		}
		known = known && c.Failed == fact.False
	}
	return false, known
}

// members returns the known members of a set fact, and whether they are all; ok is false if the fact is none.
func (o *Occasion) members(name string) (list []string, all, ok bool) {
	switch name {
	case "tool_used":
		for _, c := range o.Calls {
			list = append(list, c.Tool)
		}
		return list, o.Tools, true
	case "command", "path", "written", "output":
		if list, all = o.Facts[name].([]string); !o.Told || slices.Contains(o.unsure, name) {
			return list, all, true
		}
		list = nil
	default:
		list, all = o.Facts[name].([]string)
		return list, all, all
	}
	all = true
	for _, c := range o.Calls {
		switch name {
		case "command":
			if c.Class != fact.Shell && c.Command == "" {
				continue
			}
			if !c.Told {
				all = false
				continue
			}
			list = append(list, c.Command)
		case "path":
			named := c.Class == fact.Edit || c.Class == fact.Read || len(c.Paths) > 0
			if all = all && !c.Unsaid && (c.Told || !named); c.Told {
				list = append(list, c.Paths...)
			}
		case "written":
			if c.Class != fact.Edit && !c.Edits {
				continue
			}
			all = all && c.WrittenTold
			list = append(list, c.Written...)
		default:
			if !c.OutputTold {
				all = false
				continue
			}
			list = append(list, c.Output)
		}
	}
	return list, all, true
}

// noText is a text that is absent.
type noText struct{}

// value returns a fact that is no set; nil if it is unknown.
func (o *Occasion) value(name string) any {
	if slices.Contains(o.Absent, name) {
		return noText{}
	}
	if slices.Contains(o.unsure, name) {
		return nil
	}
	if name == "last_tool_call_failed" && o.Facts[name] == nil && o.Told {
		if failed, known := o.anyFailed(); known {
			return failed
		}
	}
	return o.Facts[name]
}

// Journal is the past of a run, written down turn by turn.
type Journal struct {
	Turns       []Reported // the last one is the turn that is read
	UserTurn    int
	UserKnown   bool
	Output      float64
	OutputKnown bool
	At, First   int64 // nanoseconds
	Fires       map[string]Fired
	Place       fact.Place
	// how many parts of turns were told before a pattern with a subject was first loaded; none if it is absent
	Loaded map[string]int
}

// Reported is what a turn told of the calls before it.
type Reported struct {
	Calls       []fact.Call
	Tools, Told bool
	Parts       []Reported // where the turn was told in parts, in place of the above
}

// split returns the parts of a turn.
func (r Reported) split() []Reported {
	if r.Parts != nil {
		return r.Parts
	}
	return []Reported{r}
}

// Fired says when a reminder last fired.
type Fired struct {
	Turn, UserTurn int
	UserKnown      bool
	Output         float64
	OutputKnown    bool
	At             int64
}

// asked is what a run knows of the calls that match a pattern.
type asked struct {
	count, turn, seq int
	known            bool
}

func (j *Journal) ask(pattern string) asked {
	p := readPattern(pattern)
	var a asked
	unsure, seq, part := false, 0, 0
	for i, turn := range j.Turns {
		for _, t := range turn.split() {
			part++
			if t.Tools && (!p.inside || t.Told) {
				a.known = true
			}
			if !t.Tools {
				continue
			}
			for k := range t.Calls {
				seq++
				if p.inside && part <= j.Loaded[pattern] {
					continue
				}
				switch p.match(&t.Calls[k], j.Place) {
				case fact.True:
					a.count++
					a.turn, a.seq = i+1, seq
				case fact.Unknown:
					unsure = true
				}
			}
		}
	}
	a.known = a.known && !unsure
	return a
}

// call answers a function of LANGUAGE.md §1; nil is unknown.
func (j *Journal) call(function string, args []string) any {
	if j == nil {
		return nil
	}
	switch function {
	case "used":
		if a := j.ask(args[0]); a.count > 0 {
			return true
		} else if a.known {
			return false
		}
	case "tool_count":
		if a := j.ask(args[0]); a.known {
			return float64(a.count)
		}
	case "turns_since_tool":
		if a := j.ask(args[0]); a.known && a.count > 0 {
			return float64(len(j.Turns) - a.turn + 1)
		}
	case "called_since":
		if a, b := j.ask(args[0]), j.ask(args[1]); a.known && b.known {
			return b.count == 0 || a.seq > b.seq
		}
	case "turns_since":
		if f, ok := j.Fires[args[0]]; ok {
			return float64(len(j.Turns) - f.Turn)
		}
	case "output_tokens_since":
		if f, ok := j.Fires[args[0]]; ok && f.OutputKnown && j.OutputKnown {
			return max(j.Output-f.Output, 0)
		}
	case "tool_chain_repeats":
		return j.chain(args[0])
	}
	return nil
}

func (j *Journal) chain(text string) any {
	var names []string
	known := false
	for _, turn := range j.Turns {
		for _, t := range turn.split() {
			known = known || t.Tools
			for _, c := range t.Calls {
				if t.Tools {
					names = append(names, c.Tool)
				}
			}
		}
	}
	if !known {
		return nil
	}
	names = names[max(len(names)-fact.ChainMemory, 0):]
	links := splitOn(text, '>')
	n := 0
	for end := len(names); end >= len(links); end -= len(links) {
		for i, l := range links {
			if !like(l, names[end-len(links)+i]) {
				return float64(n)
			}
		}
		n++
	}
	return float64(n)
}

// since returns how far back the last firing of a reminder is, or else the beginning of the run, in a unit of
// cadences; nil is unknown.
func (j *Journal) since(id, unit string) any {
	if j == nil {
		return nil
	}
	f, fired := j.Fires[id]
	if !fired {
		f = Fired{UserKnown: true, At: j.First}
	}
	switch unit {
	case "turns":
		return float64(len(j.Turns) - f.Turn)
	case "user turns":
		if !j.UserKnown || !f.UserKnown {
			return nil
		}
		return float64(j.UserTurn - f.UserTurn)
	default:
		if len(j.Turns) == 0 { // the run has not begun
			return nil
		}
		return float64(j.At - f.At)
	}
}
