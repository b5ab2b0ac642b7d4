package compile

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
)

// Tell reads the conditions of s on what happened, and sets their values in f, from where Eval takes them and
// fact.Frame.Kept keeps them. Where f is a further part of a turn, earlier is a frame of the parts before it,
// and the values are those of all parts; nil is none. Call Tell once f holds all that the host tells, and
// nothing of an earlier part that happened.
func (s *Set) Tell(f, earlier *fact.Frame) {
	for _, r := range s.told {
		was := math.NaN()
		if earlier != nil {
			was = toldOn(r, earlier)
		}
		switch {
		case r.Of == condition.OfTexts:
		case !r.Told(f):
			f.SetTold(r.Key, was)
		case was == was || earlier != nil && r.Told(earlier):
			f.SetTold(r.Key, r.Fold.Parts(was, r.Direct(f)))
		default:
			f.SetTold(r.Key, r.Direct(f))
		}
	}
	f.Recall(RecallAt(fact.Turn))
}

// RecallAt is what conditions recall that are read at a moment.
func RecallAt(at fact.Moment) fact.Recall {
	if at == fact.BeforeTool { // the calls are the one at hand
		return fact.RecallEvents
	}
	return fact.RecallCalls | fact.RecallEvents
}

// TellTexts does for the conditions on texts what Tell does for the others. Texts that f does not hold and
// that stand are those of before. Texts of which truths holds the answers, since they are those of the latest
// call, are not read again: a prompt stands for many turns, and a search in it takes longer than all the rest
// of a turn (BenchmarkAimReplay).
func (s *Set) TellTexts(f *fact.Frame, before fact.Memory, stand fact.Texts, truths *Truths) {
	if len(s.told) == 0 {
		return
	}
	truths.of(s)
	prompt, response := sumOf(f, fact.Prompt), sumOf(f, fact.Response)
	for i, r := range s.told {
		switch last := &truths.told[i]; {
		case r.Of != condition.OfTexts:
		case slices.ContainsFunc(r.Reads, f.Known):
			now := answer{response: response, known: true}
			if slices.Contains(r.Reads, fact.Prompt) {
				now.prompt = prompt
			}
			if !slices.Contains(r.Reads, fact.Response) {
				now.response = 0
			}
			if !last.of(now) {
				now.value = r.Direct(f)
				*last = now
			}
			f.SetTold(r.Key, last.value)
		case condition.TextsOf(r.Reads)&^stand == 0:
			f.SetTold(r.Key, before.Value(r.Key))
		}
	}
}

// TellMoment is Tell at a moment beside the turn. last is a frame of the run's last turn, which began the
// user turn or did not. Before a call, what happened is what that turn told, and the calls are the one at
// hand. At the end of the work it is what the whole user turn told. What f tells itself comes on top. Call it
// before f has anything of last.
func (s *Set) TellMoment(f, last *fact.Frame, at fact.Moment, began bool, truths *Truths) {
	if f != last {
		s.TellTexts(f, last.Told(), fact.AllTexts, truths)
	}
	list := s.told
	if at == fact.Stopping {
		list = s.atEnd
	}
	for _, r := range list {
		if r.Of == condition.OfTexts {
			continue
		}
		told := toldOn(r, last)
		if at == fact.Stopping {
			told = ofUserTurn(r, last, began)
		}
		switch {
		case f == last || !r.Told(f):
		case at == fact.BeforeTool && told != told && !r.Told(last):
			told = r.Direct(f)
		default:
			told = r.Fold.Parts(told, r.Direct(f))
		}
		f.SetTold(r.Key, told)
	}
	f.Recall(RecallAt(at))
}

// Remember sets in f what the user turn told before the turn of f, which goes on with it: last is a frame of
// the turn before, which began the user turn or did not. Nothing is remembered that is not read at the end of
// the work.
func (s *Set) Remember(f, last *fact.Frame, began bool) {
	var before fact.Memory
	for _, r := range s.atEnd {
		before = before.Set(r.Key, ofUserTurn(r, last, began))
	}
	f.SetBefore(before)
}

// Recalls reports whether a condition of s is on the prompt alone, and so stands until the next one, and
// whether a trigger reads what a whole user turn told.
func (s *Set) Recalls() (prompt, userTurn bool) { return s.readsPrompt, len(s.atEnd) > 0 }

// ofUserTurn is the value over the user turn up to its last turn. The turn that begins one has no calls
// unless it tells some.
func ofUserTurn(r *condition.Remembered, last *fact.Frame, began bool) float64 {
	turn := toldOn(r, last)
	switch {
	case !began:
		return r.Fold.Turns(last.Before().Value(r.Key), turn)
	case turn != turn && r.WithCalls && !r.Told(last):
		return 0
	}
	return turn
}

// toldOn is the value on the turn of a frame, which holds a fact itself until its events end.
func toldOn(r *condition.Remembered, f *fact.Frame) float64 {
	if r.Alone && !f.Between() {
		return r.Direct(f)
	}
	return f.Told().Value(r.Key)
}

// answer is the value of a condition on texts, and hashes of the texts that it is about.
type answer struct {
	prompt, response uint64
	known            bool
	value            float64
}

// of reports whether a is the answer for the texts of b.
func (a *answer) of(b answer) bool {
	return a.known && a.prompt == b.prompt && a.response == b.response
}

var textSeed = maphash.MakeSeed()

// sumOf returns a hash of a text; 0 if it is not known.
func sumOf(f *fact.Frame, id fact.ID) uint64 {
	text, ok := f.Text(id)
	if !ok {
		return 0
	}
	return maphash.String(textSeed, text)
}
