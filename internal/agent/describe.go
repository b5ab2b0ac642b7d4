package agent

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// descriptions are the descriptions of agents, one file each, and the programs that are part of one.
// agents/README.md tells how to add one.
//
//go:embed agents/*.json agents/*.js
var descriptions embed.FS

// names are the names of all agents, in the order in which people see them.
var names = strings.Fields("claude-code codex gemini qwen cursor copilot vscode droid cline crush " +
	"kimi-code opencode kilo pi grok qoder goose windsurf amp kimi-cli antigravity auggie kiro")

// described reads the description of each agent once, when somebody asks for it: a hook asks for one of them.
var described = func() []func() *Agent {
	all := make([]func() *Agent, len(names))
	for i, name := range names {
		all[i] = sync.OnceValue(func() *Agent { return describe(name) })
	}
	return all
}()

// All returns all agents. The caller must not change them.
func All() []*Agent { return all() }

var all = sync.OnceValue(func() []*Agent {
	agents := make([]*Agent, len(names))
	for i, one := range described {
		agents[i] = one()
	}
	return agents
})

// Named returns an agent by its name.
func Named(name string) (*Agent, bool) {
	if i := slices.Index(names, name); i >= 0 {
		return described[i](), true
	}
	return nil, false
}

// file returns a file of descriptions.
func file(name string) []byte {
	b, err := descriptions.ReadFile("agents/" + name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return b
}

// describe returns an agent as its description and the code beside it have it.
func describe(name string) *Agent {
	a := new(Agent)
	if err := a.inherit(name); err != nil {
		panic(err) // TestDescriptions reads each of them
	}
	a.Never = append(slices.Clone(noHook), a.Never...)
	for i := range a.Config.Files {
		f := &a.Config.Files[i]
		if f.JSON != nil && f.JSON.Handler == nil {
			f.JSON.Handler = commonHandler
		}
		if f.Plugin != nil {
			f.Plugin.Source = string(file(f.Plugin.Source))
		}
	}
	a.bind()
	return a
}

// inherit reads a description, with the code beside it, and before it the one that it inherits from.
func (a *Agent) inherit(name string) error {
	b := file(name + ".json")
	if parent := jsonscan.Unquote(jsonscan.Member(b, "parent")); parent != "" {
		if err := a.inherit(parent); err != nil {
			return err
		}
	}
	if err := decode(b, reflect.ValueOf(a).Elem()); err != nil {
		return fmt.Errorf("agents/%s.json: %w", name, err)
	}
	if add, ok := code[name]; ok {
		add(a)
	}
	return nil
}

// decode reads JSON into a value that may hold one already: the members of objects are added to it, lists
// replace it, and null empties it or takes an element of a map away. Members are fields by their names with a
// small first letter, and facts are their names. It is here since a hook cannot wait for encoding/json, which
// first learns each type.
func decode(raw []byte, v reflect.Value) error {
	if string(raw) == "null" {
		v.SetZero()
		return nil
	}
	switch special := v.Addr().Interface().(type) {
	case *Handler:
		return special.decode(raw)
	case *Registration:
		if raw[0] == '"' {
			special.Event = jsonscan.Unquote(raw)
			return nil
		}
	case *fact.ID:
		f, ok := fact.Builtin().Lookup(jsonscan.Unquote(raw))
		if *special = f.ID; !ok {
			return fmt.Errorf("there is no fact %s", raw)
		}
		return nil
	case *json.RawMessage:
		*special = raw
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		if raw[0] != '"' {
			return fmt.Errorf("%.40s is not text", raw)
		}
		v.SetString(jsonscan.Unquote(raw))
	case reflect.Bool:
		v.SetBool(raw[0] == 't')
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return decode(raw, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 8))
		for _, element := range jsonscan.Elements(raw) {
			to := reflect.New(v.Type().Elem()).Elem()
			if err := decode(element, to); err != nil {
				return err
			}
			v.Set(reflect.Append(v, to))
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for name, element := range jsonscan.Of(raw).Members() {
			key, to := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			if err := cmp.Or(decode(encode(string(name)), key), decode(element, to)); err != nil {
				return err
			}
			if string(element) == "null" {
				to = reflect.Value{}
			}
			v.SetMapIndex(key, to)
		}
	case reflect.Struct:
		for name, value := range jsonscan.Of(raw).Members() {
			f := v.FieldByName(strings.ToUpper(string(name[:1])) + string(name[1:]))
			if !f.IsValid() { // json, toml
				f = v.FieldByName(strings.ToUpper(string(name)))
			}
			if !f.IsValid() {
				return fmt.Errorf("there is no member %q", name)
			}
			if err := decode(value, f); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	default:
		return fmt.Errorf("%s is not a member of a description", v.Type())
	}
	return nil
}

// bind sets the functions of an agent's hooks that its description says in other words.
func (h *Hooks) bind() {
	if m, ok := strings.CutPrefix(h.FailsBy, "exit code in "); ok {
		h.Failed = func(o object) fact.Truth { return fact.Of(exitCode(o.text(m)) > 0) }
	} else if m, ok := strings.CutPrefix(h.FailsBy, "number in "); ok {
		h.Failed = func(o object) fact.Truth {
			code := o.at(m)
			return fact.Of(len(code) > 0 && string(code) != "0")
		}
	} else if m, ok := strings.CutPrefix(h.FailsBy, "text in "); ok {
		h.Failed = func(o object) fact.Truth { return fact.Of(o.str(m) != "") }
	} else if h.FailsBy == "event" {
		h.Failed = func(object) fact.Truth { return fact.False }
	}
	for _, m := range []struct {
		name string
		is   fact.Moment
	}{{"before_tool", fact.BeforeTool}, {"stopping", fact.Stopping}} {
		if len(h.Holds[m.name]) > 0 {
			h.Moments = append(h.Moments, m.is)
		}
	}
}
