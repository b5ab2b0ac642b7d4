package fact

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Values are facts apart from a frame, in the form in which they are kept with a run. The zero Values has no
// facts. Values are immutable and may be used concurrently.
type Values struct{ *values }

// values are Values; nil has no facts.
type values struct {
	schema *Schema
	known  []value
	texts  []string // of the values in known, one after the other
	calls  []Call   // of CallList, which is never stored
	told   Memory
	before Memory
	stored json.RawMessage // of Values that were read: their JSON, in place of the other fields
}

var noValues values

func (v Values) at() *values {
	if v.values == nil {
		return &noValues
	}
	return v.values
}

// value is a known fact of a frame. num is its number; for a String and a Set, num is how many of the texts
// are its own: one, and one for each member. A fact that may not be kept has none in Kept.
type value struct {
	id  ID
	num float64
}

// failedTools is the id of the list that SetFailed sets.
const failedTools ID = -1

// wireValues are Values as JSON.
type wireValues struct {
	Facts  map[string]any `json:"facts"`           // in forms that SetValue takes
	Failed []string       `json:"failed,omitzero"` // nil if unknown
	Told   wireMemory     `json:"told,omitzero"`
	Before wireMemory     `json:"before,omitzero"`
	Unkept []string       `json:"unkept,omitempty"` // names of facts that were known and are not kept
}

// unkept are the facts whose values may not be kept: texts that people, models and tools wrote
// (LANGUAGE.md §2: neither commands nor paths nor outputs are ever stored).
var unkept = [...]ID{Prompt, Response, Command, Path, Written, Output, CallList}

// wireMemory is a Memory as JSON. Most values are truths, of which the keys alone stand there, one after the
// other.
type wireMemory struct {
	False   string             `json:"f,omitempty"`
	Numbers map[string]float64 `json:"n,omitempty"`
	True    string             `json:"t,omitempty"`
}

func wireOf(m Memory) (w wireMemory) {
	for _, t := range m {
		switch t.Value {
		case 0:
			w.False += t.Key
		case 1:
			w.True += t.Key
		default:
			if w.Numbers == nil {
				w.Numbers = map[string]float64{}
			}
			w.Numbers[t.Key] = t.Value
		}
	}
	return w
}

// UnmarshalJSON reads also what format 3 of snapshots has: an object of truths, whose keys were longer.
func (w *wireMemory) UnmarshalJSON(b []byte) error {
	var old map[string]bool
	if json.Unmarshal(b, &old) != nil {
		type plain wireMemory
		return json.Unmarshal(b, (*plain)(w))
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		if short := key[:min(len(key), KeySize)]; old[key] {
			w.True += short
		} else {
			w.False += short
		}
	}
	return nil
}

// memory is the inverse of wireOf.
func (w wireMemory) memory() (m Memory) {
	for keys := w.False; len(keys) >= KeySize; keys = keys[KeySize:] {
		m = append(m, Told{keys[:KeySize], 0})
	}
	for keys := w.True; len(keys) >= KeySize; keys = keys[KeySize:] {
		m = append(m, Told{keys[:KeySize], 1})
	}
	for key, n := range w.Numbers {
		m = append(m, Told{key, n})
	}
	slices.SortFunc(m, func(a, b Told) int { return cmp.Compare(a.Key, b.Key) })
	return m
}

// isUnkept holds unkept by id.
var isUnkept = func() (is [builtins]bool) {
	for _, id := range unkept {
		is[id] = true
	}
	return is
}()

func (id ID) kept() bool { return id < 0 || int(id) >= builtins || !isUnkept[id] }

// Kept returns the known facts of f that may be kept, and of the others the names alone, with what SetTold
// set. It returns last if they are the same, as those of one turn and the next may be, and shares its texts
// if these are, as they often are.
func (f *Frame) Kept(last Values) Values {
	// Room for most turns, so that each list is allocated once.
	known, texts := make([]value, 0, 24), make([]string, 0, 8)
	for i, n := range f.num { // most turns know half of the facts, nearly all of these as numbers
		switch id := ID(i); {
		case n != n && !f.known[i] || !f.schema.Has(id):
		case !id.kept():
			known = append(known, value{id: id})
		case f.known[i]:
			known, texts = f.append(known, texts, id)
		default:
			known = append(known, value{id, n})
		}
	}
	if f.failedKnown {
		known = append(known, value{failedTools, float64(len(f.failed))})
		texts = append(texts, f.failed...)
	}
	l := last.at()
	same := slices.Equal(texts, l.texts)
	told, before := slices.Equal(f.told, l.told), slices.Equal(f.before, l.before)
	if same && told && before && l.schema == f.schema && slices.Equal(known, l.known) {
		return last
	}
	v := &values{schema: f.schema, known: append([]value(nil), known...), texts: l.texts, told: l.told,
		before: l.before}
	if !same {
		v.texts = append([]string(nil), texts...)
	}
	if !told {
		v.told = slices.Clone(f.told)
	}
	if !before {
		v.before = slices.Clone(f.before)
	}
	return Values{v}
}

// Unkept returns the known facts of f whose values Kept leaves out. They must not be stored.
func (f *Frame) Unkept() Values {
	if !slices.ContainsFunc(unkept[:], f.Known) {
		return Values{}
	}
	v := &values{}
	if f.known[CallList] {
		v.calls = f.calls
	}
	for _, id := range unkept {
		if f.Known(id) {
			v.known, v.texts = f.append(v.known, v.texts, id)
		}
	}
	return Values{v}
}

// append appends a known fact to the lists of a Values; take is its inverse.
func (f *Frame) append(known []value, texts []string, id ID) ([]value, []string) {
	switch {
	case id == CallList: // Values.calls has them
		return append(known, value{id: id}), texts
	case !f.known[id]:
		return append(known, value{id, f.num[id]}), texts
	case f.schema.facts[id].Type == Set:
		return append(known, value{id, float64(len(f.set[id]))}), append(texts, f.set[id]...)
	default:
		return append(known, value{id, 1}), append(texts, f.text[id])
	}
}

// take sets the fact of a value, and returns the texts behind those of the value.
func (f *Frame) take(v value, texts []string) []string {
	own := func() []string {
		n := int(v.num)
		members := append(make([]string, 0, n), texts[:n]...)
		texts = texts[n:]
		return members
	}
	switch {
	case v.id == failedTools:
		f.SetFailed(own())
	case v.id == CallList:
		f.known[CallList] = true
	case f.schema.facts[v.id].Type == Set:
		f.SetSet(v.id, own())
	case f.schema.facts[v.id].Type == String:
		f.SetText(v.id, own()[0])
	default:
		f.num[v.id] = v.num
	}
	return texts
}

// Restore sets the facts of kept, and the facts of unkept that were known when kept was made. It returns the
// names of those that were known then and are not in unkept. It leaves out facts that the schema does not
// have, or has with another type. An error says that the JSON of kept has another shape than MarshalJSON
// gives it.
func (f *Frame) Restore(kept, unkept Values) (missing []string, err error) {
	k := kept.at()
	if k.schema != f.schema {
		if k, err = kept.under(f.schema); err != nil {
			return nil, err
		}
	}
	f.SetMemory(k.told)
	f.SetBefore(k.before)
	texts := k.texts
	for _, v := range k.known {
		switch {
		case v.id.kept():
			texts = f.take(v, texts)
		case !f.restoreUnkept(v.id, unkept.at()):
			missing = append(missing, f.schema.facts[v.id].Name)
		}
	}
	return missing, nil
}

// restoreUnkept sets the fact of that id, if unkept has it.
func (f *Frame) restoreUnkept(id ID, unkept *values) bool {
	texts := unkept.texts
	for _, v := range unkept.known {
		if v.id == id {
			if len(unkept.calls) > 0 {
				f.calls = unkept.calls
				f.remember()
			}
			f.take(v, texts)
			return true
		}
		texts = texts[int(v.num):]
	}
	return false
}

// under returns v as values of another schema.
func (v Values) under(s *Schema) (*values, error) {
	raw, err := v.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var w wireValues
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	f := s.NewFrame()
	for name, x := range w.Facts {
		_ = f.SetValue(name, x) // an error says that the schema has changed
	}
	if w.Failed != nil {
		f.SetFailed(w.Failed)
	}
	f.told, f.before = w.Told.memory(), w.Before.memory()
	out := f.Kept(Values{}).at()
	for _, name := range w.Unkept {
		if ft, ok := s.Lookup(name); ok && !ft.ID.kept() {
			out.known = append(out.known, value{id: ft.ID})
		}
	}
	return out, nil
}

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) {
	if v.at().schema == nil {
		return v.at().stored.MarshalJSON() // null for the zero Values
	}
	f := v.schema.NewFrame()
	w := wireValues{Facts: make(map[string]any, len(v.known))}
	w.Unkept, _ = f.Restore(v, Values{}) // no error: the schema is that of v
	w.Failed, _ = f.Failed()
	w.Told, w.Before = wireOf(v.told), wireOf(v.before)
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
	*v = Values{&values{stored: slices.Clone(b)}}
	return nil
}
