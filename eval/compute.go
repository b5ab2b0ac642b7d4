package eval

import (
	"context"
	"errors"

	"github.com/aside-go/aside/compile/fact"
)

// computed are the values of a turn's computed facts. Decide keeps them from one try to the next, so that no
// function is called twice for a turn.
type computed struct {
	done   bool
	values map[string]any
	err    error
}

// compute sets the facts that the host computes and has not given, as far as a rule reads them. A *FactError
// says of each fact that its function failed, or returned a value of another type.
func (p *program) compute(ctx context.Context, run string, f *fact.Frame, c *computed) error {
	if len(p.derived) == 0 {
		return nil
	}
	if c == nil {
		c = &computed{}
	}
	if !c.done {
		c.done, c.values = true, map[string]any{}
		var errs []error
		for _, ft := range p.derived {
			if f.Known(ft.ID) {
				continue
			}
			v, err := ft.Compute(ctx, run)
			if err != nil {
				errs = append(errs, &FactError{Name: ft.Name, Err: err})
				continue
			}
			c.values[ft.Name] = v
		}
		c.err = errors.Join(errs...)
	}
	if c.err != nil {
		return c.err
	}
	var errs []error
	for _, ft := range p.derived {
		if v, ok := c.values[ft.Name]; ok {
			if err := setFact(f, ft.Name, v); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
