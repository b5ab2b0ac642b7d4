package replay

import (
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/agent/session"
)

// forks finds the turns that sessions have copied from others, so that each model call of a replay counts
// once: in the file of the session that made it, or, where that is not replayed, in the first file that
// holds it.
type forks struct {
	files   map[string]transcript.File // by session; nil: each file counts for itself
	answers map[string][]uint64        // of sessions, by digest
	parent  map[string]string          // of forks
	copied  int                        // turns so far
}

// newForks returns the forks among files. Where one run alone is shown, all of its turns are.
func newForks(files []transcript.File, run string) *forks {
	f := &forks{answers: map[string][]uint64{}, parent: map[string]string{}}
	if len(files) < 2 || run != "" {
		return f
	}
	f.files = map[string]transcript.File{}
	for _, file := range files {
		if file.Size() > 0 { // a pipe cannot be read twice
			f.files[session.Named(file.Path)] = file
		}
	}
	return f
}

// watch has a reader of a file tell what was copied.
func (f *forks) watch(in *transcript.Reader, file transcript.File) {
	if f.files == nil {
		return
	}
	id, stands := session.Named(file.Path), ""
	in.Forks(func(from string, stand bool) []uint64 {
		for p := from; p != ""; p = f.parent[p] {
			if p == id { // each says that it is the other's fork
				return nil
			}
		}
		if _, known := f.answers[from]; !known {
			switch here := f.read(from); {
			case !here && !stand:
				return nil
			case !here: // of all forks of a session that is not here, the first stands for it
				f.answers[from], stands = nil, from
			}
		}
		f.parent[id] = from
		return f.answers[from]
	}, func(digest uint64) {
		if stands != "" {
			f.answers[stands] = append(f.answers[stands], digest)
		}
	})
}

// read reads the answers of a session; false where its file is not replayed. Errors are told by the replay of
// that file.
func (f *forks) read(id string) bool {
	file, ok := f.files[id]
	if !ok {
		return false
	}
	opened, err := file.Open()
	if err != nil {
		return false
	}
	defer opened.Close()
	f.answers[id] = nil
	plain := unpack(opened)
	defer plain.close()
	in := transcript.NewReader(plain, file.Path, file.Thread)
	in.Forks(nil, func(digest uint64) { f.answers[id] = append(f.answers[id], digest) })
	for err == nil {
		_, err = in.Next()
	}
	return true
}

// copied takes in a turn that was copied: it counts for the history that the run goes on from, and for no
// rule.
func (r *replayer) copied(of *openRun, t *session.Turn) {
	r.forks.copied++
	of.copied = true
	of.users += len(t.Prompts)
	r.window(t, of)
	if t.N > 1 {
		of.bill.Add(of.asked, t)
	}
	of.asked = t.Model
}
