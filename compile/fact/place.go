package fact

import "sync"

// Place is the surroundings that the subjects of calls are compared in. An absent directory is "": a pattern
// that would need it to resolve a path does not match that path. The zero Place is useful.
type Place struct {
	Project string // the project directory, absolute, with slashes; relative Paths lie below it
	Home    string // for patterns that begin with ~/

	lines *lines // of the frame that gave out the place; nil remembers nothing
}

// lines remembers what patterns have read of command lines, so that a line is read once for all patterns of a
// turn.
type lines struct {
	mu   sync.Mutex
	list []readLine // few, as a turn has few calls
}

type readLine struct {
	line string
	read any
}

// Remember returns the place with a memory of its own for Once.
func (p Place) Remember() Place {
	p.lines = &lines{}
	return p
}

// Once returns read() for a command line. If the place comes from a frame, read is called once for each line
// until the frame is reset, and if it comes from Remember, once for each line; it must be pure, and its
// result safe for concurrent use.
func (p Place) Once(line string, read func() any) any {
	if p.lines == nil {
		return read()
	}
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	for i := range p.lines.list {
		if l := &p.lines.list[i]; l.line == line {
			return l.read
		}
	}
	r := read()
	p.lines.list = append(p.lines.list, readLine{line, r})
	return r
}

// SetPlace sets the directories that the paths of calls are compared in.
func (f *Frame) SetPlace(p Place) { f.place = p }

// Place returns what SetPlace set. What a pattern has read of a command line in it is remembered until
// Reset, or as long as the place of Remember.
func (f *Frame) Place() Place {
	p := f.place
	if p.lines == nil {
		p.lines = f.lines
	}
	return p
}

// remember begins to remember what is read of command lines. A frame that is told of no call has nothing to
// remember.
func (f *Frame) remember() {
	if f.lines == nil {
		f.lines = &lines{}
	}
}

// forget forgets what was read of command lines.
func (f *Frame) forget() {
	if f.lines != nil {
		clear(f.lines.list)
		f.lines.list = f.lines.list[:0]
	}
}
