package transport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/evidence"
)

// name finds the run that the request belongs to. The package comment says in which order.
func (x *exchange) name(ctx context.Context) error {
	run, id := &x.report.Run, x.q.Thread
	*run = cmp.Or(*run, eval.RunFrom(ctx))
	switch {
	case *run != "":
		x.named = true
	case id.Run != "" && id.Source != "prompt_cache_key":
		*run, x.named, x.report.Agent = id.Key(), true, x.q.Agent
		return x.fork(ctx)
	default:
		return x.unnamed(ctx)
	}
	return nil
}

// fork begins a new session as a copy of the run whose history the conversation begins with, if
// there is one.
func (x *exchange) fork(ctx context.Context) error {
	if !x.conv.Answered() {
		return nil
	}
	notes, mark, _, err := x.readRun(ctx, x.report.Run)
	if err != nil || notes != nil || mark != "" {
		return err
	}
	x.steps, x.asked = x.conv.Steps()
	run := x.report.Run
	from, n, err := x.find(ctx)
	if x.report.Run = run; from == "" || from == run || err != nil {
		return err
	}
	return x.part(ctx, run, from, n)
}

// unnamedRun begins the names of runs that nobody has named.
const unnamedRun = "conversation-"

// unnamed finds the run by the answers that the conversation holds; a conversation that holds none, or none
// that tells, begins a run.
func (x *exchange) unnamed(ctx context.Context) error {
	if err := x.readSteps(ctx); err != nil {
		return err
	}
	run, n, err := x.find(ctx)
	switch {
	case run == "" && err == nil:
		return x.beginning(ctx)
	case err != nil:
		x.report.Run = run // its texts are repeated
		return err
	}
	x.base = cmp.Or(n.Base, x.base)
	x.report.Run = run
	kind := x.q.KindIn(n.Tools)
	advances := kind == api.KindTurn || kind == api.KindCount
	if !advances || n.Turn == x.at.turn && !x.at.other || n.took(x.asked, x.at.turn+1) {
		return nil
	}
	turn, to := x.at.turn, x.base
	for range maxCandidates {
		to = partName(to, turn, x.asked)
		if err = x.part(ctx, to, run, n); err != nil {
			return err
		}
		if n, err := x.notesOr(ctx, to); err != nil || !x.strayed(n) {
			return err
		}
		x.at.turn = turn // that run has taken the request, did not hear the answer, and has gone on
	}
	return errStrayed // each of them behind an answer that was lost: there is no telling which it is
}

// partName names the run of a conversation that parts from another run after a turn, with a request. It is
// the same for each process.
func partName(base string, turn int, asked string) string {
	return base + "-" + digest("part", strconv.Itoa(turn), asked)
}

// took reports whether the request of a turn was the same to the word.
func (n notes) took(asked string, turn int) bool {
	return n.Turn == turn && n.Head == asked || slices.ContainsFunc(n.Answers, func(a completion) bool {
		return a.Turn == turn && a.Asked == number(asked)
	})
}

// number returns the digest that a key of a message or a conversation is.
func number(key string) uint64 {
	n, _ := strconv.ParseUint(key, 16, 64)
	return n
}

// place is where in its run a conversation without a name goes on.
type place struct {
	turn   int             // the turn whose answer is the newest that the conversation holds; 0: it holds none
	said   []evidence.Said // the answers that it holds, oldest first; of many the newest
	unseen bool            // the conversation holds further answers, which the run has not heard
	summed bool            // it holds a summary of the run up to that turn
	other  bool            // the run has heard another answer to the turn
	reply  *reply          // what is known beside the run of an answer that the API keeps
}

// fresh is how long the run of a request is good for the same request again: as long as a prompt cache holds
// the prefix at the least (WIRE.md §3.1). A retry comes sooner. Later the same words are another
// conversation, for which the turn is decided anew: what the clock says, and how long the run lasts, are not
// the same any more.
const fresh = 5 * time.Minute

// beginning names the run of a request that begins a conversation, or goes on with one that nobody knows. It
// is the same for each process, and another one for another client, so that nobody decides the turn of a
// stranger by saying the same. The same request after a while, or under other rules, begins a further run,
// which the first run's notes name.
func (x *exchange) beginning(ctx context.Context) error {
	first := x.ofRequest(x.asked)
	x.first = first
	x.at = place{said: x.at.said}
	x.report.Run = first
	n, err := x.notesOr(ctx, first)
	if n.Newer != "" && err == nil {
		x.report.Run = n.Newer
		n, err = x.notesOr(ctx, n.Newer)
	}
	now := x.t.ev.Now()
	if err != nil || n.Turn == 0 || n.Rules == x.rules() && now.Sub(time.Unix(n.At, 0)).Abs() < fresh &&
		n.took(x.asked, 1) {
		return err
	}
	newer := first + "-" + digest(x.report.Run, x.rules(), now.String())
	was := x.report.Run
	err = x.noteOf(first, func(n notes) notes {
		if cmp.Or(n.Newer, first) == was {
			n.Newer = newer
		}
		newer = n.Newer
		return n
	})
	x.report.Run = newer
	return err
}

// rules returns a hash of the reminders in use for the run.
func (x *exchange) rules() string {
	t, set := x.t, x.t.ev.SetOf(cmp.Or(x.root(), x.report.Run))
	if set.Digest() != "" {
		return set.Digest()
	}
	if r := t.hashed.Load(); r != nil && r.set == set {
		return r.hash
	}
	d := sha256.New()
	for i := range set.Len() {
		_, _ = fmt.Fprintf(d, "%+v\x00", set.Reminder(i).Reminder)
	}
	r := &hashedSet{set, hex.EncodeToString(d.Sum(nil)[:8])}
	t.hashed.Store(r)
	return r.hash
}

// hashedSet is a set, and a hash of its reminders.
type hashedSet struct {
	set  *compile.Set
	hash string
}

// ofRequest names the run that a request begins. The hash, which is of the conversation too, does not give
// the credentials away.
func (x *exchange) ofRequest(asked string) string {
	parts := append([]string{"request", asked, x.q.Thread.Run}, x.client...)
	return x.base + "-" + digest(parts...)
}

// digest returns a hash of strings: 16 hexadecimal digits.
func digest(parts ...string) string {
	d := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(d, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(d.Sum(nil)[:8])
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
