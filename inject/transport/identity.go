package transport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
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
	notes, mark, err := x.t.ev.Notes(ctx, x.report.Run)
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
	if n.Turn == x.at.turn || n.took(x.asked, x.at.turn+1) || x.q.Kind != api.KindTurn && x.q.Kind != api.KindCount {
		return nil
	}
	return x.part(ctx, partName(x.base, x.at.turn, x.asked), run, n)
}

// partName names the run of a conversation that parts from another run after a turn, with a request. It is the
// same for each process.
func partName(base string, turn int, asked string) string {
	return base + "-" + digest("part", strconv.Itoa(turn), asked)
}

// took reports whether the request of a turn was the same to the word.
func (n notes) took(asked string, turn int) bool {
	return n.Turn == turn && n.Head == asked || slices.ContainsFunc(n.Answers, func(a heard) bool {
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
	said   []evidence.Said // the answers that it holds, oldest first, as far as they were read; the last is the newest
	told   bool            // the newest is the answer to that turn for certain, whatever the response said
	unseen bool            // the conversation holds further answers, which the run has not heard
	reply  *reply          // what is known beside the run of an answer that the API keeps
}

// find returns the run that a conversation goes on with, and its notes; "" for none. With an error, it is the
// run as this process knows it.
func (x *exchange) find(ctx context.Context) (run string, n notes, err error) {
	x.at = place{reply: x.at.reply}
	if r := x.at.reply; r != nil {
		x.at.turn = r.Turn
		n, err = x.notesOr(ctx, r.Run)
		return r.Run, n, err
	}
	if len(x.steps) == 0 {
		return "", n, nil
	}
	s := search{x: x, ctx: ctx, runs: map[string]notes{}, held: map[uint64][]holder{}}
	newest := len(x.steps) - 1
	said := x.saidIn(newest)
	x.at.said = []evidence.Said{said}
	s.add(&said)
	if run := s.continued(&said); run != "" {
		x.at.turn = s.runs[run].Turn
		return run, s.runs[run], s.err
	}
	if !x.named { // other processes may know more of it
		for _, d := range append([]uint64{said.Words}, said.IDs...) {
			_, err := x.readRow(ctx, d)
			s.err = cmp.Or(s.err, err)
		}
		s.add(&said)
	}
	for i := newest - 1; i >= max(0, newest+1-evidence.Look); i-- {
		said := x.saidIn(i)
		x.at.said = append(x.at.said, said)
		s.add(&said)
	}
	slices.Reverse(x.at.said)
	first := ""
	if !x.named {
		first = x.ofRequest(x.steps[0].Before)
		if n := s.read(first); n.Newer != "" {
			s.read(n.Newer)
		}
	}
	name, f := s.choose(first)
	for (name == "" || f.Unseen > 0) && !x.named && s.derive() {
		name, f = s.choose(first)
	}
	if name == "" {
		return "", notes{}, s.err
	}
	x.at.turn, x.at.told, x.at.unseen = f.Turn, f.Told, f.Unseen > 0
	return name, s.runs[name], s.err
}

// derive adds the runs that have parted from a candidate with a request of this conversation, and reports
// whether there are any. Nobody needs to have heard an answer to find them.
func (s *search) derive() (more bool) {
	x := s.x
	for _, from := range slices.Sorted(maps.Keys(s.runs)) {
		n := s.runs[from]
		for i := len(x.steps) - 1; i >= max(0, len(x.steps)-evidence.Look); i-- {
			at := slices.IndexFunc(n.evidence(), func(a evidence.Answer) bool {
				return a.Asked == number(x.steps[i].Before)
			})
			if at < 0 {
				continue
			}
			asked := x.asked
			if i+1 < len(x.steps) {
				asked = x.steps[i+1].Before
			}
			part := partName(cmp.Or(n.Base, x.base), n.evidence()[at].Turn, asked)
			if _, known := s.runs[part]; !known && s.read(part).Turn > 0 {
				more = true
			}
			break
		}
	}
	return more
}

// choose returns the candidate that the conversation goes on with, "" for none. first is the run that its
// first request names.
func (s *search) choose(first string) (string, evidence.Found) {
	begin, _ := s.x.conv.Ends()
	q := evidence.Request{Answers: s.x.at.said, First: number(begin)}
	names := slices.Sorted(maps.Keys(s.runs))
	runs := make([]evidence.Run, len(names))
	for i, name := range names {
		n := s.runs[name]
		runs[i] = evidence.Run{Answers: n.evidence(), First: number(n.First), Used: n.Used,
			Own: first != "" && n.Root == first}
		if first != "" && name == s.runs[first].Newer {
			runs[i].Used++ // of two at the same time
		}
	}
	f := evidence.Choose(q, runs, s.lone)
	if f.Run < 0 {
		return "", f
	}
	return names[f.Run], f
}

// saidIn returns the answer of a step.
func (x *exchange) saidIn(step int) evidence.Said {
	s := x.conv.Said(x.steps[step])
	s.Asked = number(x.steps[step].Before)
	return s
}

// search collects the candidates for the run of a conversation.
type search struct {
	x    *exchange
	ctx  context.Context
	runs map[string]notes
	held map[uint64][]holder
	err  error // the first of reading the state
}

// maxCandidates is how many runs are read at most to find that of a conversation.
const maxCandidates = 2 * evidence.Look

// add collects the runs that hold an answer, an id of it or the message before it. This process has all three;
// the store has the words, and ids where the words say little.
func (s *search) add(said *evidence.Said) {
	stored := !s.x.named
	if s.hold(said.Words, stored); !s.lone(said.Words) || len(s.held[said.Words]) == 0 {
		for _, id := range said.IDs {
			s.hold(id, stored)
		}
	}
	for _, d := range []uint64{said.Before.Words, said.Asked} {
		if d != 0 {
			s.hold(d, false)
		}
	}
}

// hold collects the runs that hold a digest.
func (s *search) hold(d uint64, stored bool) {
	list, err := s.x.t.index.of(s.x.indexed(d)), error(nil)
	if len(list) == 0 && stored {
		list, err = s.x.readRow(s.ctx, d)
		s.err = cmp.Or(s.err, err)
	}
	s.held[d] = list
	runs := map[string]bool{}
	for _, h := range list {
		runs[h.Run] = true
	}
	if len(runs) > evidence.Common {
		return
	}
	for _, h := range list {
		if n := s.read(h.Run); n.Turn >= h.Turn && h.Turn > 0 && h.Words != 0 && !slices.ContainsFunc(n.Answers, func(a heard) bool {
			return a.Turn == h.Turn
		}) { // a process that was killed has not noted it
			n.Answers = n.with(heard{Answer: evidence.Answer{Turn: h.Turn, Said: evidence.Said{Words: h.Words, Asked: h.Asked}}})
			s.runs[h.Run] = n
		}
	}
}

// continued returns the only run whose last turn has got the answer, after all that stands before it here; ""
// where there is none, or it does not tell. Then nothing else needs to be read.
func (s *search) continued(said *evidence.Said) (run string) {
	for name, n := range s.runs {
		switch a := n.lastHeard(); {
		case a.Turn != n.Turn || a.All() != said.All():
		case run != "" || len(said.IDs) == 0 && said.Len+said.Before.Len < evidence.Enough:
			return ""
		default:
			run = name
		}
	}
	return run
}

// read returns the notes of a candidate.
func (s *search) read(run string) notes {
	n, known := s.runs[run]
	if known || len(s.runs) >= maxCandidates {
		return n
	}
	n, err := s.x.notesOr(s.ctx, run)
	if s.err = cmp.Or(s.err, err); n.Turn > 0 {
		s.runs[run] = n
	}
	return n
}

// lone is evidence.Lone.
func (s *search) lone(d uint64) bool {
	all := uint64(0)
	for _, h := range s.held[d] {
		switch is := h.all(); {
		case is == 0:
		case all != 0 && all != is:
			return false
		default:
			all = is
		}
	}
	return true
}

// fresh is how long the run of a request is good for the same request again: as long as a prompt cache holds
// the prefix at the least (WIRE.md §3.1). A retry comes sooner. Later the same words are another
// conversation, for which the turn is decided anew: what the clock says, and how long the run lasts, are not
// the same any more.
const fresh = 5 * time.Minute

// beginning names the run of a request that begins a conversation, or goes on with one that nobody knows. It
// is the same for each process, and another one for another client, so that nobody decides the turn of a
// stranger by saying the same. The same request after a while, or under other rules, begins a further run; the
// first run's notes name that.
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
		r := set.Reminder(i).Reminder
		r.Predicate = nil
		_, _ = fmt.Fprintf(d, "%+v\x00", r)
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

// ofRequest names the run that a request begins. The hash, which is of the conversation too, does not give the
// credentials away.
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

// notesOf returns the notes of a run as they are saved.
func (x *exchange) notesOf(ctx context.Context, run string) (notes, error) {
	carried, _, err := x.t.ev.Notes(ctx, run)
	if err != nil {
		return notes{}, err
	}
	return decode(carried)
}

// notesOr returns the notes of a run, with the answers that are not saved yet; where the state has none, or
// fails, as this process has them in memory.
func (x *exchange) notesOr(ctx context.Context, run string) (notes, error) {
	pending, _ := x.t.pending.Get(run) // before the notes: save writes those, and then removes it
	n, err := x.notesOf(ctx, run)
	if l, ok := x.t.last.Peek(run); ok && n.Turn == 0 {
		n = l.notes
	}
	for _, a := range pending {
		n = n.answered(a)
	}
	return n, err
}
