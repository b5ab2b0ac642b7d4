package fact

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Values are facts apart from a frame, in the form in which they are kept with a run. The zero Values has no
// facts. Values are immutable and may be used concurrently.
type Values struct {
	schema *Schema
	known  []value
	calls  []Call          // of CallList, which is never stored
	stored json.RawMessage // of Values that were read: their JSON, in place of schema and known
}

// value is a known fact of a frame. A set takes one value with the number of its members, and then one for
// each member. Of a fact that may not be kept, Kept has a value with neither number nor text.
type value struct {
	id   ID
	num  float64
	text string
}

// failedTools is the id of the list that SetFailed sets.
const failedTools ID = -1

// wireValues are Values as JSON.
type wireValues struct {
	Facts  map[string]any `json:"facts"`            // in forms that SetValue takes
	Failed []string       `json:"failed,omitzero"`  // nil if unknown
	Unkept []string       `json:"unkept,omitempty"` // names of facts that were known and are not kept
}

// unkept are the facts whose values may not be kept: texts that people, models and tools wrote
// (LANGUAGE.md §2: neither commands nor paths nor outputs are ever stored).
var unkept = [...]ID{Prompt, Response, Command, Path, Output, CallList}

func (id ID) kept() bool { return !slices.Contains(unkept[:], id) }

// Kept returns the known facts of f that may be kept, and of the others the names alone.
func (f *Frame) Kept() Values {
	n := 0
	for id := range ID(len(f.num)) {
		if f.Known(id) {
			n += 1 + len(f.set[id])
		}
	}
	if f.failedKnown {
		n += 1 + len(f.failed)
	}
	list := make([]value, 0, n)
	for id := range ID(len(f.num)) {
		switch {
		case !f.Known(id):
		case id.kept():
			list = f.append(list, id)
		default:
			list = append(list, value{id: id})
		}
	}
	if f.failedKnown {
		list = appendSet(list, failedTools, f.failed)
	}
	return Values{schema: f.schema, known: list}
}

// Unkept returns the known facts of f whose values Kept leaves out. They must not be stored.
func (f *Frame) Unkept() (v Values) {
	for _, id := range unkept {
		if f.Known(id) {
			v.known = f.append(v.known, id)
		}
	}
	v.calls = f.calls
	return v
}

// append appends the values of a known fact; take is its inverse.
func (f *Frame) append(list []value, id ID) []value {
	if f.known[id] && f.schema.facts[id].Type == Set {
		return appendSet(list, id, f.set[id])
	}
	return append(list, value{id: id, num: f.num[id], text: f.text[id]})
}

func appendSet(list []value, id ID, members []string) []value {
	list = append(list, value{id: id, num: float64(len(members))})
	for _, m := range members {
		list = append(list, value{id: id, text: m})
	}
	return list
}

// take sets the fact with which list begins, and returns the rest of list.
func (f *Frame) take(list []value) []value {
	v, rest := list[0], list[1:]
	set := func() []string {
		members := make([]string, int(v.num))
		for i := range members {
			members[i] = rest[i].text
		}
		rest = rest[len(members):]
		return members
	}
	switch {
	case v.id == failedTools:
		f.SetFailed(set())
	case v.id == CallList:
		f.known[CallList] = true
	case f.schema.facts[v.id].Type == Set:
		f.SetSet(v.id, set())
	case f.schema.facts[v.id].Type == String:
		f.SetText(v.id, v.text)
	default:
		f.num[v.id] = v.num
	}
	return rest
}

// Restore sets the facts of kept, and the facts of unkept that were known when kept was made. It returns the
// names of those that were known then and are not in unkept. It leaves out facts that the schema does not
// have, or has with another type. An error says that the JSON of kept has another shape than MarshalJSON
// gives it.
func (f *Frame) Restore(kept, unkept Values) (missing []string, err error) {
	if kept.schema != f.schema {
		if kept, err = kept.under(f.schema); err != nil {
			return nil, err
		}
	}
	for list := kept.known; len(list) > 0; {
		id := list[0].id
		if id.kept() {
			list = f.take(list)
			continue
		}
		list = list[1:]
		if i := slices.IndexFunc(unkept.known, func(v value) bool { return v.id == id }); i >= 0 {
			f.calls = unkept.calls
			f.take(unkept.known[i:])
		} else {
			missing = append(missing, f.schema.facts[id].Name)
		}
	}
	return missing, nil
}

// under returns v as values of another schema.
func (v Values) under(s *Schema) (Values, error) {
	raw, err := v.MarshalJSON()
	if err != nil {
		return Values{}, err
	}
	var w wireValues
	if err := json.Unmarshal(raw, &w); err != nil {
		return Values{}, fmt.Errorf("facts: %w", err)
	}
	f := s.NewFrame()
	for name, x := range w.Facts {
		_ = f.SetValue(name, x) // an error says that the schema has changed
	}
	if w.Failed != nil {
		f.SetFailed(w.Failed)
	}
	out := f.Kept()
	for _, name := range w.Unkept {
		if ft, ok := s.Lookup(name); ok && !ft.ID.kept() {
			out.known = append(out.known, value{id: ft.ID})
		}
	}
	return out, nil
}

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) {
	if v.schema == nil {
		return v.stored.MarshalJSON() // null for the zero Values
	}
	f := v.schema.NewFrame()
	w := wireValues{Facts: make(map[string]any, len(v.known))}
	w.Unkept, _ = f.Restore(v, Values{}) // no error: the schema is that of v
	w.Failed, _ = f.Failed()
	for _, ft := range v.schema.facts {
		x := f.Value(ft.ID)
		if d, ok := x.(time.Duration); ok {
			x = d.String()
		}
		if x != nil {
			w.Facts[ft.Name] = x
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements json.Unmarshaler. It takes any JSON; Restore reads it.
func (v *Values) UnmarshalJSON(b []byte) error {
	*v = Values{stored: slices.Clone(b)}
	return nil
}
