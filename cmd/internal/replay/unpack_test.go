package replay_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/aside-go/aside/cmd/internal/replay"
)

func gzipped(t *testing.T, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func zstandard(t *testing.T, text string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(text), nil)
}

// TestPacked: a packed file is read as what it holds, and where it breaks off or is damaged, what came before
// counts.
func TestPacked(t *testing.T) {
	t.Parallel()
	tools := []string{"Read", "Edit", "Bash", "Read", "Edit", "Bash", "Read", "Edit", "Bash", "Read"}
	text := aSession("s", tools...)
	noise := func() string { // that does not pack well
		var b strings.Builder
		x := uint32(1)
		for range 300_000 {
			x = x*1664525 + 1013904223
			b.WriteByte("0123456789abcdefghijklmnopqrstuv"[x>>27])
		}
		return `{"type":"user","isSidechain":false,"sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","content":"` + b.String() + `"}]}}` + "\n"
	}()
	long := text + noise + aTurn("s", 11, "Read")
	damaged := gzipped(t, long)
	damaged[len(damaged)/2] ^= 0xff
	for name, c := range map[string]struct {
		data  []byte
		turns int
		told  string
	}{
		"plain":                    {[]byte(text), 10, ""},
		"gzip":                     {gzipped(t, text), 10, ""},
		"gzip, several after each": {gzipped(t, text[:700], text[700:]), 10, ""},
		"zstd":                     {zstandard(t, text), 10, ""},
		"gzip, cut off": {gzipped(t, long)[:120_000], 10,
			"s.jsonl: note: the packed file is cut off; what could be unpacked was replayed\n"},
		"zstd, cut off": {zstandard(t, long)[:170_000], 10,
			"s.jsonl: note: the packed file is cut off; what could be unpacked was replayed\n"},
		"gzip, damaged":   {damaged, 10, "s.jsonl: note: the packed file is damaged ("},
		"gzip of nothing": {gzipped(t, ""), 0, "s.jsonl: empty, 0 turns\n"},
		"a sign and nothing else": {[]byte{0x1f, 0x8b}, 0,
			"s.jsonl: note: the packed file is cut off; what could be unpacked was replayed\n"},
		"one byte":     {[]byte{0x1f}, 0, "s.jsonl: error[R0801]"},
		"packed twice": {gzipped(t, string(gzipped(t, text))), 0, "s.jsonl: error[R0801]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := run(t, replay.Options{Files: fstest.MapFS{"s.jsonl": {Data: c.data}},
				Paths: []string{"s.jsonl"}, JSON: true})
			if code := replay.ExitCode(err); (code == 0) == strings.Contains(c.told, "error[") {
				t.Errorf("exit code %d, %v", code, err)
			}
			turns, _ := decode(t, out)
			if len(turns) != c.turns && len(turns) != c.turns+1 || !strings.Contains(errs, c.told) ||
				(c.told == "") != (errs == "") {
				t.Errorf("%d turns, want %d; told %q", len(turns), c.turns, errs)
			}
		})
	}
}
