package transcript_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestSamples reads session files as the agents wrote them, with the words in them made up, and compares with
// what stands beside them, which was read by a person.
func TestSamples(t *testing.T) {
	t.Parallel()
	var files []string
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); strings.HasPrefix(ext, ".json") && !strings.HasSuffix(path, ".meta.json") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 14 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			turns, r := all(t, find(t, path)[0])
			got := fmt.Sprintf("%s\n", r.Format()) + show(turns, r) + bills(append(turns, r.Pending()))
			testkit.Golden(t, path+".txt", got)
		})
	}
}

// bills writes what the turns say of windows, models, times and bills, where they say something.
func bills(turns []*session.Turn) string {
	var b strings.Builder
	for _, t := range turns {
		fmt.Fprintf(&b, "%d %s %s", t.N, t.Model, t.At.UTC().Format("15:04:05.000"))
		for _, c := range []struct {
			name  string
			count session.Count
		}{{"window", t.Window}, {"fresh", t.Usage.Fresh}, {"read", t.Usage.Read}, {"written",
			t.Usage.Written}, {"hour", t.Usage.WrittenHour}, {"output", t.Usage.Output}} {
			if c.count.Known {
				fmt.Fprintf(&b, " %s=%d", c.name, c.count.N)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
