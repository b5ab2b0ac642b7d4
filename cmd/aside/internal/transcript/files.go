package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is one file of a recording.
type File struct {
	Path   string
	Thread string // type of the subagent whose file it is, where the file beside it says so
	Found  bool   // it was found in a directory or beside its session, not named
}

// Find returns the files that paths stand for, each once: a file is itself and the files of its subagents, a directory all
// .jsonl and .json files in and below it. The order is that of paths, in a directory that of the names; subagents follow
// their session in the order in which they began. A path that does not exist is an error, and so is a directory without such a file.
func Find(paths ...string) ([]File, error) {
	var out []File
	var errs []error
	seen := map[string]bool{}
	add := func(f File) {
		key := f.Path
		if abs, err := filepath.Abs(f.Path); err == nil {
			key = abs
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !info.IsDir():
			for _, f := range session(File{Path: p}) {
				add(f)
			}
		default:
			n := len(out)
			files, err := walk(p)
			errs = append(errs, err)
			for _, f := range files {
				add(f)
			}
			if len(out) == n && err == nil {
				errs = append(errs, &EmptyDirError{p})
			}
		}
	}
	return out, errors.Join(errs...)
}

// EmptyDirError says that a directory holds nothing that could be a transcript.
type EmptyDirError struct{ Path string }

// Error implements error.
func (e *EmptyDirError) Error() string {
	return fmt.Sprintf("there is no .jsonl or .json file in %s", e.Path)
}

// walk returns the files of a directory, each session's subagents behind it.
func walk(dir string) ([]File, error) {
	var out []File
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || strings.HasSuffix(p, ".meta.json") || !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0:
			return nil
		case filepath.Ext(p) == ".jsonl":
			f := File{Path: p, Found: true}
			if isAgent(p) {
				f.Thread = agentType(p)
			}
			out = append(out, f)
		case filepath.Ext(p) == ".json":
			out = append(out, File{Path: p, Found: true})
		}
		return nil
	})
	// A session's file comes before its directory, whatever stands between them by name.
	listed := out
	out = nil
	taken := map[string]bool{}
	for _, f := range listed {
		if isAgent(f.Path) && slices.ContainsFunc(listed, func(o File) bool { return o.Path == sessionOf(f.Path) }) {
			continue
		}
		if !taken[f.Path] {
			taken[f.Path] = true
			out = append(out, session(f)...)
		}
	}
	return out, err
}

// session returns a file and, if it is a session's, those of the subagents.
func session(f File) []File {
	if isAgent(f.Path) {
		f.Thread = agentType(f.Path)
		return []File{f}
	}
	return append([]File{f}, agents(f.Path)...)
}

// agents returns the files of a session's subagents in the order in which they began. Those of workflows stand a
// directory deeper.
func agents(path string) []File {
	root := filepath.Join(strings.TrimSuffix(path, filepath.Ext(path)), "subagents")
	type begun struct {
		File
		at time.Time
	}
	var found []begun
	// A directory that is not there, or cannot be read, has no files; the session itself is still worth reading.
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if !d.IsDir() && isAgent(p) && !internalAgent(agentID(p)) {
			found = append(found, begun{File{Path: p, Thread: agentType(p), Found: true}, firstTime(p)})
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b begun) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.Path, b.Path)) })
	out := make([]File, len(found))
	for i, f := range found {
		out[i] = f.File
	}
	return out
}

func isAgent(path string) bool {
	return strings.HasPrefix(filepath.Base(path), "agent-") && filepath.Ext(path) == ".jsonl"
}

func agentID(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".jsonl")
}

// sessionOf returns the session file that a subagent's file belongs to.
func sessionOf(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "subagents" {
			return filepath.Dir(dir) + ".jsonl"
		}
		if parent := filepath.Dir(dir); parent == dir {
			return ""
		}
	}
}

// agentType reads the type of a subagent from the file beside its own; "" if that does not say.
func agentType(path string) string {
	b, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
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

// firstTime returns the first time stamp in a file; the zero time if its first lines have none.
func firstTime(path string) time.Time {
	f, err := os.Open(path)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	ls := lines{r: f, buf: make([]byte, 16<<10)}
	for range 20 {
		line, err := ls.next()
		if err != nil {
			break
		}
		if rec, ok := readRecord(line); ok {
			if at, ok := readTime(rec.timestamp); ok {
				return at
			}
		}
	}
	return time.Time{}
}

// Newest returns the newest session file of an agent that is installed under a home directory, "" if there is none.
// Newest is the one written to last; of two equally new ones the one whose name comes last.
func Newest(home string) string {
	paths, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		return ""
	}
	var best string
	var at time.Time
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || isAgent(p) {
			continue
		}
		if t := info.ModTime(); best == "" || t.After(at) || t.Equal(at) && p > best {
			best, at = p, t
		}
	}
	return best
}
