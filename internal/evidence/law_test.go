package evidence_test

import (
	"slices"
	"testing"

	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/test/history"
	"github.com/aside-go/aside/internal/test/testkit"
)

// proxy keeps runs by evidence as inject/transport does, over an index of everything.
type proxy struct {
	runs    []*run
	holders map[uint64][]holder
	clock   int64
}

type run struct {
	evidence.Run
	asked uint64      // evidence.Said.Asked of its first turn
	truth map[int]int // the true turn of a turn of the run
	tails map[[2]uint64]bool
}

// until returns the answers up to that of a turn.
func (r *run) until(turn int) []evidence.Answer {
	return slices.DeleteFunc(slices.Clone(r.Answers), func(a evidence.Answer) bool { return a.Turn > turn })
}

// add adds an answer behind those of its turn and before.
func (r *run) add(a evidence.Answer) {
	at := len(r.Answers)
	for at > 0 && r.Answers[at-1].Turn > a.Turn {
		at--
	}
	list := slices.Insert(slices.Clone(r.Answers), at, a)
	r.Answers = list[max(0, len(list)-evidence.Kept):]
}

type holder struct {
	run *run
	all uint64
}

func (p *proxy) put(r *run, a evidence.Answer) {
	for _, d := range a.Names() {
		p.hold(d, holder{r, a.All()})
	}
}

// hold notes that a run holds a digest; of many runs the latest.
func (p *proxy) hold(d uint64, h holder) {
	list := slices.DeleteFunc(p.holders[d], func(o holder) bool { return o == h })
	p.holders[d] = append(list[max(0, len(list)-evidence.Common):], h)
}

// lone is evidence.Lone over the index.
func (p *proxy) lone(d uint64) bool {
	all := uint64(0)
	for _, h := range p.holders[d] {
		if h.all != 0 && all != 0 && h.all != all {
			return false
		}
		if h.all != 0 {
			all = h.all
		}
	}
	return true
}

// candidates returns the runs that hold an answer of the request, and those that have begun with the same
// first request: the product names these by it.
func (p *proxy) candidates(q evidence.Request) (list []*run) {
	for _, r := range p.runs {
		if r.Own = len(q.Answers) > 0 && r.asked == q.Answers[0].Asked; r.Own {
			r.Latest = true
			list = append(list, r)
		}
	}
	var names []uint64
	for i := len(q.Answers) - 1; i >= max(0, len(q.Answers)-evidence.Look); i-- {
		names = append(names, q.Answers[i].Names()...)
	}
	for _, d := range names {
		var of []*run
		for _, h := range p.holders[d] {
			if !slices.Contains(of, h.run) {
				of = append(of, h.run)
			}
		}
		if len(of) <= evidence.Common || p.lone(d) {
			for _, r := range of {
				if !slices.Contains(list, r) {
					list = append(list, r)
				}
			}
		}
	}
	return list
}

// handle takes a request, and the answer to it. It returns the true turn that it was put behind, 0 for none,
// and whether all was the same up to there.
//
// Where the answer is lost, the process that heard it was killed before it noted that.
func (p *proxy) handle(req []history.Message, answer history.Message, lost bool) (behind int, alike bool) {
	p.clock++
	q := history.Of(req)
	list := p.candidates(q)
	runs := make([]evidence.Run, len(list))
	for i, r := range list {
		runs[i] = r.Run
	}
	f := evidence.Choose(q, runs, p.lone)
	from := len(req)
	for from > 0 && req[from-1].Role != 'a' {
		from--
	}
	tail := uint64(0)
	for _, m := range req[from:] {
		tail = history.Mix(tail, m.Words)
	}
	var r *run
	turn := 1
	if f.Run < 0 {
		r = &run{truth: map[int]int{}, tails: map[[2]uint64]bool{}}
		r.First, r.asked = req[0].Words, history.Said(answer, req).Asked
		r.Answers = q.Learnt(nil, 1)
		for _, a := range r.Answers {
			p.put(r, a)
		}
		p.runs = append(p.runs, r)
	} else {
		r = list[f.Run]
		behind, turn = r.truth[f.Turn], f.Turn+1
		alike = slices.ContainsFunc(r.Answers, func(a evidence.Answer) bool {
			return a.Turn == f.Turn && a.Asked != 0 && a.Asked == q.Answers[len(q.Answers)-1-f.Unseen].Asked
		})
		key := [2]uint64{uint64(f.Turn + 1000), tail}
		switch last := r.Newest(); {
		case f.Turn == last:
			a := evidence.Answer{Said: q.Answers[len(q.Answers)-1], Turn: f.Turn}
			if last := r.Answers[len(r.Answers)-1]; !last.Is(&a.Said) || last.Words != a.Words {
				r.Answers = slices.DeleteFunc(slices.Clone(r.Answers), func(b evidence.Answer) bool {
					return b.Turn == a.Turn && b.Words == a.Words
				})
				r.add(a)
				p.put(r, a)
			}
		case !r.tails[key]:
			old := r
			r = &run{truth: map[int]int{}, tails: map[[2]uint64]bool{}}
			r.First, r.asked = old.First, old.asked
			for t, l := range old.truth {
				r.truth[t] = l
			}
			r.Answers = old.until(f.Turn)
			r.Answers = append(r.Answers, q.Learnt(r.Answers, f.Turn+1)...)
			for _, a := range r.Answers {
				p.put(r, a)
			}
			p.runs = append(p.runs, r)
		}
		r.tails[key] = true
	}
	r.Used = p.clock
	a := evidence.Answer{Said: history.Said(answer, req), Turn: turn}
	if lost {
		a.Said = evidence.Said{Before: a.Before, Asked: a.Asked}
	}
	r.add(a)
	r.truth[turn] = answer.Turn
	p.put(r, a)
	return behind, alike
}

// TestLaw: of many conversations beside each other, whose clients cut their histories in all ways, no request
// goes to the run of another conversation, and few that keep an answer begin anew. Where a process was killed
// before it noted the newest answer, and that is a stock answer, hardly any does.
func TestLaw(t *testing.T) {
	t.Parallel()
	w := history.New(3, 300)
	p := &proxy{holders: map[uint64][]holder{}}
	type score struct{ right, anew, wrong, unheard, strange int }
	by := map[string]*score{}
	family, parents, shared := map[int]int{}, map[int][2]uint64{}, map[[2]int]bool{}
	lostTurns := map[int]bool{}
	turn := 0
	for done := 0; done < testkit.Repeat(15_000, 30_000); {
		c := w.Next()
		req, parent := c.Request(), c.Parent()
		turn++
		answer := c.Answer(turn)
		family[turn] = c.Family
		h := uint64(0)
		for _, m := range c.History {
			h = history.Mix(h, m.Words)
		}
		parents[turn] = [2]uint64{history.Mix(h, answer.Words)}
		times := 1
		if c.Edit == "retry" && parent > 0 && w.Chance(25) {
			times = 2
		}
		lost := w.Chance(5)
		lostTurns[turn] = lost
		for range times {
			done++
			got, alike := p.handle(req, answer, lost)
			keeps := slices.ContainsFunc(req, func(m history.Message) bool { return m.Role == 'a' })
			s := by[c.Edit]
			if s == nil {
				s = &score{}
				by[c.Edit] = s
			}
			if alike && got != 0 && family[got] != c.Family { // to the word the same: they share a run from here on
				shared[[2]int{family[got], c.Family}] = true
			}
			switch {
			case !keeps && got == 0, got == parent, parents[got] == parents[parent],
				shared[[2]int{family[got], c.Family}]:
				s.right++
			case got == 0:
				s.anew++
			case family[got] == c.Family:
				s.wrong++
			case lostTurns[parent], parent == 0: // nothing that it heard is newer than what it shares with others
				s.unheard++
			default:
				s.strange++
			}
		}
		c.Take(answer)
	}
	var sum score
	for _, e := range history.Edits {
		s := by[e]
		t.Logf("%-30s right %6d, begun anew %4d, at another place %3d, another's %d and %d", e, s.right, s.anew,
			s.wrong, s.strange, s.unheard)
		sum.right, sum.anew = sum.right+s.right, sum.anew+s.anew
		sum.wrong, sum.strange, sum.unheard = sum.wrong+s.wrong, sum.strange+s.strange, sum.unheard+s.unheard
	}
	all := sum.right + sum.anew + sum.wrong
	if sum.strange > 0 || 3000*sum.unheard > all || 20*sum.anew > all || 60*sum.wrong > all {
		t.Errorf("of %d requests %d went to another's run, %d began anew, %d went to another place of their run",
			all, sum.strange, sum.anew, sum.wrong)
	}
}
