package wire

import "bytes"

// mayForge reports whether the JSON string whose inside is raw may hold a forged tag. If not, it need not be decoded. prefix is
// whether prefixes count as well.
func mayForge(raw []byte, prefix bool) bool {
	if prefix && (bytes.IndexByte(raw, '[') >= 0 || bytes.Contains(raw, []byte("［")) || bytes.Contains(raw, []byte("﹇"))) {
		return true
	}
	for _, sign := range [...]string{"<", "＜", "﹤", "≮"} {
		for rest := raw; ; {
			n := bytes.Index(rest, []byte(sign))
			if n < 0 {
				break
			}
			if rest = rest[n+len(sign):]; mayName(rest) {
				return true
			}
		}
	}
	for rest := raw; ; {
		n := bytes.Index(rest, []byte(`\u`))
		if n < 0 {
			return false
		}
		rest = rest[n+len(`\u`):]
		switch r, _ := hex4(rest); r {
		case '<', '＜', '﹤', '≮':
			if mayName(rest[4:]) {
				return true
			}
		case '[', '［', '﹇':
			if prefix {
				return true
			}
		}
	}
}

// mayName reports whether the inside of a JSON string behind the sign that opens a tag may read as the name of a reminder tag:
// as "sy", or in a way that only decoding tells.
func mayName(raw []byte) bool {
	want := byte('s')
	for _, c := range raw {
		switch {
		case c == ' ' || c == '/' && want == 's':
		case c < ' ' || c == '\\' || c == '<' || c == '&' || c >= 0x7f:
			return true
		case c|0x20 != want || want == 'y':
			return c|0x20 == want
		default:
			want = 'y'
		}
	}
	return false
}
