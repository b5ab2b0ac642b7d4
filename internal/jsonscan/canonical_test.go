package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/internal/jsonscan"
	_ "github.com/aside-go/aside/internal/test/testkit" // the same draws each time under CI=true
)

// decoded is the canonical form by encoding/json alone.
func decoded(raw []byte, drop string) (string, bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	if m, ok := v.(map[string]any); ok && drop != "" {
		delete(m, drop)
	}
	b, err := json.Marshal(withoutNull(v))
	return string(b), err == nil
}

// compacted is the compact form by encoding/json alone.
func compacted(raw []byte) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if !json.Valid(raw) || d.Decode(&v) != nil {
		return ""
	}
	b, _ := jsonscan.Encode(v) // a decoded value has an encoding
	return string(b)
}

func withoutNull(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if v[k] = withoutNull(x); x == nil {
				delete(v, k)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNull(v[i])
		}
	}
	return v
}

// anyJSON draws a JSON text, spelt in many ways, now and then a broken one.
func anyJSON(t *rapid.T, depth int) string {
	blank := rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "blank")
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	text := func() string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "key", `\n`, `\/`, `\\`, `\"`, `\u003c`,
			`\u00e9`, `\ud83d\ude00`, `\ud83d`, `\b\f\r\t`, "<", ">", "&", "é", "😀", "\u2028", "\u2029", "\u2027",
			"\xff", "\xe2", "\xe2\x80", "\x7f", `\x`, "text", "cache_control"}), 0, 6).Draw(t, "parts")
		return `"` + strings.Join(parts, "") + `"`
	}
	var out string
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0, 1:
		out = text()
	case 2, 3:
		out = rapid.SampledFrom([]string{"0", "-0", "12", "-7", "1.50", "1e3", "1E+2", "1e-9", "123456789012345",
			"12345678901234567890", "1e21", "1e999", "01", "-", "0.1", "true", "false", "null", "nul"}).Draw(t, "word")
	case 4:
		out = "null"
	case 5:
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, anyJSON(t, depth-1))
		}
		out = "[" + strings.Join(items, ",") + "]"
	default:
		var members []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			members = append(members, text()+blank+":"+anyJSON(t, depth-1))
		}
		out = "{" + strings.Join(members, ","+blank) + "}"
	}
	return blank + out + blank
}

// TestCanonical: the canonical form, and the compact one, is that of encoding/json, which decodes all.
func TestCanonical(t *testing.T) {
	t.Parallel()
	written := 0
	rapid.Check(t, func(t *rapid.T) {
		raw := anyJSON(t, 3)
		drop := rapid.SampledFrom([]string{"", "key", "a", "cache_control"}).Draw(t, "drop")
		want, valid := decoded([]byte(raw), drop)
		got, ok := jsonscan.AppendCanonical([]byte("x"), []byte(raw), drop)
		// a number that is too large, in a member that does not count
		unread := !valid && ok && json.Valid([]byte(raw))
		if ok != valid && !unread || valid && string(got) != "x"+want {
			t.Fatalf("%q without %q: %q, %t, want %q, %t", raw, drop, got, ok, want, valid)
		}
		if ok {
			written++
		}
		if got, want := jsonscan.Compact([]byte(raw)), compacted([]byte(raw)); got != want {
			t.Fatalf("%q is compacted to %q, want %q", raw, got, want)
		}
	})
	if written == 0 {
		t.Error("nothing was JSON")
	}
}
