package hook

import (
	"cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/checkout"
)

// tools are the tools that were used since the turn before.
type tools struct {
	agent *agent.Agent
	used  []agent.Call
	known bool // used are all
	file  bool // the agent names the session's file, which tells failures if the agent is Recorded
}

// set sets the facts of the calls, as far as rules read them.
func (t *tools) set(f *fact.Frame, read compile.CallReads, at agent.Where) {
	if !t.known {
		return
	}
	told := read.Subjects || read.Outputs
	calls := make([]fact.Call, len(t.used))
	for i, u := range t.used {
		if !read.Outputs {
			u.Output = nil
		}
		if told {
			calls[i] = t.agent.Call(u.Name, u.Input, u.Output, at)
			calls[i].Duration, calls[i].DurationTold = u.Took, u.Took > 0
		} else {
			calls[i] = fact.Call{Tool: u.Name, Class: t.agent.ClassOf(u.Name)}
		}
		calls[i].Failed = u.Failed
	}
	session.SetCalls(f, calls, told)
	// it may have been silent about a call that failed
	if len(calls) == 0 && !t.agent.Failures && !(t.agent.Recorded && t.file) {
		f.ForgetOutcomes()
	}
}

// where returns the place where the agent works, and tells it in facts. Outside a project of ours it is the
// agent's own, if it names one.
func (r *run) where(facts map[string]any) agent.Where {
	dir := cmp.Or(r.event.Cwd, r.event.Dir)
	tellText(facts, "cwd", dir)
	tellText(facts, "branch", checkout.Branch(dir))
	return agent.Where{Dir: dir, Project: cmp.Or(load.Project(dir, r.host.Home), r.event.Dir, dir),
		Home: r.host.Home}
}
