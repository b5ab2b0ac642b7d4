package state

import (
	"context"
	"time"

	"github.com/aside-go/aside/compile/fact"
)

type Rules struct{}

func NewRules(rules []Rule) *Rules { panic("stub") }

type Snapshot struct{}

func Decode(b []byte) (*Snapshot, error) { panic("stub") }
func (s *Snapshot) Encode() []byte       { panic("stub") }

type Run struct{}

func (r *Run) Now() fact.Mark                                     { panic("stub") }
func (r *Run) ToolCount(match func(string) bool) int              { panic("stub") }
func (r *Run) TurnsSinceTool(match func(string) bool) (int, bool) { panic("stub") }
func (r *Run) ChainRepeats(chain []func(string) bool) int         { panic("stub") }
func (r *Run) LastFire(id string) (fact.Mark, bool)               { panic("stub") }
func (r *Run) ToolCalls() (int, bool)                             { panic("stub") }
func (r *Run) FailuresInRow() (int, bool)                         { panic("stub") }
func (r *Run) Elapsed() time.Duration                             { panic("stub") }
func (r *Run) Idle() (time.Duration, bool)                        { panic("stub") }

func Step(prev *Snapshot, rules *Rules, in Input) (*Snapshot, *Decision, error) { panic("stub") }
func Remind(prev *Snapshot, id string) *Snapshot                                { panic("stub") }
func Missed(prev *Snapshot, ids ...string) *Snapshot                            { panic("stub") }

type Revision uint64
type Store interface {
	Load(ctx context.Context, run string) (*Snapshot, Revision, error)
	Save(ctx context.Context, run string, prev Revision, next *Snapshot) (Revision, error)
	Delete(ctx context.Context, run string) error
	Runs(ctx context.Context) ([]string, error)
}
type Memory struct{ Store }

func NewMemory() *Memory { panic("stub") }
