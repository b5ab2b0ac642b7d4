package wire

// feed reads one JSON value that comes in pieces. It keeps nothing but where it is: memory does not grow with the value.
// What it finds at the few places that matter it tells its notes. It is tolerant: of what does not matter only quotes and
// brackets must be right.
type feed struct {
	notes *notes
	raw   func([]byte) // is given the inside of the string at the top-level member "bytes", if not nil

	state  feedState
	isKey  bool // the string that is read is a key
	broken bool // this is no JSON
	depth  int
	object [MaxDepth/64 + 1]uint64 // for each level whether it is an object
	path   [feedLevels]word        // the key at each of the upper levels
	text   [feedText]byte          // the key, string or number that is read
	n      int
	long   bool // it does not fit, or has escapes
}

const (
	feedLevels = 7
	feedText   = 128
)

type feedState uint8

const (
	feedValue  feedState = iota // a value comes
	feedFirst                   // a value or the end of the array
	feedMember                  // a key or the end of the object
	feedKey                     // a key
	feedColon
	feedAfter // a comma or an end
	feedString
	feedEscape
	feedScalar // a number or a word
	feedDone
)

// reset makes ready for the next value.
func (f *feed) reset() {
	f.state, f.broken, f.depth, f.n = feedValue, false, 0, 0
	f.notes.begin()
}

// end says that nothing more comes, and reports whether one value has.
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
			n := plain(p[i:])
			f.take(p[i : i+n])
			if i += n; i < len(p) {
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
				f.sign(c)
			}
			i++
		}
	}
}

func scalarByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// take keeps a stretch of what is read, as far as it fits.
func (f *feed) take(p []byte) {
	if f.raw != nil && f.state == feedString && !f.isKey && f.depth == 1 && f.path[0] == wordBytes {
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
			f.path[f.depth-1] = wordOther
			if !f.long {
				f.path[f.depth-1] = wordOf(f.text[:f.n])
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

// sign reads a byte outside strings, numbers and words.
func (f *feed) sign(c byte) {
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
		f.broken = true // behind the value
	}
}

func (f *feed) start(s feedState, key bool) { f.state, f.isKey, f.n, f.long = s, key, 0, false }

func (f *feed) isObject() bool { return f.object[(f.depth-1)/64]>>((f.depth-1)%64)&1 == 1 }

func (f *feed) enter(object bool) {
	if f.depth == MaxDepth {
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
		f.path[f.depth] = wordItem
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
