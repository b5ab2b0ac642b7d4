package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/state"
)

// reading is the replay of one file, from a player to the presenter. The fields after queue are set before the queue is closed, and
// must not be read until then.
type reading struct {
	file     transcript.File
	queue    *queue
	err      error    // why the reading ended; nil: the file was read to its end
	older    bool     // the file was left out because of Options.Since
	late     bool     // turns of the file were left out because of Options.Since
	named    bool     // the run Options.RunID is in the file
	near     []string // other runs whose ids contain Options.RunID, at most nearby
	panicked any      // the value of a panic of the player; nil: none
}

// player replays files, one at a time. Each worker has its own.
type player struct {
	o       *Options
	meter   *meter
	ev      *eval.Evaluator
	against *eval.Evaluator // nil: there is no comparison
	count   int             // runs so far, of all files
	runs    map[*transcript.Run]*run
}

// run is a run of the current file.
type run struct {
	key   string // the run's name in the evaluators: unique, since two files may hold runs of the same id
	obs   *eval.Observer
	model string
	most  int64 // tokens of the longest prompt that the model was seen to take
}

func newPlayer(o *Options, m *meter) *player {
	p := &player{o: o, meter: m, runs: map[*transcript.Run]*run{}}
	opts := func() eval.Options {
		return eval.Options{Clock: func() time.Time { return noTime }, Budget: o.Budget, Order: o.Order}
	}
	p.ev = eval.New(o.Set, opts())
	if o.Against != nil {
		p.against = eval.New(o.Against, opts())
	}
	return p
}

// read replays a file, and closes its queue. It does not panic: the presenter does, on the caller's goroutine.
func (p *player) read(ctx context.Context, r *reading) {
	defer r.queue.close()
	defer func() { r.panicked = recover() }()
	r.err = p.file(ctx, r)
}

// file replays a file to its end.
func (p *player) file(ctx context.Context, to *reading) error {
	f := to.file
	if err := ctx.Err(); err != nil {
		return err
	}
	opened, err := f.Open()
	if err != nil {
		return err
	}
	defer opened.Close()
	if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(p.o.Since) {
		to.older = true
		return nil
	}
	clear(p.runs)
	plain := unpack(p.meter.reader(ctx, opened, to.queue.flush))
	defer plain.close()
	r := transcript.NewReader(plain, f.Path, f.Thread)
	turns := 0
	for {
		t, err := r.Next()
		for _, rest := range r.Ended() {
			p.endRun(ctx, rest, to.queue)
		}
		if err == nil {
			turns++
			err = p.turn(ctx, t, to)
		}
		if err == nil {
			continue
		}
		for _, n := range r.Notes() {
			to.queue.put(item{note: n.String()})
		}
		if plain.note != "" {
			to.queue.put(item{note: transcript.Note{Source: f.Path, Text: plain.note}.String()})
		}
		if errors.Is(err, io.EOF) {
			if why := nothing(f, r, turns); why != "" {
				to.queue.put(item{note: why})
			}
			return nil
		}
		var format *transcript.FormatError
		if f.Found && errors.As(err, &format) {
			to.queue.put(item{note: fmt.Sprintf("note: %v; left out", err)})
			return nil
		}
		return err
	}
}

// nothing returns a note on why a file has no turns, "" where it has some, or was not named by the user itself.
func nothing(f transcript.File, r *transcript.Reader, turns int) string {
	switch {
	case turns > 0 || f.Found:
		return ""
	case r.Format() == transcript.Empty:
		return f.Path + ": empty, 0 turns"
	default:
		return fmt.Sprintf("%s: a %s without a model call, 0 turns", f.Path, r.Format())
	}
}

// errAbandoned is returned where the presenter has abandoned the queue.
var errAbandoned = fmt.Errorf("nobody is there any more: %w", context.Canceled)

// turn decides one turn and puts it into the queue.
func (p *player) turn(ctx context.Context, t *transcript.Turn, to *reading) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.o.RunID != "" {
		if !ofRun(t.Run.ID, p.o.RunID) {
			if len(to.near) < nearby && strings.Contains(t.Run.ID, p.o.RunID) && !slices.Contains(to.near, t.Run.ID) {
				to.near = append(to.near, t.Run.ID)
			}
			return nil
		}
		to.named = true
	}
	r := p.runs[t.Run]
	if r == nil {
		p.count++
		r = &run{key: strconv.Itoa(p.count) + " " + t.Run.ID}
		r.obs = p.ev.Observe(r.key)
		r.obs.Thread(t.Run.Thread)
		p.runs[t.Run] = r
	}
	s := &Step{Turn: t, Window: p.window(t, r)}
	turn := observe(r.obs, t, s.Window)
	var err error
	if s.Decision, err = p.decide(ctx, p.ev, r, t, turn); err != nil {
		return err
	}
	if s.Facts = s.Decision.Facts(); !t.Run.Timed { // by the evaluator's clock, noTime, no time has passed, which is not so
		delete(s.Facts, "elapsed")
		delete(s.Facts, "idle")
	}
	if p.against != nil {
		if s.Against, err = p.decide(ctx, p.against, r, t, turn); err != nil {
			return err
		}
	}
	if !t.At.IsZero() && t.At.Before(p.o.Since) {
		to.late = true
		return nil
	}
	if !to.queue.put(item{step: s}) {
		return errAbandoned
	}
	return nil
}

// ofRun reports whether id is the run asked, or the run of one of its subagents.
func ofRun(id, asked string) bool {
	rest, ok := strings.CutPrefix(id, asked)
	return ok && (rest == "" || strings.HasPrefix(rest, "/agent-"))
}

// wanted reports whether a reminder is shown.
func (o *Options) wanted(id string) bool {
	return o.Only == nil || slices.ContainsFunc(o.Only, func(p string) bool {
		ok, err := path.Match(p, id)
		return ok || err != nil && p == id
	})
}

// decide decides a turn, and removes from the decision the reminders that are not wanted.
func (p *player) decide(ctx context.Context, ev *eval.Evaluator, r *run, t *transcript.Turn, turn eval.Turn) (*eval.Decision, error) {
	d, err := ev.Decide(ctx, r.key, turn)
	if err != nil {
		return nil, fmt.Errorf("%s: turn %d: %w", t.Run.Source, t.N, err)
	}
	if p.o.Only != nil {
		d.Fired = slices.DeleteFunc(slices.Clone(d.Fired), func(f reminder.Due) bool { return !p.o.wanted(f.ID) })
		d.Due = slices.DeleteFunc(slices.Clone(d.Due), func(f reminder.Due) bool { return !p.o.wanted(f.ID) })
		d.Held = slices.DeleteFunc(slices.Clone(d.Held), func(h state.Held) bool { return !p.o.wanted(h.ID) })
		d.Errors = slices.DeleteFunc(slices.Clone(d.Errors), func(e state.TextError) bool { return !p.o.wanted(e.ID) })
	}
	return d, nil
}

// endRun ends a run, and frees its state. after is the turn that would have been next. An error of Forget is ignored: the state is in
// memory, and ends with the player at the latest.
func (p *player) endRun(ctx context.Context, after *transcript.Turn, to *queue) {
	r := p.runs[after.Run]
	if r == nil {
		return
	}
	delete(p.runs, after.Run)
	ctx = context.WithoutCancel(ctx)
	_ = p.ev.Forget(ctx, r.key)
	if p.against != nil {
		_ = p.against.Forget(ctx, r.key)
	}
	rest := &Rest{Run: after.Run}
	if after.N > 0 {
		rest.After = after
	}
	to.put(item{rest: rest})
}

// window returns the size of the context window on a turn in tokens, 0 where it is not known.
func (p *player) window(t *transcript.Turn, r *run) int64 {
	switch {
	case p.o.Window > 0:
		return int64(p.o.Window)
	case t.Window.Known:
		return t.Window.N
	case t.Model != r.model:
		r.model, r.most = t.Model, 0
	}
	if t.ContextTokens.Known && t.N > 1 {
		r.most = max(r.most, t.ContextTokens.N)
	}
	n, ok := wire.Windows(nil).Holds(t.Model, r.most)
	if !ok {
		return 0
	}
	return n
}

var errFailed = errors.New("the call failed")

// observe makes a turn's facts from what the recording says of the time before it. size is the context window in tokens, 0: unknown.
func observe(o *eval.Observer, t *transcript.Turn, size int64) eval.Turn {
	if t.N > 1 {
		if t.ContextTokens.Known && t.ResponseTokens.Known {
			o.Response(eval.Usage{ContextTokens: t.ContextTokens.N, ResponseTokens: t.ResponseTokens.N, Known: true})
		} else {
			o.Response(eval.Usage{})
		}
		o.ResponseText(t.Response)
	}
	unsure := false
	for _, c := range t.Calls {
		var err error
		if c.Failed == fact.True {
			err = errFailed
		}
		unsure = unsure || c.Failed == fact.Unknown
		o.ToolCall(c.Name, err)
	}
	if t.Compacted {
		o.Compacted()
	}
	if t.Resumed {
		o.Resumed()
	}
	if t.ContextTokens.Known {
		o.ContextTokens(t.ContextTokens.N)
	}
	for _, text := range t.Prompts {
		o.UserMessage(text)
	}
	if t.MessageCount.Known {
		o.Messages(int(t.MessageCount.N))
	}
	o.Model(provider(t.Model), t.Model, int(size))
	turn := o.Turn()
	turn.At = t.At // and no Key: package transcript has left out repeated messages
	if failed, _ := turn.Facts["last_tool_call_failed"].(bool); unsure && !failed {
		delete(turn.Facts, "last_tool_call_failed") // some result does not say whether its call failed
		delete(turn.Facts, fact.FailedTools)
	}
	if t.ResponseTokens.Known && !t.ContextTokens.Known {
		turn.Facts["last_response_tokens"] = t.ResponseTokens.N
	}
	return turn
}

// provider returns the provider of a model, as far as its id tells; "": unknown.
func provider(model string) string {
	if len(model) > 7 && model[:7] == "claude-" {
		return "anthropic"
	}
	return ""
}
