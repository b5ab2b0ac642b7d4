package wire

import (
	"bytes"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/forgery"
	"github.com/aside-go/aside/internal/lanes"
)

// mayForge reports whether the JSON string whose inside is raw may hold a forged tag. If not, it need not be decoded. prefix is
// whether prefixes count as well.
func mayForge(raw []byte, prefix bool) bool {
	if prefix && (bytes.IndexByte(raw, '[') >= 0 || bytes.Contains(raw, []byte("［")) || bytes.Contains(raw, []byte("﹇"))) {
		return true
	}
	i := opening(raw, 0, len(raw), prefix)
	return i >= 0 && (prefix || mayTag(raw, i))
}

// opening returns the first place from i on, and before to, where a tag may begin in b, -1 if there is none.
func opening(b []byte, i, to int, prefix bool) int {
	for ; ; i++ {
		n := lanes.Opening(b[i:to])
		if n < 0 {
			return -1
		}
		if i += n; mayOpenAt(b, i, prefix) {
			return i
		}
	}
}

// mayTag reports whether a tag may begin in a JSON string at byte i or behind it, where i is the first place at which opening
// stops. Every place that may open a tag is looked at by itself: where nothing before it has opened a tag, nothing else can be
// open there. Where there are very many such places, it returns true, because decoding the string is less work.
func mayTag(raw []byte, i int) bool {
	looks := 4 + len(raw)/256
	may := func(at int) bool {
		looks--
		return looks < 0 || opens(raw[at:])
	}
	for at := 0; ; at++ { // a &lt; opens no tag, but a tag may stand nested in it
		n := bytes.IndexByte(raw[at:], '&')
		if n < 0 {
			break
		}
		if at += n; hasPrefix(raw[at:], "&lt;", `&\u`, `&l\u`, `&lt\u`) && may(at) {
			return true
		}
	}
	for ; i >= 0; i = opening(raw, i+1, len(raw), false) {
		from := i
		if raw[i] == "≮"[1] {
			from--
		}
		if may(from) {
			return true
		}
	}
	return false
}

// opens is forgery.Opens for the rest of a JSON string. It decodes only as much as mostly tells.
func opens(raw []byte) bool {
	const most = 28 // bytes; with a character more, the string needs no allocation
	var said [most + utf8.UTFMax]byte
	return forgery.Opens(string(unescapeSome(said[:0], raw, most)))
}

// search finds forged tags in all strings of a body, wherever they stand. The body is taken to be JSON.
type search struct {
	scanner
	back backScanner
	lost bool // something could not be told, so results are not sure
}

// search returns a search of what a reading from the end has not read of d. There is nothing to search where everything was read,
// and where forged tags are kept.
func (o Options) search(d *body) *search {
	x := &search{scanner: scanner{b: d.b}, back: backScanner{b: d.b}}
	if o.KeepForged || !d.partial {
		x.i = len(d.b)
	}
	return x
}

// clean reports whether there is no forged tag up to a byte, from where the search stopped the last time.
func (x *search) clean(to int) bool { return x.next(to) < 0 }

// places searches the body from its beginning, and returns a place in each string that holds a forged tag, in order, up to the
// messages that were read. sure is false where something could not be told.
func (x *search) places(d *body) (all []int, sure bool) {
	end := d.messages[0].from
	for x.i = 0; x.i < end; {
		if at := x.next(end); at >= 0 {
			all = append(all, at)
		}
	}
	return all, !x.lost
}

// next returns a place in the next string that holds a forged tag, -1 if there is none up to a byte. The search goes on behind
// that string.
func (x *search) next(to int) int {
	for x.i < to {
		at := opening(x.b, x.i, min(to+1, len(x.b)), false) // with the second byte of an escape
		if at < 0 {
			x.i = to
			break
		}
		from := x.back.quote(at)
		if x.i = at; from < 0 || !x.pass() {
			x.i, x.lost = len(x.b), true
			return at
		}
		if raw := x.b[from+1 : x.i-1]; mayTag(raw, at-from-1) && hasTag(raw, at-from-1) {
			return at
		}
	}
	return -1
}

// hasTag reports whether a forged tag begins in the string whose inside is raw, at byte i or behind it.
func hasTag(raw []byte, i int) bool {
	const name = "system-reminder"
	if rest := bytes.TrimLeft(raw[i+1:min(len(raw), i+2+len(name))], "/"); bytes.EqualFold(rest[:min(len(name), len(rest))], []byte(name)) {
		return true // as most are written
	}
	return len(forgery.Tags(decode(raw, span{0, len(raw)}).s)) > 0
}

// mayOpenAt reports whether a tag may begin at byte i, one at which lanes.Opening stops.
func mayOpenAt(b []byte, i int, prefix bool) bool {
	switch b[i] {
	case '<':
		return true
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
	return hasPrefix(b[i:], "＜", "﹤") || i > 0 && hasPrefix(b[i-1:], "≮") // lanes.Opening may have seen only the beginning of one
}

func hasPrefix(b []byte, signs ...string) bool {
	for _, s := range signs {
		if len(b) >= len(s) && string(b[:len(s)]) == s {
			return true
		}
	}
	return false
}
