package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/checkout"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// Run is a run that is remembered, as people are told of it.
type Run struct {
	Name    string
	Agent   string // whose hooks have told of it; "": none
	Session string // Name without the agent
	Root    string // of a subagent: the Name of the run that has started it; "": it is not a subagent
	Project string // the directory, by the fact cwd of the last turn; "": not known
	Here    bool   // Project is that of the working directory, or another checkout of its repository
	Same    bool   // Project is that of the working directory
	Turns   int
	At      time.Time // of the last turn; zero: none was taken
	State   State
}

// State says whether a run goes on.
type State string

// The states of runs.
const (
	Active State = "active" // its last turn was within the last hour
	Idle   State = "idle"
	Ended  State = "ended" // as the agent has told; it may be resumed
)

// recent is how long after its last turn a run counts as active: a person may be reading.
const recent = time.Hour

// many is how many runs are looked at where a person has not asked for all: some seconds of a database.
const many = 10_000

// look says which runs of a store are looked at.
type look struct {
	most int               // 0: all
	want func(string) bool // by their names; nil: all
}

// list returns runs in a store, newest first, each followed by its subagents, and whether there are more than
// l.most. Runs that cannot be read are left out; the error is that of one of them.
func list(ctx context.Context, e *command.Env, s state.Store, l look) (all []*Run, more bool, broken error) {
	names := make(chan string)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards all and broken
	for range 16 {    // a database is far away
		wg.Go(func() {
			for name := range names {
				snap, _, err := s.Load(ctx, name)
				mu.Lock()
				switch {
				case err != nil:
					broken = Broken(err, name)
				case snap != nil:
					all = append(all, described(e, name, snap))
				}
				mu.Unlock()
			}
		})
	}
	looked, err := 0, error(nil)
	for name, failed := range each(ctx, s) {
		switch {
		case failed != nil:
			err = failed
		case response.Kept(name), l.want != nil && !l.want(name):
			continue
		case l.most > 0 && looked == l.most:
			more = true
		default:
			names <- name
			looked++
			continue
		}
		break
	}
	close(names)
	wg.Wait()
	if err != nil {
		return nil, false, err
	}
	return inOrder(all), more, broken
}

// each yields the names in a store, a page at a time, or an error as the last.
func each(ctx context.Context, s state.Store) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for cursor := ""; ; {
			names, next, err := s.Runs(ctx, cursor)
			if err != nil {
				yield("", err)
				return
			}
			for _, name := range names {
				if !yield(name, nil) {
					return
				}
			}
			if cursor = next; cursor == "" {
				return
			}
		}
	}
}

// inOrder returns runs, newest first, each followed by its subagents.
func inOrder(all []*Run) []*Run {
	byName := map[string]*Run{}
	for _, r := range all {
		byName[r.Name] = r
	}
	newest := map[string]time.Time{} // by the name of the root
	for _, r := range all {
		if root, _, is := strings.Cut(r.Session, "/"); is && (r.Agent != "" || byName[root] != nil) {
			r.Root = strings.TrimSuffix(r.Name, r.Session) + root
		}
		if root := byName[r.Root]; root != nil && root.State == Ended {
			r.State = Ended
		}
		if of := cmp.Or(r.Root, r.Name); r.At.After(newest[of]) {
			newest[of] = r.At
		}
	}
	slices.SortFunc(all, func(a, b *Run) int {
		ofA, ofB := cmp.Or(a.Root, a.Name), cmp.Or(b.Root, b.Name)
		return cmp.Or(newest[ofB].Compare(newest[ofA]), strings.Compare(ofA, ofB),
			first(a.Root == "", b.Root == ""), b.At.Compare(a.At), strings.Compare(a.Name, b.Name))
	})
	return all
}

// ownerOf returns the agent whose hooks have told of a run, and the name without it.
func ownerOf(name string) (of, session string) {
	if of, session, is := strings.Cut(name, ":"); is {
		if _, known := agent.Named(of); known {
			return of, session
		}
	}
	return "", name
}

// described returns what the state of a run tells of it.
func described(e *command.Env, name string, snap *state.Snapshot) *Run {
	r := &Run{Name: name, Project: projectOf(e, cwdOf(snap)), Turns: snap.Turn(), At: snap.Run().Now().At,
		State: Idle}
	r.Agent, r.Session = ownerOf(name)
	if here := projectOf(e, e.Dir); r.Project != "" {
		r.Same = r.Project == here
		r.Here = r.Same || checkout.Place(r.Project) == checkout.Place(here)
	}
	switch {
	case hook.Over(snap.Notes()):
		r.State = Ended
	case time.Since(r.At) < recent:
		r.State = Active
	}
	return r
}

// cwdOf returns the fact cwd of the last turn, "" if that is not known.
func cwdOf(snap *state.Snapshot) string {
	var stored struct {
		Facts struct {
			Cwd string `json:"cwd"`
		} `json:"facts"`
	}
	if raw, err := json.Marshal(snap.Facts()); err != nil || json.Unmarshal(raw, &stored) != nil {
		return ""
	}
	return stored.Facts.Cwd
}

// projectOf returns the project that a directory belongs to, without links, or else the directory itself.
func projectOf(e *command.Env, dir string) string {
	if dir == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return cmp.Or(load.Project(dir, e.Home), dir)
}

// describe names the run for people: whose it is, where, and how long ago its last turn was.
func (r *Run) describe(e *command.Env) string {
	s := "run " + terminal.Visible(r.Session)
	if r.Agent != "" {
		s = title(r.Agent) + "'s session " + terminal.Visible(r.Session)
		if r.Root != "" {
			s = "a subagent in " + title(r.Agent) + "'s session " + terminal.Visible(r.Session)
		}
	}
	switch {
	case r.Same:
		s += " in this project"
	case r.Project != "":
		s += " in " + terminal.Visible(e.Short(r.Project))
	}
	return s + ", " + r.age()
}

func title(name string) string {
	if a, ok := agent.Named(name); ok {
		return a.Title
	}
	return name
}

// age says how long ago the last turn was.
func (r *Run) age() string {
	if r.At.IsZero() {
		return "no turn yet"
	}
	return terminal.Ago(time.Since(r.At))
}

// Options are the flags of runs.
type Options struct {
	State string // the place of the state, as Open takes it
	All   bool
	JSON  bool
}

// shown is how many runs are listed, without All; their subagents that go on come on top.
const shown = 10

// List lists the runs that are remembered.
func List(ctx context.Context, e *command.Env, c Options) error {
	s, where, err := OpenExisting(e, c.State)
	if err != nil {
		return err
	}
	l := look{most: many}
	if c.All || c.JSON {
		l.most = 0
	}
	all, more, broken := list(ctx, e, s, l)
	if broken != nil {
		e.Note("aside: %s", terminal.Plain(broken))
	}
	if c.JSON {
		var rows []any
		for _, r := range all {
			rows = append(rows, runJSON{r.Name, r.Agent, r.Root, r.Project, r.Here, r.At.UTC(), r.Turns, r.State})
		}
		return command.PrintList(e.Out, rows)
	}
	if len(all) == 0 {
		return noRuns(e.Short(where))
	}
	rows, left, subagents := c.rows(e, all)
	if err := terminal.Table(e.Out, rows, e.Width); err != nil {
		return err
	}
	switch {
	case more:
		e.Note("these are the newest of %d runs that were looked at, and there are more: aside runs --all", many)
	case left > 0:
		e.Note("%s more: aside runs --all", terminal.Count(left, "run"))
	case subagents > 0:
		e.Note("%s more: aside runs --all", terminal.Count(subagents, "subagent"))
	}
	return nil
}

// rows returns the table of runs, and how many runs and subagents are left out.
func (c Options) rows(e *command.Env, all []*Run) (rows [][]string, left, subagents int) {
	short := shortest(all)
	roots := 0
	for _, r := range all {
		if r.Root == "" {
			roots++
		}
		switch {
		case c.All:
		case roots > shown && r.Root == "":
			left++
			continue
		case roots > shown:
			continue
		case r.Root != "" && r.State != Active:
			subagents++
			continue
		}
		name, where := short[r], e.Short(r.Project)
		if r.Root != "" {
			_, sub, _ := strings.Cut(r.Session, "/")
			name, where = "  "+sub, "subagent"
		}
		if r.Same && r.Root == "" {
			where = "this project"
		}
		rows = append(rows, []string{terminal.Visible(name), cmp.Or(r.Agent, "-"),
			r.age(), terminal.Count(r.Turns, "turn"), string(r.State), terminal.Visible(cmp.Or(where, "-"))})
	}
	return rows, left, subagents
}

// shortest returns for each run that is not a subagent a beginning of its Session by which --run finds it.
func shortest(all []*Run) map[*Run]string {
	const least = 8
	type key struct {
		text string
		of   *Run
	}
	var keys []key
	for _, r := range all {
		if r.Root == "" {
			keys = append(keys, key{r.Session, r}, key{r.Name, r})
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return strings.Compare(a.text, b.text) })
	short := map[*Run]string{}
	for i, k := range keys {
		name := []rune(k.of.Session)
		n := min(len(name), least)
		for _, step := range []int{-1, 1} { // the keys of others that are most like it are its neighbours
			j := i + step
			for j >= 0 && j < len(keys) && keys[j].of == k.of {
				j += step
			}
			for j >= 0 && j < len(keys) && n < len(name) && strings.HasPrefix(keys[j].text, string(name[:n])) {
				n++
			}
		}
		if k.text == k.of.Session {
			short[k.of] = string(name[:n])
		}
	}
	return short
}

// runJSON is a run in the output of runs --json.
type runJSON struct {
	Run     string    `json:"run"`
	Agent   string    `json:"agent,omitempty"`
	Root    string    `json:"root,omitempty"`    // of a subagent: the run that has started it
	Project string    `json:"project,omitempty"` // a directory
	Here    bool      `json:"here"`              // it is that of the working directory, or of its repository
	At      time.Time `json:"at,omitzero"`       // of the last turn
	Turns   int       `json:"turns"`
	State   State     `json:"state"` // active, idle or ended
}

// Remind says that a reminder goes out on the next turn of a run, and which run that is. chosen says that
// nobody has named the run.
func (r *Run) Remind(e *command.Env, id string, chosen bool) {
	e.Note("%s goes out on the next turn of %s", id, r.describe(e))
	switch {
	case !chosen:
	case r.Root != "":
		e.Note("that is a subagent: no other run is remembered")
	case !r.Here && r.Project != "":
		e.Note("no run of this project is remembered; --run names another one, and aside runs lists them")
	}
	if r.State == Ended {
		e.Note("that one has ended: the text waits until it is resumed")
	}
}

// Latest returns when the latest turn of each agent was taken, by the agent's name; the zero time where it
// has taken none. Runs that cannot be read do not count.
func Latest(ctx context.Context, e *command.Env, s state.Store) map[string]time.Time {
	latest := map[string]time.Time{}
	all, _, _ := list(ctx, e, s, look{})
	for _, r := range all {
		if r.At.After(latest[r.Agent]) {
			latest[r.Agent] = r.At
		}
	}
	return latest
}
