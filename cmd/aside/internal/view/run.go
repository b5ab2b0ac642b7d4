package view

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aside-go/aside/cmd/aside/internal/author"
	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/agent/session"
)

// Cmd is "aside view".
type Cmd struct {
	Session string `arg:"" optional:"" name:"transcript" help:"A session file, as aside replay reads it, or the run that one records, as aside runs names it. Without it: the newest session of your agents."`
	program.ShownFlags
	Follow bool             `xor:"form" help:"The session goes on: show what is new as it comes."`
	JSON   bool             `name:"json" xor:"form" help:"Print a JSON object, whose schema aside schema view prints."`
	Var    program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run shows a session: on a terminal as a screen that obeys keys, else as text.
func (c *Cmd) Run(ctx context.Context, e *command.Env) error {
	from, err := find(e, c.Session, c.Follow)
	if err != nil {
		return err
	}
	r, err := rules.Load(e, c.Request(c.Var))
	if err != nil {
		return err
	}
	r.Complain(e)
	if r.Set.Len() == 0 && len(c.Rules) == 0 {
		e.Note("rules: the starter rules, as you have none (aside setup writes them)")
	}
	s, err := from.read(ctx, e, c.set(r))
	if err != nil {
		return err
	}
	if c.JSON {
		for _, at := range s.Reminders() {
			s.Items[at].Reminder.Explain()
		}
		return e.PrintJSON(s)
	}
	if !e.OutTTY || !command.Interactive() || os.Getenv("TERM") == "dumb" {
		if c.Follow {
			return command.Usage("--follow needs a terminal")
		}
		done := e.Page()
		write(e, s)
		return done()
	}
	return screen(ctx, e, c.source(e, from), s)
}

// recording is where a session stands.
type recording struct {
	path  string
	files fs.FS
	grows bool // an agent is at work on it: it may be empty yet, or not be there
}

// find returns the session that a person means: by its file, by its run, or none at all. One that grows need
// not be there yet.
func find(e *command.Env, name string, grows bool) (recording, error) {
	files := transcript.Machine(e.Stdin)
	if name == "" {
		if path := transcript.Newest(e.Home); path != "" {
			return recording{path, files, grows}, nil
		}
		e.Note("session: a made-up sample, as you have none (aside view FILE takes one)")
		return recording{"sample", sample.Sessions, false}, nil
	}
	_, err := os.Stat(name)
	if err == nil || name == "-" || grows && errors.Is(err, fs.ErrNotExist) && rules.IsRecording(name) {
		return recording{name, files, grows}, nil
	}
	run := name
	if _, id, ok := strings.Cut(run, "/"); ok {
		run = id
	}
	if path := transcript.Named(e.Home, session.RootOf(run)); path != "" {
		return recording{path, files, grows}, nil
	}
	if rules.IsRecording(name) {
		return recording{}, err
	}
	return recording{}, command.No("there is neither a file nor a session %s", name).
		And("aside runs lists the runs that are remembered")
}

// set returns the rules to play, which are the starter rules where the person has none.
func (c *Cmd) set(r *rules.Loaded) *compile.Set {
	if r.Set.Len() > 0 || len(c.Rules) > 0 {
		return r.Set
	}
	_, set := starter.Set(r.Set.Schema())
	return set
}

// read reads a session. Its error tells all that a person needs to know.
func (r recording) read(ctx context.Context, e *command.Env, set *compile.Set) (*lens.Session, error) {
	said := &bytes.Buffer{}
	s, err := lens.Open(ctx, replay.Options{
		Paths: []string{r.path}, Files: r.files, Set: set, Err: said, Owner: replay.OwnerOf(e.Home),
	})
	switch {
	case r.grows && len(s.Items) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)):
		return s, nil
	case err != nil && len(s.Items) == 0:
		text := cmp.Or(strings.TrimSpace(said.String()), err.Error())
		return nil, &command.Error{Code: replay.ExitCode(err), Err: errors.New(text)}
	case len(s.Items) == 0:
		return nil, command.No("there is no message in %s", e.Short(r.path))
	}
	return s, nil
}

// source returns where the session comes from while it is on the screen.
func (c *Cmd) source(e *command.Env, from recording) source {
	src := source{
		Open: func(ctx context.Context) (*lens.Session, error) {
			r, err := rules.Load(e.Quiet(), c.Request(c.Var))
			if err != nil {
				return nil, err
			}
			return from.read(ctx, e, c.set(r))
		},
		Edit: func(ctx context.Context, file string) error {
			return errors.Join(author.Edit(ctx, e, file), e.Out.Flush())
		},
	}
	if c.Follow {
		src.Grown = from.follow()
	}
	return src
}

// screen shows a session on the terminal until the person leaves it.
func screen(ctx context.Context, e *command.Env, src source, s *lens.Session) error {
	if err := e.Out.Flush(); err != nil {
		return err
	}
	_, err := tea.NewProgram(newModel(ctx, e, src, s), tea.WithContext(ctx), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// glance is how often somebody looks whether a session has grown.
const glance = 250 * time.Millisecond

// leisure is the time until a session is read again, in times that the last reading took. A session is read
// from its beginning, which takes 0.3 seconds of a processor for 50 MB: so following takes a fifth of it at
// most.
const leisure = 4

// follow returns a source.Grown for the files of a session and its subagents.
func (r recording) follow() func(context.Context) error {
	size, returned := r.length(), time.Now()
	return func(ctx context.Context) error {
		for wait := max(glance, leisure*time.Since(returned)); ; wait = glance {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
			if now := r.length(); now != size {
				size, returned = now, time.Now()
				return nil
			}
		}
	}
}

// length returns how many bytes the files of a session have.
func (r recording) length() (n int64) {
	files, _ := transcript.Find(r.files, r.path) // what cannot be read now may be read later
	for _, f := range files {
		n += f.Size()
	}
	return n
}
