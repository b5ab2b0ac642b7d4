package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// replayCmd is "aside replay".
type replayCmd struct {
	Transcripts []string `arg:"" optional:"" name:"transcript" help:"Session files, request logs, or directories of them, packed (.gz, .zst) or not; - is stdin. Without any: the newest session of your agents, else a sample."`
	program.ShownFlags
	Diff    diffFlag         `xor:"other" placeholder:"[PATH]" help:"Say what would change with the rules of PATH in place of those of the same id: what fires more, less and on other turns. Repeatable. Without PATH: what has changed since the version that git has."`
	JSON    bool             `name:"json" help:"Print one JSON object a turn, and a summary."`
	Verbose bool             `short:"v" help:"All turns, also those on which nothing fires, and what was held back."`
	Fired   bool             `name:"only-fired" help:"Leave out the turns and the runs in which nothing fires."`
	NoPager bool             `help:"Print it at once, where otherwise what is longer than a screen is shown by $PAGER, or less."`
	Since   program.Since    `placeholder:"TIME" help:"Leave out what is older: files not written to since, and turns before; a date, a time, or a span such as 7d or 12h."`
	RunID   string           `name:"run" placeholder:"ID" help:"Only the run of this name, or whose name begins so, and those of its subagents."`
	Only    []string         `sep:"none" placeholder:"ID" help:"Only tell of this reminder; all count all the same. A pattern such as 'test-*' names several. Repeatable."`
	Window  tokens           `placeholder:"TOKENS" help:"Size of the context window, such as 200000 or 200k; by default what is known of each model."`
	Var     program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	replayHTML
	replayCost
	replayEffect
}

// replayExtra is a further output of a replay, with the flags that ask for it.
type replayExtra interface {
	// check returns an error for flags that are bound to fail, before any work is done. json says that the
	// output is JSON.
	check(json bool) error
	// begin is called before any session is read. If the output was asked for, it adds a View to o.
	begin(o *replay.Options)
	// finish is called at the end with the error of replay.Run, whose message was written already. It returns an
	// error of its own.
	finish(e *command.Env, err error) error
}

// extras returns all further outputs.
func (c *replayCmd) extras() []replayExtra {
	return []replayExtra{&c.replayHTML, &c.replayCost, &c.replayEffect}
}

// Run replays.
func (c *replayCmd) Run(ctx context.Context, e *command.Env) error {
	for _, x := range c.extras() {
		if err := x.check(c.JSON); err != nil {
			return err
		}
	}
	s, err := c.sets(ctx, e)
	if err != nil {
		return err
	}
	if err := thereAre(c.Only, s.set, s.against); err != nil {
		return err
	}
	paths, files := c.session(e)
	if s.starters && len(c.Transcripts) == 0 {
		e.Note("each %s is a reminder that the model would have been given on that turn",
			e.Glyph("▸", ">"))
	}
	e.Note("")
	if err := e.Out.Flush(); err != nil {
		return err
	}
	page := func() error { return nil }
	if !c.JSON && !c.NoPager {
		page = e.Page()
	}
	out := &noting{w: e.Stdout}
	o := replay.Options{
		Paths: paths, Files: files, Set: s.set, Against: s.against, Window: int(c.Window),
		Owner: replay.OwnerOf(e.Home),
		Since: c.Since.Before(time.Now()), RunID: c.RunID, Only: c.Only,
		JSON: c.JSON, Verbose: c.Verbose, OnlyFired: c.Fired, Overview: c.RunID == "" && several(paths),
		Out: out, Err: e.Err, Width: e.Width, Color: e.Colour, ASCII: e.ASCII,
		Shared: e.OutTTY, Paged: e.Paged, Progress: e.Redraws() && !(c.JSON && e.OutTTY),
	}
	c.notes = []replayNote{&c.replayCost, &c.replayEffect}
	for _, x := range c.extras() {
		x.begin(&o)
	}
	err = replay.Run(ctx, o)
	var more error
	for _, x := range c.extras() {
		more = errors.Join(more, x.finish(e, err))
	}
	more = errors.Join(more, page())
	switch {
	case out.err != nil:
		return out.err
	case more != nil:
		return more
	case err != nil:
		return &command.Error{Code: replay.ExitCode(err)} // replay.Run has written the message
	}
	return command.Verdict(s.bad)
}

// ruleSets are the rules of a replay.
type ruleSets struct {
	set      *compile.Set
	against  *compile.Set // of --diff; nil where there are none
	starters bool         // set has the starter rules, as the user has none
	bad      bool         // a rule has errors
}

// sets returns the rules to replay, which are the starter rules where the user has none, and prints which
// they are.
func (c *replayCmd) sets(ctx context.Context, e *command.Env) (ruleSets, error) {
	q := c.Request(c.Var)
	if c.Diff.given && len(c.Diff.paths) == 0 {
		return committed(ctx, e, q)
	}
	r, err := rules.Load(e, q)
	if err != nil {
		return ruleSets{}, err
	}
	s := ruleSets{set: r.Set}
	if s.bad = r.Complain(e); len(r.Diagnostics) > 0 {
		e.Note("")
	}
	switch {
	case r.Set.Len() > 0:
		e.Note("rules: %s from %s", terminal.Count(r.Set.Len(), "reminder"), origins(e, r))
	case s.bad:
		e.Note("no reminder could be loaded, so nothing is replayed")
		return s, command.ErrNo
	case len(c.Rules) > 0:
		return s, command.No("there is no reminder in %s", strings.Join(c.Rules, ", "))
	default:
		s.starters = true
		starter.Instead(e, r)
		s.set = r.Set
	}
	if !c.Diff.given {
		return s, nil
	}
	q.Over = c.Diff.paths
	after, err := rules.Load(e, q)
	if err != nil {
		return s, err
	}
	after.Diagnostics = slices.DeleteFunc(after.Diagnostics, func(d grammar.Diagnostic) bool {
		_, told := r.Files[d.File]
		return told
	})
	if after.Complain(e) {
		return s, command.ErrNo
	}
	if s.against = after.Set; s.starters {
		all := slices.DeleteFunc(r.Reminders, func(own compile.Source) bool {
			_, over := after.Set.Index(own.ID)
			return over
		})
		s.against, _ = compile.FromFiles(append(all, after.Reminders...), compile.Options{Schema: r.Set.Schema()})
	}
	e.Note("against: the same, with the rules of %s", strings.Join(c.Diff.paths, ", "))
	return s, nil
}

// committed returns the rules as git has them, and against these as they are now, trusted or not.
func committed(ctx context.Context, e *command.Env, q rules.Request) (ruleSets, error) {
	q.Author = true
	old, err := rules.Committed(ctx, e, q)
	if err != nil {
		return ruleSets{}, err
	}
	r, err := rules.Load(e, q)
	if err != nil {
		return ruleSets{}, err
	}
	if r.Complain(e) {
		return ruleSets{}, command.ErrNo
	}
	e.Note("rules: %s as git has them; against: %s as they are now, from %s",
		terminal.Count(old.Set.Len(), "reminder"), terminal.Count(r.Set.Len(), "reminder"), origins(e, r))
	return ruleSets{set: old.Set, against: r.Set}, nil
}

// origins returns the paths that the reminders of r come from, in words.
func origins(e *command.Env, r *rules.Loaded) string {
	var from []string
	for _, p := range r.From {
		for name := range r.Files {
			if name == p || strings.HasPrefix(name, p+string(os.PathSeparator)) {
				from = append(from, e.Short(p))
				break
			}
		}
	}
	if len(from) > 5 {
		from = append(from[:4], fmt.Sprintf("%d more", len(from)-4))
	}
	return strings.Join(from, ", ")
}

// session returns the paths to replay and their file system. Where the user has named none, it prints which
// session was chosen.
func (c *replayCmd) session(e *command.Env) ([]string, fs.FS) {
	if len(c.Transcripts) > 0 {
		return c.Transcripts, transcript.Machine(e.Stdin)
	}
	if c.Effect {
		if all := slices.Collect(transcript.Sessions(e.Home)); len(all) > 0 {
			e.Note("sessions: %s of your agents", terminal.Many(len(all), "file"))
			return all, nil
		}
	} else if p := transcript.Newest(e.Home); p != "" {
		e.Note("session: %s, your newest", e.Short(p))
		return []string{p}, nil
	}
	e.Note("session: a made-up sample, as you have none (aside replay FILE takes one)")
	return []string{"sample"}, sample.Sessions
}

// noting is a writer that keeps the latest error.
type noting struct {
	w   io.Writer
	err error
}

func (n *noting) Write(p []byte) (int, error) {
	k, err := n.w.Write(p)
	if err != nil {
		n.err = err
	}
	return k, err
}

// several reports whether paths stand for more than one session.
func several(paths []string) bool {
	if len(paths) != 1 {
		return len(paths) > 1
	}
	info, err := os.Stat(paths[0])
	return err == nil && info.IsDir()
}
