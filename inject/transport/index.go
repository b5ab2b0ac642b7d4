package transport

import (
	"hash/maphash"
	"net/http"

	lru "github.com/hashicorp/golang-lru/v2"
)

// index finds the run of a conversation that names none. It forgets the entries that were not used
// for longest, so its memory is bounded. It may be used concurrently.
type index struct {
	seed maphash.Seed
	runs *lru.Cache[uint64, string]
}

// maxIndexed is the number of entries of an index: a few for each turn.
const maxIndexed = 1 << 16

// indexKind says by what the index knows a run.
type indexKind uint8

const (
	byReply     indexKind = iota // the id of a response that the API keeps, or of an item of it
	byAnswer                     // an answer, as answerName names it
	byCall                       // the id of a tool call, of a conversation without a name
	byNamedCall                  // the id of a tool call, of a session
	byNamedHead                  // the head of a request, of a session
)

func newIndex() *index {
	runs, _ := lru.New[uint64, string](maxIndexed) // fails for a size below 1 only
	return &index{maphash.MakeSeed(), runs}
}

// key hashes an entry's name. The seed is of this process, so nobody outside can make two keys collide.
func (x *index) key(tenant uint64, kind indexKind, id string) uint64 {
	return maphash.Comparable(x.seed, struct {
		tenant uint64
		kind   indexKind
		id     string
	}{tenant, kind, id})
}

// find returns the run that was last added under a name, "" if none is known.
func (x *index) find(tenant uint64, kind indexKind, id string) string {
	run, _ := x.runs.Get(x.key(tenant, kind, id))
	return run
}

// add remembers a run under a name, and reports whether it was known.
func (x *index) add(tenant uint64, kind indexKind, id, run string) (known bool) {
	k := x.key(tenant, kind, id)
	was, _ := x.runs.Peek(k)
	x.runs.Add(k, run)
	return was == run
}

// tenant hashes the credentials of a client. It is part of every key, so no client is joined with
// a run of another client. The hash is stored nowhere.
func (x *index) tenant(credentials []string) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	for _, c := range credentials {
		_, _ = h.WriteString(c)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
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
