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
	stored json.RawMessage // of Values that were read: their JSON, in place of schema and known
}

// value is a known fact of a frame. A set takes one value with the number of its members, and then one for
// each member. A fact that is not kept has neither number nor text.
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

// kept reports whether the values of the fact may be kept. Prompt and Response may not: their texts are long,
// and people wrote them.
func (id ID) kept() bool { return id != Prompt && id != Response }

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
		case !id.kept():
			list = append(list, value{id: id})
		case f.known[id] && f.schema.facts[id].Type == Set:
			list = appendSet(list, id, f.set[id])
		default:
			list = append(list, value{id: id, num: f.num[id], text: f.text[id]})
		}
	}
	if f.failedKnown {
		list = appendSet(list, failedTools, f.failed)
	}
	return Values{schema: f.schema, known: list}
}

func appendSet(list []value, id ID, members []string) []value {
	list = append(list, value{id: id, num: float64(len(members))})
	for _, m := range members {
		list = append(list, value{id: id, text: m})
	}
	return list
}

// Unkept returns the known facts of f that Kept leaves out. They must not be stored.
func (f *Frame) Unkept() (v Values) {
	for _, id := range []ID{Prompt, Response} {
		if text, known := f.Text(id); known {
			v.known = append(v.known, value{id: id, text: text})
		}
	}
	return v
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
	for list := kept.known; len(list) > 0; list = list[1:] {
		v := list[0]
		switch {
		case v.id == failedTools:
			f.failedKnown = true
			f.failed, list = cutSet(list)
		case !v.id.kept():
			same := func(u value) bool { return u.id == v.id }
			if i := slices.IndexFunc(unkept.known, same); i >= 0 {
				f.SetText(v.id, unkept.known[i].text)
			} else {
				missing = append(missing, f.schema.facts[v.id].Name)
			}
		case f.schema.facts[v.id].Type == Set:
			f.known[v.id] = true
			f.set[v.id], list = cutSet(list)
		case f.schema.facts[v.id].Type == String:
			f.SetText(v.id, v.text)
		default:
			f.num[v.id] = v.num
		}
	}
	return missing, nil
}

// cutSet returns the set at the beginning of list, and the rest of list from the last value of the set on.
func cutSet(list []value) (members []string, rest []value) {
	n := int(list[0].num)
	members = make([]string, n)
	for i := range members {
		members[i] = list[1+i].text
	}
	return members, list[n:]
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

// IsZero reports whether v has no facts.
func (v Values) IsZero() bool { return len(v.known)+len(v.stored) == 0 }

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) {
	switch {
	case v.stored != nil:
		return v.stored, nil
	case v.schema == nil:
		return []byte(`{"facts":{}}`), nil
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
