// Package evidence finds the run that a request goes on with, by the answers of the model that the request
// still holds. A client may cut the beginning of its history, its middle, its calls or its results, write a
// summary in their place, or mint new ids: what it keeps of the answers tells whose history it is.
//
// The rule was found by simulation (TestLaw plays it): of the conversations that share stock answers, short
// ids and first messages, none may be taken for another, and as few as possible may begin anew.
//
//	answers of the request ─► Names ─► candidates (who holds one of them) ─► Choose ─► the run, and the turn
//	                                                                                   that it goes on from
//
// The package knows nothing of messages, stores and HTTP.
package evidence

import (
	"cmp"
	"slices"
)

// Kept is how many answers a run keeps.
const Kept = 64

// Look is how many answers of a request count, the newest.
const Look = 16

// Common is how many runs may hold a digest that names candidates. What more hold is a stock answer, unless
// all of them have parted from one behind it.
const Common = 8

// Said is an answer of the model as a request holds it, or as a response tells it.
type Said struct {
	Words  uint64   // digest of its words and calls, without ids
	Len    int      // bytes of these
	IDs    []uint64 // digests of the ids of its calls that look minted
	Before Message  // the last message before it that is not the host's
	Asked  uint64   // digest of all that stood before it when the model was asked; 0: not known
}

// Message is one that the model did not write. The zero Message is none.
type Message struct {
	Words uint64 // digest of what it says, without ids
	Len   int    // bytes of that
}

// Answer is an answer that a run keeps.
type Answer struct {
	Said
	// the turn of the run whose answer it is; below 1: the run began behind it. A turn has several, where a
	// request was answered more than once, and where a client writes an answer in another form. The last of
	// these is the one that the run has gone on from.
	Turn int
}

// All returns a digest of all words of the request and of the answer; 0: not known.
func (s *Said) All() uint64 {
	if s.Asked == 0 {
		return 0
	}
	return s.Asked*0x9e3779b97f4a7c15 ^ s.Words
}

// Is reports whether a request holds the answer, by its words or an id.
func (a *Answer) Is(s *Said) bool { return a.Words == s.Words || a.calls(s) > 0 }

// Fits says how well an answer agrees with one that Is it, among several to one turn: more is better.
func (a *Answer) Fits(s *Said) int {
	n := 2 * a.calls(s)
	if a.Words == s.Words {
		n++
	}
	return n
}

// HasCall reports whether the request holds a call of the answer, by its id.
func (a *Answer) HasCall(s *Said) bool { return a.calls(s) > 0 }

// calls returns how many of the ids are those of its calls.
func (a *Answer) calls(s *Said) (n int) {
	for _, id := range s.IDs {
		if slices.Contains(a.IDs, id) {
			n++
		}
	}
	return n
}

// Request is what an unnamed request tells of whose it is.
type Request struct {
	Answers []Said // oldest first
	First   uint64 // digest of its first message

	keeps bool // of the run that is weighed: keepsIDs
	all   bool // all answers count
}

// Turns returns the turn of a run whose answer each of Answers is, 0 for none that is known.
func (q Request) Turns(r *Run) []int {
	q.all = true
	q.keeps = q.keepsIDs(r)
	turns := make([]int, len(q.Answers))
	to, whole := q.whole(r)
	for _, p := range q.align(r, to, whole) {
		turns[p.said] = r.Answers[p.answer].Turn
	}
	return turns
}

// from returns the index of the first answer that counts.
func (q *Request) from() int {
	if q.all {
		return 0
	}
	return max(0, len(q.Answers)-Look)
}

// same reports whether an answer of the request is one of a run. Where the client keeps the ids of calls, as
// one answer shows, words with other ids are another answer.
func (q *Request) same(a *Answer, s *Said) bool {
	if q.keeps && len(a.IDs)+len(s.IDs) > 0 {
		return a.calls(s) > 0
	}
	return a.Is(s)
}

// keepsIDs reports whether the request holds a call of the run under its id.
func (q *Request) keepsIDs(r *Run) bool {
	for i := q.from(); i < len(q.Answers); i++ {
		if slices.ContainsFunc(r.Answers, func(a Answer) bool { return a.calls(&q.Answers[i]) > 0 }) {
			return true
		}
	}
	return false
}

// Run is a candidate.
type Run struct {
	Answers []Answer // oldest first, at most Kept
	First   uint64   // digest of the first message of its first request
	Used    int64    // when it was used last; larger is later
	Own     bool     // whoever sends the request has begun it, with the same first request
	Latest  bool     // and has begun no other with that since
}

// Found says where a request goes on.
type Found struct {
	Run  int // index of the candidate; -1: none, it is a new conversation
	Turn int // the turn whose answer is the newest that the request holds
	// how many further answers the request holds, which the run has not heard
	Unseen int
	Whole  bool // all that stands before its newest answer is the same as before the run's answer to Turn
	// the run has heard another answer to Turn: the request goes on from a copy of it
	Other bool
}

// Lone reports whether a digest is known of one turn alone; the same turn in runs that have parted behind it
// is one.
type Lone func(digest uint64) bool

// Enough is how many bytes of what one run alone holds tell whose a request is.
const Enough = 64

// claim is what a candidate holds of a request.
type claim struct {
	run    int
	at     *Answer // the newest
	score  int
	holds  bool // it tells that the request goes on with the run
	unseen int
	other  bool // Found.Other
}

// Choose returns the candidate that the request goes on with.
func Choose(q Request, runs []Run, lone Lone) Found {
	var best []claim
	for i := range runs {
		c := q.weigh(&runs[i], lone)
		if !c.holds {
			continue
		}
		c.run = i
		if len(best) == 0 || c.score > best[0].score {
			best = append(best[:0], c)
		} else if c.score == best[0].score {
			best = append(best, c)
		}
	}
	if len(best) == 0 {
		return q.begun(runs)
	}
	differ := func(c claim) bool { return !c.at.isOf(&runs[c.run], best[0].at, &runs[best[0].run]) }
	if slices.ContainsFunc(best, differ) {
		last := slices.DeleteFunc(slices.Clone(best), func(c claim) bool { return !isLast(&runs[c.run], c.at) })
		if len(last) != 1 {
			return q.begun(runs)
		}
		best = last
	}
	c := slices.MaxFunc(best, func(a, b claim) int {
		if la, lb := isLast(&runs[a.run], a.at), isLast(&runs[b.run], b.at); la != lb {
			if la {
				return 1
			}
			return -1
		}
		return cmp.Compare(runs[a.run].Used, runs[b.run].Used)
	})
	asked := q.Answers[len(q.Answers)-1].Asked
	return Found{c.run, c.at.Turn, c.unseen, asked != 0 && c.at.Asked == asked, c.other}
}

// begun returns where a request goes on of which nothing tells more than who has begun it: at the newest turn
// up to which its client has said the same to the word.
func (q *Request) begun(runs []Run) Found {
	f, most := Found{Run: -1}, -1
	for i := range runs {
		r := &runs[i]
		to, at, other := q.asked(r)
		if r.Own && at >= 0 && (to > most || to == most && r.Used > runs[f.Run].Used) {
			unseen := len(q.Answers) - 1 - to
			f, most = Found{i, r.Answers[at].Turn, unseen, unseen == 0, other}, to
		}
	}
	return f
}

// asked returns the newest answer of the request before which stands all that stood before one of the run's,
// and the run's, by their indices; -1 if there is none. other is whether the run has heard another answer
// there.
func (q *Request) asked(r *Run) (to, at int, other bool) {
	for to = len(q.Answers) - 1; to >= q.from(); to-- {
		s := &q.Answers[to]
		at = slices.IndexFunc(r.Answers, func(a Answer) bool { return a.Asked == s.Asked })
		if at >= 0 && s.Asked != 0 {
			return to, at, !slices.ContainsFunc(r.Answers, func(a Answer) bool {
				return a.Turn == r.Answers[at].Turn && (a.Words == 0 || a.Is(s))
			})
		}
	}
	return -1, -1, false
}

// isOf reports whether an answer of run r and one of run o are the same one, which both have from before they
// parted, in some form in which their clients have written it.
func (a *Answer) isOf(r *Run, b *Answer, o *Run) bool {
	return slices.ContainsFunc(r.Answers, func(x Answer) bool {
		return x.Turn == a.Turn && slices.ContainsFunc(o.Answers, func(y Answer) bool {
			return y.Turn == b.Turn && x.Asked == y.Asked
		})
	})
}

func isLast(r *Run, a *Answer) bool { return a.Turn == r.Newest() }

// weigh returns the claim of a run: the bytes that it and the request hold in common, in order.
func (q *Request) weigh(r *Run, lone Lone) (c claim) {
	q.keeps = q.keepsIDs(r)
	to, whole := q.whole(r)
	at := q.align(r, to, whole)
	if len(at) == 0 {
		return c
	}
	c.at, c.unseen = &r.Answers[at[0].answer], len(q.Answers)-1-at[0].said
	found := make(map[int]int, len(at)) // by the index of the answer in the request
	for _, p := range at {
		found[p.said] = p.answer
	}
	old := at[len(at)-1].said
	bytes, ids, before, missing, tells := 0, 0, 0, 0, 0
	behind := true // what stands behind the answer up to which all is the same tells that it is that run's, too
	seen := map[uint64]bool{}
	for i := len(q.Answers) - 1; i >= q.from(); i-- {
		if i < old && len(r.Answers) >= Kept {
			break
		}
		if i == to {
			behind = 4*missing <= tells && (tells > 0 || i == len(q.Answers)-1)
		}
		s := &q.Answers[i]
		n, known := found[i]
		if !known {
			missing += min(s.Len, 4096) + 1
			continue
		}
		a := &r.Answers[n]
		if !a.Is(s) && (s.Asked == 0 || a.Asked != s.Asked) { // another form of it, at its place
			continue
		}
		calls := a.calls(s)
		reminted := len(s.IDs) > 0 && len(a.IDs) > 0 && calls == 0
		if s.Before.Words != 0 && a.Before.Words == s.Before.Words {
			before += min(a.Before.Len, 60) + 4
		}
		if !a.Is(s) {
			continue
		}
		said := 0
		if a.Words == s.Words && !seen[a.Words] {
			said = min(a.Len, 4096)
		}
		if reminted {
			said /= 5
		}
		seen[a.Words] = true
		bytes += said
		if lone(s.Words) {
			tells += said
		}
		fresh := func(id uint64) bool { return slices.Contains(a.IDs, id) && !seen[id] }
		if i := slices.IndexFunc(s.IDs, fresh); i >= 0 {
			ids++
			if seen[s.IDs[i]] = true; !lone(s.IDs[i]) {
				continue
			}
			if tells += Enough; said == 0 {
				tells -= Enough / 2
			}
		}
	}
	c.holds = tells >= Enough && 4*missing <= tells
	c.score = bytes + 100*ids - missing + before
	if r.First == q.First {
		c.score += 8
	}
	if whole >= 0 {
		c.score += 8 * (to + 1) / len(q.Answers)
		for i := q.from(); to == len(q.Answers)-1 && i <= to; i++ { // all before it is the same, ids too
			c.score += min(q.Answers[i].Before.Len, 4096)
		}
		if r.Own { // more than an id of each answer: servers that mint the same ids share no conversation
			c.score += 200 * (to + 1 - q.from())
		}
		w := &r.Answers[whole]
		switch newest := to == len(q.Answers)-1; {
		case newest && w.Turn == c.at.Turn:
			c.holds = true
		case newest || c.holds || (w.Words != 0 || !isLast(r, w)) && w.All() != q.Answers[to].All():
		case behind:
			c.holds = true
		default: // it has gone on unseen from there
			if r.Own {
				to, whole, c.other = q.asked(r)
			}
			c.at, c.unseen, c.holds = &r.Answers[whole], len(q.Answers)-1-to, true
		}
	}
	return c
}

// whole returns the newest answer of the request before which stands all that stood before one of the run's,
// and the run's, by their indices; -1 if there is none. The two are the same; or the run's is open: it was
// asked, and nobody has heard what the model has said; or, where that is the newest of either, the client
// writes it in another form.
func (q *Request) whole(r *Run) (to, at int) {
	bytes := 0
	for i := q.from(); i < len(q.Answers); i++ {
		bytes += q.Answers[i].Before.Len + q.Answers[i].Len
	}
	for to = len(q.Answers) - 1; to >= q.from() && (bytes >= Enough || r.Own); to-- {
		s, open, other := &q.Answers[to], -1, -1
		for i := range r.Answers {
			switch a := &r.Answers[i]; {
			case s.Asked == 0 || a.Asked != s.Asked:
			case a.Words == 0:
				open = i
			case q.same(a, s):
				return to, i
			case (to == len(q.Answers)-1 || isLast(r, a)) && (r.Latest || bytes >= max(Enough, 4*s.Len)+s.Len):
				other = i
			}
		}
		// what the run has said later, too, stands there because what stood between the two was cut
		later := func(at, enough int) bool {
			return slices.ContainsFunc(r.Answers[at:], func(a Answer) bool {
				return q.same(&a, s) && (a.calls(s) > 0 || s.Len >= enough)
			})
		}
		if open >= 0 && !later(open, Enough) {
			return to, open
		}
		if other >= 0 && !later(other, 0) {
			return to, other
		}
		bytes -= s.Before.Len + s.Len
	}
	return -1, -1
}

// pair lays an answer of a request to one of a run, by their indices.
type pair struct{ said, answer int }

// align lays answers of the request to the run's, in order, each to a turn of its own: the newest that the
// run holds, and of all ways to lay those before it the one that has the most in common. Where all is the
// same up to an answer of the request (to, whole), that one is laid, and only answers of later turns behind
// it. Each answer is laid to at most Kept of the run's, each of which looks at as many before it: the work
// grows with the length of the request alone.
func (q *Request) align(r *Run, to, whole int) (best []pair) {
	start, behind := len(q.Answers)-1, r.behind(whole)
	holds := func(s *Said) bool {
		return slices.ContainsFunc(r.Answers[behind:], func(a Answer) bool { return q.same(&a, s) })
	}
	for start > to && start >= q.from() && !holds(&q.Answers[start]) {
		start--
	}
	if start < q.from() {
		return nil
	}
	type way struct {
		pair
		weight int
		before *way
	}
	var most *way
	ways := make([]*way, len(r.Answers)) // the best that ends with each
	for i := q.from(); i <= start; i++ {
		longer := slices.Clone(ways)
		for z := range r.Answers {
			a, s := &r.Answers[z], &q.Answers[i]
			switch {
			case i == to && z != whole, i < to && z >= whole, i > to && z < behind:
				continue
			case i != to && (!q.same(a, s) || i < start && !r.onward(z)):
				continue
			}
			w := &way{pair: pair{i, z}}
			for y := z - 1; y >= 0; y-- {
				if b := ways[y]; b != nil && r.Answers[y].Turn != a.Turn && b.weight > w.weight {
					w.before, w.weight = b, b.weight
				}
			}
			w.weight += min(s.Len, 400) + 100*a.calls(s) + r.pair(q, i, z) + 1
			if i == to {
				w.weight += 1 << 20
			}
			if i == start && (most == nil || w.weight >= most.weight) {
				most = w
			}
			if longer[z] == nil || w.weight >= longer[z].weight {
				longer[z] = w
			}
		}
		ways = longer
	}
	for w := most; w != nil; w = w.before {
		best = append(best, w.pair)
	}
	if best == nil {
		return nil
	}
	fixed := start == to
	// an answer in another form: right behind a known one, to the message that the run answered next
	if i, n := best[0].said+1, r.behind(best[0].answer); !fixed && i < len(q.Answers) && n < len(r.Answers) {
		s, a, known, p := &q.Answers[i], &r.Answers[n], &q.Answers[i-1], &r.Answers[best[0].answer]
		uncut := p.All() != 0 && p.All() == known.All()
		if a.Before.Words == s.Before.Words && a.Turn == p.Turn+1 && (!uncut || a.Asked == s.Asked) {
			best = slices.Insert(best, 0, pair{i, n})
		}
	}
	return best
}

// pair returns what it weighs that two answers have the same message before them.
func (r *Run) pair(q *Request, i, n int) int {
	if b := q.Answers[i].Before.Words; b != 0 && r.Answers[n].Before.Words == b {
		return min(r.Answers[n].Before.Len, 60) + 4
	}
	return 0
}

// behind returns the index of the run's first answer to a later turn than that of the answer at an index; 0
// for -1.
func (r *Run) behind(at int) int {
	n := at + 1
	for at >= 0 && n < len(r.Answers) && r.Answers[n].Turn == r.Answers[at].Turn {
		n++
	}
	return n
}

// onward reports whether the run has gone on from an answer, or from one that says the same.
func (r *Run) onward(at int) bool { return r.Answers[r.behind(at)-1].Words == r.Answers[at].Words }

// Names returns the digests by which the answer is found: of its ids, its words, and all before it, as far as
// they are known.
func (s *Said) Names() []uint64 {
	list := slices.Clone(s.IDs)
	for _, d := range []uint64{s.Words, s.Asked} {
		if d != 0 {
			list = append(list, d)
		}
	}
	return list
}

// Newest returns the turn of the newest answer, 0 where the run keeps none.
func (r *Run) Newest() int {
	if len(r.Answers) == 0 {
		return 0
	}
	return r.Answers[len(r.Answers)-1].Turn
}

// Learnt returns the answers of a request behind those that a run has, before the turn next.
func (q *Request) Learnt(have []Answer, next int) (list []Answer) {
	from := q.from()
	for i := len(q.Answers) - 1; i >= from; i-- {
		if slices.ContainsFunc(have, func(a Answer) bool { return a.Is(&q.Answers[i]) }) {
			from = i + 1
		}
	}
	for i, s := range q.Answers[from:] {
		s.Asked = 0 // not what the run was asked
		list = append(list, Answer{Said: s, Turn: next - len(q.Answers) + from + i})
	}
	return list
}
