package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/config"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/internal/trust"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// rules looks at the rules: their number, their diagnostics, and the files that are not trusted.
func (d *doctor) rules() {
	sources, err := rules.Sources(d.Env, nil, rules.Here(d.Env))
	if err != nil {
		d.say("rules", wrong, "aside check", "%s", terminal.Plain(err))
		return
	}
	for _, src := range sources {
		d.ruled = newer(d.ruled, src.Path)
	}
	project := rules.ProjectConfig(d.Env, rules.Here(d.Env), false)
	schema, err := rules.Schema(d.Env, nil, project)
	if err != nil {
		d.say("rules", wrong, "aside help configuration", "%s", terminal.Plain(err))
	}
	opts := load.Options{Options: compile.Options{Schema: schema}}
	if s, err := rules.Trust(d.Env); err == nil {
		opts.Trusted = s
	}
	if dir, err := d.runsDir(); err == nil {
		opts.Good = hook.Good(dir, sources)
	}
	r := load.Load(sources, opts)
	for _, c := range []*config.File{d.Config, project} {
		if c != nil && len(c.Diagnostics) > 0 {
			d.say("rules", wrong, "aside help configuration", "%s: %s", d.Short(c.Path), rules.Tally(c.Diagnostics))
		}
	}
	n := len(r.Set.IDs())
	d.set = r.Set
	for file := range r.Files {
		d.ruled = newer(d.ruled, file)
	}
	switch {
	case r.Diagnostics.HasErrors():
		d.say("rules", wrong, "aside check", "%s; %s", terminal.Count(n, "reminder"), rules.Tally(r.Diagnostics))
	case n == 0 && len(r.Untrusted) == 0:
		d.say("rules", wrong, "aside setup", "there are no reminders")
	case len(r.Diagnostics) > 0:
		d.say("rules", note, "aside check", "%s; %s", terminal.Count(n, "reminder"), rules.Tally(r.Diagnostics))
	default:
		d.say("rules", fine, "", "%s", terminal.Count(n, "reminder"))
	}
	if why := hook.Slow(sources, opts); why != "" {
		d.say("rules", wrong, "aside list; fewer rules, or aside disable NAME", "%s", why)
	}
	d.servers()
	for _, file := range r.Stale {
		d.say("rules", note, "aside check", "hooks go on with %s as it was before its mistake", d.Short(file))
	}
	kinds := map[string]int{}
	for _, u := range r.Untrusted {
		switch {
		case errors.Is(u.Why, trust.ErrNew):
			kinds["not trusted"]++
		case errors.Is(u.Why, trust.ErrChanged):
			kinds["changed since trusted"]++
		default:
			d.say("trust", wrong, "aside trust shows it; or rm "+d.machine.Quoted(u.Path), "%s is not used: %s",
				d.Short(u.Path), u.Why)
		}
	}
	for _, why := range []string{"not trusted", "changed since trusted"} {
		if kinds[why] > 0 {
			d.say("trust", wrong, "aside trust shows what they say, and asks", "%s of this project not used: %s",
				terminal.Count(kinds[why], "rule file"), why)
		}
	}
	if len(r.Untrusted) == 0 {
		d.say("trust", fine, "", "no rule file waits for your trust here")
	}
	switch with, doubt := rules.Checkouts(d.Env, rules.Here(d.Env)); {
	case doubt != nil:
		d.say("trust", note, "git worktree repair", "this project is trusted alone, since its .git is not "+
			"believed: %s", terminal.Plain(doubt))
	case with != "":
		d.say("trust", fine, "", "this is %s", with)
	}
}

// servers tells which hooks leave rules to a server that runs here, and which cannot know that they should.
func (d *doctor) servers() {
	dir, err := d.StateDir()
	if err != nil {
		return
	}
	all := hook.Servers(dir)
	for _, s := range all {
		var from []string
		for _, p := range s.Rules {
			if _, err := os.Stat(p); err == nil {
				from = append(from, d.Short(p))
			}
		}
		d.say("rules", note, "", "aside serve runs on %s: in a session whose requests go there, "+
			"hooks leave to it the rules of %s", s.Address, strings.Join(from, ", "))
	}
	for _, a := range agent.WithHooks() {
		_, ours := d.mended[a.Name]
		if len(all) > 0 && ours && len(a.Base.Env) == 0 && a.Base.File == "" && !a.Base.Session {
			d.say("rules", note, "aside uninstall "+a.Name+", if its requests go there",
				"hooks of %s do not see where its requests go: through aside serve, texts are said twice", a.Title)
		}
	}
}

// runsDir returns the directory in which hooks remember runs.
func (d *doctor) runsDir() (string, error) {
	if dir := d.Config.Directory(); dir != "" {
		return dir, nil
	}
	return d.StateDir()
}

// store opens the store of runs, of which doctor removes no old ones; nil where there is none, or it cannot
// be opened, which the check of the state directory reports.
func (d *doctor) store() *filestore.Store {
	dir, err := d.runsDir()
	if err != nil {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	store, err := filestore.Open(dir, filestore.Options{Keep: -1})
	if err != nil {
		return nil
	}
	return store
}

// state looks at the directory where runs are remembered, and writes a run there to see that it can be.
func (d *doctor) state(ctx context.Context) {
	dir, err := d.runsDir()
	if err != nil {
		d.say("state", wrong, "export HOME", "%s", terminal.Plain(err))
		return
	}
	look := "ls -ld " + d.machine.Quoted(dir)
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say("state", fine, "", "%s is made when it is needed", d.Short(dir))
		return
	case err != nil:
		d.say("state", wrong, look, "%s", terminal.Plain(err))
		return
	case !fi.IsDir():
		d.say("state", wrong, "mv "+d.machine.Quoted(dir)+" "+d.machine.Quoted(dir+".old"), "%s is not a directory",
			d.Short(dir))
		return
	case runtime.GOOS != "windows" && fi.Mode().Perm()&0o077 != 0:
		d.say("state", wrong, "chmod 700 "+d.machine.Quoted(dir), "others may enter %s", d.Short(dir))
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	store, err := filestore.Open(dir, filestore.Options{Keep: -1}) // so that doctor itself removes no old runs
	if err == nil {
		err = tryStore(ctx, store)
	}
	if err != nil {
		d.stuck = dir
		why := terminal.Plain(err)
		if p, is := errors.AsType[*fs.PathError](err); is {
			why = p.Err.Error()
		}
		d.say("state", wrong, look+"; df -h "+d.machine.Quoted(dir), "nothing can be written in %s: %s. "+
			"So nothing is remembered, and hooks say nothing", d.Short(dir), why)
		return
	}
	runs, err := state.AllRuns(ctx, store)
	if err != nil {
		d.say("state", wrong, look, "%s", terminal.Plain(err))
		return
	}
	runs = slices.DeleteFunc(runs, response.Kept)
	d.say("state", fine, "", "%s: %s remembered", d.Short(dir), terminal.Count(len(runs), "run"))
	switch n, most := hook.Waiting(dir); {
	case n >= most:
		d.say("state", wrong, "aside check says whether rules are slow; rm "+d.machine.Quoted(dir)+
			"/spool/* forgets the events",
			"%s wait for the next hook of their sessions, and no more may: the oldest are left out",
			terminal.Count(n, "event"))
	case n > 0:
		d.say("state", note, "", "%s for the next hook of the session: a hook was killed, or had no time",
			map[bool]string{true: "one event waits", false: terminal.Count(n, "event") + " wait"}[n == 1])
	}
	if aside, _ := filepath.Glob(filepath.Join(dir, "*.corrupt-*")); len(aside) > 0 {
		d.say("state", note, "rm "+d.machine.Quoted(dir)+"/*.corrupt-*",
			"%s could not be read and were set aside; hooks begin such a session anew, and serve does once they are "+
				"gone: %s", terminal.Count(len(aside), "file"), d.Short(aside[0]))
	}
}

// newer returns the later of a time and that of the last change of a file or directory.
func newer(at time.Time, path string) time.Time {
	if fi, err := os.Stat(path); err == nil && fi.ModTime().After(at) {
		return fi.ModTime()
	}
	return at
}

// tryStore saves a run of its own in a store, and deletes it.
func tryStore(ctx context.Context, s *filestore.Store) error {
	const run = "aside-doctor"
	err := state.Update(ctx, s, run, func(*state.Snapshot) (*state.Snapshot, error) {
		return firing.Note(nil, json.RawMessage("{}"))
	})
	if err != nil {
		return err
	}
	return s.Delete(ctx, run)
}

var notAlphanumeric = regexp.MustCompile(`[^a-zA-Z0-9]`)

// delivery looks whether the last reminder that a hook printed is in the transcript of Claude Code's newest
// session, of this project where it has one.
func (d *doctor) delivery(ctx context.Context) {
	files, _ := filepath.Glob(d.agent.Sessions(os.Getenv, d.Home)) // the pattern is well formed
	here := notAlphanumeric.ReplaceAllString(d.Dir, "-")
	if own := slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		return filepath.Base(filepath.Dir(path)) != here
	}); len(own) > 0 {
		files = own
	}
	path, at := "", time.Time{}
	for _, file := range files {
		if t := newer(at, file); t.After(at) {
			path, at = file, t
		}
	}
	if path == "" {
		d.say("delivery", note, "", "there is no session yet to see whether reminders arrive")
		return
	}
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	short := id[:min(len(id), 8)]
	when := at.Local().Format("2006-01-02 15:04")
	where, err := d.runsDir()
	if err != nil {
		return
	}
	if _, err := os.Stat(where); err != nil {
		d.say("delivery", note, "start a new session", "no hook has run yet; the newest session is of %s", when)
		return
	}
	store := d.store()
	if store == nil {
		return
	}
	snap, _, err := store.Load(ctx, hook.RunOf(d.agent.Name, id, ""))
	switch {
	case err != nil:
		d.say("delivery", wrong, "ls -l "+d.machine.Quoted(where),
			"what was decided in session %s cannot be read: %s", short, terminal.Plain(err))
		return
	case snap == nil:
		d.say("delivery", note, "/hooks in Claude Code lists what it runs; a session that is older than the "+
			"installation never called", "no hook has run in the newest session, %s of %s", short, when)
		return
	}
	texts, err := session.Delivered(path)
	if err != nil {
		d.say("delivery", note, "", "%s cannot be read: %s", d.Short(path), terminal.Plain(err))
		return
	}
	arrived := func(text string) bool {
		text = strings.TrimSpace(text)
		return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, text) })
	}
	last := snap.Decision()
	if last == nil || len(last.Fired) == 0 {
		d.say("delivery", fine, "", "hooks ran in the newest session, %s of %s; nothing was due at the last event",
			short, when)
		return
	}
	for _, due := range last.Fired {
		switch {
		case arrived(due.Text):
			d.say("delivery", fine, "", "the last reminder of session %s, %s, stands in its transcript", short, due.ID)
		case slices.Contains(last.Undelivered, due.ID) || slices.Contains(snap.Waiting(), due.ID):
			d.say("delivery", note, "", "the last reminder of session %s, %s, waits for an event that can carry it",
				short, due.ID)
		case time.Since(at) < 30*time.Second:
			d.say("delivery", note, "", "the last reminder of session %s, %s, is not in its transcript yet",
				short, due.ID)
		default:
			d.say("delivery", wrong, "claude --version: some versions drop what hooks say; claude --debug shows what "+
				"becomes of it", "the last reminder of session %s, %s, is not in its transcript", short, due.ID)
		}
	}
}
