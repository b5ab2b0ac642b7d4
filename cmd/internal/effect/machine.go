package effect

import (
	"math"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/effect/confidence"
)

// The report for machines.
type versionJSON struct {
	ID         string                 `json:"id"`
	Version    string                 `json:"version"`
	Agent      string                 `json:"agent,omitempty"`
	Model      string                 `json:"model,omitempty"`
	First      time.Time              `json:"first"`
	Last       time.Time              `json:"last"`
	Sent       groupJSON              `json:"sent"`
	Held       groupJSON              `json:"held_out"`
	Difference *confidence.Difference `json:"difference"` // null: too early
	Times      *confidence.Difference `json:"times"`      // of the rates, where both are rare; else null
	Spent      *spentJSON             `json:"spent"`      // null: nothing was gained, or it is too early
	Verdict    string                 `json:"verdict"`
}

type groupJSON struct {
	Runs        int      `json:"runs"`
	Firings     int      `json:"firings"`
	Heeded      int      `json:"heeded"`
	Ignored     int      `json:"ignored"`
	Open        int      `json:"open"`
	Waiting     int      `json:"waiting"`      // further ones, without an outcome yet
	Rate        *float64 `json:"rate"`         // of the heeded among the heeded and ignored, in the mean of the runs
	MedianTurns *float64 `json:"median_turns"` // until heeded
	Tokens      int      `json:"tokens"`
}

// spentJSON is for each firing that is heeded because of the text.
type spentJSON struct {
	Tokens  float64  `json:"tokens"`
	Dollars *float64 `json:"dollars"` // null: the price of a model is not known
}

func print(e *command.Env, all []*Version) error {
	list := make([]any, len(all))
	for i, v := range all {
		list[i] = v.json()
	}
	return command.PrintList(e.Out, list)
}

func (v *Version) json() versionJSON {
	out := versionJSON{ID: v.ID, Version: v.Version, Agent: v.Agent, Model: v.Model, First: v.First,
		Last: v.Last,
		Sent: v.Sent.json(), Held: v.Held.json(), Verdict: v.Verdict()}
	d := v.Difference()
	if !d.Known {
		return out
	}
	out.Difference = &d
	if r := v.Times(); r.Known {
		out.Times = &r
	}
	if tokens, dollars, ok := v.Spent(); ok {
		out.Spent = &spentJSON{Tokens: tokens}
		if v.Sent.Unpriced == 0 {
			out.Spent.Dollars = &dollars
		}
	}
	return out
}

func (g *Group) json() groupJSON {
	out := groupJSON{Runs: g.Runs, Firings: g.Firings, Heeded: g.Heeded, Ignored: g.Ignored, Open: g.Open,
		Waiting: g.Waiting, Tokens: g.Tokens}
	if rate := g.Rate(); !math.IsNaN(rate) {
		out.Rate = &rate
	}
	if turns, ok := g.Turns(); ok {
		out.MedianTurns = &turns
	}
	return out
}
