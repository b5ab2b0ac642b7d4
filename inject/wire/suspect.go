package wire

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/forgery"
	"github.com/aside-go/aside/internal/lanes"
)

// mayForge reports whether a JSON string could hold a forged tag, so that it is worth decoding. It is wrong only on the safe side.
func mayForge(raw []byte, prefix bool) bool {
	if prefix && (bytes.IndexByte(raw, '[') >= 0 || bytes.Contains(raw, []byte("［")) || bytes.Contains(raw, []byte("﹇"))) {
		return true
	}
	i := opening(raw, 0, prefix)
	return i >= 0 && (prefix || mayTag(raw, i))
}

// opening returns where from i on a tag may begin, -1 if none can.
func opening(b []byte, i int, prefix bool) int {
	for ; ; i++ {
		n := lanes.Opening(b[i:])
		if n < 0 {
			return -1
		}
		if i += n; mayOpenAt(b, i, prefix) {
			return i
		}
	}
}

// mayTag reports whether a tag may begin at byte i of a JSON string, the first at which opening stops, or behind it. It looks at
// whatever opens by itself, for nothing else can be open there if all before it has come to nothing.
func mayTag(raw []byte, i int) bool {
	for at := 0; ; at++ { // a &lt; is no tag, but tags nest in it
		n := bytes.IndexByte(raw[at:], '&')
		if n < 0 {
			break
		}
		if at += n; hasPrefix(raw[at:], "&l", `&\`) && opens(raw[at:]) {
			return true
		}
	}
	for ; i >= 0; i = opening(raw, i+1, false) {
		from := i
		if raw[i] == "≮"[1] {
			from--
		}
		if opens(raw[from:]) {
			return true
		}
	}
	return false
}

// opens is forgery.Opens for what is left of a JSON string. What it looks at mostly tells.
func opens(raw []byte) bool {
	const most = 28 // with a character more it needs no memory
	var said [most + utf8.UTFMax]byte
	return forgery.Opens(string(unescapeSome(said[:0], raw, most)))
}

// suspect reports whether any string of a body, wherever it stands, holds a forged tag, so that all of the body must be
// read. It takes the body to be JSON.
func (o Options) suspect(b []byte, seal inject.Seal) bool {
	if o.KeepForged || o.Prefix {
		return !o.KeepForged
	}
	k, s := back{b: b}, scanner{b: b}
	var said []byte
	for {
		at := opening(b, s.i, false)
		if at < 0 {
			return false
		}
		if name := bytes.TrimLeft(b[at+1:min(len(b), at+17)], "/"); len(name) >= 15 && bytes.EqualFold(name[:15], []byte("system-reminder")) {
			return true
		}
		from := k.quote(at)
		if s.i = at; from < 0 || !s.pass() {
			return true // at a loss
		}
		raw := b[from+1 : s.i-1]
		if !mayTag(raw, at-from-1) {
			continue
		}
		said = unescapeAll(slices.Grow(said[:0], len(raw)), raw)
		if len(seal.Forgeries(string(said), inject.StandResult)) > 0 {
			return true
		}
	}
}

// mayOpenAt reports whether a tag may begin at byte i, where Opening stops.
func mayOpenAt(b []byte, i int, prefix bool) bool {
	switch b[i] {
	case '<':
		return mayName(b[i+1:])
	case '\\':
		if len(b)-i < 6 {
			return false
		}
		switch r, _ := hex4(b[i+2:]); r {
		case '<', '&', 0xff1c, 0xfe64, 0x226e: // of a &lt; the & may be escaped
			return true
		case '[', 0xff3b, 0xfe47:
			return prefix
		}
		return false
	}
	return hasPrefix(b[i:], "＜", "﹤") || i > 0 && hasPrefix(b[i-1:], "≮")
}

// mayName reports whether what follows a < may read as the name of a tag: "sy", or what takes a closer look.
func mayName(raw []byte) bool {
	want := byte('s')
	for _, c := range raw {
		switch {
		case c == ' ' || c == '/' && want == 's':
		case c < ' ' || c == '\\' || c == '<' || c == '&' || c >= utf8.RuneSelf || c == 0x7f:
			return true
		case c|0x20 != want || want == 'y':
			return c|0x20 == want
		default:
			want = 'y'
		}
	}
	return false
}

func hasPrefix(b []byte, signs ...string) bool {
	for _, s := range signs {
		if len(b) >= len(s) && string(b[:len(s)]) == s {
			return true
		}
	}
	return false
}
