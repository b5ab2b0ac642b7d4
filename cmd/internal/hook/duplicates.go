package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/aside-go/aside/internal/agent"
)

// named reports whether the event says enough to be told from other events of its answer: a second
// delivery, where two configurations register the same hook, has the same bytes. Each model request is a
// turn of its own.
func (r *run) named() bool {
	e := &r.event
	switch {
	case e.Kind == agent.ModelRequest:
		return false
	case len(e.Calls) > 0:
		return !slices.ContainsFunc(e.Calls, func(c agent.Call) bool { return c.ID == "" })
	}
	return e.TurnKey != "" && (e.Kind == agent.UserPrompt || e.Kind == agent.PromptExpansion)
}

// turnKey returns a key by which hooks of the same event that run at the same time take one turn: after so
// many turns the event comes once. It is "" where the event is not named.
func (r *run) turnKey(turns int) string {
	if r.same == "" || !r.named() {
		return ""
	}
	return r.event.Name + " " + digest(r.same, strconv.Itoa(turns))
}

// seenLately reports whether this agent has sent an event of kind k in any session of the last days. In a new
// run the notes cannot tell yet: the first tool results come before the first ToolBatch.
func (r *run) seenLately(k agent.Kind) bool {
	info, err := os.Stat(r.seenFile(k))
	return err == nil && r.host.Clock().Sub(info.ModTime()) < seenFor
}

// markSeen notes, for all runs of this agent, that it sends events of kind k. An error is ignored: the next
// such event tries again.
func (r *run) markSeen(k agent.Kind) {
	_ = os.WriteFile(r.seenFile(k), []byte("\n"), 0o600)
}

// seenFor is how long a mark of markSeen counts: not for ever, since an agent may be replaced by an older
// version.
const seenFor = 7 * 24 * time.Hour

func (r *run) seenFile(k agent.Kind) string {
	return filepath.Join(r.dir, "shown-"+r.call.Agent+"-"+string(k))
}
