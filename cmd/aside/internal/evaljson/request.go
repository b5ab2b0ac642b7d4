package evaljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/facts"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
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
			err = fmt.Errorf("unknown key %q%s", key, near.Hint("; ", key, requestKeys))
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

// unknown is the value of a fact that is not known, unless the fact is a string. Null means the same for
// all facts.
const unknown = "unknown"

// turn returns the request as the evaluator takes it, with the facts by their names in the schema.
func (r request) turn(schema *fact.Schema) (eval.Turn, []error) {
	in := facts.New(schema)
	var errs []error
	put := func(name string, v any) {
		if ft, ok := schema.Lookup(name); ok && v == unknown && ft.Type != fact.String {
			v = nil
		}
		if n, ok := v.(json.Number); ok {
			x, err := number(n)
			if err != nil {
				errs = append(errs, fmt.Errorf("facts: %s: %w", name, err))
				return
			}
			v = x
		}
		in.Put(name, v)
	}
	for name, v := range r.Facts {
		switch name {
		case facts.Tools, facts.Failed:
			list, err := texts("facts: "+name, v)
			switch {
			case v == nil:
			case v == unknown:
				in.Put(name, nil)
			case err != nil:
				errs = append(errs, err)
			default:
				in.Put(name, list)
			}
		case "vars":
			vars, ok := v.(map[string]any)
			if !ok && v != nil {
				errs = append(errs, errors.New("facts: vars is not an object"))
			}
			for name, v := range vars {
				put("vars."+name, v)
			}
		default:
			put(name, v)
		}
	}
	values, problems := in.Done()
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("facts: %s", p))
	}
	return eval.Turn{Key: r.Key, At: r.At, Remind: r.Remind, Facts: values}, errs
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
