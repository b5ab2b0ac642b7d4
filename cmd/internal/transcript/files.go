package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
)

// File is one file of a recording.
type File struct {
	Path   string
	Thread string // type of the subagent whose file it is, where the .meta.json file beside it says so; else ""
	Found  bool   // it was not named to Find itself, but found in a directory or beside its session

	files fs.FS
}

// Open opens the file where Find found it.
func (f File) Open() (fs.File, error) { return f.files.Open(f.Path) }

// Size returns the file's length in bytes; 0 where that is not known, as for a pipe.
func (f File) Size() int64 {
	info, err := fs.Stat(f.files, f.Path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// stdin names the standard input among the machine's own files.
const stdin = "-"

// machine is the file system of the machine, with its own kind of paths.
type machine struct{ in fs.File }

// Machine returns the machine's own files, with the machine's paths; "-" is in, the standard input.
func Machine(in fs.File) fs.FS { return machine{in} }

func (m machine) Open(name string) (fs.File, error) {
	if name == stdin {
		return m.in, nil
	}
	return os.Open(name)
}

func (m machine) Stat(name string) (fs.FileInfo, error) {
	if name == stdin {
		return m.in.Stat()
	}
	return os.Stat(name)
}

func (machine) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (machine) ReadFile(name string) ([]byte, error)       { return os.ReadFile(name) }

// Find returns the files that paths stand for, each once. A file stands for itself and the files of its
// subagents; a directory for all .jsonl and .json files in and below it, compressed (.gz, .zst) or not; a
// link for what it leads to. The order is that of paths, and within a directory that of the names; subagents
// follow their session in the order in which they began.
//
// A path that does not exist is an error, and so is a directory without such a file (*EmptyDirError), or one
// that cannot be read. Errors are joined, and returned with the files that were found. Nil files are those of
// Machine.
func Find(files fs.FS, paths ...string) ([]File, error) {
	if files == nil {
		files = Machine(os.Stdin)
	}
	f := finder{files: files, at: map[string]int{}}
	var errs []error
	for _, p := range paths {
		info, err := fs.Stat(files, p)
		switch {
		case err != nil:
			errs = append(errs, err)
		case info.IsDir() && p != stdin:
			errs = append(errs, f.walk(p))
		default:
			f.session(File{Path: p})
		}
	}
	return f.out, errors.Join(errs...)
}

// finder collects files.
type finder struct {
	files fs.FS
	out   []File
	at    map[string]int // where in out a file is
}

func (f *finder) add(file File) {
	key := path.Clean(filepath.ToSlash(file.Path))
	if _, ours := f.files.(machine); ours {
		if abs, err := filepath.Abs(file.Path); err == nil {
			key = abs
		}
		if end, err := filepath.EvalSymlinks(key); err == nil {
			key = end
		}
	}
	if i, again := f.at[key]; again {
		f.out[i].Found = f.out[i].Found && file.Found
		return
	}
	file.files = f.files
	f.at[key] = len(f.out)
	f.out = append(f.out, file)
}

// EmptyDirError says that a directory holds no file that could be a transcript.
type EmptyDirError struct{ Path string }

// Error implements error.
func (e *EmptyDirError) Error() string {
	return fmt.Sprintf("there is no .jsonl or .json file in %s", e.Path)
}

// walk adds the files of a directory, the subagents of each session after the session.
func (f *finder) walk(dir string) error {
	var names []string
	there := map[string]bool{}
	var errs []error
	_ = fs.WalkDir(f.files, dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			errs = append(errs, err)
			return nil // go on with what can be read
		}
		ext := path.Ext(session.Unpacked(p))
		if plain(d) && (ext == ".jsonl" || ext == ".json" && !strings.HasSuffix(p, ".meta.json")) {
			names = append(names, p)
			there[filepath.ToSlash(p)] = true
		}
		return nil
	})
	for _, p := range names {
		if of, internal, sub := session.SubagentOf(p); sub && (there[of] || internal) {
			continue // session adds it after its session; an internal agent's file is left out
		}
		f.session(File{Path: p, Found: true})
	}
	if len(names) == 0 && len(errs) == 0 {
		return &EmptyDirError{dir}
	}
	return errors.Join(errs...)
}

// plain reports whether a directory's entry is a regular file, or a link that may lead to one. To open a
// pipe, for example, might block forever.
func plain(d fs.DirEntry) bool { return d.Type()&^fs.ModeSymlink == 0 }

// session adds a file and, if that is a session's, the files of its subagents in the order in which they
// began. Those of workflows are one directory deeper.
func (f *finder) session(file File) {
	if _, _, sub := session.SubagentOf(file.Path); sub {
		file.Thread = f.agentType(file.Path)
		f.add(file)
		return
	}
	f.add(file)
	type begun struct {
		File
		at time.Time
	}
	var found []begun
	first := func() []byte { return f.firstLine(file.Path) }
	for _, folder := range session.SubagentFolders(file.Path, first) {
		// Where there is no such directory, or it cannot be read, only the session itself is added.
		_ = fs.WalkDir(f.files, folder.Dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && plain(d) && folder.Holds(p) {
				found = append(found, begun{File{Path: p, Thread: f.agentType(p), Found: true}, f.firstTime(p)})
			}
			return nil
		})
	}
	slices.SortStableFunc(found, func(a, b begun) int {
		return cmp.Or(a.at.Compare(b.at),
			strings.Compare(a.Path, b.Path))
	})
	for _, b := range found {
		f.add(b.File)
	}
}

// firstLine returns the first line of a file, nil where that cannot be read.
func (f *finder) firstLine(file string) []byte {
	opened, err := f.files.Open(file)
	if err != nil {
		return nil
	}
	defer opened.Close()
	line, _ := newLines(opened, 4<<10).next()
	return line
}

// agentType returns the type of a subagent, which the .meta.json file beside its own has; "" where that does
// not say.
func (f *finder) agentType(file string) string {
	b, err := fs.ReadFile(f.files, session.AgentFile(file))
	if err != nil {
		return ""
	}
	return session.ReadType(b)
}

// firstTime returns the first time stamp in a file; the zero time where the first lines have none.
func (f *finder) firstTime(file string) time.Time {
	opened, err := f.files.Open(file)
	if err != nil {
		return time.Time{}
	}
	defer opened.Close()
	ls := newLines(opened, 16<<10)
	for range 20 {
		line, err := ls.next()
		if err != nil {
			break
		}
		if at, ok := session.Began(line); ok {
			return at
		}
	}
	return time.Time{}
}

// Sessions returns the session files of the user with a home directory, of all agents, wherever the
// environment variables of this process put them: the one that was written to last first; of two written at
// the same time, the one whose name comes last. Files of subagents do not count. No home has none.
func Sessions(home string) iter.Seq[string] {
	type written struct {
		path string
		at   time.Time
	}
	var all []written
	for _, a := range agent.All() {
		paths, _ := filepath.Glob(a.Sessions(os.Getenv, home)) // the patterns are well formed
		for _, p := range paths {
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
				all = append(all, written{p, info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b written) int {
		return cmp.Or(b.at.Compare(a.at),
			strings.Compare(b.path, a.path))
	})
	return func(yield func(string) bool) {
		for _, s := range all {
			if !session.Spawned(s.path, func() []byte { return head(s.path) }) && !yield(s.path) {
				return
			}
		}
	}
}

// Newest returns the first of Sessions, "" where there is none.
func Newest(home string) string {
	for path := range Sessions(home) {
		return path
	}
	return ""
}

// Named returns the first of Sessions whose path below the home tells that it is the file of a session with
// this id, or with an id of which this is a part; "" where there is none.
func Named(home, id string) string {
	for path := range Sessions(home) {
		if session.Names(strings.TrimPrefix(path, home), id) {
			return path
		}
	}
	return ""
}

// head returns the beginning of a file, nil where that cannot be opened.
func head(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, 2<<10)
	n, _ := io.ReadFull(f, b)
	return b[:n]
}
