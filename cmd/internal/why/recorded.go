package why

import (
	"bytes"
	"context"
	"slices"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
)

// recorded replays the session and explains a turn of it, with all facts of that turn.
func (c *Options) recorded(ctx context.Context, e *command.Env, set *compile.Set) (
	*Answer, []eval.Explanation, *compile.Set, error) {
	v, said := &turnView{turn: c.Turn}, &bytes.Buffer{}
	ctx, v.found = context.WithCancel(ctx)
	defer v.found()
	err := replay.Run(ctx, replay.Options{
		Paths: []string{c.Session}, Files: transcript.Machine(e.Stdin), Set: set, RunID: c.RunID, Err: said,
		Owner: replay.OwnerOf(e.Home), Views: []replay.View{v},
	})
	switch {
	case v.step == nil && v.turns == 0 && err != nil:
		_, _ = e.Err.Write(said.Bytes())
		return nil, nil, nil, &command.Error{Code: replay.ExitCode(err)}
	case v.step == nil && v.turns > 0:
		return nil, nil, nil, command.No("there is no turn %d: %s has %s", c.Turn, v.run,
			terminal.Count(v.turns, "turn"))
	case v.step == nil:
		return nil, nil, nil, command.No("there is no turn in %s", c.Session)
	}
	ex, err := v.step.Decision.Explain()
	if c.ID != "" {
		ex = slices.DeleteFunc(ex, func(x eval.Explanation) bool { return x.ID != c.ID })
	}
	return &Answer{Run: v.step.Run.ID, Turn: v.step.Decision.Turn, At: v.step.At.UTC()}, ex,
		v.step.Decision.Set(), err
}

// turnView is the View that keeps one turn of the first run.
type turnView struct {
	replay.Ignored
	turn  int    // its number; 0: the last
	found func() // ends the replay
	step  *replay.Step
	run   string // the id of the run
	turns int    // of it, so far
}

// Turn implements replay.View.
func (v *turnView) Turn(s *replay.Step) {
	if s.RunN != 1 || s.Moment != fact.Turn {
		return
	}
	v.run, v.turns = s.Run.ID, s.Decision.Turn
	if v.turn == 0 || v.turns == v.turn {
		v.step = s
	}
	if v.turns == v.turn {
		v.found()
	}
}

// RunOver implements replay.View.
func (v *turnView) RunOver(r *replay.Rest) {
	if r.RunN == 1 {
		v.found()
	}
}
