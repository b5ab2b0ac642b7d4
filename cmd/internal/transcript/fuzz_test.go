package transcript_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/agent/session"
)

// read is what a reader makes of a file.
type read struct {
	turns []*session.Turn
	ended []*session.Turn
	shown string
	err   error
}

func readAll(src io.Reader) (out read) {
	r := transcript.NewReader(src, "f.jsonl", "")
	for {
		turn, err := r.Next()
		out.ended = append(out.ended, r.Ended()...)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				out.err = err
			}
			out.shown = show(out.turns, r)
			return out
		}
		out.turns = append(out.turns, turn)
	}
}

// FuzzReader: whatever the bytes, no panic; how they come makes no difference; turns of a run count from 1;
// each run ends once, behind its turns; and what comes later changes nothing of what came before but the very
// last turn.
func FuzzReader(f *testing.F) {
	for _, c := range slices.Concat(readings, codexReadings, geminiReadings, piReadings, logReadings) {
		f.Add([]byte(c.in), uint16(len(c.in)/2))
	}
	files, _ := filepath.Glob(filepath.Join("testdata", "*.json*"))
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(len(b)/3))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) {
		whole := readAll(bytes.NewReader(b))
		last := map[*session.Run]int{}
		for _, turn := range whole.turns {
			if turn.N != last[turn.Run]+1 {
				t.Fatalf("turn %d of %s comes after turn %d", turn.N, turn.Run.ID, last[turn.Run])
			}
			last[turn.Run] = turn.N
			if turn.Run.Timed == turn.At.IsZero() {
				t.Fatalf("turn %d: a run with times %v, at %v", turn.N, turn.Run.Timed, turn.At)
			}
			for _, c := range []session.Count{turn.ContextTokens, turn.ResponseTokens, turn.MessageCount, turn.Window,
				turn.Usage.Fresh, turn.Usage.Read, turn.Usage.Written, turn.Usage.WrittenHour, turn.Usage.Output} {
				if c.N < 0 || !c.Known && c.N != 0 {
					t.Fatalf("turn %d: %+v", turn.N, turn)
				}
			}
		}
		for _, rest := range whole.ended {
			if n, ok := last[rest.Run]; ok && rest.N != n+1 {
				t.Fatalf("%s ends before turn %d, the last one was %d", rest.Run.ID, rest.N, n)
			}
			delete(last, rest.Run)
		}
		if len(last) > 0 {
			t.Fatalf("%d runs do not end", len(last))
		}
		for name, src := range map[string]io.Reader{"halves": iotest.HalfReader(bytes.NewReader(b)),
			"data with the end": iotest.DataErrReader(bytes.NewReader(b))} {
			if again := readAll(src); again.shown != whole.shown || (again.err == nil) != (whole.err == nil) {
				t.Fatalf("read in %s: %v, %v\n%s", name, again.err, whole.err, cmp.Diff(whole.shown, again.shown))
			}
		}
		lines := strings.SplitAfter(string(b), "\n")
		part := readAll(strings.NewReader(strings.Join(lines[:int(cut)%len(lines)], "")))
		if part.err != nil {
			return
		}
		for i := range len(part.turns) - 1 {
			if i >= len(whole.turns) {
				t.Fatalf("%d turns of a part, %d of the whole", len(part.turns), len(whole.turns))
			}
			a, b := *part.turns[i], *whole.turns[i]
			a.Run, b.Run = nil, nil
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatalf("turn %d of a part is another one in the whole:\n%s", i+1, diff)
			}
		}
	})
}
