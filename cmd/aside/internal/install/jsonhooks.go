package install

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/aside-go/aside/internal/agent"
)

// jsonHooks is a JSON file with a member "hooks": an object with an array for each event, of handlers or,
// grouped, of groups of handlers: {"matcher", "hooks": [handler]}.
type jsonHooks struct {
	hookFile
	root    string // the name of the member
	top     object // members of the root that an installation adds where they are missing
	handler handler
	extra   func(d *doc, backup any, install bool) error // changes what else of ours is in the file; may be nil
}

// handler makes the handler of a registration.
type handler func(h agent.Registration, mode string, more []string) object

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
		if _, i := memberOf(&d.root, m.name); i < 0 {
			d.add(&d.root, 0, m.name, m.value)
		}
	}
	if err := j.fits(d); err != nil {
		return nil, err
	}
	mode, more := j.kept(j.registered(d))
	j.drop(d, old, func(event string) bool { return !j.registers(event) }) // only earlier versions registered it
	for _, h := range j.hooks {
		j.put(d, h.Event, j.entry(h, mode, more[h.Event]))
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
	handler := j.handler(h, mode, more)
	if !j.grouped {
		return handler
	}
	var group object
	if h.Matcher != "" {
		group = object{{"matcher", h.Matcher}}
	}
	return append(group, member{"hooks", []object{handler}})
}

// fits returns a *SyntaxError where the hooks have a form that nothing can be added to.
func (j *jsonHooks) fits(d *doc) error {
	v, i := memberOf(&d.root, j.root)
	if i < 0 {
		return nil
	}
	if !isObject(v) {
		return d.wrong(v.StartOffset, quote(j.root)+" is not an object",
			`it should be {"EVENT": […]}; correct it, or take it out`)
	}
	for _, it := range items(v) {
		if !isArray(it.value) && j.registers(it.name) {
			return d.wrong(it.value.StartOffset, quote(it.name)+" of the hooks is not an array",
				"correct it, or take it out")
		}
	}
	return nil
}

// put makes the array of an event hold entry, and nothing else of ours. A hook of ours that is there already
// is replaced in its place, unless it shares its group with hooks of others.
func (j *jsonHooks) put(d *doc, event string, entry any) {
	hooks, i := memberOf(&d.root, j.root)
	if i < 0 {
		d.add(&d.root, 0, j.root, object{{event, []any{entry}}})
		return
	}
	array, i := memberOf(hooks, event)
	if i < 0 {
		d.add(hooks, 1, event, []any{entry})
		return
	}
	for stays := 0; ; {
		ours := j.find(array)[stays:]
		switch {
		case len(ours) == 0 && stays == 0:
			d.add(array, 2, "", entry)
			return
		case len(ours) == 0:
			return
		case stays == 0 && ours[0].only:
			if it := items(array)[ours[0].entry]; !same(decode(it.value), entry) {
				d.replace(it, 3, entry)
			}
			stays = 1
		default:
			j.cut(d, array, ours[0])
		}
	}
}

// cut removes one of our handlers from the array of an event, and its group where that holds nothing else.
func (j *jsonHooks) cut(d *doc, array *hujson.Value, f found) {
	if f.only {
		d.remove(array, f.entry)
		return
	}
	handlers, _ := memberOf(items(array)[f.entry].value, "hooks")
	d.remove(handlers, f.handler)
}

// found is a handler of ours in the array of an event.
type found struct {
	entry, handler int  // indices in the array, and in the entry's group
	only           bool // its group holds no other handler
	command        Command
	value          any // the handler, in its group as if it were alone
}

// find returns our handlers in the array of an event, in order.
func (j *jsonHooks) find(array *hujson.Value) (all []found) {
	for i, entry := range items(array) {
		if !j.grouped {
			if c, value, ok := j.ours(entry.value); ok {
				all = append(all, found{i, 0, true, c, value})
			}
			continue
		}
		hooks, at := memberOf(entry.value, "hooks")
		if at < 0 || !isArray(hooks) {
			continue
		}
		handlers := items(hooks)
		for k, h := range handlers {
			if c, value, ok := j.ours(h.value); ok {
				group := map[string]any{"hooks": []any{value}}
				if m, at := memberOf(entry.value, "matcher"); at >= 0 {
					group["matcher"], _ = decode(m).(string)
				}
				all = append(all, found{i, k, len(handlers) == 1, c, group})
			}
		}
	}
	return all
}

// ours decodes a handler, and reports whether it is one of ours.
func (j *jsonHooks) ours(v *hujson.Value) (Command, map[string]any, bool) {
	m, _ := decode(v).(map[string]any)
	var line []string
	for _, key := range []string{"exec", "command", "bash"} {
		if s, ok := m[key].(string); ok {
			line = words(strings.TrimSuffix(s, guard))
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

// registered returns our handlers in the root's member of hooks.
func (j *jsonHooks) registered(d *doc) (list []registration) {
	hooks, i := memberOf(&d.root, j.root)
	if i < 0 || !isObject(hooks) {
		return nil
	}
	for _, it := range items(hooks) {
		if !isArray(it.value) {
			continue
		}
		for _, f := range j.find(it.value) {
			list = append(list, registration{it.name, f.command, f.value})
		}
	}
	return list
}

// drop removes our handlers from the arrays of some events. An array that is empty then is removed, unless
// the backup has it. Of several members with the same name all are searched, also those that do not count.
func (j *jsonHooks) drop(d *doc, backup any, some func(event string) bool) {
	for _, hooks := range items(&d.root) {
		if hooks.name != j.root || !isObject(hooks.value) {
			continue
		}
		for i, it := range slices.Backward(items(hooks.value)) {
			if !isArray(it.value) || !some(it.name) {
				continue
			}
			changed := false
			for ours := j.find(it.value); len(ours) > 0; ours = j.find(it.value) {
				j.cut(d, it.value, ours[0])
				changed = true
			}
			if changed && len(items(it.value)) == 0 && !has(backup, j.root, it.name) {
				d.remove(hooks.value, i)
			}
		}
	}
}

func (j *jsonHooks) uninstall(now, backup []byte) ([]byte, error) {
	if now == nil {
		return nil, nil
	}
	d, err := readDoc(j.path, now)
	if err != nil {
		return nil, err
	}
	old, before := knownJSON(backup), d.bytes()
	j.drop(d, old, func(string) bool { return true })
	if j.extra != nil {
		if err := j.extra(d, old, false); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(d.bytes(), before) {
		return now, nil
	}
	d.prune(old, j.root, map[string]any{})
	if len(items(&d.root)) == len(j.top) {
		for _, t := range j.top {
			d.prune(old, t.name, t.value)
		}
	}
	if backup == nil && d.bare() {
		return nil, nil
	}
	return d.bytes(), nil
}

// prune removes a member of the root that has the value which an installation gives it, unless the backup has
// the member.
func (d *doc) prune(backup any, name string, value any) {
	if v, i := memberOf(&d.root, name); i >= 0 && !has(backup, name) && same(decode(v), value) {
		d.remove(&d.root, i)
	}
}

// bare reports whether the file holds nothing but an empty object, not even a comment.
func (d *doc) bare() bool {
	return strings.Join(strings.Fields(d.root.String()), "") == "{}"
}

// commands implements hooksPart.
func (j *jsonHooks) commands(now []byte) ([]Registered, error) {
	d, err := readDoc(j.path, now)
	if err != nil {
		return nil, err
	}
	if err := j.fits(d); err != nil {
		return nil, err
	}
	list := j.registered(d)
	mode, more := j.kept(list)
	return j.compare(list, func(h agent.Registration, _ Command) any {
		return j.entry(h, mode, more[h.Event])
	}), nil
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
	return decode(&d.root)
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
