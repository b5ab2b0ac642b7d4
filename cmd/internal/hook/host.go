package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/trust"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// Host is the machine that a hook runs on.
type Host struct {
	Env     func(name string) string // os.Getenv
	Home    string                   // "": none
	Clock   func() time.Time
	Session Reader // nil: session files are not read

	event  atomic.Pointer[run]    // what the deadline leaves to the next hook
	over   atomic.Bool            // the event has been printed
	taking atomic.Pointer[record] // that is taken in
}

// Reader reads the past of a session, as session.Read does.
type Reader func(context.Context, session.File) (session.Facts, error)

// Call holds the flags that a hook is called with.
type Call struct {
	Agent string
	Event string
	Mode  string
	Rules []string      // nil: the standard directories
	State string        // "": the standard directory
	Limit time.Duration // how long Main may take
}

// Run handles the event on stdin and returns what is to be printed, nil for nothing, which counts as printed
// then. What was decided is committed before Run returns. The error is for the log, and is never shown to the
// agent; there may be output besides it.
func (h *Host) Run(ctx context.Context, c Call, stdin []byte) ([]byte, error) {
	out, err := h.answer(ctx, c, stdin)
	return out, errors.Join(err, h.printed())
}

// answer is Run before its answer is printed.
func (h *Host) answer(ctx context.Context, c Call, stdin []byte) ([]byte, error) {
	d, ok := agent.Named(c.Agent)
	if !ok || d.Says == nil {
		return nil, fmt.Errorf("there is no agent %.64q", c.Agent)
	}
	e := d.Decode(agent.Input{Event: c.Event, Mode: c.Mode, Stdin: stdin, Env: h.Env})
	switch {
	case e.Kind == agent.Invalid:
		return nil, fmt.Errorf("stdin is not an event: %d bytes", len(stdin))
	case e.Kind == agent.Duplicate, e.Kind == agent.Unknown, e.Internal:
		return nil, nil
	case e.Session == "":
		return nil, fmt.Errorf("the event %.64q names no session", e.Name)
	}
	r := run{host: h, call: c, agent: d, event: e, name: RunOf(c.Agent, e.Session, e.Agent)}
	if d.Session != nil && e.Transcript == "" {
		r.event.Transcript = session.Of(d, r.configDir(), e.Session)
		e.Transcript = r.event.Transcript
	}
	var err error
	if r.own, err = h.config(); err != nil {
		h.report(c, err)
	}
	if r.files, r.dir, err = h.store(c, r.own); err != nil {
		return nil, err
	}
	r.left = &record{dir: filepath.Join(r.dir, spoolDir)}
	if e.Agent == "" {
		r.file = e.Transcript
	}
	r.phase, r.side = new(phase), storing
	for i := range r.event.Calls {
		r.event.Calls[i].Key = callKey(&r.event.Calls[i])
	}
	if stamped := bytes.Contains(stdin, []byte(`"timestamp"`)); e.Moment == fact.Turn && (stamped || r.named()) {
		r.same, r.stamped = digest(string(stdin)), stamped
	}
	h.event.Store(&r)
	if e.Moment == fact.Turn {
		err = r.record()
	}
	out, failed := r.decide(ctx)
	return out, errors.Join(err, failed)
}

// leave leaves the event for the next hook of the run.
func (r *run) leave() error { return errors.Join(r.record(), r.left.end(false)) }

// printed ends the work on the event: its text is out, or there is none.
func (h *Host) printed() error {
	h.over.Store(true)
	if r := h.event.Swap(nil); r != nil {
		return r.left.end(true)
	}
	return nil
}

// RunOf returns the name of the run of an agent's session, or of the run of a subagent in it where subagent
// is not "".
func RunOf(name, session, subagent string) string {
	run := name + ":" + session
	if subagent != "" {
		run += "/" + subagent
	}
	return run
}

// store opens the store of a call, and returns its directory. A write outlives the process, but is not synced
// to the disk, for which a tool call would have to wait: after a loss of power a reminder may be said again.
// Where the user's configuration keeps runs in a database, hooks keep theirs in the standard directory: they
// have no time to connect to one.
func (h *Host) store(c Call, own *config.File) (*filestore.Store, string, error) {
	dir := cmp.Or(c.State, own.Directory())
	if dir == "" {
		var err error
		if dir, err = h.stateDir(); err != nil {
			return nil, "", err
		}
	}
	keep, err := Keep(cmp.Or(h.Env(KeepVariable), own.Keep()))
	if err != nil {
		h.report(c, err) // and keep is 0, the default
	}
	s, err := filestore.Open(dir, filestore.Options{Durability: filestore.Process, Keep: keep})
	return s, dir, err
}

// stateDir returns the user's state directory. A relative XDG_STATE_HOME is ignored, as its specification
// asks.
func (h *Host) stateDir() (string, error) {
	if x := h.Env("XDG_STATE_HOME"); filepath.IsAbs(x) {
		return filepath.Join(x, "aside"), nil
	}
	if h.Home == "" {
		return "", errors.New("there is no place for state: HOME is not set")
	}
	return filepath.Join(h.Home, ".local", "state", "aside"), nil
}

// ruleSet is the rules that were loaded last, of a project: an event that waits for this hook mostly needs
// the same ones.
type ruleSet struct {
	project string
	set     *compile.Set
	err     error
}

// rules loads the rules for the event, of a project's only the trusted ones, and all of them or those of
// safety. The set is of use even with an error.
func (r *run) rules() (*compile.Set, error) {
	h := r.host
	project := load.Project(r.event.Dir, h.Home)
	if r.loaded.set != nil && r.loaded.project == project {
		return r.loaded.set, r.loaded.err
	}
	var opts load.Options
	opts.Schema = h.schema(r.own, project)
	var failed error
	if dir, err := h.stateDir(); err == nil {
		opts.Trusted = trust.Open(filepath.Join(dir, "trust"))
	}
	sources := load.Standard(h.Home, project)
	if len(r.call.Rules) > 0 {
		sources, failed = load.Paths(h.Home, r.call.Rules...)
		sources = load.Gated(h.Home, sources)
	}
	good := goodOf(r.dir, sources)
	opts.Good = good.read
	if r.side == safety {
		opts.Read = safetyAlone
	}
	res := load.Load(sources, opts)
	if r.side != safety {
		failed = errors.Join(failed, good.write(res.Good))
	}
	*r.loaded = ruleSet{project, res.Set, failed}
	return res.Set, failed
}

// config reads the user's configuration, of which hooks need what it declares, and where and how long runs
// are kept.
func (h *Host) config() (*config.File, error) {
	c, err := config.User(config.Path(h.Env, h.Home), nil)
	if c != nil && len(c.Diagnostics) > 0 {
		err = fmt.Errorf("%s has mistakes, which every other command tells", c.Path)
	}
	return c, err
}

// schema returns the facts that rules may read: nil where the user's configuration and that of the project,
// if it is trusted, declare none. Whether they have mistakes is no matter here: what they declare without one
// counts.
func (h *Host) schema(own *config.File, project string) *fact.Schema {
	var theirs *config.File
	if dir, err := h.stateDir(); err == nil && project != "" {
		if src, err := trust.Open(filepath.Join(dir, "trust")).ReadConfig(project); err == nil && src != nil {
			theirs = config.Project(filepath.Join(project, filepath.FromSlash(trust.Config)), src)
		}
	}
	facts := config.Facts(nil, own, theirs)
	if len(facts) == 0 {
		return nil
	}
	s, err := fact.NewSchema(facts...)
	if err != nil {
		return nil // each was accepted by itself, and their names differ
	}
	return s
}

// evaluator returns an evaluator of the rules that apply to the event. It is of use even with an error. What
// a server says in this session is decided and counted here, too, so that hooks go on where it ends.
func (r *run) evaluator() (*eval.Evaluator, error) {
	set, err := r.rules()
	r.servers(set)
	ev := eval.New(set, eval.Options{Store: r.store, Clock: r.host.Clock})
	if len(r.spoken) > 0 {
		r.shadow(ev)
	}
	return ev, err
}

// shadow leaves the texts that servers say to them.
func (r *run) shadow(ev *eval.Evaluator) {
	ev.Control(eval.Control{Shadow: r.spoken})
	if l, ok := r.store.(*loadedRun); ok {
		l.spoken = r.spoken
	}
}

// past reads what the session's file says, and returns the file's length in bytes. A file that does not exist
// yet is not an error.
func (r *run) past(ctx context.Context, of session.File) (p session.Facts, size int64, err error) {
	e := &r.event
	if e.Transcript == "" {
		return session.Facts{}, 0, nil
	}
	info, err := os.Stat(e.Transcript)
	if err != nil || !info.Mode().IsRegular() { // not written yet
		return session.Facts{}, 0, nil
	}
	if r.host.Session != nil {
		if e.Kind == agent.UserPrompt || e.Kind == agent.PromptExpansion {
			of.TurnKey = e.TurnKey
		}
		ctx, cancel := context.WithTimeout(ctx, r.call.target())
		defer cancel()
		p, err = r.host.Session(ctx, of)
	}
	return p, info.Size(), err
}

// maxVain is how often in a row a file is waited for in vain; then the agent writes no such lines.
const maxVain = 3

// caughtUp is past of a file that has the answer whose calls the event names. Agents write their files a
// little later than they call hooks, mostly by a few milliseconds.
func (r *run) caughtUp(ctx context.Context, of session.File) (session.Facts, int64, error) {
	p, size, err := r.past(ctx, of)
	id := ""
	if calls := r.event.Calls; len(calls) > 0 && r.late == "" {
		id = calls[len(calls)-1].ID
	}
	if id == "" || size == 0 || r.vain >= maxVain {
		return p, size, err
	}
	end := time.NewTimer(r.call.target() / 2)
	defer end.Stop()
	there := func() bool {
		return (r.behind == "" || p.Answer != r.behind) &&
			slices.ContainsFunc(p.Calls, func(c session.Call) bool { return c.ID == id })
	}
	for over := false; err == nil && !there(); {
		if over {
			r.vain++
			return p, size, nil
		}
		select {
		case <-end.C:
			over = true // and a last look, since a busy machine may have left no time for another
		case <-time.After(2 * time.Millisecond):
		}
		p, size, err = r.past(ctx, of)
	}
	r.vain = 0
	return p, size, err
}

// pipeSize is as much as a pipe holds on Linux, in bytes. A buffer of this size takes most events in one
// read, and its pages that are never written to cost nothing.
const pipeSize = 64 << 10

// readStdin reads what the agent has written. More than agent.MaxStdin bytes are an error, and are drained
// all the same: otherwise the agent would get a write error.
func readStdin(in io.Reader) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, pipeSize))
	_, err := buf.ReadFrom(io.LimitReader(in, agent.MaxStdin+1))
	b := buf.Bytes()
	if err == nil && len(b) > agent.MaxStdin {
		n, _ := io.Copy(io.Discard, in)
		return nil, fmt.Errorf("stdin has %d bytes, and %d are read", int64(len(b))+n, agent.MaxStdin)
	}
	return b, err
}

// loadedRun is a store that loads a run once, and again only after a Save, so that all that a try at a turn
// reads is of one snapshot. What it returns may be out of date: to save what was made of an old snapshot is
// state.ErrConflict, as ever. It is for one run and one goroutine.
//
// A run whose file is damaged begins anew, as one that hooks are told of in the middle: with what the
// session's file tells.
type loadedRun struct {
	*filestore.Store
	known  bool
	last   *state.Snapshot
	rev    state.Revision
	mended error    // that a run began anew
	spoken []string // reminders whose firings a server records
}

// Load implements state.Store.
func (m *loadedRun) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if m.known {
		return m.last, m.rev, nil
	}
	s, rev, err := m.Store.Load(ctx, run)
	if errors.Is(err, state.ErrCorrupt) {
		begun, failed := m.anew(ctx, run)
		if begun {
			m.mended = errors.New("the session begins anew: what was known of it is damaged, and was set aside")
		}
		if failed == nil {
			s, rev, err = m.Store.Load(ctx, run)
		}
		err = errors.Join(err, failed)
	}
	if err == nil {
		m.known, m.last, m.rev = true, s, rev
	}
	return s, rev, err
}

// anew begins a damaged run anew.
func (m *loadedRun) anew(ctx context.Context, run string) (bool, error) {
	s, err := firing.Note(nil, (&runNotes{}).write())
	if err != nil {
		return false, err
	}
	return m.Store.Anew(ctx, run, s)
}

// Save implements state.Store.
func (m *loadedRun) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	m.known = false
	return m.Store.Save(ctx, run, prev, next)
}

// SaveRecorded implements state.Recorder.
func (m *loadedRun) SaveRecorded(ctx context.Context, run string, prev state.Revision, next *state.Snapshot,
	records []reminder.Record) (state.Revision, error) {
	m.known = false
	records = slices.DeleteFunc(slices.Clone(records), func(rec reminder.Record) bool {
		return rec.HeldOut && slices.Contains(m.spoken, rec.ID)
	})
	return m.Store.SaveRecorded(ctx, run, prev, next, records)
}

// KeepVariable is the environment variable that says how long runs are remembered; where it is empty, 30
// days. It is not a flag, since all programs that share a state directory must agree.
const KeepVariable = "ASIDE_KEEP"

// Keep parses a value of KeepVariable, such as "72h", "14d" or "forever", into filestore.Options.Keep: 0 is
// the default and -1 is for ever.
func Keep(value string) (time.Duration, error) {
	switch {
	case value == "":
		return 0, nil
	case value == "forever":
		return -1, nil
	}
	keep, err := duration.Parse(value)
	if err != nil || keep <= 0 {
		return 0, fmt.Errorf("%s is %.40q: a duration such as 72h or 14d, or forever", KeepVariable, value)
	}
	return keep, nil
}
