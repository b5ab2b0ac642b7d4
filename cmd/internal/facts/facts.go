// Package facts reads the facts of a turn that a host or a rule test writes down, in JSON or in YAML
// (LANGUAGE.md §5), calls and declarations of facts among them. It owns the forms, the checks and their
// messages, so that a value is good or bad in the same way at every door: "aside eval", the
// evaluation API, rule tests, --facts and --var. Its callers say where in their text a problem is.
//
// All functions may be called concurrently.
package facts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/near"
)

// The keys that stand for facts without being facts.
const (
	Tools  = "tools"  // the tools that were called in the previous turn; it stands for tool_used
	Failed = "failed" // those of them that failed; last_tool_call_failed follows from it
	vars   = "vars"   // a mapping with the declared facts
)

// Problem is a value that is wrong.
type Problem struct {
	At      Value // the value, or its key
	Message string
	Hint    string // what to do, or ""
}

// String returns the message and the hint on one line.
func (p Problem) String() string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + "; " + p.Hint
}

// Reader says what facts there are, and where the paths of calls lie.
type Reader struct {
	Schema *fact.Schema
	Place  fact.Place
}

// decoder collects the facts of one turn.
type decoder struct {
	Reader
	values   map[string]any
	at       map[string]Value // the keys that were given
	unknown  map[string]bool  // those of them whose value is said to be unknown
	lists    map[string][]string
	problems []Problem
}

func (r Reader) decoder() *decoder {
	return &decoder{Reader: r, values: map[string]any{}, at: map[string]Value{}, unknown: map[string]bool{},
		lists: map[string][]string{}}
}

// Facts returns the facts of a turn in the form that eval.Turn takes, and all problems. Where there are
// problems the facts are not complete.
func (r Reader) Facts(v Value) (map[string]any, []Problem) {
	d := r.decoder()
	for i, key := range d.keys(v, "facts") {
		if key.Text != vars {
			d.put(key.Text, key, v.Items[i])
			continue
		}
		own := v.Items[i]
		for i, key := range d.keys(own, vars) {
			d.put(vars+"."+key.Text, key, own.Items[i])
		}
	}
	d.follow()
	return d.values, d.problems
}

// keys returns the keys of a mapping; none, and a problem, for any other value but null.
func (d *decoder) keys(v Value, what string) []Value {
	if v.Kind != Map && v.Kind != Null {
		d.fail(v, "write {name: value}", "%s must be a mapping", what)
	}
	return v.Keys
}

// put adds the value of a fact, or of Tools or Failed.
func (d *decoder) put(name string, key, v Value) {
	ft, ok := d.Schema.Lookup(name)
	list := name == Tools || name == Failed
	if !ok && !list {
		d.noFact(name, key)
		return
	}
	if _, twice := d.at[name]; twice {
		d.fail(key, "leave one of them out", "%s is given twice", name)
		return
	}
	d.at[name] = v
	switch {
	case isUnknown(v, !list && ft.Type == fact.String):
		if d.unknown[name] = true; !list {
			d.values[name] = nil
		}
	case list:
		if members, ok := d.texts(name, v); ok {
			d.lists[name] = members
		}
	default:
		if x, ok := d.value(ft, v); ok {
			d.values[name] = x
		}
	}
}

// noFact refuses a name.
func (d *decoder) noFact(name string, key Value) {
	names := append(d.Schema.Names(), Tools, Failed)
	own := strings.HasPrefix(name, vars+".")
	if !own {
		names = append(names, vars)
	}
	hint := near.Hint("", name, names)
	if hint == "" && own {
		hint = "declare it: vars: {" + strings.TrimPrefix(name, vars+".") +
			": int} in a rule test and in the configuration, --var NAME:TYPE for a command"
	}
	d.fail(key, hint, "%s", &fact.UnknownError{Name: name})
}

// isUnknown reports whether a value says that something is not known: null, or the word unknown. In quotes
// the word is a text like any other, where a text can stand.
func isUnknown(v Value, text bool) bool {
	return v.Kind == Null || v.Kind == Text && v.Text == "unknown" && (v.Bare || !text)
}

// value returns the value of a fact in a form that fact.Frame.SetValue takes.
func (d *decoder) value(ft fact.Fact, v Value) (x any, ok bool) {
	switch ft.Type {
	case fact.Int:
		n, ok := d.number(ft, v)
		return int64(n), ok
	case fact.Number, fact.Ratio, fact.Dollars:
		n, ok := d.number(ft, v)
		return n, ok
	case fact.Duration:
		return d.duration(ft, v)
	case fact.Set:
		return d.set(ft, v)
	case fact.Calls:
		return d.callList(v)
	case fact.Bool:
		if v.Kind == Bool {
			return v.Text == "true", true
		}
		d.wrongType(ft, v, "")
		return nil, false
	}
	if v.Kind != Text {
		hint := ""
		if v.Kind == Bool || v.Kind == Number {
			hint = fmt.Sprintf("write %q", v.Text)
		}
		d.wrongType(ft, v, hint)
		return nil, false
	}
	if days := fact.Weekdays(); ft.ID == fact.Weekday && !slices.Contains(days, v.Text) {
		d.fail(v, near.Hint("", v.Text, days), "weekday is one of %s, %s is none", strings.Join(days, ", "), v)
		return nil, false
	}
	return v.Text, true
}

func (d *decoder) set(ft fact.Fact, v Value) (any, bool) {
	members, ok := d.texts(ft.Name, v)
	if ft.ID == fact.Output || ft.ID == fact.Written {
		for i := range members {
			members[i] = fact.CutOutput(members[i])
		}
	}
	return members, ok
}

// texts reads a list of texts.
func (d *decoder) texts(name string, v Value) ([]string, bool) {
	if v.Kind != List {
		hint := ""
		if v.Kind == Text {
			hint = fmt.Sprintf("write [%q]", v.Text)
		}
		d.fail(v, hint, "%s must be a list of texts, %s is none", name, v)
		return nil, false
	}
	out := make([]string, len(v.Items))
	ok := true
	for i, item := range v.Items {
		if out[i] = item.Text; item.Kind != Text {
			hint := ""
			if item.Kind == Bool || item.Kind == Number {
				hint = fmt.Sprintf("write %q", item.Text)
			}
			d.fail(item, hint, "an item of %s must be a text, %s is none", name, item)
			ok = false
		}
	}
	return out, ok
}

// follow sets the facts that follow from others, and refuses those that contradict each other.
func (d *decoder) follow() {
	if calls, ok := d.values["calls"].([]fact.Call); ok {
		d.beside(calls)
		return
	}
	tools, given := d.lists[Tools]
	used, direct := d.values["tool_used"].([]string)
	switch {
	case given && direct:
		d.fail(d.at[Tools], "leave one of them out", "tools beside tool_used")
	case given:
		used = tools
	}
	failed, known := d.lists[Failed]
	for i, name := range failed {
		if !slices.Contains(used, name) {
			d.fail(d.at[Failed].Items[i], near.Hint("", name, used), "%q failed but is not among the tools", name)
		}
	}
	said, told := d.values["last_tool_call_failed"].(bool)
	switch {
	case known && told && said != (len(failed) > 0):
		d.fail(d.at[Failed], "leave one of them out",
			"failed beside last_tool_call_failed, which says something else")
	case told && !known && !said: // none of them, then
		failed, known = []string{}, given || direct
	case told && !known && len(used) > 0 && len(slices.Compact(slices.Clone(used))) == 1:
		failed, known = used[:1], true // which else?
	case given && !known && !told && !d.unknown[Failed] && !d.unknown["last_tool_call_failed"]:
		failed, known = []string{}, true // tools alone say that none of them failed
	}
	if known {
		d.values["last_tool_call_failed"] = len(failed) > 0
		d.values[fact.FailedTools] = failed
	}
	if given || direct {
		d.values["tool_used"] = named(used, failed, known)
	}
}

// beside refuses facts that follow from the calls as well.
func (d *decoder) beside(calls []fact.Call) {
	names := []string{Tools, "tool_used", Failed}
	for id, name := range fact.Builtin().Names() {
		if fact.ID(id).OfCalls() {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if at, given := d.at[name]; given && !d.unknown[name] {
			d.fail(at, "leave "+name+" out: it follows from calls", "%s beside calls", name)
		}
	}
	failed := fact.False
	for i := range calls {
		failed = failed.Or(calls[i].Failed)
	}
	if said, told := d.values["last_tool_call_failed"].(bool); told && failed != fact.Unknown &&
		fact.Of(said) != failed {
		d.fail(d.at["last_tool_call_failed"], "leave one of them out",
			"last_tool_call_failed beside calls, which say something else")
	}
}
