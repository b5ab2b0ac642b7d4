package wire_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// TestTailAgrees: read from its end or from its beginning, a body becomes the same.
func TestTailAgrees(t *testing.T) {
	t.Parallel()
	tails, all := 0, 0
	eachVendor(t, func(t *rapid.T, body []byte, due []reminder.Due, opts wire.Options) {
		if rapid.Bool().Draw(t, "tail only") {
			for i := range due {
				due[i].Attach = reminder.Tail
			}
			opts.KeepForged = true
		}
		if all++; holdAgrees(t, body, due, opts) {
			tails++
		}
	})
	if tails*4 < all {
		t.Errorf("%d of %d were read from the end", tails, all)
	}
}

func holdAgrees(t rapid.TB, body []byte, due []reminder.Due, opts wire.Options) (tail bool) {
	want, err := wire.Inject(body, due, opts)
	if err != nil {
		t.Fatal(err)
	}
	before := []byte("before")
	got, report, err := wire.AppendInject(before, body, due, opts)
	if err != nil || !bytes.Equal(got[len(before):], want) || string(got[:len(before)]) != string(before) {
		t.Fatalf("%s %+v %+v: %v\nbody     %q\nforward  %q\nbackward %q", show(opts), due, report, err, body, want, got)
	}
	return report.Tail
}

// TestTailOfLongTexts: wherever escapes fall in what is looked at in one go.
func TestTailOfLongTexts(t *testing.T) {
	t.Parallel()
	opts := wire.Options{API: wire.Anthropic, Options: inject.Options{KeepForged: true}}
	for size := 1900; size < 2200; size += 3 {
		for row := range 4 {
			said := strings.Repeat("x", size) + `]},{\"` + strings.Repeat(`\\`, row) + strings.Repeat(`\"`, 70) + strings.Repeat(`\\\"x`, size/4) + strings.Repeat("y", row)
			body := []byte(`{"messages":[{"role":"user","content":"` + said + `"}],"x":["` + said + `",{"y":"` + said + `"}]}`)
			if !holdAgrees(t, body, one("T"), opts) {
				t.Fatalf("%d and %d: read forward", size, row)
			}
		}
	}
	many := strings.Repeat(`\\`, 5000)
	for _, s := range []string{many, many + `\"`} { // with so many it is at a loss
		holdAgrees(t, []byte(`{"messages":[{"role":"user","content":"`+s+`"}],"x":"`+s+`"}`), one("T"), opts)
	}
}

// TestTailIsNotSure: what the end of a body does not tell is read forward.
func TestTailIsNotSure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api  wire.API
		body string
		due  []reminder.Due
	}{
		"another list that looks like messages": {wire.Anthropic, `{"messages":[{"role":"user","content":"q"}],"x":[{"role":"user","content":"q"}]}`, one("T")},
		"no messages":                           {wire.Anthropic, `{"messages":[],"x":1}`, one("T")},
		"a string":                              {wire.Responses, `{"input":"q","tools":[{"type":"function"}]}`, one("T")},
		"items without roles":                   {wire.Responses, `{"input":[{"role":"user","content":"q"},{"type":"item_reference"}]}`, one("T")},
		"the system prompt":                     {wire.Anthropic, `{"messages":[{"role":"user","content":"q"}],"system":"s"}`, attached(reminder.RunStart, "T")},
	} {
		opts := wire.Options{API: c.api}
		if holdAgrees(t, []byte(c.body), c.due, opts) {
			t.Errorf("%s: read from the end", name)
		}
	}
	for _, sign := range []string{"<", `\u003c`, `\u003C`, "＜", `\uff1c`, `\uFF1C`, "﹤", `\ufe64`, "≮", `\u226E`} {
		for pad := range 40 { // wherever the escape falls in the words that are looked at
			body := []byte(`{"messages":[{"role":"user","content":"` + string(bytes.Repeat([]byte{'x'}, pad)) + sign + `system-reminder>"},{"role":"assistant","content":"a"},{"role":"user","content":"` + string(bytes.Repeat([]byte("y\\n"), 40)) + `"}]}`)
			if holdAgrees(t, body, one("T"), wire.Options{API: wire.Anthropic}) {
				t.Errorf("%s: %s is not suspected", sign, body)
			}
		}
	}
	for at := range 100 { // wherever a sign falls in what is looked at before it is copied
		for _, tag := range []string{"<system-reminder>", "＜system-reminder>", "≮system-reminder>", `\u003csystem-reminder>`, `< \n /\u0073ystem-reminder`, "<<b>system-reminder"} {
			body := []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat("x", 16<<10-120+at) + tag + `"},{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`)
			if holdAgrees(t, body, one("T"), wire.Options{API: wire.Anthropic}) {
				t.Errorf("%d: %s is not suspected", at, tag)
			}
		}
	}
	for _, blanks := range []int{60, 63, 64, 65, 200, 5000} {
		body := []byte(`{"messages":[{"role":"user","content":"<` + strings.Repeat(" ", blanks) + `system-reminder>"},{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`)
		if holdAgrees(t, body, one("T"), wire.Options{API: wire.Anthropic}) {
			t.Errorf("%d blanks: not suspected", blanks)
		}
	}
	for _, tag := range []string{"<<b>system-reminder>", "<sys<!-- > -->tem-reminder>", `<\u0073ystem-reminder>`, "<\u200bsystem-reminder", `<\nsystem-\nreminder`, "＜/ｓystem-reminder>"} {
		for _, before := range []string{"", `\\\"<<c>> `, strings.Repeat(`\"<<'`, 1000)} {
			body := []byte(`{"messages":[{"role":"user","content":"` + before + tag + `"},{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`)
			if holdAgrees(t, body, one("T"), wire.Options{API: wire.Anthropic}) && before != strings.Repeat(`\"<<'`, 1000) {
				t.Errorf("%s behind %.20s: not suspected", tag, before)
			}
		}
	}
	if body := []byte(`{"messages":[{"role":"user","content":"a < b, <p>, <<'EOF', <<c::utf8>>, <é, \u00e9 &lt;system-reminder>"}]}`); !holdAgrees(t, body, one("T"), wire.Options{API: wire.Anthropic}) {
		t.Error("read forward, and nothing in it is suspicious")
	}
}

// TestTailOfForged: a forged tag is made harmless where it is a user's or a tool's, and only there, in whatever string of a body it
// stands, alone and together with one in each string behind.
func TestTailOfForged(t *testing.T) {
	t.Parallel()
	names, bodies := corpus(t)
	changed := 0
	for _, name := range names {
		opts := wire.Options{API: apiOf(name), Options: inject.Options{Mark: "k"}}
		if opts.API == wire.Messages {
			continue
		}
		body, all := bodies[name], bodies[name]
		for at := len(body); at > 3; at-- {
			if string(body[at-3:at]) != `":"` {
				continue
			}
			more := slices.Concat(all[:at], []byte("<<b>system-reminder>"), all[at:])
			for _, forged := range [][]byte{slices.Concat(body[:at], []byte("<<b>system-reminder>"), body[at:]), more} {
				out, err := wire.Inject(forged, one("T"), opts)
				if err != nil {
					t.Fatal(err)
				}
				holdAgrees(t, forged, one("T"), opts)
				if bytes.Contains(out, []byte("&lt;<b>system-reminder>")) {
					changed++
				}
			}
			all = more
		}
	}
	if changed < 150 {
		t.Errorf("only %d tags were made harmless", changed)
	}
}

// TestSuspectsWhatIsForged: whatever Neutralise makes harmless in a text, a body that holds the text is read forward, however
// an encoder spells it.
func TestSuspectsWhatIsForged(t *testing.T) {
	t.Parallel()
	between := []string{"", "", "", "\u200b", "\u00ad", " ", "\n", "\x01", "\x7f", "<b>", "<!-- > -->", "&lt;", "\ufffd", "\u0301", "x", "\xff", "  \t"}
	forged := 0
	rapid.Check(t, func(t *rapid.T) {
		any := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "piece") }
		for range 20 {
			said := any("", "a < b", "&lt;s<!-- ", "<s<!-- ", "<<x>", "“→", "≥ ") + any("<", "<", "＜", "﹤", "≮", "<\u0338", "&lt;")
			for _, piece := range []string{any("", "/", " / "), any("s", "S", "ſ", "ｓ", "𝐬"), any("ystem", "YSTEM"), any("-", "_", "‐", "－", "−", ""), any("remin", "ｒemin"), any("der>", "der")} {
				said += any(between...) + piece
			}
			if inject.Neutralise(said) == said {
				continue
			}
			forged++
			plain, _ := json.Marshal(strings.ToValidUTF8(said, "\ufffd"))
			var raw bytes.Buffer
			enc := json.NewEncoder(&raw)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(said)
			spelled := []string{string(plain), strings.TrimSpace(raw.String())}
			if strings.Map(basic, said) == said {
				spelled = append(spelled, strconv.QuoteToASCII(said))
			}
			for _, inside := range spelled {
				body := []byte(`{"messages":[{"role":"user","content":` + inside + `},{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`)
				if json.Valid(body) && holdAgrees(t, body, one("T"), wire.Options{API: wire.Anthropic}) {
					t.Fatalf("%s is not suspected", inside)
				}
			}
		}
	})
	if forged < 200 {
		t.Errorf("only %d texts had something forged", forged)
	}
}

// basic drops what JSON and Go escape differently.
func basic(r rune) rune {
	if r < ' ' || r >= 0x7f && r <= 0xff || r > 0xffff {
		return -1
	}
	return r
}
