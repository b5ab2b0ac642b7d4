package install_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/aside-go/aside/cmd/aside/internal/install"
)

// FuzzJSON: whatever bytes a configuration is, it is refused with a place, or what comes out can be read,
// holds what was there, does not change a second time, and loses ours again and nothing else.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonConfigs {
		if len(text) < 300 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		installed, taken, err := install.Splice(b)
		if refused(t, b, err) {
			return
		}
		again, _, err := install.Splice(installed)
		if err != nil || !bytes.Equal(installed, again) {
			t.Fatalf("a second time: %v\n%s", err, again)
		}
		if bytes.Contains(b, []byte("aside")) { // perhaps ours already
			return
		}
		if !subsequence(string(b), string(installed)) {
			t.Fatalf("bytes are gone:\n%s", installed)
		}
		if bytes.Contains(taken, []byte("/opt/aside")) {
			t.Fatalf("something is left:\n%s", taken)
		}
		before, after := value(b), value(taken)
		if d := cmp.Diff(before, after); d != "" && before != nil {
			t.Fatalf("%s\n%s", taken, d)
		}
	})
}

func FuzzTOML(f *testing.F) {
	for _, text := range tomlConfigs {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		installed, taken, err := install.SpliceTOML(b)
		if refused(t, b, err) {
			return
		}
		again, _, err := install.SpliceTOML(installed)
		if err != nil || !bytes.Equal(installed, again) {
			t.Fatalf("a second time: %v\n%s", err, again)
		}
		if bytes.Contains(b, []byte("aside")) {
			return
		}
		if !subsequence(string(b), string(installed)) || bytes.Contains(taken, []byte("aside")) {
			t.Fatalf("installed:\n%s\nleft:\n%s", installed, taken)
		}
		var before, after any
		if err := errors.Join(toml.Unmarshal(bytes.TrimPrefix(b, []byte("\ufeff")), &before),
			toml.Unmarshal(bytes.TrimPrefix(taken, []byte("\ufeff")), &after)); err != nil {
			t.Fatalf("%v:\n%s", err, taken)
		}
		if d := cmp.Diff(before, after, cmp.Comparer(func(a, b float64) bool {
			return a == b || a != a &&
				b != b
		})); d != "" {
			t.Fatal(d)
		}
	})
}

// refused reports whether err is a refusal, which names a place that there is.
func refused(t *testing.T, b []byte, err error) bool {
	t.Helper()
	if err == nil {
		return false
	}
	var s *install.SyntaxError
	if !errors.As(err, &s) || s.Line < 1 || s.Line > 1+bytes.Count(b, []byte("\n")) || s.Column < 1 ||
		s.Hint == "" {
		t.Fatalf("got %v", err)
	}
	return true
}

// value reads JSON with comments; nil for what is blank or nested too deep to be compared.
func value(b []byte) any {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if strings.TrimSpace(string(b)) == "" {
		return nil
	}
	v, err := hujson.Parse(append(bytes.Clone(b), '\n'))
	if err != nil {
		return nil
	}
	v.Standardize()
	return decoded(v.Pack())
}
