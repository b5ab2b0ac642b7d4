package body

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/mark"
)

// signs are pieces of tags, forged and not, as they stand in the inside of a JSON string.
var signs = []string{
	"<", "<", "＜", "﹤", "≮", `\u003c`, `\u003C`, `\uff1c`, `\uFE64`, `\u226e`, `<\u0338`, "</", "< ", `<\n`, `<\\`, "<<", "<s",
	"< s", "<sy", "<b>", "</b>", "<!--", "-->", "&lt;", `\u0026lt;`, `&\u006ct;`, `&l\u0074;`, "&#60;", "&", "s", "y", "S", "Y",
	"sys", "tem", "system", "system", "-", "_", "-", "reminder", "reminder", "system-reminder", "der", "ſ", "ｓ",
	"ﬆ", `\u0073`,
	`\u017f`, "\u200b", `\u200b`, "\u00ad", "\x7f", "\xff", "\xef", "\x89", "\xe2", "é", "中", "，", "→", " ", "  ", "/", `\/`, `\n`,
	`\t`, `\"`, `\u00e9`, `\u4e2d`, `\ud83d\ude00`, ">", ">", "x", "b", "0", "a < b, ", strings.Repeat("a",
		61), strings.Repeat("x ", 40),
}

// anySigns is a text of some of them.
func anySigns(r *rand.Rand) (text string) {
	some := func(n int) {
		for range r.IntN(n) {
			text += signs[r.IntN(len(signs))]
		}
	}
	some(8)
	if r.IntN(4) == 0 { // almost a tag, or one
		for _, part := range []string{signs[r.IntN(20)], "sys", "tem", "-", "reminder"} {
			text += part
			if r.IntN(4) == 0 {
				some(3)
			}
		}
	}
	some(8)
	return text
}

// TestMayForge holds mayForge against decoding each string and looking at all of it (I9): it misses no tag,
// and does not take everything for one. An escape may stand for any sign.
func TestMayForge(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	tags, clean := 0, 0
	for range 120_000 {
		raw := []byte(anySigns(r))
		said := decode(raw, Span{0, len(raw)}).s
		may := mayForge(raw)
		switch forged := len(mark.Tags(said)) > 0; {
		case forged && !may:
			t.Fatalf("mayForge passes %q", raw)
		case forged:
			tags++
		case !may:
			clean++
		}
	}
	if tags < 5000 || clean < 5000 {
		t.Errorf("%d with a tag, %d that are surely without", tags, clean)
	}
}

// TestMayClaim holds mayClaim against decoding each string: it misses no claim, in whatever escapes, and does
// not take everything for one.
func TestMayClaim(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	const claim = "a0Z"
	parts := []string{"a", "0", "Z", "00", `\u0061`, `\u0030`, `\u005a`, `\u005A`, `\u000a`, `\n`, `\\`,
		"u00", "é", "x"}
	held, clean := 0, 0
	for range 60_000 {
		raw := ""
		for range 1 + r.IntN(6) {
			raw += parts[r.IntN(len(parts))]
		}
		holds := strings.Contains(decode([]byte(raw), Span{0, len(raw)}).s, claim)
		switch may := mayClaim([]byte(raw), claim); {
		case holds && !may:
			t.Fatalf("mayClaim passes %q", raw)
		case holds:
			held++
		case !may:
			clean++
		}
	}
	if held < 100 || clean < 10_000 {
		t.Errorf("%d held, %d clean", held, clean)
	}
}
