package response

// feed reads one JSON value in pieces and tells its notes the strings and numbers in the upper levels of it.
// It keeps nothing but its state, so memory does not grow with the value. It is tolerant: in what does not
// matter, only quotes and brackets must be right.
type feed struct {
	notes *notes
	words Words
	raw   func([]byte) // if not nil, called with each piece of the string that is the top-level member "bytes"

	state  feedState
	isKey  bool // the string that is read is a key
	broken bool // this is no JSON; nothing more is read
	depth  int
	object [maxDepth/64 + 1]uint64 // a bit for each level: it is an object
	path   [feedLevels]Word        // for each of the upper levels the key that is read in it
	text   [feedText]byte          // the key, string or number that is read, its first bytes
	n      int                     // length of text
	long   bool                    // text is not all of it, or has escapes
}

// How many levels, and how many bytes of a key, string or number, feed tells its notes.
const (
	feedLevels = 7
	feedText   = 128
)

// maxDepth is how many levels of arrays and objects are read.
const maxDepth = 1000

type feedState uint8

const (
	feedValue  feedState = iota // before a value
	feedFirst                   // before a value or the end of the array
	feedMember                  // before a key or the end of the object
	feedKey                     // before a key
	feedColon                   // before a colon
	feedAfter                   // before a comma or the end of the object or array
	feedString                  // in a string
	feedEscape                  // behind a backslash
	feedScalar                  // in a number, true, false or null
	feedDone                    // behind the value
)

// reset prepares for the next value.
func (f *feed) reset() {
	f.state, f.broken, f.depth, f.n = feedValue, false, 0, 0
	f.notes.begin()
}

// end ends the input, and reports whether it was one whole value.
func (f *feed) end() bool {
	if f.state == feedScalar && f.depth == 0 {
		f.scalar()
	}
	return f.state == feedDone && !f.broken
}

func (f *feed) write(p []byte) {
	for i := 0; i < len(p) && !f.broken; {
		switch f.state {
		case feedString:
			from := i
			for i < len(p) && p[i] != '"' && p[i] != '\\' && p[i] >= ' ' {
				i++
			}
			if f.take(p[from:i]); i < len(p) {
				f.quoteOrEscape(p[i])
				i++
			}
		case feedEscape:
			f.long = true
			f.state = feedString
			i++
		case feedScalar:
			from := i
			for i < len(p) && scalarByte(p[i]) {
				i++
			}
			f.take(p[from:i])
			if i < len(p) {
				f.scalar()
			}
		default:
			c := p[i]
			if scalarByte(c) && (f.state == feedValue || f.state == feedFirst) {
				f.start(feedScalar, false)
				continue
			}
			if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				f.punctuation(c)
			}
			i++
		}
	}
}

func scalarByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' ||
		c == '+' || c == '.'
}

// take keeps a piece of a key, string or number, as far as there is room in f.text, and passes a piece of
// "bytes" on to f.raw.
func (f *feed) take(p []byte) {
	if f.raw != nil && f.state == feedString && !f.isKey && f.depth == 1 && f.path[0] == Bytes {
		f.raw(p)
	}
	n := copy(f.text[f.n:], p)
	f.n += n
	f.long = f.long || n < len(p)
}

func (f *feed) quoteOrEscape(c byte) {
	switch {
	case c == '\\':
		f.state = feedEscape
	case c != '"':
		f.broken = true // a control character
	case f.isKey:
		f.state = feedColon
		if f.depth <= feedLevels {
			f.path[f.depth-1] = Other
			if !f.long {
				f.path[f.depth-1] = f.words[string(f.text[:f.n])]
			}
		}
	default:
		if f.depth <= feedLevels && !f.long {
			f.notes.onString(f.path[:f.depth], f.text[:f.n])
		}
		f.valueEnded()
	}
}

func (f *feed) scalar() {
	if f.depth <= feedLevels && !f.long {
		f.notes.onScalar(f.path[:f.depth], f.text[:f.n])
	}
	f.valueEnded()
}

func (f *feed) valueEnded() {
	f.state = feedAfter
	if f.depth == 0 {
		f.state = feedDone
	}
}

// punctuation reads a byte outside of strings, numbers and words: a quote, bracket, colon or comma.
func (f *feed) punctuation(c byte) {
	switch f.state {
	case feedValue, feedFirst:
		switch {
		case c == '"':
			f.start(feedString, false)
		case c == '{':
			f.enter(true)
		case c == '[':
			f.enter(false)
		case c == ']' && f.state == feedFirst:
			f.leave(false)
		default:
			f.broken = true
		}
	case feedMember, feedKey:
		switch {
		case c == '"':
			f.start(feedString, true)
		case c == '}' && f.state == feedMember:
			f.leave(true)
		default:
			f.broken = true
		}
	case feedColon:
		f.state = feedValue
		f.broken = c != ':'
	case feedAfter:
		switch {
		case c == ',' && f.isObject():
			f.state = feedKey
		case c == ',':
			f.state = feedValue
		case c == '}' || c == ']':
			f.leave(c == '}')
		default:
			f.broken = true
		}
	default:
		f.broken = true // something behind the value
	}
}

func (f *feed) start(s feedState, key bool) { f.state, f.isKey, f.n, f.long = s, key, 0, false }

func (f *feed) isObject() bool { return f.object[(f.depth-1)/64]>>((f.depth-1)%64)&1 == 1 }

func (f *feed) enter(object bool) {
	if f.depth == maxDepth {
		f.broken = true
		return
	}
	bit := uint64(1) << (f.depth % 64)
	f.object[f.depth/64] &^= bit
	f.state = feedFirst
	if object {
		f.object[f.depth/64] |= bit
		f.state = feedMember
	}
	if f.depth < feedLevels {
		f.path[f.depth] = item
	}
	f.depth++
}

func (f *feed) leave(object bool) {
	if f.isObject() != object {
		f.broken = true
		return
	}
	f.depth--
	if f.depth <= feedLevels {
		f.notes.onEnd(f.path[:f.depth])
	}
	f.valueEnded()
}
