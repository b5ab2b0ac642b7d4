package session

import (
	"context"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/contextwindow"
)

// Record is what a session's file tells. What it does not tell is nil, "" or empty.
type Record struct {
	ContextTokens  *int64
	ContextWindow  *int64
	ResponseTokens *int64
	Response       string // names the response of ResponseTokens
	Model          string
	At             int64 // where in the file the line begins that ContextTokens is from
	Compacted      bool  // ContextTokens is what a compaction left

	Failed     []string   // ids of the calls of the last step that failed
	LastFailed fact.Truth // whether one of the last step's calls failed

	// Of as much as was read; with Options.Whole that is everything.
	Calls     []string // names of the tools that were called
	Delivered []string // texts of hooks that were put before the model

	HumanTurns *int64 // prompts of persons; only with Options.Whole
}

// Options say what is asked for.
type Options struct {
	Subagent bool   // the file is a subagent's: each of its lines counts
	Whole    bool   // read the whole file, if it is not too long; else only as much of its end as is needed
	TurnKey  string // of a user turn that does not count among HumanTurns
}

// maxWhole is how long a file may be to be read whole, in bytes.
const maxWhole = 16 << 20

// reader takes in a file's lines, the last one first.
type reader interface {
	// line takes in a line that begins at a place, and returns before which place nothing is of interest.
	line(at int64, line []byte) (from int64)
	// done is told whether all lines were read.
	done(whole bool) Record
}

// read reads a file from its end.
func read(ctx context.Context, path string, o Options, r func(Options) reader) (Record, error) {
	f, size, err := open(path)
	if f == nil {
		return Record{}, err
	}
	defer f.Close()
	t := tail{f: f, size: size, from: max(size-maxRead, 0), longest: maxLine}
	o.Whole = o.Whole && size <= maxWhole
	rd := r(o)
	for at, line := range t.lines(ctx) {
		if t.from = max(t.from, rd.line(at, line)); at > 0 && at <= t.from {
			break
		}
	}
	return rd.done(t.whole), t.err
}

// window is how much a model's window holds, by what is known of the model. One that has held more is another one.
func window(model string, used *int64) *int64 {
	if used == nil {
		used = new(int64)
	}
	if n, ok := contextwindow.Holds(nil, model, *used); ok {
		return &n
	}
	return nil
}

// plainName reports whether an id can be a part of a file's name.
func plainName(id string) bool {
	return id != "" && len(id) <= maxName && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r != '-' && r != '_'
	})
}
