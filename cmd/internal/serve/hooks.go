package serve

import (
	"cmp"
	"context"
	"strings"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// besideHooks lets hooks of this machine know which sessions this process carries, so that they leave to it
// what is due there, and takes over from them where they have spoken before. It returns how they learn of the
// end. Where there is no place for that, hooks do not know of this process.
func (s *Server) besideHooks(addr string, rules []string) (end func()) {
	dir, err := s.Env.StateDir()
	if err != nil {
		return func() {}
	}
	told, err := hook.Announce(dir, hook.Server{Address: addr, Rules: rules})
	if err != nil {
		return told.End
	}
	at, err := filestore.Open(cmp.Or(s.Env.Config.Directory(), dir), filestore.Options{Keep: -1})
	if err != nil {
		return told.End
	}
	// of a run, the agent's hooks have one with the agent's name before it
	name := func(r transport.Report) string { return r.Agent + ":" + r.Run }
	o := &s.Proxy.Transport
	o.Handover = func(ctx context.Context, r transport.Report) (begun bool, err error) {
		theirs, _, err := at.Load(ctx, name(r))
		if err != nil || theirs == nil || told.Met(name(r), theirs.Turn()) || hook.Served(theirs.Notes()) {
			return false, nil // a fault of theirs is not one of this run
		}
		err = state.Update(ctx, s.Proxy.Store, r.Run, func(own *state.Snapshot) (*state.Snapshot, error) {
			return firing.Note(theirs, own.Notes())
		})
		return err == nil, err
	}
	proxy.Tell(o, func(_ context.Context, r transport.Report) {
		if r.Agent != "" && r.Turn > 0 {
			for id := range strings.SplitSeq(r.Run, "/") { // to opencode's hooks a subagent is a session of its own
				told.Carry(r.Agent+":"+id, r.Passed == "" && r.Status < 400)
			}
		}
	})
	return told.End
}
