package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// counter counts what is read of a file.
type counter struct {
	io.ReaderAt
	bytes int64
	most  int // at a time
}

func (c *counter) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	c.bytes += int64(n)
	c.most = max(c.most, n)
	return n, err
}

// read returns a file's lines in the order of the file, and where each begins.
func readAll(t *tail) (lines []string, at []int64) {
	for a, line := range t.lines(context.Background()) {
		lines, at = append(lines, string(line)), append(at, a)
	}
	slices.Reverse(lines)
	slices.Reverse(at)
	return lines, at
}

// TestLines: lines come from the end as they come from the beginning, wherever the steps of reading fall.
func TestLines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, 100, firstStep - 1, firstStep, firstStep + 1, 4*firstStep - 1, 4 * firstStep,
		4*firstStep + 1, 3 * maxStep}
	for i := range 30 {
		var file bytes.Buffer
		for most := sizes[r.IntN(len(sizes))]; file.Len() < most; {
			n := r.IntN(200)
			if r.IntN(50) == 0 {
				n = sizes[r.IntN(len(sizes))]
			}
			file.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), n))
			if r.IntN(8) > 0 {
				file.WriteByte('\n')
			}
			if i%2 == 0 && file.Len() > 1<<20 {
				break
			}
		}
		var want []string
		var places []int64
		place := int64(0)
		for line := range strings.Lines(file.String()) {
			want, places = append(want, strings.TrimSuffix(line, "\n")), append(places, place)
			place += int64(len(line))
		}
		if len(want) > 0 && want[0] == "" { // an empty line in front of all others is not handed out
			want, places = want[1:], places[1:]
		}
		tl := tail{f: bytes.NewReader(file.Bytes()), size: int64(file.Len()), longest: maxLine}
		got, at := readAll(&tl)
		if !slices.Equal(got, want) || !slices.Equal(at, places) || !tl.whole || tl.err != nil {
			t.Fatalf("file of %d bytes: %d lines of %d; %v", file.Len(), len(got), len(want), tl.err)
		}
	}
}

func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	const longest, most = maxStep, 16 << 20
	long := strings.Repeat("x", longest+1)
	middle := strings.Repeat("y", longest)
	for _, c := range []struct {
		name, file string
		want       []string
		whole      bool
	}{
		{"a line as long as may be", "a\n" + middle + "\nb\n", []string{"a", middle, "b"}, true},
		{"a line that is too long", "a\n" + long + "\nb\n", []string{"a", "b"}, true},
		{"the last line", "a\n" + long, []string{"a"}, true},
		{"the first line", long + "\nb\n", []string{"b"}, false},
		{"two of them", "a\n" + long + "\n" + long + "\nb\n", []string{"a", "b"}, true},
		{"more than is read", "a\n" + strings.Repeat(long+"\n", 4) + "b\n", []string{"b"}, false},
		{"nothing but that", strings.Repeat("x", most+1), nil, false},
	} {
		f := &counter{ReaderAt: strings.NewReader(c.file)}
		tl := tail{f: f, size: int64(len(c.file)), from: max(int64(len(c.file))-most, 0), longest: longest}
		got, _ := readAll(&tl)
		if !slices.Equal(got, c.want) || tl.whole != c.whole || tl.err != nil {
			t.Errorf("%s: %d lines, whole %v, %v", c.name, len(got), tl.whole, tl.err)
		}
		if f.bytes > most || f.most > maxStep {
			t.Errorf("%s: %d bytes were read, %d at a time", c.name, f.bytes, f.most)
		}
	}
}

// TestLinesStop: no more is read than the lines that are taken need.
func TestLinesStop(t *testing.T) {
	t.Parallel()
	file := strings.Repeat(strings.Repeat("x", 1023)+"\n", 10_000)
	for _, c := range []struct{ lines, most int }{{1, firstStep}, {15, firstStep}, {17, 4 * firstStep},
		{70, 16 * firstStep}, {300, 64 * firstStep}} {
		f := &counter{ReaderAt: strings.NewReader(file)}
		tl := tail{f: f, size: int64(len(file)), longest: maxLine}
		n := 0
		for range tl.lines(t.Context()) {
			if n++; n == c.lines {
				break
			}
		}
		if f.bytes > int64(c.most) {
			t.Errorf("%d lines: %d bytes were read", c.lines, f.bytes)
		}
	}
}

type broken struct{ err error }

func (b broken) ReadAt([]byte, int64) (int, error) { return 0, b.err }

func TestLinesOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	for _, c := range []struct{ err, want error }{{wrong, wrong}, {io.EOF, nil}} {
		tl := tail{f: broken{c.err}, size: 10, longest: maxLine}
		if lines, _ := readAll(&tl); len(lines) > 0 || tl.whole || tl.err != c.want {
			t.Error(lines, tl.whole, tl.err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tl := tail{f: broken{wrong}, size: 10, longest: maxLine}
	for range tl.lines(ctx) {
		t.Error("a line, after the time was over")
	}
	if tl.err != nil || tl.whole {
		t.Error(tl.err)
	}
}
