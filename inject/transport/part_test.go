package transport_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aside-go/aside/internal/test/history"
	"github.com/aside-go/aside/state"
)

// parting is one client of a process, over a store, whose calls have ids of their own in each request.
type parting struct {
	drawing
	ids uint64
}

func newParting(t *testing.T) *parting {
	p := &parting{drawing: drawing{T: t, clock: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC),
		disk: onDisk{state.NewMemory()}}}
	p.start()
	return p
}

// ask sends what was said, a while after the request before, and returns the run and its turn. answer is the
// model's.
func (p *parting) ask(answer history.Message, said ...history.Message) (run string, turn int) {
	p.Helper()
	p.ids += 100
	p.answer = answer
	req := make([]history.Message, 0, len(said)+1)
	for i, m := range append(said[:len(said):len(said)], answer) {
		if m.Call || m.Role == 'r' {
			m.ID = 1<<40 + p.ids + uint64(i+1)/2
		}
		req = append(req, m)
	}
	p.answer = req[len(said)]
	p.clock = p.clock.Add(6 * time.Minute)
	p.post(&history.Client{}, req[:len(said)])
	return p.report.Run, p.report.Turn
}

// TestPartReminted: two runs that have parted hold the same answers. A client that mints the ids of its calls
// anew for each request writes these in another form each time, and a process that knows no more than the
// store knows all the same that the answers are of one conversation.
func TestPartReminted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newParting(t)
		answer := func(n int) history.Message {
			return history.Message{Role: 'a', Words: uint64(n) + 100, N: 100 + 100*n, Call: true}
		}
		result := func(n int) history.Message { return history.Message{Role: 'r', Words: uint64(n), N: 90} }
		said := []history.Message{{Role: 'p', Words: 1, N: 30}}
		for n := range 4 {
			p.ask(answer(n), said...)
			said = append(said, answer(n), result(n+2))
		}
		p.ask(answer(4), said...)
		other := append(said[:len(said)-1:len(said)-1], result(77))
		run, turn := p.ask(answer(5), other...)
		p.ask(answer(6), append(other, answer(5), result(78))...)
		p.start()
		if again, n := p.ask(answer(7), other...); n != turn {
			t.Errorf("turn %d of %s, then turn %d of %s", turn, run, n, again)
		}
	})
}

// TestPartOther: of clients with one key that say the same, in stock sentences, none goes on in a run that
// has heard another answer than its own to what both have asked.
func TestPartOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newParting(t)
		says := func(role byte, words uint64, n int) history.Message {
			return history.Message{Role: role, Words: words, N: n}
		}
		hello, yes, no, own := says('p', 1, 2), says('a', 2, 4), says('a', 5, 4), says('a', 3, 153)
		p.ask(yes, hello)
		p.ask(own, hello, yes, says('p', 4, 60))
		theirs, _ := p.ask(own, hello, yes, hello) // a copy of the run, which has gone on otherwise
		p.ask(yes, hello)
		p.ask(no, hello, yes, hello)
		p.ask(yes, hello)
		for n := range uint64(10) { // who all have got these answers
			p.ask(yes, says('p', 10+n, 60))
			p.ask(no, says('p', 20+n, 60))
		}
		p.start()
		run, turn := p.ask(yes, hello, yes, hello, no, says('p', 6, 60))
		if run == theirs || turn != 3 {
			t.Errorf("turn %d of %s", turn, run)
		}
	})
}

// TestPartBegun: a run that begins in the midst of a conversation knows all answers that its first request
// holds, and none of them is an answer of its own, by which it would differ from the run that has heard it.
func TestPartBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newParting(t)
		says := func(role byte, words uint64, n int) history.Message {
			return history.Message{Role: role, Words: words, N: n}
		}
		heard, unheard, brief := says('a', 1, 100), says('a', 2, 200), says('a', 3, 40)
		on := says('p', 9, 30)
		p.ask(heard, says('p', 4, 90))
		run, turn := p.ask(brief, says('p', 5, 90), unheard, on, heard, on)
		if turn != 1 {
			t.Fatalf("turn %d of %s", turn, run)
		}
		if again, n := p.ask(on, says('p', 6, 90), heard, on, brief, on); again != run || n != 2 {
			t.Errorf("turn %d of %s, not of %s", n, again, run)
		}
		run, _ = p.ask(brief, says('p', 7, 90), says('a', 11, 70), on, says('a', 12, 300), on)
		if again, n := p.ask(on, says('p', 8, 90), says('a', 11, 70), on); n != 2 {
			t.Errorf("turn %d of %s, not of a part of %s", n, again, run)
		}
	})
}
