package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/aside-go/aside/cmd/aside/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/wire"
)

// player replays one file after the other.
type player struct {
	o     Options
	ev    *eval.Evaluator
	sum   *summary
	view  view
	out   *output // where view writes
	meter *meter

	runs  int
	run   *transcript.Run
	key   string // of the run in the evaluator; two files may hold runs of the same id
	obs   *eval.Observer
	model string
	most  int64 // the longest prompt the model was seen to take
}

// file replays one file.
func (p *player) file(ctx context.Context, f transcript.File) error {
	opened, err := f.Open()
	if err != nil {
		return p.explain(err)
	}
	defer opened.Close()
	if info, err := opened.Stat(); err == nil {
		p.meter.size = info.Size()
	}
	r := transcript.NewReader(p.meter.reader(ctx, opened), f.Path, f.Thread)
	turns := 0
	for {
		t, err := r.Next()
		if err == nil {
			turns++
			err = p.turn(ctx, t)
		}
		if err != nil {
			p.closeRun(ctx)
			for _, n := range r.Notes() {
				p.say("%s", n)
			}
			if errors.Is(err, io.EOF) {
				p.nothing(f, r, turns)
				return nil
			}
			var format *transcript.FormatError
			if f.Found && errors.As(err, &format) {
				p.say("note: %v; left out", err)
				return nil
			}
			return p.explain(err)
		}
	}
}

// nothing says why a file that was named has no turns.
func (p *player) nothing(f transcript.File, r *transcript.Reader, turns int) {
	switch {
	case turns > 0 || f.Found:
	case r.Format() == transcript.Empty:
		p.say("%s: empty, 0 turns", f.Path)
	default:
		p.say("%s: a %s without a model call, 0 turns", f.Path, r.Format())
	}
}

// turn evaluates one turn and shows it.
func (p *player) turn(ctx context.Context, t *transcript.Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := &step{Turn: t, set: p.o.Set}
	if t.Run != p.run {
		p.closeRun(ctx)
		p.runs++
		p.run, p.model, p.most = t.Run, "", 0
		p.key = strconv.Itoa(p.runs) + " " + t.Run.ID
		p.obs = p.ev.Observe(p.key)
		p.obs.Thread(t.Run.Thread)
		s.first = true
	}
	s.window = p.window(t)
	d, err := p.ev.Decide(ctx, p.key, p.observe(t, s.window))
	if err != nil {
		return fmt.Errorf("%s: turn %d: %w", t.Run.Source, t.N, err)
	}
	if !t.Run.Timed { // the evaluator's clock stood still, which says nothing about the time that passed
		delete(d.Facts, "elapsed")
		delete(d.Facts, "idle")
	}
	s.decision = d
	p.sum.add(s)
	p.view.turn(s)
	p.meter.turn()
	return nil
}

func (p *player) closeRun(ctx context.Context) {
	if p.run != nil {
		_ = p.ev.Forget(context.WithoutCancel(ctx), p.key) // the store is in memory and ours: nothing is lost if this fails
		p.run = nil
	}
}

// window returns the size of the context window on a turn, 0 if it is not known.
func (p *player) window(t *transcript.Turn) int64 {
	if p.o.Window > 0 {
		return int64(p.o.Window)
	}
	if t.Model != p.model {
		p.model, p.most = t.Model, 0
	}
	if t.ContextTokens.Known && t.N > 1 {
		p.most = max(p.most, t.ContextTokens.N)
	}
	n, ok := wire.Windows(nil).Holds(t.Model, p.most)
	if !ok {
		return 0
	}
	return n
}

var errFailed = errors.New("the call failed")

// observe tells the evaluator what stood before a turn.
func (p *player) observe(t *transcript.Turn, size int64) eval.Turn {
	o := p.obs
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
	turn.At = t.At // no key: the reader has told repeated messages apart already
	if failed, _ := turn.Facts["last_tool_call_failed"].(bool); unsure && !failed {
		delete(turn.Facts, "last_tool_call_failed") // results that do not say how the call went
		delete(turn.Facts, fact.FailedTools)
	}
	if t.ResponseTokens.Known && !t.ContextTokens.Known {
		turn.Facts["last_response_tokens"] = t.ResponseTokens.N
	}
	return turn
}

// provider returns the API that a model is asked through, as far as its bare id shows.
func provider(model string) string {
	if len(model) > 7 && model[:7] == "claude-" {
		return "anthropic"
	}
	return ""
}
