package eval

import (
	"context"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/state"
)

type Options struct {
	Store  state.Store
	Clock  func() time.Time
	Tokens func(string) int
	Budget terms.Budget
	Order  terms.Order
}
type Evaluator struct{}

func New(set *compile.Set, opts Options) *Evaluator { panic("stub") }

type Turn struct {
	Key    string
	At     time.Time
	Facts  map[string]any
	Remind []string
	Silent bool
}

// Decision embeds what the machine decided; Why[id] is the shortest text of what made a fired trigger true.
type Decision struct {
	state.Decision
	Why   map[string]string
	Facts map[string]any // all facts known on this turn, computed ones included
}

func (d *Decision) Commit(ctx context.Context) error { panic("stub") }
func (d *Decision) Discard()                         { panic("stub") }

func (ev *Evaluator) Prepare(ctx context.Context, run string, t Turn) (*Decision, error) {
	panic("stub")
}
func (ev *Evaluator) Decide(ctx context.Context, run string, t Turn) (*Decision, error) {
	panic("stub")
}
func (ev *Evaluator) Remind(ctx context.Context, run, name string) error { panic("stub") }
func (ev *Evaluator) Names() []string                                    { panic("stub") }
func (ev *Evaluator) Reload(set *compile.Set)                            { panic("stub") }
func (ev *Evaluator) Forget(ctx context.Context, run string) error       { panic("stub") }

type Explanation struct {
	ID       string
	Mode     compile.Mode
	Trigger  compile.Part
	Rearm    *compile.Part
	Armed    bool
	Fires    int
	LastFire int          // turn; 0 = never
	Fired    bool         // on the last turn
	Held     []state.Held // what else stands in its way
}

func (ev *Evaluator) Explain(ctx context.Context, run string) ([]Explanation, error) { panic("stub") }

type Usage struct {
	ContextTokens  int64 // the request's prompt, cached tokens included
	ResponseTokens int64
	Known          bool
}
type Observer struct{}

func (ev *Evaluator) Observe(run string) *Observer           { panic("stub") }
func (o *Observer) UserMessage(text string)                  { panic("stub") }
func (o *Observer) ToolCall(name string, err error)          { panic("stub") }
func (o *Observer) Response(u Usage)                         { panic("stub") }
func (o *Observer) Compacted()                               { panic("stub") }
func (o *Observer) Resumed()                                 { panic("stub") }
func (o *Observer) Thread(typ string)                        { panic("stub") }
func (o *Observer) Model(provider, model string, window int) { panic("stub") }
func (o *Observer) Messages(n int)                           { panic("stub") }
func (o *Observer) Var(name string, v any) error             { panic("stub") }
func (o *Observer) Turn() Turn                               { panic("stub") }

func WithRun(ctx context.Context, run string) context.Context { panic("stub") }
func RunFrom(ctx context.Context) string                      { panic("stub") }

var _ fact.Truth
