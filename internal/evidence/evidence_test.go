package evidence_test

import (
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
