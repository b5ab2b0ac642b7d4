package hook

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// Server is an aside serve that runs on this machine. What is due by its rules goes out with requests, so
// hooks say none of it in the sessions whose requests it carries.
type Server struct {
	Address string   `json:"address"`         // host:port
	Rules   []string `json:"rules,omitempty"` // paths of its sources
	Process int      `json:"process"`

	carries map[string]bool // by runDigest: sessions of which a request has gone through it; false: no more
}

// serveDir is the directory of the records of servers, each of them locked by its server as long as that
// lives. A record is the Server as JSON, and a carriedLine for each session.
const serveDir = "serve"

// carriedLine says on a line of a record whether the requests of a session go through the server. The last
// line of a session counts.
type carriedLine struct {
	Session string `json:"session"` // runDigest
	Carries bool   `json:"carries"`
}

// port returns the port of the server's address. Package net would make each hook larger.
func (s Server) port() string { return s.Address[strings.LastIndexByte(s.Address, ':')+1:] }

// Announced is a server that hooks know of. It may be used concurrently; nil is one that they do not know of.
type Announced struct {
	mu      sync.Mutex
	rec     record
	dir     string
	carries map[string]bool
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
	_, err = f.Write(append(b, '\n'))
	return &Announced{rec: record{file: f}, dir: dir, carries: map[string]bool{}}, err
}

// End ends the announcement.
func (a *Announced) End() {
	if a != nil {
		_ = a.rec.end(true)
		_ = os.Remove(a.dir) // where no other one is there
	}
}

// Carries reports whether hooks know that the server carries the requests of a run of an agent's.
func (a *Announced) Carries(run string) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.carries[runDigest(run)]
}

// Carry says whether the server has carried the latest request of a run of an agent's, with what is due.
func (a *Announced) Carry(run string, carries bool) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	l := carriedLine{runDigest(run), carries}
	if a.carries[l.Session] == carries {
		return
	}
	if b, err := json.Marshal(l); err == nil {
		a.carries[l.Session] = carries
		_, _ = a.rec.file.Write(append(b, '\n')) // where it fails, hooks go on speaking
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
	s.carries = map[string]bool{}
	for l := (carriedLine{}); lines.Decode(&l) == nil; {
		s.carries[l.Session] = l.Carries
	}
	return &s
}

// servers returns the reminders of a set that servers say in the session of the run: those that requests can
// carry. served says that there is such a server. A server says of a session that it carries it; of an agent
// whose requests name none, the configuration says where they go.
func (r *run) servers(set *compile.Set) (spoken []string, served bool) {
	dir, err := r.host.stateDir()
	if err != nil {
		return nil, false
	}
	for _, s := range Servers(dir) {
		if !s.carries[runDigest(r.name)] && !r.sendsTo(s) {
			continue
		}
		served = true
		for i := range set.Len() {
			rm := set.Reminder(i)
			below := func(path string) bool {
				rel, err := filepath.Rel(path, rm.File)
				return err == nil && filepath.IsLocal(rel)
			}
			if set.Trigger(i).Moment() == fact.Turn && slices.ContainsFunc(s.Rules, below) {
				spoken = append(spoken, rm.ID)
			}
		}
	}
	return spoken, served
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

// configDir returns the directory of the agent's configuration.
func (r *run) configDir() string {
	at, h := r.agent.Config.User, r.host
	switch dir := h.Env(at.Variable); {
	case at.Variable != "" && filepath.IsAbs(dir):
		return filepath.Join(dir, at.Below)
	case at.Config != "":
		return filepath.Join(cmp.Or(h.Env("XDG_CONFIG_HOME"), filepath.Join(h.Home, ".config")), at.Config)
	}
	return filepath.Join(h.Home, at.Home)
}
