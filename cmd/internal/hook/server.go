package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent"
)

// Server is an aside serve that runs on this machine. What is due by its rules goes out with requests, so
// hooks say none of it in the sessions whose requests it carries.
type Server struct {
	Address string   `json:"address"`         // host:port
	Rules   []string `json:"rules,omitempty"` // paths of its sources
	Process int      `json:"process"`

	sessions map[string]carriedLine // by runDigest: sessions of which a request has gone through it
}

// serveDir is the directory of the records of servers, each of them locked by its server as long as that
// lives. A record is the Server as JSON, and a carriedLine for each session.
const serveDir = "serve"

// carriedLine says on a line of a record, which is written anew in its place, whether the requests of a
// session go through the server, and how many have come. A session of which none has come since the turn
// before has left the server.
type carriedLine struct {
	Session  string `json:"session"` // runDigest
	Carries  bool   `json:"carries"`
	Requests int64  `json:"requests"` // 0 in records of earlier versions, which do not count

	at int64 // offset in the record
}

// carriedSize is the length in bytes of a carriedLine with its blanks.
const carriedSize = 96

// Has reports whether a file is one of the server's rules.
func (s Server) Has(file string) bool {
	return slices.ContainsFunc(s.Rules, func(dir string) bool {
		rel, err := filepath.Rel(dir, file)
		return err == nil && filepath.IsLocal(rel)
	})
}

// port returns the port of the server's address. Package net would make each hook larger.
func (s Server) port() string { return s.Address[strings.LastIndexByte(s.Address, ':')+1:] }

// Announced is a server that hooks know of. It may be used concurrently; nil is one that they do not know of.
type Announced struct {
	mu       sync.Mutex
	rec      record
	dir      string
	size     int64                  // length in bytes of the record
	sessions map[string]carriedLine // by runDigest
	met      map[string]int         // Met, by run
}

// Announce lets the hooks with this state directory know of a server, until End is called or the process
// ends.
func Announce(state string, s Server) (*Announced, error) {
	s.Process = os.Getpid()
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(state, serveDir)
	sweepServers(dir)
	f, err := create(filepath.Join(dir, s.port()))
	if err != nil {
		return nil, err
	}
	n, err := f.Write(append(b, '\n'))
	return &Announced{rec: record{file: f}, dir: dir, size: int64(n), sessions: map[string]carriedLine{},
		met: map[string]int{}}, err
}

// End ends the announcement.
func (a *Announced) End() {
	if a != nil {
		_ = a.rec.end(true)
		_ = os.Remove(a.dir) // where no other one is there
	}
}

// Met reports whether the server has met a turn of the hooks' run before; else it has met it now.
func (a *Announced) Met(run string, turn int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	was, known := a.met[run]
	a.met[run] = turn
	return known && was == turn
}

// Carry says whether the server has carried the latest request of a run of an agent's, with what is due.
func (a *Announced) Carry(run string, carries bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, known := a.sessions[runDigest(run)]
	if !known {
		l.Session, l.at = runDigest(run), a.size
		a.size += carriedSize
	}
	l.Carries, l.Requests = carries, l.Requests+1
	a.sessions[l.Session] = l
	if b, err := json.Marshal(l); err == nil { // where writing fails, hooks go on speaking
		_, _ = a.rec.file.WriteAt(fmt.Appendf(nil, "%-*s\n", carriedSize-1, b), l.at)
	}
}

// runDigest is by what a record names the session of a run: of its subagents, too.
func runDigest(run string) string {
	session, _, _ := strings.Cut(run, "/")
	return digest(session)
}

// sweepServers removes the records of servers that were killed.
func sweepServers(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if readServer(path) == nil {
			_ = os.Remove(path)
		}
	}
}

// Servers returns the servers that run with this state directory.
func Servers(state string) (all []Server) {
	dir := filepath.Join(state, serveDir)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if s := readServer(filepath.Join(dir, entry.Name())); s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// readServer returns the server of a record, nil where it does not run.
func readServer(path string) *Server {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var s Server
	lines := json.NewDecoder(f)
	if lines.Decode(&s) != nil || !serves(f, s.Process) {
		return nil
	}
	s.sessions = map[string]carriedLine{}
	for l := (carriedLine{}); lines.Decode(&l) == nil; l = (carriedLine{}) {
		s.sessions[l.Session] = l
	}
	return &s
}

// servers sets which reminders of a set servers say in the session of the run, those that requests can carry,
// and whether there is such a server. A server says of a session that it carries it; of an agent whose
// requests name none, the configuration says where they go.
func (r *run) servers(set *compile.Set) {
	r.spoken, r.served, r.carried = nil, false, 0
	dir, err := r.host.stateDir()
	if err != nil {
		return
	}
	for _, s := range Servers(dir) {
		l := s.sessions[runDigest(r.name)]
		if !l.Carries && !r.sendsTo(s) {
			continue
		}
		r.served = true
		r.carried += l.Requests
		for i := range set.Len() {
			if rm := set.Reminder(i); set.Trigger(i).Moment() == fact.Turn && s.Has(rm.File) {
				r.spoken = append(r.spoken, rm.ID)
			}
		}
	}
}

// speak makes hooks speak on a turn where no server does: its request before did not come to one, or hooks
// have spoken on an earlier part of the turn, as more says that there is. It returns what a server was to say
// on the turn before, and has not said.
func (r *run) speak(ev *eval.Evaluator, n *runNotes, more bool) (unsaid []string) {
	gone := !more && r.carried > 0 && r.carried == n.Carried
	if gone || more && !n.Served {
		r.spoken, r.served = nil, false
		r.shadow(ev)
	}
	if !more {
		unsaid, n.Unsaid, n.Carried = n.Unsaid, nil, r.carried
	}
	n.Served = r.served
	if gone {
		return unsaid
	}
	return nil
}

// SendsTo reports whether the hooks of an agent whose requests name no session leave the rules of a server to
// it, since the agent's configuration sends its requests there.
func (h *Host) SendsTo(a *agent.Agent, s Server) bool { return (&run{agent: a, host: h}).sendsTo(s) }

func (r *run) sendsTo(s Server) bool {
	named := regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1?\]|0\.0\.0\.0):` +
		regexp.QuoteMeta(s.port()) + `(\D|$)`)
	base := r.agent.Base
	if slices.ContainsFunc(base.Env, func(name string) bool { return named.MatchString(r.host.Env(name)) }) {
		return true
	}
	if base.File == "" {
		return false
	}
	b, err := os.ReadFile(filepath.Join(r.configDir(), base.File))
	return err == nil && named.Match(b)
}

// configDir returns the directory of the agent's configuration, "" where it is not known.
func (r *run) configDir() string {
	return r.agent.Config.User.In(r.host.Env, r.host.Home, r.event.Dir)
}
