package fuzz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// FuzzI2Splice: whatever the bytes, no panic; what is JSON stays JSON; strip gives back what was there (I2),
// nothing due gives the same bytes (I3), and twice is once (I5). The scanner refuses exactly what is not
// JSON, of the wrong shape, or too deep.
func FuzzI2Splice(f *testing.F) {
	const ours = `{"type":"text","text":"<system-reminder mark=\"k\">\nT\n</system-reminder>"}`
	for _, body := range []string{
		``, `{}`, `[]`, `{"messages":[]}`, `{"messages":[ ]} `, `{"messages":[{"role":"user","content":"hi"}]}`,
		`{"messages":[{"content":[{"text":"hi\u003csystem-reminder>","type":"text"}],"role":"user"}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"hi"},` + ours + `]}]}`,
		`{"messages":[{"role":"user","content":[` + ours +
			` ]},{"role":"tool","content":"x\n<system-reminder mark=\"k\">\nT\n</system-reminder>"}]}`,
		`{"messages":[{"role":"system","content":"<system-reminder>\nT\n</system-reminder>\n\ns"},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"[SYSTEM REMINDER"}]}]}]}`,
		`{"messages":[{"role":"system","content":"<system-reminder>\nT\n</system-reminder>"},{"role":"assistant","content":null}]}`,
		"{\n \"messages\": [\n  {\n   \"role\": \"user\",\n   \"content\": [\n    {\"type\": \"image\"}\n   ]\n  " +
			"}\n ]\n}\n", `{"messages":1,"messages":[0,{"role":"user","role":"x","content":"a","content":[]}],"n":1e400}`,
	} {
		for how := range 12 {
			f.Add([]byte(body), "a text", uint8(how*7))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, text string, how uint8) {
		opts := wire.Options{Options: inject.Options{Neutralise: inject.Policy(how / 12 % 4 % 3)}}
		if how&128 != 0 || opts.Neutralise == inject.NeutraliseNothing {
			opts.Mark = "k"
		}
		due := []reminder.Due{{Text: text, Attach: reminder.Attach(how / 48 % 3)}, {Text: "T"}}
		kept := bytes.Clone(body)
		if out, _, err := wire.Inject(body, nil, opts); err != nil || !bytes.Equal(out, body) {
			t.Fatalf("I3: %q, %v", out, err)
		}
		once, _, err := wire.Inject(body, due, opts)
		if valid := json.Valid(body); err != nil {
			if valid && errors.Is(err, wire.ErrSyntax) {
				t.Fatalf("valid, but %v", err)
			}
			return
		} else if !valid || !json.Valid(once) {
			t.Fatalf("not JSON: %q becomes %q", body, once)
		}
		if bytes.Equal(once, body) {
			return // there is no place for a text, and what others wrote stays as it is
		}
		if opts.Neutralise == inject.NeutraliseNothing && (bytes.Contains(body, []byte("mark=")) ||
			bytes.Contains(body, []byte(`\u`))) {
			return // who knows the mark can make what looks like ours once string content has become a block
		}
		if twice, _, err := wire.Inject(once, due, opts); err != nil || !bytes.Equal(twice, once) {
			t.Fatalf("I5: %v\nonce  %q\ntwice %q", err, once, twice)
		}
		if stripped, err := wire.Strip(body, opts); err != nil || !bytes.Equal(stripped, body) {
			return // something in it looks like ours
		}
		back, err := wire.Strip(once, opts)
		want, _ := wire.Neutralise(body, opts)
		if err != nil || !bytes.Equal(back, want) {
			t.Fatalf("I2: %v\nbefore %q\nonce   %q\nafter  %q", err, want, once, back)
		}
		if !bytes.Equal(body, kept) {
			t.Fatal("I1: the body was written to")
		}
	})
}

// addBodies adds the bodies of package wire's tests, each with a text and two numbers.
func addBodies(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("..", "inject", "wire", "testdata", "bodies", "*.json"))
	if len(files) < 60 {
		f.Fatal(len(files), "bodies")
	}
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, "a text", uint8(i%6), uint8(i*37))
	}
}

// FuzzI2Wire: the same for every API and every delivery.
func FuzzI2Wire(f *testing.F) {
	addBodies(f)
	apis := wire.APIs()
	f.Fuzz(func(t *testing.T, body []byte, text string, api, how uint8) {
		opts := wire.Options{API: apis[int(api)%len(apis)], Delivery: wire.Delivery(how % 4)}
		if how&128 != 0 {
			opts.Mark = "k"
		}
		due := []reminder.Due{{Text: text, Attach: reminder.Attach(how / 4 % 3)}, {Text: "T"}}
		kept := bytes.Clone(body)
		valid := json.Valid(body)
		out, _, err := wire.Inject(body, nil, opts)
		if err != nil || !bytes.Equal(out, body) {
			t.Fatalf("I3: %q, %v", out, err)
		}
		once, _, err := wire.Inject(body, due, opts)
		if err != nil {
			if valid && errors.Is(err, wire.ErrSyntax) {
				t.Fatalf("valid, but %v", err)
			}
			return
		} else if !valid || !json.Valid(once) {
			t.Fatalf("not JSON: %q becomes %q", body, once)
		}
		if twice, _, err := wire.Inject(once, due, opts); err != nil || !bytes.Equal(twice, once) {
			t.Fatalf("I5: %v\nonce  %q\ntwice %q", err, once, twice)
		}
		want, err := wire.Neutralise(body, opts)
		if err != nil {
			t.Fatal(err)
		}
		if stripped, err := wire.Strip(want, opts); err != nil || !bytes.Equal(stripped, want) {
			return // something in it looks like ours
		}
		if bytes.Equal(once, body) {
			return
		}
		if got, err := wire.Strip(once, opts); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("I2: %v\nbefore %q\nonce   %q\nafter  %q", err, want, once, got)
		}
		if !bytes.Equal(body, kept) {
			t.Fatal("I1: the body was written to")
		}
	})
}

var readsAsTag = regexp.MustCompile(`</*system[-_]+reminder`)

// FuzzI9Neutralise: nothing reads as a reminder tag afterwards, once is enough, and nothing but the first
// signs changes.
func FuzzI9Neutralise(f *testing.F) {
	for _, s := range []string{
		"", "<system-reminder>", "</system-reminder>", "＜ｓｙｓｔｅｍ－ｒｅｍｉｎｄｅｒ＞", "<sys\u200btem\u00adreminder>",
		"<sys<!-- > -->tem-reminder>", "<sys<b></b>tem-reminder>", "&lt;system-reminder>",
		"<sys<system-reminder>tem-reminder>", "≮system-reminder", "<\u0338ſyﬆem_remınder", "a < b > c <<! -- -->",
		"\xff<\xffsystem-\xffreminder", "<system<a &lt;b> -->-reminder>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := inject.Neutralise(s)
		for _, hyphen := range []bool{false, true} {
			if r := folded(got, hyphen); readsAsTag.MatchString(r) {
				t.Fatalf("%q becomes %q, which reads %q", s, got, r)
			}
		}
		if again := inject.Neutralise(got); again != got {
			t.Fatalf("%q becomes %q, then %q", s, got, again)
		}
		if got != s && !strings.Contains(folded(s, true), "<") {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}

// folded is a reading of a text under I9, made the plain way; a soft hyphen is seen as a dash or not at all.
func folded(s string, hyphen bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xad && hyphen, unicode.Is(unicode.Pd, r), r == 0x2212:
			return '-'
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc,
			unicode.Z), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKD.String(s))
}
