package wire

import (
	"bytes"
	"encoding/binary"
)

// suspect reports whether anything in a body, wherever it stands, could be a forged tag: whether it is worth reading all
// of it. It looks for what can open one, at the speed at which single bytes are found, and is wrong only on the safe side.
func suspect(b []byte, prefix bool) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(b[i:], '<')
		if n < 0 {
			break
		}
		if i += n; mayName(b[i+1 : min(len(b), i+64)]) {
			return true
		}
	}
	if prefix && bytes.IndexByte(b, '[') >= 0 {
		return true
	}
	return signed(b, "＜﹤［﹇") || signed(b, "≮") || escaped(b, prefix)
}

// signed reports whether one of these signs is in b; all begin with the same byte and are of three.
func signed(b []byte, signs string) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(b[i:], signs[0])
		if n < 0 {
			return false
		}
		if i += n; len(b)-i >= 3 {
			for s := signs; s != ""; s = s[3:] {
				if string(b[i:i+3]) == s[:3] {
					return true
				}
			}
		}
	}
}

// escaped reports whether an escape in b stands for a sign that opens a tag.
func escaped(b []byte, prefix bool) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(b)-i >= 48; i += 32 { // four words at once, with a closer look only where one has a hit
		w := b[i : i+33]
		x0, y0 := binary.LittleEndian.Uint64(w)^ones*'\\', binary.LittleEndian.Uint64(w[1:])^ones*'u'
		x1, y1 := binary.LittleEndian.Uint64(w[8:])^ones*'\\', binary.LittleEndian.Uint64(w[9:])^ones*'u'
		x2, y2 := binary.LittleEndian.Uint64(w[16:])^ones*'\\', binary.LittleEndian.Uint64(w[17:])^ones*'u'
		x3, y3 := binary.LittleEndian.Uint64(w[24:])^ones*'\\', binary.LittleEndian.Uint64(w[25:])^ones*'u'
		m := (x0-ones)&^x0&(y0-ones)&^y0 | (x1-ones)&^x1&(y1-ones)&^y1 | (x2-ones)&^x2&(y2-ones)&^y2 | (x3-ones)&^x3&(y3-ones)&^y3
		if m&highs != 0 && opens(b[i:i+37], prefix) {
			return true
		}
	}
	for ; len(b)-i >= 16; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:]) ^ ones*'\\'
		y := binary.LittleEndian.Uint64(b[i+1:]) ^ ones*'u'
		if (x-ones)&^x&((y-ones)&^y)&highs != 0 && opens(b[i:min(len(b), i+13)], prefix) {
			return true
		}
	}
	return opens(b[i:], prefix)
}

// opens reports whether one of the escapes in b, whole ones, stands for a sign that opens a tag.
func opens(b []byte, prefix bool) bool {
	for i := 0; i+6 <= len(b); i++ {
		if b[i] != '\\' || b[i+1] != 'u' {
			continue
		}
		switch r, _ := hex4(b[i+2:]); r {
		case '<', 0xff1c, 0xfe64, 0x226e:
			return true
		case '[', 0xff3b, 0xfe47:
			if prefix {
				return true
			}
		}
	}
	return false
}
