package fact

import "sync"

// Place is the surroundings that the subjects of calls are compared in. An absent directory is "": a pattern
// that would need it to resolve a path does not match that path. The zero Place is useful.
type Place struct {
	Project string // the project directory, absolute, with slashes; relative Paths lie below it
	Home    string // for patterns that begin with ~/

	lines *lines // of the frame that gave out the place; nil remembers nothing
}

// lines remembers the commands of command lines, so that a line is parsed once for all patterns of a turn.
type lines struct {
	mu   sync.Mutex
	list []parsedLine // few, as a turn has few calls
}

type parsedLine struct {
	line     string
	commands []string
}

// Commands returns split(line). If the place comes from a frame, split is called once for each line until the
// frame is reset; split must be pure. The caller must not modify the list.
func (p Place) Commands(line string, split func(line string) []string) []string {
	if p.lines == nil {
		return split(line)
	}
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	for i := range p.lines.list {
		if l := &p.lines.list[i]; l.line == line {
			return l.commands
		}
	}
	commands := split(line)
	p.lines.list = append(p.lines.list, parsedLine{line, commands})
	return commands
}

// SetPlace sets the directories that the paths of calls are compared in.
func (f *Frame) SetPlace(p Place) { f.place = p }

// Place returns what SetPlace set. The commands of a line that a pattern has parsed in it are remembered
// until Reset.
func (f *Frame) Place() Place {
	p := f.place
	p.lines = f.lines
	return p
}

// remember begins to remember the commands of lines. A frame that is told of no call has nothing to remember.
func (f *Frame) remember() {
	if f.lines == nil {
		f.lines = &lines{}
	}
}

// forget forgets the commands of lines.
func (f *Frame) forget() {
	if f.lines != nil {
		clear(f.lines.list)
		f.lines.list = f.lines.list[:0]
	}
}
