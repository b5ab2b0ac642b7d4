package coproc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/grammar"
)

// request is one line in.
type request struct {
	Facts  map[string]any
	Key    string   // the turn's key: the same key again has the same answer
	Remind []string // ids of reminders to fire by name
	At     time.Time
	Run    string // "" where the line names none
}

// defaultRun is the run of a line that names none.
const defaultRun = "default"

var requestKeys = []string{"facts", "key", "remind", "at", "run"}

// parse reads a line. It returns all errors at once.
func parse(line []byte) (request, []error) {
	var r request
	top, err := object(line)
	if err != nil {
		return r, []error{err}
	}
	var errs []error
	for key, v := range top {
		var err error
		switch key {
		case "facts":
			if v == nil {
				continue
			}
			var ok bool
			if r.Facts, ok = v.(map[string]any); !ok {
				err = errors.New("facts: not an object")
			}
		case "key":
			r.Key, err = text(key, v)
		case "run":
			r.Run, err = text(key, v)
		case "at":
			var s string
			if s, err = text(key, v); err == nil && s != "" {
				if r.At, err = time.Parse(time.RFC3339, s); err != nil {
					err = fmt.Errorf("at: %q is not a time such as 2026-01-01T09:30:00Z", s)
				}
			}
		case "remind":
			r.Remind, err = texts(key, v)
		default:
			err = fmt.Errorf("unknown key %q%s", key, near(key, requestKeys))
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return r, errs
}

// object reads a line that must be one JSON object.
func object(line []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var top any
	if err := dec.Decode(&top); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("not JSON: the line ends too early")
		}
		if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) {
			return nil, fmt.Errorf("not JSON: %w; NaN and Infinity are no values, leave out what is not known", err)
		}
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("not JSON: more than one value on the line")
	}
	m, ok := top.(map[string]any)
	if !ok {
		return nil, errors.New(`not an object such as {"facts":{}}`)
	}
	return m, nil
}

func text(key string, v any) (string, error) {
	if v == nil {
		return "", nil
	}
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s: not a string", key)
	}
	return s, nil
}

// texts reads a list of strings. A single string stands for a list with that string, and null for no list.
func texts(key string, v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("%s: not a list of strings", key)
			}
			list[i] = s
		}
		return list, nil
	}
	return nil, fmt.Errorf("%s: not a list of strings", key)
}

// unknown is the value of a fact that is not known, unless the fact is a string. Null means the same for all facts.
const unknown = "unknown"

// turn returns the request as the evaluator takes it, with the facts by their names in the schema.
func (r request) turn(schema *fact.Schema) (eval.Turn, []error) {
	t := eval.Turn{Key: r.Key, At: r.At, Remind: r.Remind, Facts: map[string]any{}}
	f := facts{schema: schema, out: t.Facts, check: schema.NewFrame()}
	for name, v := range r.Facts {
		switch name {
		case "tools", "failed":
		case "vars":
			vars, ok := v.(map[string]any)
			if !ok && v != nil {
				f.fail(errors.New("facts: vars is not an object"))
			}
			for name, v := range vars {
				f.set("vars."+name, v)
			}
		default:
			f.set(name, v)
		}
	}
	f.tools(r.Facts)
	return t, f.errs
}

type facts struct {
	schema *fact.Schema
	out    map[string]any
	check  *fact.Frame
	errs   []error
}

func (f *facts) fail(err error) { f.errs = append(f.errs, err) }

// set adds a fact, or an error where there is no such fact or it cannot have this value.
func (f *facts) set(name string, v any) {
	ft, ok := f.schema.Lookup(name)
	if !ok {
		f.fail(fmt.Errorf("facts: there is no fact %q%s", name, near(name, append(f.schema.Names(), "tools", "failed"))))
		return
	}
	if v == nil || v == unknown && ft.Type != fact.String {
		return
	}
	if n, ok := v.(json.Number); ok {
		x, err := number(n)
		if err != nil {
			f.fail(fmt.Errorf("facts: %s: %w", name, err))
			return
		}
		v = x
	}
	if err := f.check.SetValue(name, v); err != nil {
		f.fail(fmt.Errorf("facts: %w", err))
		return
	}
	f.out[name] = v
}

// tools reads the members tools and failed: the tools that were called in the previous turn, and those of them that failed.
func (f *facts) tools(in map[string]any) {
	tools, given := in["tools"]
	given = given && tools != nil && tools != unknown
	names, err := texts("facts: tools", tools)
	if given && err != nil {
		f.fail(err)
		return
	}
	said, direct := in["last_tool_call_failed"]
	hidden := in["failed"] == unknown || direct && (said == nil || said == unknown) // whether a tool failed is given as unknown; tools alone mean that none did
	if in["failed"] == unknown {
		in["failed"] = nil
	}
	failed, err := texts("facts: failed", in["failed"])
	if failed == nil {
		failed = []string{}
	}
	if err != nil {
		f.fail(err)
		return
	}
	if !given {
		if len(failed) > 0 {
			f.fail(errors.New("facts: failed without tools: it names those of the tools that failed"))
		}
		return
	}
	if _, twice := f.out["tool_used"]; twice {
		f.fail(errors.New("facts: tools and tool_used say the same; give one"))
		return
	}
	for _, name := range failed {
		if !contains(names, name) {
			f.fail(fmt.Errorf("facts: failed: %q is not among the tools", name))
		}
	}
	f.out["tool_used"] = names
	if hidden && len(failed) == 0 {
		return
	}
	f.out[fact.FailedTools] = failed
	if _, said := f.out["last_tool_call_failed"]; !said {
		f.out["last_tool_call_failed"] = len(failed) > 0
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// number returns a whole number as an int64, and any other as a float64.
func number(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		if i > fact.MaxInt || i < -fact.MaxInt {
			return nil, fmt.Errorf("%s is beyond %d", n, int64(fact.MaxInt))
		}
		return i, nil
	}
	x, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("%s is too large a number", n)
	}
	return x, nil
}

func near(name string, names []string) string {
	if s := grammar.Suggest(name, names); len(s) > 0 {
		return "; did you mean " + strings.Join(s, " or ") + "?"
	}
	return ""
}
