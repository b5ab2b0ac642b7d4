package reference

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
)

// Frame returns the occasion as a frame, in which package compile/trigger reads it.
func (o *Occasion) Frame(schema *fact.Schema) *fact.Frame {
	f := schema.NewFrame()
	o.Fill(f)
	f.SetPlace(o.Place)
	f.SetMoment(o.Moment, o.Before)
	f.SetSelf(o.Self)
	if o.Past != nil {
		f.SetHistory(written{o.Past})
	}
	return f
}

// Fill sets in a frame what a host tells: facts and calls.
func (o *Occasion) Fill(f *fact.Frame) {
	for name, v := range o.Facts {
		ft, _ := f.Schema().Lookup(name)
		switch v := v.(type) {
		case bool:
			f.SetBool(ft.ID, v)
		case string:
			f.SetText(ft.ID, v)
		case []string:
			f.SetSet(ft.ID, v)
		case float64:
			switch ft.Type {
			case fact.Int:
				f.SetInt(ft.ID, int64(v))
			case fact.Duration:
				f.SetDuration(ft.ID, time.Duration(v))
			default:
				f.SetNumber(ft.ID, v)
			}
		}
	}
	any, given := o.Facts["last_tool_call_failed"].(bool)
	switch {
	case o.Told:
		f.SetCalls(o.Calls)
		if given {
			f.SetBool(fact.LastToolCallFailed, any)
		}
	case o.Tools:
		f.SetTools(o.Calls)
		if o.FailedTold {
			f.SetFailed(o.Failed)
		}
	}
}

// written is a Journal as a fact.History. It takes the texts of patterns, and never asks them.
type written struct{ j *Journal }

var _ fact.History = written{}

// Now implements fact.History.
func (p written) Now() fact.Mark {
	j := p.j
	return fact.Mark{Turn: len(j.Turns), UserTurn: j.UserTurn, UserTurnOK: j.UserKnown,
		OutputTokens: int64(j.Output), OutputOK: j.OutputKnown, At: time.Unix(0, j.At).UTC()}
}

// Begin implements fact.History.
func (p written) Begin() fact.Mark {
	return fact.Mark{UserTurnOK: true, At: time.Unix(0, p.j.First).UTC()}
}

// CallCount implements fact.History.
func (p written) CallCount(of fact.Pattern) (n int, ok bool) {
	a := p.j.ask(of.String())
	return a.count, a.known
}

// TurnsSinceCall implements fact.History.
func (p written) TurnsSinceCall(of fact.Pattern) (turns int, ok bool) {
	a := p.j.ask(of.String())
	return len(p.j.Turns) - a.turn + 1, a.known && a.count > 0
}

// CalledSince implements fact.History.
func (p written) CalledSince(a, b fact.Pattern) fact.Truth {
	v, ok := p.j.call("called_since", []string{a.String(), b.String()}).(bool)
	if !ok {
		return fact.Unknown
	}
	return fact.Of(v)
}

// ChainRepeats implements fact.History.
func (p written) ChainRepeats(chain []func(tool string) bool) (n int, ok bool) {
	var names []string
	for _, t := range p.j.Turns {
		ok = ok || t.Tools
		for _, c := range t.Calls {
			if t.Tools {
				names = append(names, c.Tool)
			}
		}
	}
	for len(chain) > 0 && len(names) >= len(chain) {
		for i, link := range chain {
			if !link(names[len(names)-len(chain)+i]) {
				return n, ok
			}
		}
		n, names = n+1, names[:len(names)-len(chain)]
	}
	return n, ok
}

// LastFire implements fact.History.
func (p written) LastFire(id string) (fact.Mark, bool) {
	f, ok := p.j.Fires[id]
	return fact.Mark{Turn: f.Turn, UserTurn: f.UserTurn, UserTurnOK: f.UserKnown,
		OutputTokens: int64(f.Output), OutputOK: f.OutputKnown, At: time.Unix(0, f.At).UTC()}, ok
}
