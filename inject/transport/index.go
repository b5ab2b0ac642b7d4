package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// index knows by which digests of answers runs are found. It forgets the digests that were not used for
// longest, so its memory is bounded. It may be used concurrently.
type index struct {
	mu   sync.Mutex
	held *lru.Cache[indexKey, []holder]
}

// maxIndexed is the number of digests of an index: a few for each turn.
const maxIndexed = 1 << 16

// indexKey is a digest of evidence.Answer.Names. Conversations at different APIs, and sessions, are found
// apart from others.
type indexKey struct {
	api    wire.API
	named  bool
	digest uint64
}

// holder is a turn of a run whose answer has a digest.
type holder struct {
	Run   string `json:"run"`
	Turn  int    `json:"turn"`
	Asked uint64 `json:"asked"` // evidence.Said.Asked
	Words uint64 `json:"words"` // evidence.Said.Words
}

// all returns evidence.Said.All of the answer.
func (h holder) all() uint64 {
	s := evidence.Said{Asked: h.Asked, Words: h.Words}
	return s.All()
}

func newIndex() *index {
	held, _ := lru.New[indexKey, []holder](maxIndexed) // fails for a size below 1 only
	return &index{held: held}
}

// of returns who holds a digest.
func (x *index) of(k indexKey) []holder {
	list, _ := x.held.Get(k)
	return list
}

// add notes that a run holds a digest.
func (x *index) add(k indexKey, h holder) {
	x.mu.Lock()
	defer x.mu.Unlock()
	list, _ := x.held.Peek(k)
	x.held.Add(k, withHolder(list, h))
}

// withHolder returns a list with one more holder. Of many runs it keeps the latest, one more than a digest
// may have that names any.
func withHolder(list []holder, h holder) []holder {
	if slices.Contains(list, h) {
		return list
	}
	was := func(o holder) bool { return o.Run == h.Run && o.Turn == h.Turn }
	list = slices.DeleteFunc(slices.Clone(list), was)
	return append(list[max(0, len(list)-evidence.Common):], h)
}

// key returns the key of a digest for this request.
func (x *exchange) indexed(digest uint64) indexKey { return indexKey{x.q.API, x.named, digest} }

// enter notes that the run holds an answer.
func (x *exchange) enter(run string, a *evidence.Answer) {
	for _, d := range a.Names() {
		x.t.index.add(x.indexed(d), holder{run, a.Turn, a.Asked, a.Words})
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

// readRow returns the holders of a digest that any process has stored.
func (x *exchange) readRow(ctx context.Context, d uint64) ([]holder, error) {
	carried, _, err := x.t.ev.Notes(ctx, x.rowName(d))
	if err != nil || carried == nil {
		return nil, err
	}
	r, err := decodeRow(carried)
	for _, h := range r.Held {
		x.t.index.add(x.indexed(d), h)
	}
	return r.Held, err
}

func decodeRow(carried state.Notes) (r row, err error) {
	b, err := carried.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return row{}, fmt.Errorf("runs of an answer: %w", err)
	}
	return r, nil
}

// storeRow notes in the store that a run holds a digest.
func (x *exchange) storeRow(ctx context.Context, d uint64, h holder) error {
	edit := func(r row) (json.RawMessage, error) {
		r.Held = withHolder(r.Held, h)
		raw, err := json.Marshal(r)
		return raw, err
	}
	raw, err := edit(row{})
	if err != nil {
		return err
	}
	s, err := state.Note(nil, raw)
	if err != nil {
		return err
	}
	begun, err := x.t.ev.Begin(ctx, x.rowName(d), s)
	if begun || err != nil {
		return err
	}
	return x.t.ev.Note(ctx, x.rowName(d), func(carried state.Notes) (state.Notes, error) {
		r, err := decodeRow(carried)
		if err != nil {
			return nil, err
		}
		raw, err := edit(r)
		return raw, err
	})
}

// dropRow forgets that a run holds a digest.
func (x *exchange) dropRow(ctx context.Context, d uint64, run string) error {
	left := 0
	err := x.t.ev.Note(ctx, x.rowName(d), func(carried state.Notes) (state.Notes, error) {
		r, err := decodeRow(carried)
		if err != nil {
			return nil, err
		}
		r.Held = slices.DeleteFunc(r.Held, func(h holder) bool { return h.Run == run })
		left = len(r.Held)
		raw, err := json.Marshal(r)
		return json.RawMessage(raw), err
	})
	if err == nil && left == 0 {
		err = x.t.ev.Forget(ctx, x.rowName(d))
	}
	return err
}

// credentials returns what a request shows to the API of who sends it.
func credentials(r *http.Request) []string {
	var list []string
	for _, name := range [...]string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"} {
		list = append(list, r.Header.Get(name))
	}
	if r.URL.RawQuery != "" {
		if key := r.URL.Query().Get("key"); key != "" { // alt=sse and beta=true say nothing of who it is
			list = append(list, key)
		}
	}
	return list
}
