package transport

import (
	"hash/maphash"
	"net/http"
	"slices"
	"sync"
)

// indexed is what a run is found by.
type indexed uint8

const (
	indexResponse  indexed = iota
	indexCall              // the id of a tool call, of conversations without a name
	indexHead              // the head of a request, of conversations without a name
	indexNamedCall         // the id of a tool call, of sessions
	indexNamedHead         // the head of a request, of sessions
	indexRun               // the run's own name
)

// index finds the run of a conversation that names none. It is a cache of 8 ways: its memory is allocated at once and never grows,
// and where it is full the oldest entry goes. It may be used concurrently.
type index struct {
	seed maphash.Seed

	mu   sync.Mutex
	sets *[maxIndexed / ways]set // by the last bits of a key
	runs *[maxRuns]string        // names; that of run n lies at n modulo maxRuns
	last uint32                  // the run that was added last
}

const (
	maxIndexed = 1 << 16 // entries
	maxRuns    = 1 << 13 // runs that they are of, which are numbered from 1
	ways       = 8
)

// set holds the entries of some keys, the latest first.
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

// key hashes what a run is found by to 64 bits. The seed is of this process, so that nobody outside can make two of them collide.
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

// number returns the number of a run, whose key is k. A run that is not known gets a new one, and so does one whose number is old
// enough to be given to another run soon.
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

// tenantOf hashes the credentials of a request. It is part of every key, so that no client is joined with a run of another one. The
// seed is of this process, and the hash is stored nowhere.
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
