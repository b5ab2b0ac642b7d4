package evidence_test

import (
	"slices"
	"testing"

	"github.com/aside-go/aside/internal/evidence"
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
		if len(of) <= evidence.Common {
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
func (p *proxy) handle(req []message, answer message, lost bool) (behind int, alike bool) {
	p.clock++
	q := of(req)
	list := p.candidates(q)
	runs := make([]evidence.Run, len(list))
	for i, r := range list {
		runs[i] = r.Run
	}
	f := evidence.Choose(q, runs, p.lone)
	from := len(req)
	for from > 0 && req[from-1].role != 'a' {
		from--
	}
	tail := uint64(0)
	for _, m := range req[from:] {
		tail = mix(tail, m.words)
	}
	var r *run
	turn := 1
	if f.Run < 0 {
		r = &run{truth: map[int]int{}, tails: map[[2]uint64]bool{}}
		r.First, r.asked = req[0].words, said(answer, req).Asked
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
			if f.Told {
				a := evidence.Answer{Said: q.Answers[len(q.Answers)-1], Turn: f.Turn}
				if last := r.Answers[len(r.Answers)-1]; !last.Is(&a.Said) || last.Words != a.Words {
					r.add(a)
					p.put(r, a)
				}
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
	a := evidence.Answer{Said: said(answer, req), Turn: turn}
	if lost {
		a.Said = evidence.Said{Before: a.Before, Asked: a.Asked}
	}
	r.add(a)
	r.truth[turn] = answer.turn
	p.put(r, a)
	return behind, alike
}

// TestLaw: of many conversations beside each other, whose clients cut their histories in all ways, no request
// goes to the run of another conversation, and few that keep an answer begin anew.
func TestLaw(t *testing.T) {
	t.Parallel()
	w := newWorld(3)
	p := &proxy{holders: map[uint64][]holder{}}
	type score struct{ right, anew, wrong, strange int }
	by := map[string]*score{}
	family, parents, shared := map[int]int{}, map[int][2]uint64{}, map[[2]int]bool{}
	var live []*client
	for range 300 {
		live = append(live, w.newClient())
	}
	turn := 0
	for done := 0; done < testkit.Repeat(15_000, 60_000); {
		i := w.r.IntN(len(live))
		c := live[i]
		if c.left <= 0 {
			live[i] = w.newClient()
			continue
		}
		switch {
		case c.edit == "rewind" && len(c.history) > 5 && w.r.IntN(100) < 12:
			c.back()
		case c.edit == "fork" && len(c.history) > 3 && w.r.IntN(100) < 6 && len(live) < 600:
			d := *c
			d.history = slices.Clone(c.history)
			d.back()
			live = append(live, &d)
		case c.edit == "switch" && c.remint == 0 && w.r.IntN(100) < 5,
			c.edit == "restore" && c.turns > 5 && c.remint == 0 && w.r.IntN(100) < 5:
			if c.remint = w.fresh(); c.edit == "restore" {
				c.history[0] = message{role: 'p', words: w.fresh(), n: 300}
			}
		}
		req, parent := c.request(), c.parent()
		turn++
		answer := c.answer(turn)
		family[turn] = c.family
		h := uint64(0)
		for _, m := range c.history {
			h = mix(h, m.words)
		}
		parents[turn] = [2]uint64{mix(h, answer.words)}
		times := 1
		if c.edit == "retry" && parent > 0 && w.r.IntN(4) == 0 {
			times = 2
		}
		lost := w.r.IntN(20) == 0
		for range times {
			done++
			got, alike := p.handle(req, answer, lost)
			keeps := slices.ContainsFunc(req, func(m message) bool { return m.role == 'a' })
			s := by[c.edit]
			if s == nil {
				s = &score{}
				by[c.edit] = s
			}
			if alike && got != 0 && family[got] != c.family { // to the word the same: they share a run from here on
				shared[[2]int{family[got], c.family}] = true
			}
			switch {
			case !keeps && got == 0, got == parent, parents[got] == parents[parent],
				shared[[2]int{family[got], c.family}]:
				s.right++
			case got == 0:
				s.anew++
			case family[got] == c.family:
				s.wrong++
			default:
				s.strange++
			}
		}
		c.turns++
		c.left--
		c.take(answer)
	}
	var sum score
	for _, e := range edits {
		s := by[e]
		t.Logf("%-30s right %6d, begun anew %4d, at another place %3d, another's %d", e, s.right, s.anew, s.wrong,
			s.strange)
		sum.right, sum.anew = sum.right+s.right, sum.anew+s.anew
		sum.wrong, sum.strange = sum.wrong+s.wrong, sum.strange+s.strange
	}
	all := sum.right + sum.anew + sum.wrong
	if sum.strange > 0 || 20*sum.anew > all || 100*sum.wrong > all {
		t.Errorf("of %d requests %d went to another's run, %d began anew, %d went to another place of their run",
			all, sum.strange, sum.anew, sum.wrong)
	}
}
