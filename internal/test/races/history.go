package races

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// register is one run: what it holds is the text of the last firing. A save succeeds if the run holds what
// was loaded before. One of which nobody knows may have succeeded.
func register(holds string) porcupine.Model {
	return (&porcupine.NondeterministicModel{
		Init: func() []any { return []any{holds} },
		Step: func(holds, in, _ any) []any {
			o, now := in.(operation), holds.(string)
			switch {
			case o.Kind == loads && o.Value == now:
				return []any{now}
			case o.Kind == saved && o.Before == now:
				return []any{o.Value}
			case o.Kind == conflicts && o.Before != now:
				return []any{now}
			case o.Kind == unknown && o.Before == now:
				return []any{now, o.Value}
			case o.Kind == unknown:
				return []any{now}
			}
			return nil
		},
	}).ToModel()
}

// checkLimit bounds the search for an order of the operations.
const checkLimit = time.Minute

// linearizable reports whether the operations can be those of one store that does one after the other, where
// the run holds a text at first. It returns the text that the run holds at last.
func linearizable(ops []operation, holds string) (last string, ok bool) {
	last = narrow(ops, holds)
	history := make([]porcupine.Operation, len(ops))
	for i, o := range ops {
		if o.Call > o.Return {
			return last, false
		}
		history[i] = porcupine.Operation{ClientId: o.Client, Call: o.Call, Return: o.Return, Input: o, Output: o}
	}
	return last, porcupine.CheckOperationsTimeout(register(holds), history, checkLimit) == porcupine.Ok
}

// narrow moves the calls of operations to where they can have happened at the earliest: no text is saved
// twice, so a save lies behind the begin of each load of the text before it, and whoever has seen a text did
// so after its save. The operations are linearizable as before, or not; without this the search takes time
// that grows exponentially with the number of clients.
// It returns the last text.
func narrow(ops []operation, text string) string {
	loaded := map[string]int64{} // the latest call of a load, by text
	next := map[string]*operation{}
	for i := range ops {
		switch o := &ops[i]; o.Kind {
		case loads:
			loaded[o.Value] = max(loaded[o.Value], o.Call)
		case saved:
			next[o.Before] = o
		}
	}
	since := map[string]int64{} // when a text was saved at the earliest
	gone := map[string]int64{}  // when the next one was
	for at := int64(0); next[text] != nil; {
		o := next[text]
		delete(next, text)
		o.Call = max(o.Call, loaded[text]+1, at+1)
		gone[text], since[o.Value] = o.Call, o.Call
		text, at = o.Value, o.Call
	}
	for i := range ops {
		switch o := &ops[i]; o.Kind {
		case loads:
			o.Call = max(o.Call, since[o.Value])
		case conflicts:
			o.Call = max(o.Call, gone[o.Before])
		}
	}
	return text
}
