package transport

import (
	"hash/maphash"
	"net/http"
	"slices"
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
	indexRun               // the run's own name
)

// index knows which run a conversation belongs to that names none. All its memory is there from the beginning; where there is no
// more, the oldest is forgotten.
type index struct {
	seed maphash.Seed

	mu   sync.Mutex
	sets *[maxIndexed / ways]set // by the last bits of a key
	runs *[maxRuns]string        // names; that of run n is at n modulo maxRuns
	last uint32                  // the run that was added last
}

const (
	maxIndexed = 1 << 16 // how much an index remembers, of
	maxRuns    = 1 << 13 // so many runs, which are numbered from 1
	ways       = 8
)

// set is what an index remembers of some keys, the latest first.
type set struct {
	keys [ways]uint64
	runs [ways]uint32
}

// find returns the run of a key, 0 for none.
func (s *set) find(key uint64) uint32 {
	if i := slices.Index(s.keys[:], key); i >= 0 {
		return s.runs[i]
	}
	return 0
}

func (s *set) add(key uint64, run uint32) {
	i := slices.Index(s.keys[:ways-1], key)
	if i < 0 {
		i = ways - 1
	}
	copy(s.keys[1:], s.keys[:i])
	copy(s.runs[1:], s.runs[:i])
	s.keys[0], s.runs[0] = key, run
}

func newIndex() *index {
	return &index{seed: maphash.MakeSeed(), sets: new([maxIndexed / ways]set), runs: new([maxRuns]string)}
}

// key stands for what a run is known by. No two of them are alike, as far as 64 bits that nobody can foresee go.
func (x *index) key(tenant uint64, by indexed, id string) uint64 {
	return maphash.Comparable(x.seed, struct {
		tenant uint64
		by     indexed
		id     string
	}{tenant, by, id})
}

func (x *index) set(key uint64) *set { return &x.sets[key%uint64(len(x.sets))] }

// find returns the run that was last added under this, "" if none is known.
func (x *index) find(tenant uint64, by indexed, id string) string {
	k := x.key(tenant, by, id)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.name(x.set(k).find(k))
}

// add remembers a run under this, and reports whether that was known.
func (x *index) add(tenant uint64, by indexed, id, run string) (known bool) {
	k := x.key(tenant, by, id)
	r := x.key(0, indexRun, run)
	x.mu.Lock()
	defer x.mu.Unlock()
	known = x.name(x.set(k).find(k)) == run
	x.set(k).add(k, x.number(r, run))
	return known
}

// name returns the name of a run, "" if it is forgotten.
func (x *index) name(n uint32) string {
	if x.last-n >= maxRuns {
		return ""
	}
	return x.runs[n%maxRuns]
}

// number returns the number of a run, whose key is k: a new one for one that is not known, and for one that would soon be forgotten.
func (x *index) number(k uint64, run string) uint32 {
	n := x.set(k).find(k)
	if x.last-n >= maxRuns/2 || x.name(n) != run {
		x.last++
		n = x.last
		x.runs[n%maxRuns] = run
	}
	x.set(k).add(k, n)
	return n
}

// tenantOf tells one holder of a key from another, in this process alone: nobody joins a run with another one's key.
func (x *index) tenantOf(r *http.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	for _, name := range [...]string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"} {
		_, _ = h.WriteString(r.Header.Get(name))
		_ = h.WriteByte(0)
	}
	if r.URL.RawQuery != "" {
		_, _ = h.WriteString(r.URL.Query().Get("key"))
	}
	return h.Sum64()
}
