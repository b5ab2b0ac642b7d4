package session

import (
	"context"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/model"
)

// Record is what a session's file says. What the file does not say is nil, "" or empty.
type Record struct {
	ContextTokens  *int64
	ContextWindow  *int64
	ResponseTokens *int64
	Response       string // the id of the response of ResponseTokens, or one made up for it
	Model          string
	At             int64 // offset in the file of the line that ContextTokens is from
	Compacted      bool  // ContextTokens is what a compaction left

	Failed     []string   // ids of the calls of the last step that failed
	LastFailed fact.Truth // whether one of the last step's calls failed

	// In the part of the file that was read, which with Options.Whole is all of it.
	Calls     []string // names of the tools that were called
	Delivered []string // texts of hooks that were put before the model

	HumanTurns *int64 // how many prompts persons have submitted; only with Options.Whole
}

// Options say what is read of a file.
type Options struct {
	Subagent bool   // the file is a subagent's
	Whole    bool   // read the whole file, unless it is longer than maxWhole; else only as much of its end as is needed
	TurnKey  string // the id of a prompt that does not count in HumanTurns
}

// maxWhole is the length in bytes of the longest file that is read whole.
const maxWhole = 16 << 20

// reader reads the lines of a file, the last one first.
type reader interface {
	// line reads the line at an offset, and returns the offset before which no line is of interest.
	line(at int64, line []byte) (from int64)
	// done returns the record. whole says that all lines were read.
	done(whole bool) Record
}

// read reads a file from its end with the reader that r returns.
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

// window returns the size of a model's context window, by what is known of the model, given how many tokens it was seen to hold; nil
// where the size is not known.
func window(id string, used *int64) *int64 {
	if used == nil {
		used = new(int64)
	}
	if n, ok := model.Holds(nil, id, *used); ok {
		return &n
	}
	return nil
}

// plainName reports whether an id may be part of a file's name: letters, digits, - and _ only.
func plainName(id string) bool {
	return id != "" && len(id) <= maxName && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && r != '-' && r != '_'
	})
}
