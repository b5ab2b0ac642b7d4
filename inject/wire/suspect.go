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

// mayTag reports whether a tag may begin at byte i of a JSON string, the first at which opening stops, or behind it.
func mayTag(raw []byte, i int) bool {
	for _, s := range [...]string{"&l", `&\`, `\u0026`} {
		if bytes.Contains(raw, []byte(s)) {
			return true // a &lt; is no tag, but what is inside of it ends elsewhere
		}
	}
	var said [2 * sure]byte
	for ; i >= 0; i = opening(raw, i+1, false) {
		from := i
		if raw[i] == "≮"[1] {
			from--
		}
		if forgery.Opens(string(unescapeSome(said[:0], raw[from:], sure))) {
			return true
		}
	}
	return false
}

// sure is how many bytes mostly tell whether what opens is a tag.
const sure = 32

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
		case '<', 0xff1c, 0xfe64, 0x226e:
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
