package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/model"
)

// Beginning is File.After of a run whose first turn came before any answer.
const Beginning = "the beginning"

// File is the file of a session that Read is asked for.
type File struct {
	Agent    string // as --agent takes it
	Path     string // the session's file, an absolute path
	Subagent string // its id; "" for the session itself
	// the user turn that has just begun, which does not count in Facts.UserTurns; "": none that is known
	TurnKey string
	// First says that nothing is known of the run yet: Facts.UserTurns is wanted if the file is short enough to
	// be read whole.
	First bool
	Spent *Billed // what Facts.Spent was at the last Read, where the costs are wanted; the zero Billed at first
	// Facts.Answer at the turn that was taken last, where Facts.Since is wanted; "": none
	After string
	Place Place // of the calls in Facts.Since

	model string // that is asked where the lines that are read begin
}

// Facts is a session's past as its file tells it. A fact that the file does not tell is nil, "" or empty.
type Facts struct {
	ContextTokens  *int64
	ContextWindow  *int64
	ResponseTokens *int64
	Response       string // the id of the response of ResponseTokens, or a made-up one, so that it is told once
	Model          string
	Answer         string // the id of the model's latest message, or one made up for it
	Calls          []Call // of that message
	At             int64  // offset in the file, in bytes, of the record that ContextTokens is from
	Compacted      bool   // ContextTokens is the size of the rest that a compaction left
	Own            string // the user turn that goes on, where no thread but this one has led to it

	Failed []string // ids of the calls of the last step that failed
	Passed []string // ids of those that are known not to have failed
	// turns that began after the one whose Key is File.After; nil where that one was not found
	Since     []*Turn
	UserTurns *int64   // prompts of persons, all of them; only with File.First
	Cost      *float64 // of all model calls, in dollars; only with File.Spent
	Spent     *Billed  // to go on from at the next Read; only with File.Spent
}

// share is how large a part of a hook's remaining time reading may take: a third.
const share = 3

const (
	firstPart = 16 << 10  // bytes of a file's end that are read at first; then four times as many each time
	surePart  = 256 << 10 // bytes that are read however little time is left
	fairPart  = 1 << 20   // bytes in which the size of the context is enough
	lastPart  = 64 << 20  // bytes that are read at most
	maxWhole  = 16 << 20  // bytes of the longest file that is read whole
)

// Read reads what the file of a session tells of its past: replay's source reads the end of the file, as much
// of it as is needed. A file that does not exist, and an agent whose files are of no known form, are a zero
// Facts and no error. When its time is up, Read returns what was found so far.
func Read(ctx context.Context, of File) (Facts, error) {
	a, ok := agent.Named(of.Agent)
	if !ok || a.Session == nil {
		return Facts{}, nil
	}
	f, ok := formatNamed(a.Session.Format)
	if !ok {
		return Facts{}, nil
	}
	if of.Subagent != "" {
		if f.subagent == nil {
			return Facts{}, nil
		}
		if of.Path = f.subagent(of.Path, of.Subagent); of.Path == "" {
			return Facts{}, nil
		}
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/share)
		defer cancel()
	}
	facts, err := f.read(ctx, of, false)
	if len(facts.Since) > 1 && err == nil { // calls of turns that nobody has told of: now with their subjects
		if told, err := f.read(ctx, of, true); err == nil && len(told.Since) >= len(facts.Since) {
			facts.Since = told.Since[:len(facts.Since)]
		}
	}
	if of.Spent != nil && err == nil {
		to, dollars, ok := f.bill(ctx, of, *of.Spent)
		if facts.Spent = &to; ok {
			facts.Cost = &dollars
		}
	}
	return facts, err
}

// read reads the end of a file, and more of it until the source has enough or the time is up; the very end is
// read in any case, on a machine that is busy, too. told says that calls are wanted with their subjects and
// outputs.
func (f *format) read(ctx context.Context, of File, told bool) (facts Facts, err error) {
	file, size, err := open(of.Path)
	if file == nil {
		return Facts{}, err
	}
	defer file.Close()
	most := min(size, lastPart)
	part := min(most, firstPart)
	if of.First && size <= maxWhole {
		part = most
	}
	for ; ; part = min(4*part, most) {
		b := make([]byte, part)
		if _, err := file.ReadAt(b, size-part); err != nil {
			if errors.Is(err, io.EOF) { // the file has become shorter, since it is being written anew
				err = nil
			}
			return facts, err
		}
		within := ctx
		if part <= surePart {
			within = context.WithoutCancel(ctx)
		}
		found, enough := f.part(within, of, b, size-part, told)
		if within.Err() != nil {
			return facts, nil
		}
		facts = found
		enough = enough && (of.After == "" || facts.Since != nil)
		if enough || part == most || part >= fairPart && facts.ContextTokens != nil {
			return facts, nil
		}
	}
}

// part reads the end of a file, which begins at an offset. Of the line that the offset is in, it reads
// nothing.
func (f *format) part(
	ctx context.Context, of File, b []byte, at int64, told bool,
) (facts Facts, enough bool) {
	out := Sink{Place: of.Place}
	if told {
		out.Subject, out.Outputs = func(string, fact.Class) bool { return true }, true
	}
	s := f.forward(of.Path, "", &out)
	s.middle(of)
	whole := at == 0
	for n := 0; len(b) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			break
		}
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		if n > 0 || whole {
			s.Line(line, int(at))
		}
		at += int64(len(b) - len(rest))
		b = rest
	}
	s.Finish()
	facts, enough = s.past()
	if of.After != "" {
		i := slices.IndexFunc(out.Turns, func(t *Turn) bool { return short(t.Key) == of.After })
		if i >= 0 || whole && of.After == Beginning {
			facts.Since = append([]*Turn{}, out.Turns[i+1:]...)
		}
	}
	if whole && of.First && of.Subagent == "" {
		turns := int64(0)
		for _, t := range append(out.Turns, s.Pending()...) {
			turns += int64(len(t.Prompts))
		}
		facts.UserTurns = &turns
	}
	return facts, enough
}

// rereader is a Source that can begin in the middle of a file, and say what is known of the past.
type rereader interface {
	Source
	// middle is called before the first line if the lines are the end of a file.
	middle(of File)
	// past returns the past. enough says that more of the file would not change it.
	past() (f Facts, enough bool)
}

// window returns the size of a model's context window, by what is known of the model, given how many tokens
// it was seen to hold; nil where the size is not known.
func window(id string, used *int64) *int64 {
	if used == nil {
		used = new(int64)
	}
	if n, ok := model.Holds(nil, id, *used); ok {
		return &n
	}
	return nil
}

const (
	maxName  = 256     // bytes of an id or a name; a longer one is taken for none
	maxCount = 1 << 40 // tokens
)

// short returns an id or a name, "" for one that is too long.
func short(s string) string {
	if len(s) > maxName {
		return ""
	}
	return s
}

// small returns a count of tokens, nil for one that is not known, or cannot be right.
func (c Count) small() *int64 {
	if !c.Known || c.N > maxCount {
		return nil
	}
	return &c.N
}

// plainName reports whether an id may be part of a file's name: letters, digits, - and _ only.
func plainName(id string) bool {
	return id != "" && len(id) <= maxName && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r != '-' && r != '_'
	})
}

// Of returns the path of a session's file, given the directory of the agent's configuration and the session's
// id; "" where that does not tell, or there is no such file.
func Of(a *agent.Agent, dir, id string) string {
	if a.Session.Of == "" || !filepath.IsAbs(dir) || !plainName(id) {
		return ""
	}
	paths, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(a.Session.Of,
		"SESSION", id))))
	if len(paths) != 1 {
		return ""
	}
	return paths[0]
}

// Subagent returns the path of a subagent's file of Claude Code, given the file of its session; "" where
// there is no such file, or id cannot be part of a file's name.
func Subagent(path, id string) string {
	base, ok := strings.CutSuffix(path, ".jsonl")
	if !ok || !plainName(id) {
		return ""
	}
	dir, file := filepath.Join(base, "subagents"), "agent-"+id+".jsonl"
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
		return filepath.Join(dir, file)
	}
	entries, _ := os.ReadDir(dir) // files of a workflow's subagents are one directory deeper
	for _, e := range entries {
		if e.IsDir() {
			if _, err := os.Stat(filepath.Join(dir, e.Name(), file)); err == nil {
				return filepath.Join(dir, e.Name(), file)
			}
		}
	}
	return ""
}

// open opens a session's file and returns its length in bytes. For a file that does not exist, and for
// anything but a regular file, it returns nil and no error.
func open(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, 0, notThere(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // so as not to block if it has become a pipe
	if err != nil {
		return nil, 0, notThere(err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func notThere(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
