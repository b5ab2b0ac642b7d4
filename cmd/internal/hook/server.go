package hook

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/agent"
)

// Server is an aside serve that runs on this machine. What is due by its rules goes out with requests, so the
// hooks of an agent that sends its requests there leave these rules out.
type Server struct {
	Address string   `json:"address"`         // host:port
	Rules   []string `json:"rules,omitempty"` // paths of its sources
	Process int      `json:"process"`
}

// serveDir is the directory of the records of servers, each of them locked by its server as long as that
// lives.
const serveDir = "serve"

// port returns the port of the server's address. Package net would make each hook larger.
func (s Server) port() string { return s.Address[strings.LastIndexByte(s.Address, ':')+1:] }

// Announce tells the hooks with this state directory of a server, until end is called or the process ends.
func Announce(state string, s Server) (end func(), err error) {
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
	_, err = f.Write(b)
	return func() {
		_ = (&record{file: f}).end(true)
		_ = os.Remove(dir) // where no other one is there
	}, err
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
	if json.NewDecoder(f).Decode(&s) != nil || !serves(f, s.Process) {
		return nil
	}
	return &s
}

// spoken returns the sources whose rules are said by a server to which the agent sends its requests.
func (r *run) spoken() (paths []string) {
	dir, err := r.host.stateDir()
	if err != nil {
		return nil
	}
	for _, s := range Servers(dir) {
		if r.sendsTo(s) {
			paths = append(paths, s.Rules...)
		}
	}
	return paths
}

// SendsTo reports whether an agent's hooks leave the rules of a server to it.
func (h *Host) SendsTo(a *agent.Agent, s Server) bool { return (&run{agent: a, host: h}).sendsTo(s) }

// sendsTo reports whether the agent's configuration sends its requests to a server.
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
	said := string(b)
	if base.Used != nil {
		said = base.Used(said)
	}
	return err == nil && named.MatchString(said)
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

// unspoken takes out of sources those whose rules a server says.
func (r *run) unspoken(sources []load.Source) []load.Source {
	spoken := r.spoken()
	return slices.DeleteFunc(sources, func(s load.Source) bool { return slices.Contains(spoken, s.Path) })
}
