package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
		if isAgent(p) && (there[sessionOf(p)] || session.Internal(agentID(p))) {
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
	if isAgent(file.Path) {
		file.Thread = f.agentType(file.Path)
		f.add(file)
		return
	}
	f.add(file)
	name := session.Unpacked(file.Path)
	root := strings.TrimSuffix(name, path.Ext(name)) + "/subagents"
	type begun struct {
		File
		at time.Time
	}
	var found []begun
	// Where there is no such directory, or it cannot be read, only the session itself is added.
	_ = fs.WalkDir(f.files, root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && plain(d) && isAgent(p) && !session.Internal(agentID(p)) {
			found = append(found, begun{File{Path: p, Thread: f.agentType(p), Found: true}, f.firstTime(p)})
		}
		return nil
	})
	if id := f.geminiSession(file.Path); id != "" {
		_ = fs.WalkDir(f.files, path.Join(path.Dir(filepath.ToSlash(file.Path)), id), func(p string, d fs.DirEntry,
			err error) error {
			if err == nil && plain(d) && path.Ext(session.Unpacked(p)) == ".jsonl" {
				found = append(found, begun{File{Path: p, Found: true}, f.firstTime(p)})
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

// geminiSession returns the id of Gemini CLI's session whose file this is; the folder of its subagents has
// that name. It is "" for other files.
func (f *finder) geminiSession(file string) string {
	if !strings.HasPrefix(filepath.Base(file), "session-") {
		return ""
	}
	opened, err := f.files.Open(file)
	if err != nil {
		return ""
	}
	defer opened.Close()
	line, err := (&lines{r: opened, buf: make([]byte, 4<<10)}).next()
	if err != nil {
		return ""
	}
	if id := session.GeminiID(line); fs.ValidPath(id) && !strings.ContainsAny(id, `/\`) && id != "." {
		return id
	}
	return ""
}

func isAgent(file string) bool {
	return strings.HasPrefix(filepath.Base(file), "agent-") && filepath.Ext(file) == ".jsonl"
}

func agentID(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "agent-"), ".jsonl")
}

// sessionOf returns the path, with slashes, of the session file that a subagent's file belongs to; "" where
// the folders do not tell.
func sessionOf(file string) string {
	for dir := path.Dir(filepath.ToSlash(file)); ; dir = path.Dir(dir) {
		switch {
		case path.Base(dir) == "subagents":
			return path.Dir(dir) + ".jsonl"
		case path.Dir(dir) == dir:
			return ""
		}
	}
}

// agentType returns the type of a subagent, which the .meta.json file beside its own has; "" where that does
// not say.
func (f *finder) agentType(file string) string {
	b, err := fs.ReadFile(f.files, strings.TrimSuffix(file, ".jsonl")+".meta.json")
	if err != nil {
		return ""
	}
	var meta struct {
		AgentType string `json:"agentType"`
	}
	if json.Unmarshal(b, &meta) != nil {
		return ""
	}
	return meta.AgentType
}

// firstTime returns the first time stamp in a file; the zero time where the first lines have none.
func (f *finder) firstTime(file string) time.Time {
	opened, err := f.files.Open(file)
	if err != nil {
		return time.Time{}
	}
	defer opened.Close()
	ls := lines{r: opened, buf: make([]byte, 16<<10)}
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

// Newest returns the session file below a home directory, of any of the agents, that was written to last; of
// two written at the same time, the one whose name comes last. Files of subagents do not count. It returns ""
// where there is none.
func Newest(home string) string {
	type written struct {
		path string
		at   time.Time
	}
	var all []written
	for _, a := range agent.All() {
		if a.Session == nil {
			continue
		}
		// the patterns are well formed
		paths, _ := filepath.Glob(filepath.Join(home, filepath.FromSlash(a.Session.Files)))
		for _, p := range paths {
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !isAgent(p) {
				all = append(all, written{p, info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b written) int {
		return cmp.Or(b.at.Compare(a.at),
			strings.Compare(b.path, a.path))
	})
	for _, s := range all {
		if !spawned(s.path) {
			return s.path
		}
	}
	return ""
}

// spawned reports whether a rollout is of a subagent's thread, as the beginning of its first record says. A
// rollout that cannot be opened counts as one.
func spawned(file string) bool {
	if !strings.HasPrefix(filepath.Base(file), "rollout-") {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return true
	}
	defer f.Close()
	b := make([]byte, 2<<10)
	n, _ := io.ReadFull(f, b)
	return bytes.Contains(b[:n], []byte(`"source":{"subagent":`))
}
