package session

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/model"
)

// Bill adds up what the model calls of a run cost by the price table. The zero Bill is that of a run that
// begins.
type Bill struct {
	Dollars  float64 `json:"dollars,omitempty"`
	Billed   bool    `json:"billed,omitempty"`   // of some call the usage is known
	Unpriced bool    `json:"unpriced,omitempty"` // some call has no price
}

// Add adds the call of a model, whose usage the turn after it tells. A call of which nothing was recorded, as
// where the answer was interrupted, counts nothing.
func (b *Bill) Add(id string, after *Turn) {
	u := after.Usage
	if !u.Fresh.Known && !u.Read.Known && !u.Written.Known && !after.Compacted {
		u.Fresh = after.ContextTokens
	}
	t := model.Tokens{Plain: u.Fresh.N, Read: u.Read.N, Written: u.Written.N, Hour: u.WrittenHour.N,
		Output: u.Output.N}
	if t == (model.Tokens{}) {
		return
	}
	row := model.Of(id)
	dollars, ok := row.Cost(t)
	b.Dollars, b.Billed, b.Unpriced = b.Dollars+dollars, true, b.Unpriced || !ok
}

// Total returns what all calls cost; false where that is not known.
func (b *Bill) Total() (dollars float64, ok bool) { return b.Dollars, b.Billed && !b.Unpriced }

// Billed is a Bill of the calls before a place in a session's file.
type Billed struct {
	Bill
	At    int64  `json:"at"`              // offset of the line on which the next call begins
	Model string `json:"model,omitempty"` // that was asked there
}

// maxLine is the length in bytes of the longest line that is read for a bill.
const maxLine = 64 << 20

// bill goes on from a Billed to the end of the file, and returns the Billed of the last call, and what all
// calls cost. ok is false where that is not known, as when the time is up.
func (f *format) bill(ctx context.Context, of File, from Billed) (to Billed, dollars float64, ok bool) {
	file, size, err := open(of.Path)
	if file == nil || err != nil {
		return from, 0, false
	}
	defer file.Close()
	if size < from.At { // the file was written anew
		from = Billed{}
	}
	var out Sink
	s := f.forward(of.Path, "", &out)
	if from.At > 0 {
		of.model = from.Model
		s.middle(of)
	}
	to = from
	var last *Turn
	drain := func() {
		for _, t := range out.Turns {
			if last != nil {
				to.Add(last.Model, t)
			}
			last, to.At, to.Model = t, int64(t.Line), t.Model
		}
		out = Sink{}
	}
	in, at, long := bufio.NewReaderSize(io.NewSectionReader(file, from.At, size-from.At),
		64<<10), from.At, []byte(nil)
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return to, 0, false
		}
		line, tooLong, err := jsonscan.ReadLine(in, &long, maxLine)
		if !tooLong && len(line) > 0 {
			s.Line(line, int(at))
			drain()
		}
		at += int64(len(line))
		switch {
		case errors.Is(err, io.EOF):
			s.Finish()
			drain()
			total := to.Bill
			if p := s.Pending(); last == nil && from == (Billed{}) { // no model was asked yet
				return to, 0, size > 0 && len(p) > 0 && !p[0].Resumed && !p[0].Compacted
			}
			if pending := s.Pending(); last != nil && len(pending) > 0 {
				total.Add(last.Model, pending[0])
			}
			dollars, ok = total.Total()
			return to, dollars, ok
		case err != nil, tooLong:
			return to, 0, false
		}
	}
}
