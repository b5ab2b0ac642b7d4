package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/model"
)

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
}

// Facts is a session's past as its file tells it. A fact that the file does not tell is nil, "" or empty.
type Facts struct {
	ContextTokens  *int64
	ContextWindow  *int64
	ResponseTokens *int64
	Response       string // the id of the response of ResponseTokens, or a made-up one, so that it is told once
	Model          string
	At             int64 // offset in the file, in bytes, of the record that ContextTokens is from
	Compacted      bool  // ContextTokens is the size of the rest that a compaction left

	Failed     []string   // ids of the calls of the last step that failed
	LastFailed fact.Truth // whether one of the last step's calls failed
	UserTurns  *int64     // prompts of persons, all of them; only with Of.First

	// In the part of the file that was read, which with Of.First is all of it.
	Calls     []string // names of the tools that were called
	Delivered []string // texts of hooks that were put before the model
}

// share is how large a part of a hook's remaining time reading may take: a third.
const share = 3

// Read reads what the file of a session tells of its past, from its end. A file that does not exist, and an
// agent whose files are of no known form, are a zero Facts and no error. When its time is up, Read returns
// what was found so far.
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
		if of.Path = f.subagent(of.Path, of.Subagent); of.Path == "" {
			return Facts{}, nil
		}
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/share)
		defer cancel()
	}
	return readEnd(ctx, of.Path, options{subagent: of.Subagent != "", whole: of.First,
		turnKey: of.TurnKey}, f.end)
}

// options say which part of a file is read.
type options struct {
	subagent bool // the file is a subagent's
	// read the whole file, unless it is longer than maxWhole; else only as much of its end as is needed
	whole   bool
	turnKey string // the id of a prompt that does not count in UserTurns
}

// maxWhole is the length in bytes of the longest file that is read whole.
const maxWhole = 16 << 20

// ender reads the lines of a file, the last one first.
type ender interface {
	// line reads the line at an offset, and returns the offset before which no line is of interest.
	line(at int64, line []byte) (from int64)
	// done returns the past. whole says that all lines were read.
	done(whole bool) Facts
}

// past is the record of a session as far as it was read, from its end.
type past struct {
	options
	facts   Facts
	counted bool // nothing earlier in the file can set ContextTokens any more
}

// context sets ContextTokens, unless a later record has told it. at is the offset of the record.
func (p *past) context(at int64, tokens Count) {
	if p.counted {
		return
	}
	p.counted = true
	if n := tokens.small(); n != nil {
		p.facts.ContextTokens, p.facts.At = n, at
	}
}

// readEnd reads a file from its end.
func readEnd(ctx context.Context, path string, o options, end func(options) ender) (Facts, error) {
	f, size, err := open(path)
	if f == nil {
		return Facts{}, err
	}
	defer f.Close()
	t := tail{f: f, size: size, from: max(size-maxRead, 0), longest: maxLine}
	o.whole = o.whole && size <= maxWhole
	e := end(o)
	for at, line := range t.lines(ctx) {
		if t.from = max(t.from, e.line(at, line)); at > 0 && at <= t.from {
			break
		}
	}
	return e.done(t.whole), t.err
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

const (
	firstStep = 16 << 10 // bytes read at first, mostly enough; then each step makes four times as many in all
	maxStep   = 4 << 20  // bytes read at a time
	maxLine   = 16 << 20 // bytes of the longest line that is read
	maxRead   = 64 << 20 // bytes of a file that are read at most
)

// tail reads a file from its end, line by line.
type tail struct {
	f       io.ReaderAt
	size    int64
	from    int64 // nothing before this offset is read
	longest int   // bytes; longer lines are passed over
	whole   bool  // the first line of the file was reached
	err     error
}

// open opens a session's file and returns its length in bytes. For a file that does not exist, and for
// anything but a regular file, it returns nil and no error.
func open(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, 0, notThere(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // so as not to block if it has become a pipe
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

// lines yields lines without their line feeds, the last one first, each with its offset. A line is valid
// until the next one. What comes after the last line feed is yielded, too: it may be a line that is cut off.
func (t *tail) lines(ctx context.Context) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		// the beginning of what was read, up to the end of the current line: it was not yielded, and has no line
		// feed
		var held []byte
		at := t.size  // offset of held
		long := false // the current line is too long, and held has nothing of it
		for first := true; ; first = false {
			step := min(max(firstStep, 3*(t.size-at)), maxStep, at-t.from)
			switch {
			case at == 0:
				if !long {
					if len(held) > 0 && !yield(0, held) {
						return
					}
					t.whole = true
				}
				return
			case step <= 0, ctx.Err() != nil:
				return
			}
			b := make([]byte, int(step), int(step)+len(held))
			if n, err := t.f.ReadAt(b, at-step); n < len(b) {
				if !errors.Is(err, io.EOF) { // EOF: the file has become shorter, since it is being written anew
					t.err = err
				}
				return
			}
			at -= step
			if first {
				b = bytes.TrimSuffix(b, []byte("\n"))
			}
			end := bytes.LastIndexByte(b, '\n') + 1 // where the current line begins in b; 0: before b
			if end == 0 {
				if held, long = append(b, held...), long || len(b)+len(held) > t.longest; long {
					held = nil
				}
				continue
			}
			if long = long || len(b)-end+len(held) > t.longest; !long && !yield(at+int64(end),
				append(b[end:len(b):cap(b)], held...)) {
				return
			}
			long = false
			for b = b[:end-1]; ; b = b[:end-1] {
				if end = bytes.LastIndexByte(b, '\n') + 1; end == 0 {
					break
				}
				if !yield(at+int64(end), b[end:]) {
					return
				}
			}
			held = b
		}
	}
}
