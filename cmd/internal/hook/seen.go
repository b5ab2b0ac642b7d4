package hook

import (
	"os"
	"path/filepath"
	"time"

	"github.com/aside-go/aside/internal/agent"
)

// turnKey returns a key by which a second delivery of the same event is recognised: an event comes twice
// where two configurations register the same hook. It is "" where the event does not say enough to be told
// from all others, and for a model request, each of which is a turn of its own.
func turnKey(e *agent.Event) string {
	key := []string{e.TurnKey, e.Name}
	switch {
	case e.Kind == agent.ModelRequest:
		return ""
	case len(e.Calls) > 0:
		for _, t := range e.Calls {
			if t.ID == "" {
				return ""
			}
			key = append(key, t.ID)
		}
	case e.Kind == agent.UserPrompt && e.TurnKey != "":
		key = append(key, e.Prompt)
	case e.Kind == agent.PromptExpansion && e.TurnKey != "":
		key = append(key, e.Manual)
	default:
		return ""
	}
	return e.Name + " " + digest(key...)
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
