package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// bare is the least that a save can be: a file is written, synced and put in place, with nothing compared or
// locked.
func bare(dir string, content []byte, sync bool) error {
	f, err := os.CreateTemp(dir, "tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if sync {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close(), os.Rename(f.Name(), filepath.Join(dir, "run"))); err == nil && sync {
		err = syncDir(dir)
	}
	return err
}

// BenchmarkCommit saves a run again and again, beside the bare writing of the same bytes. In memory the part
// of the system is small, so the part of the store shows; on the disk it is the wait of a hook.
func BenchmarkCommit(b *testing.B) {
	snap := races.Usual()
	for name, durability := range map[string]Durability{"power": Power, "process": Process} {
		for where, dir := range map[string]func(testing.TB) string{
			"disk": func(t testing.TB) string { return t.TempDir() }, "memory": quickDir} {
			b.Run(name+"/"+where, func(b *testing.B) {
				s, err := Open(filepath.Join(dir(b), "s"), Options{Durability: durability})
				if err != nil {
					b.Fatal(err)
				}
				var rev state.Revision
				b.ReportAllocs()
				for b.Loop() {
					if rev, err = s.Save(b.Context(), "run", rev, snap); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+where+"/bare", func(b *testing.B) {
				dir, content := dir(b), snap.Encode()
				for b.Loop() {
					if err := bare(dir, content, durability == Power); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkBatch is the work of the hooks of one batch of tool calls: eight processes at once take a turn of
// one run each.
func BenchmarkBatch(b *testing.B) {
	for _, how := range []string{"power", "process"} {
		for where, dir := range map[string]func(testing.TB) string{
			"disk": func(t testing.TB) string { return t.TempDir() }, "memory": quickDir} {
			b.Run(how+"/"+where, func(b *testing.B) {
				dir := dir(b)
				var all []*testkit.Process
				for range 8 {
					all = append(all, start(b, "turns", dir, how))
				}
				key := 0
				for b.Loop() {
					for _, c := range all {
						key++
						fmt.Fprintln(c.In, key)
					}
					for _, c := range all {
						if _, err := c.Line(); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// BenchmarkLoad loads a run beside reading and decoding its file.
func BenchmarkLoad(b *testing.B) {
	s := open(b, filepath.Join(quickDir(b), "s"))
	if _, err := s.Save(b.Context(), "run", 0, races.Usual()); err != nil {
		b.Fatal(err)
	}
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := s.Load(b.Context(), "run"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		enc := races.Usual().Encode()
		for b.Loop() {
			if _, err := os.ReadFile(s.path(fileName("run") + runExt)); err != nil {
				b.Fatal(err)
			}
			if _, err := state.Decode(enc); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen opens a store that is there, as each hook does, beside as many runs as that.
func BenchmarkOpen(b *testing.B) {
	for _, runs := range []int{1, 1000} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			dir := filepath.Join(quickDir(b), "s")
			s := open(b, dir)
			for i := range runs {
				if _, err := s.Save(b.Context(), fmt.Sprint(i), 0, firing.Remind(nil, "x")); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Open(dir, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
