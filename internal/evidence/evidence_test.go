package evidence_test

import (
	"slices"
	"testing"

	"github.com/aside-go/aside/internal/evidence"
)

// TestSameIDs: where two servers mint the same ids, a conversation whose latest answer nobody has heard goes
// on in the run that it has begun itself, not in that of a stranger who got an answer of each id.
func TestSameIDs(t *testing.T) {
	t.Parallel()
	said := func(id, asked uint64) evidence.Said {
		return evidence.Said{Words: 7, Len: 20, IDs: []uint64{id}, Asked: asked,
			Before: evidence.Message{Words: 9, Len: 4}}
	}
	var own, stranger evidence.Run
	q := evidence.Request{First: 1}
	own.First, stranger.First, own.Own = 1, 2, true
	holders := map[uint64]int{}
	for turn := 1; turn <= 3; turn++ {
		id := uint64(100 + turn)
		mine, theirs := said(id, uint64(200+turn)), said(id, uint64(300+turn))
		q.Answers = append(q.Answers, mine)
		stranger.Answers = append(stranger.Answers, evidence.Answer{Said: theirs, Turn: turn})
		if holders[id]++; turn < 3 {
			own.Answers = append(own.Answers, evidence.Answer{Said: mine, Turn: turn})
			holders[id]++
		}
	}
	lone := func(d uint64) bool { return holders[d] == 1 }
	runs := []evidence.Run{own, stranger}
	if f := evidence.Choose(q, runs, lone); f != (evidence.Found{Run: 0, Turn: 2, Unseen: 1}) {
		t.Errorf("%+v", f)
	}
}

// TestOpen: an answer that nobody has heard is that to the turn that was asked again, though the run has said
// the same later; where that turn was asked once, it is the later one, behind a cut.
func TestOpen(t *testing.T) {
	t.Parallel()
	said := func(words, asked uint64, n int) evidence.Said {
		return evidence.Said{Words: words, Len: n, Asked: asked}
	}
	q := evidence.Request{Answers: []evidence.Said{said(4, 101, 80), said(6, 102, 2)}}
	own := func(uint64) bool { return true }
	r := evidence.Run{Own: true, Answers: []evidence.Answer{{Said: said(4, 101, 80), Turn: 1},
		{Said: said(5, 102, 2), Turn: 2}, {Said: said(6, 103, 2), Turn: 3}}}
	if f := evidence.Choose(q, []evidence.Run{r}, own); f != (evidence.Found{Turn: 3}) {
		t.Errorf("asked once: %+v", f)
	}
	r.Answers = slices.Insert(r.Answers, 1, evidence.Answer{Said: said(0, 102, 0), Turn: 2})
	if f := evidence.Choose(q, []evidence.Run{r}, own); f != (evidence.Found{Turn: 2, Whole: true}) {
		t.Errorf("asked again: %+v", f)
	}
}

// TestBegun: where nothing tells, a request goes on from the newest turn that its client has begun with the
// same words, in a copy of the run that was used last; a stranger's turn is none.
func TestBegun(t *testing.T) {
	t.Parallel()
	said := func(words, asked uint64) evidence.Said { return evidence.Said{Words: words, Len: 2, Asked: asked} }
	run := func(used int64, own bool) evidence.Run {
		return evidence.Run{Own: own, Used: used, Answers: []evidence.Answer{{Said: said(5, 101), Turn: 1},
			{Said: said(6, 102), Turn: 2}, {Said: said(7, 103), Turn: 3}}}
	}
	q := evidence.Request{Answers: []evidence.Said{said(5, 101), said(8, 102), said(7, 109)}}
	shared := func(uint64) bool { return false }
	runs := []evidence.Run{run(1, true), run(3, true), run(4, false), run(2, true)}
	if f := evidence.Choose(q, runs, shared); f != (evidence.Found{Run: 1, Turn: 2, Unseen: 1, Other: true}) {
		t.Errorf("%+v", f)
	}
	if f := evidence.Choose(q, runs[2:3], shared); f.Run >= 0 {
		t.Errorf("a stranger's: %+v", f)
	}
}

// TestHolds: a claim by stock answers alone, however high it is, does not stand before one that tells whose
// the request is.
func TestHolds(t *testing.T) {
	t.Parallel()
	said := func(words uint64, n int, id uint64) evidence.Said {
		return evidence.Said{Words: words, Len: n, IDs: []uint64{id}}
	}
	own := evidence.Run{Answers: []evidence.Answer{{Said: said(4, 400, 1), Turn: 1},
		{Said: said(5, 250, 2), Turn: 2}}}
	var other evidence.Run
	for turn := range evidence.Kept {
		other.Answers = append(other.Answers, evidence.Answer{Turn: turn + 1,
			Said: evidence.Said{Words: uint64(100 + turn), Len: 9}})
	}
	other.Answers[50].Words, other.Answers[50].Len = 5, 250
	q := evidence.Request{Answers: []evidence.Said{said(4, 400, 11), said(5, 250, 12)}} // with ids minted anew
	lone := func(d uint64) bool { return d != 5 }
	if f := evidence.Choose(q, []evidence.Run{other, own}, lone); f != (evidence.Found{Run: 1, Turn: 2}) {
		t.Errorf("%+v", f)
	}
}
