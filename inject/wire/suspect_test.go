package wire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/forgery"
)

// signs are pieces of tags, forged and not, as they stand in the inside of a JSON string.
var signs = []string{
	"<", "<", "＜", "﹤", "≮", `\u003c`, `\u003C`, `\uff1c`, `\uFE64`, `\u226e`, `<\u0338`, "</", "< ", `<\n`, `<\\`, "<<", "<s", "< s", "<sy", "<b>", "</b>", "<!--", "-->",
	"&lt;", `\u0026lt;`, `&\u006ct;`, `&l\u0074;`, "&#60;", "&", "s", "y", "S", "Y", "sys", "tem", "system", "system", "-", "_", "-", "reminder", "reminder", "system-reminder", "der",
	"ſ", "ｓ", "ﬆ", `\u0073`, `\u017f`, "\u200b", `\u200b`, "\u00ad", "\x7f", "\xff", "\xef", "\x89", "\xe2", "é", "中", "，", "→", " ", "  ", "/", `\/`, `\n`, `\t`, `\"`, `\u00e9`, `\u4e2d`,
	`\ud83d\ude00`, ">", ">", "x", "b", "0", "a < b, ", strings.Repeat("a", 61), strings.Repeat("x ", 40),
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

// TestSearch holds the search against decoding each string and looking at all of it (I9): no tag is missed, in whatever stretches
// the search goes, and where none is found none opens.
func TestSearch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	tags, clean := 0, 0
	for range 60_000 {
		var raws []string
		for range 1 + r.IntN(3) {
			raws = append(raws, anySigns(r))
		}
		body := []byte(`{"k":["` + strings.Join(raws, `","`) + `"]}`)
		forged := false
		for _, raw := range raws {
			if has := len(forgery.Tags(decode([]byte(raw), span{0, len(raw)}).s)) > 0; has {
				forged = true
				if !mayForge([]byte(raw), false) {
					t.Fatalf("mayForge passes %q", raw)
				}
			}
		}
		for _, step := range []int{len(body), 1 + r.IntN(len(body)), 1 + r.IntN(8)} {
			x := search{scanner: scanner{b: body}, back: backScanner{b: body}}
			found := false
			for to := 0; to < len(body) && !found; {
				to = min(to+step, len(body))
				found = !x.clean(to)
			}
			if found != forged || x.lost {
				t.Fatalf("%q: found %v, forged %v, lost %v, in steps of %d", body, found, forged, x.lost, step)
			}
		}
		if forged {
			tags++
		} else {
			clean++
		}
	}
	if tags < 5000 || clean < 5000 {
		t.Errorf("%d with a tag, %d without", tags, clean)
	}
}

// hostile are pieces that open and come to nothing, for texts of nothing else.
func hostile() []string {
	return []string{"&lt;", "&lt;x", "&#60;", "&", `\u0026lt;x`, `\u003c`, `\u003cx`, "<", "<x", "<sy", "<syx", "<s ", "< ", `<\n`, "é<é", "<!--x", "＜", "＜x", "﹤x", "≮x", "<sys&lt;x>"}
}

// TestLooks: where very much of a text opens and comes to nothing, not all of it is looked at by itself: mayTag gives up and says yes.
// Else a hostile text takes many times as long as it takes to decode it.
func TestLooks(t *testing.T) {
	t.Parallel()
	for _, piece := range hostile() {
		raw := []byte(strings.Repeat(piece, 1<<16/len(piece)))
		first := opening(raw, 0, len(raw), false)
		if first >= 0 && !mayTag(raw, first) {
			t.Errorf("%s: looked at to its end", piece)
		}
		if strings.HasPrefix(piece, "&lt;") && !mayTag(append([]byte("<s x"), raw...), 0) {
			t.Errorf("%s behind a <: looked at to its end", piece)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, piece := range hostile() {
		for _, head := range []string{"", "<s "} {
			body := []byte(`{"k":"` + head + strings.Repeat(piece, 1<<20/len(piece)) + `"}`)
			b.Run(fmt.Sprint(head, piece), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					x := search{scanner: scanner{b: body}, back: backScanner{b: body}}
					if !x.clean(len(body)) {
						b.Fatal()
					}
				}
			})
		}
	}
}
