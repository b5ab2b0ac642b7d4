package transport

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"

	"github.com/cespare/xxhash/v2"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aside-go/aside/eval"
)

// name finds the run that the request belongs to. The package comment says in which order.
func (x *exchange) name(ctx context.Context) error {
	run := &x.report.Run
	if *run == "" {
		*run = eval.RunFrom(ctx)
	}
	id := x.q.Thread
	switch {
	case *run != "":
		x.named = true
	case id.Run != "" && id.Source != "prompt_cache_key":
		*run, x.named = id.Key(), true
		return x.fork(ctx)
	case id.Previous != "":
		if *run = x.t.index.find(x.tenant, byResponse, id.Previous); *run == "" {
			*run = "response-" + id.Previous
		}
	case x.conv.Answered():
		if *run = x.joined(byCall, byHead); *run == "" {
			return x.unnamed(ctx)
		}
		return x.branch(ctx)
	default:
		return x.unnamed(ctx)
	}
	return nil
}

// branch gives the conversation a run of its own, begun as a copy, where the run that it was joined
// with has continued otherwise: several attempts at one task side by side, or a person who went
// back in the history.
func (x *exchange) branch(ctx context.Context) error {
	from := x.report.Run
	if x.t.index.find(x.tenant, byHead, x.head) == from { // this very request has been here
		return nil
	}
	n, err := x.notesOf(ctx, from)
	first, _ := x.conv.Ends()
	if err != nil || n.continues(x.conv) || n.First != first {
		return err
	}
	x.report.Run = another(from)
	return x.copyRun(ctx, from)
}

// fork begins a new session as a copy of the run whose history the conversation begins with, if
// there is one.
func (x *exchange) fork(ctx context.Context) error {
	if !x.conv.Answered() {
		return nil
	}
	notes, mark, err := x.t.ev.Notes(ctx, x.report.Run)
	if err != nil || notes != nil || mark != "" {
		return err
	}
	if from := x.joined(byNamedCall, byNamedHead); from != "" && from != x.report.Run {
		return x.copyRun(ctx, from)
	}
	return nil
}

// copyRun begins the run as a copy of another one, answers that are not saved yet included.
func (x *exchange) copyRun(ctx context.Context, from string) error {
	a, unsaved := x.t.answers.Get(from) // before the state: save writes that, and then removes it
	_, err := x.t.ev.Fork(ctx, from, x.report.Run)
	if unsaved && err == nil {
		x.t.answers.Add(x.report.Run, a)
	}
	return err
}

// unnamedRun begins the names of runs that nobody has named.
const unnamedRun = "conversation-"

// unnamed names the run by the beginning of the conversation.
func (x *exchange) unnamed(ctx context.Context) error {
	d := xxhash.New()
	_, _ = d.WriteString(string(x.q.API) + "\x00" + x.q.Thread.Run) // a prompt_cache_key
	for _, k := range x.conv.Beginning() {
		_, _ = d.WriteString("\x00" + k)
	}
	base := fmt.Sprintf("%s%016x", unnamedRun, d.Sum64())
	known := x.t.index.find(x.tenant, byHead, x.head)
	for _, run := range []string{known, base} {
		if run == "" {
			continue
		}
		n, err := x.notesOf(ctx, run)
		if err != nil {
			return err
		}
		if run == base && n.Head == "" || n.asked(x) || x.conv.Answered() && n.continues(x.conv) {
			x.report.Run = run
			return nil
		}
	}
	x.report.Run = another(base) // another conversation that began with the same words
	return nil
}

// another returns a new name for a run that begins like the run of this name.
func another(run string) string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	if len(run) > len(unnamedRun)+16 {
		run = run[:len(unnamedRun)+16]
	}
	return run + "-" + hex.EncodeToString(b[:])
}

// notesOf returns the notes of a run as they are saved.
func (x *exchange) notesOf(ctx context.Context, run string) (notes, error) {
	carried, _, err := x.t.ev.Notes(ctx, run)
	if err != nil {
		return notes{}, err
	}
	return decode(carried)
}

// joined returns the run that this conversation continues, as far as this process knows it, "" for
// none. Ids of tool calls come first: they are unique, and conversations often begin with the same
// words.
func (x *exchange) joined(call, head indexKind) string {
	for id := range x.conv.Calls() {
		if isUnique(id) {
			if run := x.t.index.find(x.tenant, call, id); run != "" {
				return run
			}
		}
	}
	for _, h := range slices.Backward(x.conv.Heads()) {
		if run := x.t.index.find(x.tenant, head, h); run != "" {
			return run
		}
	}
	return ""
}

// remember adds the conversation to the index, so that its next request is known.
func (x *exchange) remember() {
	kind := byHead
	if x.named {
		kind = byNamedHead
	}
	if !x.q.Partial {
		x.t.index.add(x.tenant, kind, x.head, x.report.Run)
	}
	x.rememberCalls()
}

// rememberCalls adds the latest tool calls to the index, back to the first that an earlier request
// has added. A request that is no turn does so too: one that asks for a summary may be the last to
// hold a call before the client rewrites its history.
func (x *exchange) rememberCalls() {
	kind := byCall
	if x.named {
		kind = byNamedCall
	}
	n := 0
	for id := range x.conv.Calls() {
		if !isUnique(id) {
			continue
		}
		if n++; n > maxCalls || x.t.index.add(x.tenant, kind, id, x.report.Run) {
			return
		}
	}
}

// maxCalls is how many of a request's calls are remembered: the last ones, more than a model makes
// at once.
const maxCalls = 16

// isUnique reports whether a tool call's id is long enough to be random; shorter ids are counters
// that every conversation has.
func isUnique(id string) bool { return len(id) >= 16 }

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
	byResponse  indexKind = iota
	byCall                // the id of a tool call, of a conversation without a name
	byHead                // the head of a request, of a conversation without a name
	byNamedCall           // the id of a tool call, of a session
	byNamedHead           // the head of a request, of a session
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

// tenant hashes the credentials of a request. It is part of every key, so no client is joined with
// a run of another client. The hash is stored nowhere.
func (x *index) tenant(r *http.Request) uint64 {
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
