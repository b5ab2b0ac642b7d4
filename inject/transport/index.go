package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/response"
)

// index knows by which digests of answers runs are found. It forgets the digests that were not used for
// longest, so its memory is bounded. It may be used concurrently.
type index struct {
	mu   sync.Mutex
	held *lru.Cache[uint64, []holder] // by exchange.indexed
}

// maxIndexed is the number of digests of an index: a few for each turn.
const maxIndexed = 1 << 15

// holder is a turn of a run whose answer has a digest.
type holder struct {
	Run  string `json:"run"`
	Turn int    `json:"turn"`
	All  uint64 `json:"all"` // evidence.Said.All
	// ids of the calls in the answer: of the first one in the row of its words, which is not found by them yet
	IDs []uint64 `json:"ids,omitempty"`
}

func newIndex() *index {
	held, _ := lru.New[uint64, []holder](maxIndexed) // fails for a size below 1 only
	return &index{held: held}
}

// of returns who holds a digest.
func (x *index) of(k uint64) []holder {
	list, _ := x.held.Get(k)
	return list
}

// add notes that a run holds a digest.
func (x *index) add(k uint64, h holder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	list, _ := x.held.Peek(k)
	x.held.Add(k, withHolder(list, h))
}

// withHolder returns a list with one more holder, the latest last. Of a run it keeps two turns, which tell
// that the digest is not of one alone; of many runs the latest, one more than a digest may have that names
// any.
func withHolder(list []holder, h holder) []holder {
	kept, runs := append(make([]holder, 0, len(list)+1), h), 1
	for _, o := range slices.Backward(list) {
		of := 0 // of the same run
		for _, k := range kept {
			if k.Run == o.Run {
				of++
			}
		}
		if o.Run == h.Run && o.Turn == h.Turn || of == 2 || of == 0 && runs > evidence.Common {
			continue
		}
		if kept = append(kept, o); of == 0 {
			runs++
		}
	}
	slices.Reverse(kept)
	return kept
}

// indexed returns what the index knows a digest by. Conversations at different APIs, and sessions, are found
// apart from others.
func (x *exchange) indexed(d uint64) uint64 {
	if x.space == 0 {
		x.space = spaceOf(string(x.q.API), x.named)
	}
	return d ^ x.space
}

func spaceOf(api string, named bool) uint64 { return number(digest(api, strconv.FormatBool(named))) }

// enter notes that the run holds an answer.
func (x *exchange) enter(run string, a *evidence.Answer) {
	for _, d := range a.Names() {
		x.t.index.add(x.indexed(d), holder{Run: run, Turn: a.Turn, All: a.All()})
	}
}

// rowName is the name under which the store has the holders of a digest, like a run without a turn.
func (x *exchange) rowName(d uint64) string {
	return response.KeptPrefix + digest("answer", string(x.q.API), strconv.FormatUint(d, 16))
}

// row is what the store has of a digest.
type row struct {
	Held []holder `json:"held"`
}

// Keys has a store find an unnamed run by its last answers, each with all that stood before it: by their
// words and by the ids of their calls. It implements readset.Keyed.
func (s *carriedNotes) Keys() (keys, values []uint64) {
	if s.Base == "" || s.API == "" {
		return nil, nil
	}
	keys = []uint64{}
	space := spaceOf(string(s.API), false)
	oldest := s.lastHeard().Turn - maxCheckpoints // only an answer changes the keys
	for _, a := range s.Answers {
		if a.Words == 0 || a.Turn <= oldest {
			continue
		}
		for _, d := range append([]uint64{a.Words}, a.IDs...) {
			keys, values = append(keys, d^space), append(values, a.All())
		}
	}
	return keys, values
}

// readRow returns the holders of a digest that any process has stored. Where the store finds runs, programs
// that did not use it so may have left a row.
func (x *exchange) readRow(ctx context.Context, d uint64) ([]holder, error) {
	var r row
	if _, err := x.kept(ctx, x.rowName(d), &r); err != nil {
		return nil, err
	}
	found, err := x.reads.Find(ctx, x.indexed(d), evidence.Common+1)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	for run, all := range found {
		for i, a := range all {
			r.Held = append(r.Held, holder{Run: run, Turn: -i, All: a})
		}
	}
	for _, h := range r.Held {
		h.IDs = nil
		x.t.index.add(x.indexed(d), h)
	}
	return r.Held, nil
}

// kept reads what the store keeps under a name beside the runs, and reports whether there is anything.
func (x *exchange) kept(ctx context.Context, name string, v any) (bool, error) {
	carried, _, err := x.t.ev.Notes(ctx, name)
	if err != nil || carried == nil {
		return false, err
	}
	return true, decodeKept(carried, v)
}

func decodeKept(carried json.Marshaler, v any) error {
	b, err := carried.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("what is kept of an answer: %w", err)
	}
	return nil
}

// keepNew keeps v under a name beside the runs, unless there is something already, and reports whether it
// did.
func (x *exchange) keepNew(ctx context.Context, name string, v any) (begun bool, err error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return false, err
	}
	s, err := firing.Note(nil, json.RawMessage(raw))
	if err != nil {
		return false, err
	}
	return x.t.ev.Begin(ctx, name, s)
}

// storeRow notes in the store that a run holds a digest.
func (x *exchange) storeRow(ctx context.Context, d uint64, h holder) error {
	begun, err := x.keepNew(ctx, x.rowName(d), row{[]holder{h}})
	if begun || err != nil {
		return err
	}
	return x.editRow(ctx, d, func(held []holder) []holder {
		for i := range held { // under the ids of the first one it is found by now
			held[i].IDs = nil
			x.t.index.add(x.indexed(d), held[i]) // which this process may not have read
		}
		return withHolder(held, h)
	})
}

// dropRow forgets that a run holds a digest.
func (x *exchange) dropRow(ctx context.Context, d uint64, run string) error {
	err := x.editRow(ctx, d, func(held []holder) []holder {
		return slices.DeleteFunc(held, func(h holder) bool { return h.Run == run })
	})
	if err == errAlone {
		err = x.t.ev.Forget(ctx, x.rowName(d))
	}
	return err
}

// editRow changes who holds a digest in the store; errAlone if that is nobody then.
func (x *exchange) editRow(ctx context.Context, d uint64, edit func([]holder) []holder) error {
	return x.t.ev.Note(ctx, x.rowName(d), func(carried json.Marshaler) (json.Marshaler, error) {
		var r row
		err := decodeKept(carried, &r)
		if err != nil {
			return nil, err
		}
		if r.Held = edit(r.Held); len(r.Held) == 0 {
			return nil, errAlone
		}
		raw, err := json.Marshal(r)
		return json.RawMessage(raw), err
	})
}

// errAlone says that no other run holds a digest.
var errAlone = errors.New("no other run holds it")
