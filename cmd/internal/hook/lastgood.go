package hook

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
)

// goodRules are the rule files of the user's own as each last was without a mistake. One that has a mistake
// now, since an editor is just saving it, counts as it was, as in aside serve. They lie in a file of the
// state directory, with a digest of them on its first line, so that a hook that finds no change reads that
// line alone. Files of projects are never among them.
type goodRules struct{ path string }

// Good returns a load.Options.Good for sources: what hooks with this state directory go on with.
func Good(state string, sources []load.Source) func() map[string][]byte {
	return goodOf(state, sources).read
}

func goodOf(state string, sources []load.Source) goodRules {
	var own []string
	for _, s := range sources {
		if s.Project == "" {
			own = append(own, s.Path)
		}
	}
	return goodRules{filepath.Join(state, "rules", digest(own...))}
}

// read returns the files by their paths; nil where there are none, or not all are there.
func (g goodRules) read() map[string][]byte {
	b, err := os.ReadFile(g.path)
	if err != nil {
		return nil
	}
	sum, b, _ := bytes.Cut(b, []byte("\n"))
	var files map[string][]byte
	if json.Unmarshal(b, &files) != nil || sumOf(files) != string(sum) {
		return nil
	}
	return files
}

// write replaces the files, unless they are the same.
func (g goodRules) write(files map[string][]byte) error {
	sum := sumOf(files)
	if f, err := os.Open(g.path); err == nil {
		was := make([]byte, len(sum)+1)
		n, _ := f.Read(was)
		f.Close()
		if string(was[:n]) == sum+"\n" {
			return nil
		}
	} else if len(files) == 0 {
		return nil
	}
	b, err := json.Marshal(files)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(g.path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(g.path, slices.Concat([]byte(sum+"\n"), b), 0o600)
}

// sumOf returns a digest of files.
func sumOf(files map[string][]byte) string {
	parts := make([]string, 0, 2*len(files))
	for _, path := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, path, string(files[path]))
	}
	return digest(parts...)
}
