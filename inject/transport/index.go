package transport

import (
	"hash/maphash"
	"net/http"
	"sync"
)

// indexed is what a run is known by.
type indexed uint8

const (
	indexResponse  indexed = iota
	indexCall              // the id of a tool call, of conversations without a name
	indexHead              // the head of a request
	indexNamedCall         // the same, of sessions
	indexNamedHead         //
)

// index knows which run a conversation belongs to that names none. It forgets the oldest.
type index struct {
	mu   sync.Mutex
	seed maphash.Seed
	runs map[uint64]string
	ring []uint64
	next int
}

// maxIndexed is how much an index remembers: about a hundred bytes each.
const maxIndexed = 1 << 17

func newIndex() *index { return &index{seed: maphash.MakeSeed(), runs: map[uint64]string{}} }

func (x *index) key(tenant uint64, by indexed, id string) uint64 {
	return maphash.Comparable(x.seed, struct {
		tenant uint64
		by     indexed
		id     string
	}{tenant, by, id})
}

func (x *index) find(tenant uint64, by indexed, id string) string {
	k := x.key(tenant, by, id)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.runs[k]
}

func (x *index) add(tenant uint64, by indexed, id, run string) {
	k := x.key(tenant, by, id)
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.runs[k]; !ok {
		if len(x.ring) < maxIndexed {
			x.ring = append(x.ring, k)
		} else {
			delete(x.runs, x.ring[x.next])
			x.ring[x.next] = k
			x.next = (x.next + 1) % maxIndexed
		}
	}
	x.runs[k] = run
}

// tenantOf tells one holder of a key from another, in this process alone: nobody joins a run with another one's key.
func (x *index) tenantOf(r *http.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	for _, name := range [...]string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"} {
		_, _ = h.WriteString(r.Header.Get(name) + "\x00")
	}
	_, _ = h.WriteString(r.URL.Query().Get("key"))
	return h.Sum64()
}
