package install

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/aside-go/aside/internal/agent"
)

// jsonHooks is a JSON file with a member "hooks": an object with an array for each event, of handlers or of
// groups of handlers.
type jsonHooks struct {
	path    string
	agent   string
	wanted  bool   // false: an installation removes what is ours
	top     object // members of the root that an installation adds where they are missing
	grouped bool   // handlers stand in groups: {"matcher", "hooks": [handler]}
	hooks   []agent.Registration
	handler func(event, mode string, more []string) object
	mode    *string // Request.Mode
	// path of the setting that switches all hooks off where it is true
	off   []string
	extra func(d *doc, backup any, install bool) error // changes what else of ours is in the file; may be nil
}

func (j *jsonHooks) file() string { return j.path }

func (j *jsonHooks) install(now, backup []byte) ([]byte, error) {
	if !j.wanted {
		return j.uninstall(now, backup)
	}
	d, err := readDoc(j.path, now)
	if err != nil {
		return nil, err
	}
	old := knownJSON(backup)
	for _, m := range j.top {
		if contents(&d.root).member(m.name) < 0 {
			if err := d.add(&d.root, m.name, m.value); err != nil {
				return nil, err
			}
		}
	}
	if err := j.check(d); err != nil {
		return nil, err
	}
	mode, more := j.kept(d)
	all, err := j.table(d)
	if err != nil {
		return nil, err
	}
	for _, e := range eventsOf(all) { // those that only earlier versions registered
		if !slices.ContainsFunc(j.hooks, func(h agent.Registration) bool { return h.Event == e }) {
			if err := j.drop(d, e, old); err != nil {
				return nil, err
			}
		}
	}
	for _, h := range j.hooks {
		if err := j.put(d, h, j.entry(h, mode, more[h.Event])); err != nil {
			return nil, err
		}
	}
	if j.extra != nil {
		if err := j.extra(d, old, true); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// entry returns what an event's array is to hold for a hook: a handler, or a group with it.
func (j *jsonHooks) entry(h agent.Registration, mode string, more []string) any {
	handler := j.handler(h.Event, mode, more)
	if !j.grouped {
		return handler
	}
	var group object
	if h.Matcher != "" {
		group = object{{"matcher", h.Matcher}}
	}
	return append(group, member{"hooks", []object{handler}})
}

// hooksOf returns the value of the root's member "hooks"; of several the last, nil where there is none.
func hooksOf(d *doc) *hujson.Value {
	c := contents(&d.root)
	if i := c.member("hooks"); i >= 0 {
		return c.items[i].value
	}
	return nil
}

// check returns a *SyntaxError where the file's hooks have a form that nothing can be added to.
func (j *jsonHooks) check(d *doc) error {
	_, err := j.table(d)
	return err
}

// table returns the object of hooks, nil where there is none. Its error is that of check.
func (j *jsonHooks) table(d *doc) (*hujson.Value, error) {
	v := hooksOf(d)
	if v == nil {
		return nil, nil
	}
	if !isObject(v) {
		return nil, d.wrong(v.StartOffset, `"hooks" is not an object`,
			`it should be {"EVENT": […]}; correct it, or take it out`)
	}
	for _, it := range contents(v).items {
		if !isArray(it.value) && slices.ContainsFunc(j.hooks,
			func(h agent.Registration) bool { return h.Event == it.name }) {
			return nil, d.wrong(it.value.StartOffset, quote(it.name)+" of the hooks is not an array",
				"correct it, or take it out")
		}
	}
	return v, nil
}

// eventsOf returns the names of the members that are arrays of an object of hooks, which may be nil.
func eventsOf(v *hujson.Value) (names []string) {
	if v == nil {
		return nil
	}
	for _, it := range contents(v).items {
		if isArray(it.value) && !slices.Contains(names, it.name) {
			names = append(names, it.name)
		}
	}
	return names
}

// put makes the array of an event hold entry, and nothing else of ours. A hook of ours that is there already
// is replaced in its place, unless it shares its group with agent.Registrations of others.
func (j *jsonHooks) put(d *doc, h agent.Registration, entry any) error {
	if v := hooksOf(d); v == nil {
		return d.add(&d.root, "hooks", object{{h.Event, []any{entry}}})
	} else if contents(v).member(h.Event) < 0 {
		return d.add(v, h.Event, []any{entry})
	}
	there := false
	for {
		v := hooksOf(d)
		array := contents(v).items[contents(v).member(h.Event)].value
		found := j.find(d, array)
		if there && len(found) > 0 {
			found = found[1:]
		}
		if len(found) == 0 {
			if there {
				return nil
			}
			return d.add(array, "", entry)
		}
		f := found[0]
		whole := !j.grouped || f.only
		switch {
		case !there && whole && same(d.decode(contents(array).items[f.entry].value), entry):
			there = true
		case !there && whole:
			if err := d.replace(contents(array).items[f.entry].value, entry); err != nil {
				return err
			}
			there = true
		default:
			if err := j.cut(d, array, f); err != nil {
				return err
			}
		}
	}
}

// cut removes one of our handlers from the array of an event, and its group where that holds nothing else.
func (j *jsonHooks) cut(d *doc, array *hujson.Value, f found) error {
	if !j.grouped || f.only {
		return d.remove(array, f.entry)
	}
	group := contents(contents(array).items[f.entry].value)
	return d.remove(group.items[group.member("hooks")].value, f.handler)
}

// found is a handler of ours in the array of an event.
type found struct {
	entry, handler int  // indices in the array, and in the entry's group
	only           bool // its group holds no other handler
	command        Command
	value          map[string]any // the handler
	matcher        *string        // of its group
}

// find returns our handlers in the array of an event, in order.
func (j *jsonHooks) find(d *doc, array *hujson.Value) (all []found) {
	for i, entry := range contents(array).items {
		if !j.grouped {
			if c, value, ok := j.ours(d, entry.value); ok {
				all = append(all, found{entry: i, only: true, command: c, value: value})
			}
			continue
		}
		group := contents(entry.value)
		at := group.member("hooks")
		if at < 0 || !isArray(group.items[at].value) {
			continue
		}
		var matcher *string
		if m := group.member("matcher"); m >= 0 {
			s, _ := d.decode(group.items[m].value).(string)
			matcher = &s
		}
		handlers := contents(group.items[at].value).items
		for k, h := range handlers {
			if c, value, ok := j.ours(d, h.value); ok {
				all = append(all, found{i, k, len(handlers) == 1, c, value, matcher})
			}
		}
	}
	return all
}

// ours decodes a handler, and reports whether it is one of ours.
func (j *jsonHooks) ours(d *doc, v *hujson.Value) (Command, map[string]any, bool) {
	m, _ := d.decode(v).(map[string]any)
	var line []string
	for _, key := range []string{"exec", "command", "bash"} {
		if s, ok := m[key].(string); ok {
			line = words(s)
			if args, ok := m["args"].([]any); ok {
				line = []string{s}
				for _, a := range args {
					s, _ := a.(string)
					line = append(line, s)
				}
			}
			break
		}
	}
	c, ok := recognise(line, j.agent)
	return c, m, ok
}

// kept returns what a new installation leaves as it is in our commands: the mode, unless j.mode sets it, and
// by event the words that somebody has added.
func (j *jsonHooks) kept(d *doc) (mode string, more map[string][]string) {
	more = map[string][]string{}
	if v := hooksOf(d); v != nil {
		for _, it := range contents(v).items {
			for _, f := range j.find(d, it.value) {
				mode = cmp.Or(mode, f.command.Mode)
				more[it.name] = f.command.more
			}
		}
	}
	if j.mode != nil {
		mode = *j.mode
	}
	return mode, more
}

// drop removes our handlers from the array of an event, or of every event where event is "". An array that is
// empty then is removed, unless the backup has it. Of several members with the same name all are searched,
// also those that do not count.
func (j *jsonHooks) drop(d *doc, event string, backup any) error {
	for {
		v, i := j.next(d, event)
		if v == nil {
			return nil
		}
		array := contents(v).items[i]
		name, from := array.name, v.StartOffset
		if err := j.cut(d, array.value, j.find(d, array.value)[0]); err != nil {
			return err
		}
		// v was parsed anew, and begins where it did: nothing before it has changed
		for _, m := range contents(&d.root).items {
			if v = m.value; v.StartOffset == from && len(contents(contents(v).items[i].value).items) == 0 &&
				!has(backup, "hooks", name) {
				if err := d.remove(v, i); err != nil {
					return err
				}
				break
			}
		}
	}
}

// next finds an array with a handler of ours, of an event or, for "", of any. It returns the object of hooks
// and the index of the array's member in it, nil and -1 where there is none.
func (j *jsonHooks) next(d *doc, event string) (*hujson.Value, int) {
	for _, m := range contents(&d.root).items {
		if m.name != "hooks" || !isObject(m.value) {
			continue
		}
		for i, it := range contents(m.value).items {
			if (event == "" || it.name == event) && isArray(it.value) && len(j.find(d, it.value)) > 0 {
				return m.value, i
			}
		}
	}
	return nil, -1
}

func (j *jsonHooks) uninstall(now, backup []byte) ([]byte, error) {
	if now == nil {
		return nil, nil
	}
	d, err := readDoc(j.path, now)
	if err != nil {
		return nil, err
	}
	old, before := knownJSON(backup), d.src
	if err := j.drop(d, "", old); err != nil {
		return nil, err
	}
	if j.extra != nil {
		if err := j.extra(d, old, false); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(d.src, before) {
		return now, nil
	}
	if err := d.prune(old, "hooks", func(v any) bool {
		m, ok := v.(map[string]any)
		return ok &&
			len(m) == 0
	}); err != nil {
		return nil, err
	}
	if len(contents(&d.root).items) == len(j.top) {
		for _, t := range j.top {
			if err := d.prune(old, t.name, func(v any) bool { return same(v, t.value) }); err != nil {
				return nil, err
			}
		}
	}
	if backup == nil && d.bare() {
		return nil, nil
	}
	return d.bytes(), nil
}

// prune removes a member of the root that ours says an installation has made, unless the backup has it.
func (d *doc) prune(backup any, name string, ours func(any) bool) error {
	c := contents(&d.root)
	if i := c.member(name); i >= 0 && !has(backup, name) && ours(d.decode(c.items[i].value)) {
		return d.remove(&d.root, i)
	}
	return nil
}

// bare reports whether the file holds nothing but an empty object, not even a comment.
func (d *doc) bare() bool {
	end, _ := d.lastComment(0, len(d.src))
	return len(contents(&d.root).items) == 0 && end == 0
}

// commands implements hookFile.
func (j *jsonHooks) commands(now []byte) (list []Registered, err error) {
	d, err := readDoc(j.path, now)
	if err != nil {
		return nil, err
	}
	v, err := j.table(d)
	if v == nil || err != nil {
		return nil, err
	}
	mode, more := j.kept(d)
	for _, it := range contents(v).items {
		if !isArray(it.value) {
			continue
		}
		for _, f := range j.find(d, it.value) {
			r := Registered{Event: it.name, Command: f.command}
			for _, h := range j.hooks {
				if h.Event == it.name {
					var got any = f.value
					if j.grouped {
						g := map[string]any{"hooks": []any{f.value}}
						if f.matcher != nil {
							g["matcher"] = *f.matcher
						}
						got = g
					}
					r.Current = same(got, j.entry(h, mode, more[it.name]))
				}
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// events implements hookFile.
func (j *jsonHooks) events() (names []string) {
	if j.wanted {
		for _, h := range j.hooks {
			names = append(names, h.Event)
		}
	}
	return names
}

// knownJSON returns the value of a JSON file, to be asked with has what was there. It is nil where b is nil
// or cannot be parsed.
func knownJSON(b []byte) any {
	if b == nil {
		return nil
	}
	d, err := readDoc("", b)
	if err != nil {
		return nil
	}
	return d.decode(&d.root)
}

// has reports whether x is an object with the member names[0], which is an object with the member names[1],
// and so on.
func has(x any, names ...string) bool {
	for _, n := range names {
		m, ok := x.(map[string]any)
		if !ok {
			return false
		}
		if x, ok = m[n]; !ok {
			return false
		}
	}
	return true
}

// same reports whether two values are the same JSON.
func same(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(v any) (x any) {
	if json.Unmarshal(marshal(v), &x) != nil {
		return nil
	}
	return x
}
