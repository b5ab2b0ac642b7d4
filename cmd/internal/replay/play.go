package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/model"
)

// replayer replays files one after the other: it decides each turn, and shows the decision to all views.
type replayer struct {
	o        *Options
	progress *progress
	out      *output
	sum      *summary
	views    []View
	ev       *eval.Evaluator
	against  *eval.Evaluator // nil: there is no comparison

	runs        map[*session.Run]*openRun // that go on
	count       int                       // runs so far, shown or not
	files       int                       // how many files were replayed to their end
	older       int                       // how many files were left out because of Options.Since
	late        bool                      // turns were left out because of Options.Since
	named       string                    // the run that Options.RunID means; "": none was read so far
	near        []string                  // other runs whose ids contain Options.RunID, at most nearby
	interrupted bool
	reads       compile.CallReads // what rules read of calls
	moments     bool              // a rule is read at another moment than a turn
	forks       *forks
}

// openRun is a run whose end was not read yet.
type openRun struct {
	n      int    // its number, as views are told; 0: no turn of it was shown
	key    string // its name in the evaluators: unique, since two files may hold runs of the same id
	obs    *eval.Observer
	model  string
	most   int64  // tokens of the longest prompt that the model was seen to take
	asked  string // the model of the latest turn
	reason string // for which the agent was kept at work since the latest turn; "": it was not
	last   *Step  // the latest turn
	bill   session.Bill
	copied bool // its first turns were copied from another run
	users  int  // with copied: messages of persons so far

	resumes bool // its turns say that the session was resumed
}

// nearby is how many runs of similar ids are suggested at most.
const nearby = 3

func newReplayer(o *Options, p *progress, out *output) *replayer {
	r := &replayer{
		o: o, progress: p, out: out, sum: newSummary(o), views: o.Views, runs: map[*session.Run]*openRun{},
	}
	if o.Out != io.Discard || o.Blocks != nil {
		r.views = append(slices.Clone(o.Views), o.shown(out))
	}
	unknown := func() time.Time { return time.Time{} }
	opts := eval.Options{Clock: unknown}
	r.ev = eval.New(o.Set, opts)
	r.reads = compile.ReadsOf(o.Set)
	if o.Against != nil {
		r.against = eval.New(o.Against, opts)
		r.reads = compile.ReadsOf(o.Set, o.Against)
	}
	if o.Words {
		r.reads = compile.AllOfCalls()
	}
	r.moments = atMoments(o.Set) || o.Against != nil && atMoments(o.Against)
	return r
}

// atMoments reports whether a set has a rule that is read at another moment than a turn.
func atMoments(set *compile.Set) bool {
	for i := range set.Len() {
		if set.Trigger(i).Moment() != fact.Turn {
			return true
		}
	}
	return false
}

// play replays a file. Its error is one for ExitCode, and was written.
func (r *replayer) play(ctx context.Context, f transcript.File) error {
	r.progress.at++
	err := r.file(ctx, f)
	for _, run := range r.open() {
		r.endRun(ctx, &Rest{Run: run})
	}
	r.out.Flush() // it keeps its error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if r.out.err != nil {
			return nil // the context was cancelled because of this error, which Run returns
		}
		r.interrupted = true
		return r.explain(err)
	}
	r.files++
	return r.explain(err)
}

// file replays a file to its end.
func (r *replayer) file(ctx context.Context, f transcript.File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	opened, err := f.Open()
	if err != nil {
		return err
	}
	defer opened.Close()
	if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(r.o.Since) {
		r.older++
		return nil
	}
	plain := unpack(r.progress.reader(ctx, opened))
	defer plain.close()
	in := transcript.NewReader(plain, f.Path, f.Thread)
	in.Tell(r.reads, session.Place{Project: r.o.Project, Home: r.o.Home})
	r.forks.watch(in, f)
	turns := 0
	for {
		t, err := in.Next()
		for _, after := range in.Ended() {
			rest := &Rest{Run: after.Run}
			if after.N > 0 {
				rest.After = after
			}
			r.endRun(ctx, rest)
		}
		if err == nil {
			turns++
			err = r.turn(ctx, t, in.Format())
		}
		if err == nil {
			continue
		}
		for _, n := range in.Notes() {
			r.say("%s", n.String())
		}
		if plain.note != "" {
			r.say("%s", session.Note{Source: f.Path, Text: plain.note}.String())
		}
		var format *transcript.FormatError
		switch {
		case errors.Is(err, io.EOF):
			if why := nothing(f, in, turns); why != "" {
				r.say("%s", why)
			}
			return nil
		case f.Found && errors.As(err, &format):
			r.say("note: %v; left out", err)
			return nil
		}
		return err
	}
}

// nothing returns a note on why a file has no turns, "" where it has some, or was not named by the user
// itself.
func nothing(f transcript.File, in *transcript.Reader, turns int) string {
	switch {
	case turns > 0 || f.Found:
		return ""
	case in.Format() == session.Empty:
		return f.Path + ": empty, 0 turns"
	default:
		return fmt.Sprintf("%s: a %s without a model call, 0 turns", f.Path, in.Format())
	}
}

// turn decides one turn of a file, and shows it.
func (r *replayer) turn(ctx context.Context, t *session.Turn, in session.Format) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.o.RunID != "" && !r.asked(t.Run.ID) {
		return nil
	}
	of := r.runs[t.Run]
	if of == nil {
		r.count++
		of = &openRun{key: strconv.Itoa(r.count) + " " + t.Run.ID, resumes: in.Resumes()}
		of.obs = r.ev.Observe(of.key)
		of.obs.Thread(t.Run.Thread)
		r.runs[t.Run] = of
	}
	if t.Copied {
		r.copied(of, t)
		return nil
	}
	place := t.Where.Place().Remember() // each command line is read once, for the moment and for the turn
	if err := r.between(ctx, of, t, place); err != nil {
		return err
	}
	s := &Step{Turn: t, Window: r.window(t, of)}
	turn := r.observe(of, t, s.Window)
	turn.Place = place
	var err error
	if s.Decision, err = r.decide(ctx, r.ev, of, t, turn); err != nil {
		return err
	}
	if r.against != nil {
		if s.Against, err = r.decide(ctx, r.against, of, t, turn); err != nil {
			return err
		}
	}
	of.last = s
	if !t.At.IsZero() && t.At.Before(r.o.Since) {
		r.late = true
		return nil
	}
	if of.n == 0 {
		of.n = r.sum.out.Runs + 1
		s.First = true
	}
	s.RunN = of.n
	r.show(s)
	r.progress.turn()
	return nil
}

func (r *replayer) show(s *Step) {
	r.sum.add(s)
	for _, v := range r.views {
		v.Turn(s)
	}
}

// between decides the moments after the latest turn of a run: before each of the calls that its response
// made, or, if it made none, before the end of the work. next is the record of that response, the turn after
// it.
func (r *replayer) between(ctx context.Context, of *openRun, next *session.Turn, place fact.Place) error {
	if !r.moments || of.last == nil {
		return nil
	}
	if len(next.Calls) == 0 {
		return r.moment(ctx, of, next, fact.Stopping, nil)
	}
	for i := range next.Calls {
		call := next.Calls[i].Fact()
		call.Output, call.OutputTold, call.Failed = "", false, fact.Unknown
		if of.reason = ""; !r.o.before(&call, place) {
			continue
		}
		if err := r.moment(ctx, of, next, fact.BeforeTool, &call); err != nil {
			return err
		}
	}
	return nil
}

// before reports whether a rule may be true before a call.
func (o *Options) before(call *fact.Call, at fact.Place) bool {
	return o.Set.Before(call, at) || o.Against != nil && o.Against.Before(call, at)
}

// moment decides one moment after the latest turn, and shows it if anything fired. A subagent hands back to
// another agent: hooks let its end be, too.
func (r *replayer) moment(ctx context.Context, of *openRun, next *session.Turn, at fact.Moment,
	call *fact.Call) error {
	if at == fact.Stopping && of.last.Run.Thread != "root" {
		return nil
	}
	s := &Step{Turn: of.last.Turn, RunN: of.n, Window: of.last.Window, Moment: at}
	if call != nil {
		s.Tool = call.Tool
	}
	turn := of.obs.Turn()
	turn.Moment, turn.Call, turn.Place, turn.At = at, call, next.Where.Place(), of.last.At
	turn.Facts = map[string]any{"response": next.Response}
	if r.o.Zone != nil && !turn.At.IsZero() {
		turn.At = turn.At.In(r.o.Zone)
	}
	var err error
	if s.Decision, err = r.decide(ctx, r.ev, of, of.last.Turn, turn); err != nil {
		return err
	}
	if of.n > 0 {
		r.sum.read(s.Decision)
	}
	fired := len(s.Decision.Fired)
	of.reason = ""
	if at == fact.Stopping && fired > 0 {
		of.reason = reason(s.Decision)
	}
	if r.against != nil {
		if s.Against, err = r.decide(ctx, r.against, of, of.last.Turn, turn); err != nil {
			return err
		}
		fired += len(s.Against.Fired)
	}
	if fired > 0 && of.n > 0 {
		r.show(s)
	}
	return nil
}

// reason returns the text for which an agent is kept at work. Gemini CLI records it as a person's message.
func reason(d *eval.Decision) string {
	texts := make([]string, len(d.Due))
	for i, due := range d.Due {
		texts[i] = strings.TrimSpace(due.Text)
	}
	return strings.Join(texts, "\n\n")
}

// asked reports whether id is the run that Options.RunID means, or the run of one of its subagents. It means
// the run of that name, else the first one whose name begins so. Others are kept in near.
func (r *replayer) asked(id string) bool {
	root := session.RootOf(id)
	switch whole := r.o.RunID; {
	case id == whole || strings.HasPrefix(id, whole+"/agent-"):
		r.named = whole
	case r.named == "" && strings.HasPrefix(root, whole):
		r.named = root
	case root == r.named:
	default:
		if len(r.near) < nearby && strings.Contains(root, whole) && !slices.Contains(r.near, root) {
			r.near = append(r.near, root)
		}
		return false
	}
	return true
}

// Wanted reports whether a reminder is shown.
func (o *Options) Wanted(id string) bool {
	return o.Only == nil || slices.ContainsFunc(o.Only, func(p string) bool {
		ok, err := path.Match(p, id)
		return ok || err != nil && p == id
	})
}

// decide decides a turn, and removes from the decision the reminders that are not wanted.
func (r *replayer) decide(
	ctx context.Context, ev *eval.Evaluator, of *openRun, t *session.Turn, turn eval.Turn,
) (*eval.Decision, error) {
	turn.Root = session.RootOf(t.Run.ID) // by which the agent's own hooks hold runs out
	d, err := ev.Decide(ctx, of.key, turn)
	if err != nil {
		return nil, fmt.Errorf("%s: turn %d: %w", t.Run.Source, t.N, err)
	}
	if r.o.Only != nil {
		unwanted := func(f reminder.Due) bool { return !r.o.Wanted(f.ID) }
		d.Fired = slices.DeleteFunc(slices.Clone(d.Fired), unwanted)
		d.Due = slices.DeleteFunc(slices.Clone(d.Due), unwanted)
		d.Held = slices.DeleteFunc(slices.Clone(d.Held), func(h reminder.Held) bool { return !r.o.Wanted(h.ID) })
		d.Errors = slices.DeleteFunc(slices.Clone(d.Errors),
			func(e reminder.TextError) bool { return !r.o.Wanted(e.ID) })
	}
	return d, nil
}

// endRun ends a run, and frees its state. An error of Forget is ignored: the state is in memory, and ends
// with the replay.
func (r *replayer) endRun(ctx context.Context, rest *Rest) {
	of := r.runs[rest.Run]
	if of == nil {
		return
	}
	delete(r.runs, rest.Run)
	if rest.After != nil && of.last != nil && len(rest.After.Calls) == 0 && !r.interrupted {
		_ = r.moment(ctx, of, rest.After, fact.Stopping, nil) // an error of a run that is over has been told before
	}
	ctx = context.WithoutCancel(ctx)
	_ = r.ev.Forget(ctx, of.key)
	if r.against != nil {
		_ = r.against.Forget(ctx, of.key)
	}
	if rest.RunN = of.n; of.n == 0 {
		return // no turn of this run was shown
	}
	for _, v := range r.views {
		v.RunOver(rest)
	}
}

// open returns the runs that have not ended, by their numbers.
func (r *replayer) open() []*session.Run {
	return slices.SortedFunc(maps.Keys(r.runs),
		func(a, b *session.Run) int { return r.runs[a].n - r.runs[b].n })
}

// window returns the size of the context window on a turn in tokens, 0 where it is not known.
func (r *replayer) window(t *session.Turn, of *openRun) int64 {
	switch {
	case r.o.Window > 0:
		return int64(r.o.Window)
	case t.Window.Known:
		return t.Window.N
	case t.Model != of.model:
		of.model, of.most = t.Model, 0
	}
	if t.ContextTokens.Known && t.N > 1 {
		of.most = max(of.most, t.ContextTokens.N)
	}
	if n, ok := model.Holds(nil, t.Model, of.most); ok {
		return n
	}
	return 0
}

// observe makes a turn's facts from the record of the time before it. size is the context window in tokens,
// 0: unknown.
func (r *replayer) observe(of *openRun, t *session.Turn, size int64) eval.Turn {
	o := of.obs
	if t.N > 1 {
		if t.ContextTokens.Known && t.ResponseTokens.Known {
			o.Response(eval.Usage{ContextTokens: t.ContextTokens.N, ResponseTokens: t.ResponseTokens.N, Known: true})
		} else {
			o.Response(eval.Usage{})
		}
		o.ResponseText(t.Response)
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
		if of.reason == "" || strings.TrimSpace(text) != of.reason {
			o.UserMessage(text)
			of.users++
		}
	}
	o.Model(model.Provider(t.Model), t.Model, int(size))
	turn := o.Turn()
	turn.At = t.At // and no Key: package transcript has left out repeated messages
	if r.o.Zone != nil && !t.At.IsZero() {
		turn.At = t.At.In(r.o.Zone)
	}
	turn.Facts = map[string]any{}
	if t.MessageCount.Known {
		turn.Facts["message_count"] = t.MessageCount.N
	}
	for name, text := range map[string]string{"cwd": t.Where.Dir, "branch": t.Branch, "mode": t.Mode} {
		if text != "" {
			turn.Facts[name] = text
		}
	}
	if of.copied && of.users > 0 {
		turn.Facts["user_turn_count"] = of.users
	}
	if t.ResponseTokens.Known && !t.ContextTokens.Known {
		turn.Facts["last_response_tokens"] = t.ResponseTokens.N
	}
	if t.N > 1 {
		of.bill.Add(of.asked, t)
		if dollars, ok := of.bill.Total(); ok {
			turn.Facts["cost"] = dollars
		}
	} else if !t.Resumed && !t.Compacted {
		turn.Facts["cost"] = 0.0
	}
	of.asked = t.Model
	turn.Fill = func(f *fact.Frame) {
		if !of.resumes {
			f.Unset(func(told fact.Fact) bool { return told.ID == fact.Resumed })
		}
		if len(t.Calls) > 0 || t.N > 1 || !t.Resumed {
			t.SetCalls(f, r.reads.Subjects || r.reads.Outputs)
		}
	}
	return turn
}
