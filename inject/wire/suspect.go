package wire

import (
	"bytes"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/lanes"
)

// mayForge reports whether a JSON string could hold a forged tag, so that it is worth decoding; of a body, whether any of
// its strings could. It looks for what can open a tag, and is wrong only on the safe side.
func mayForge(b []byte, prefix bool) bool {
	if prefix && (bytes.IndexByte(b, '[') >= 0 || bytes.Contains(b, []byte("［")) || bytes.Contains(b, []byte("﹇"))) {
		return true
	}
	for i := 0; ; i++ {
		n := lanes.Opening(b[i:])
		if n < 0 {
			return false
		}
		if i += n; mayOpenAt(b, i, prefix) {
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
		case c == '\\' || c == '<' || c == '&' || c >= utf8.RuneSelf || c == 0x7f:
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
