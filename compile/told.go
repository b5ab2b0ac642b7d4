package compile

import (
	"hash/maphash"
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// Tell reads the conditions of s on texts that are never kept, and sets their truths in f, from where Eval
// takes them and fact.Frame.Kept keeps them. Of a condition on texts that f does not hold, the truth is that
// in earlier, a frame of the run's last turn where f is a further part of it or a moment; nil is none. Call
// Tell once f holds all that the host tells. Texts of which truths holds the answers, since they are those of
// the latest call, are not read again: a prompt stands for many turns, and a search in it takes longer than
// all the rest of a turn (BenchmarkAimReplay).
func (s *Set) Tell(f, earlier *fact.Frame, truths *Truths) {
	if len(s.told) == 0 {
		return
	}
	prompt, response := sumOf(f, fact.Prompt), sumOf(f, fact.Response)
	for i := range s.told {
		t, last := s.told[i], &truths.told[i]
		truth := fact.Unknown
		switch {
		case slices.ContainsFunc(t.Reads, f.Known):
			now := answer{response: response, known: true}
			if slices.Contains(t.Reads, fact.Prompt) {
				now.prompt = prompt
			}
			if !slices.Contains(t.Reads, fact.Response) {
				now.response = 0
			}
			if now.truth = last.truth; now != *last {
				now.truth = t.Eval(f)
				*last = now
			}
			truth = now.truth
		case earlier != nil:
			truth, _ = earlier.Told(t.Key)
		}
		f.SetTold(t.Key, truth)
	}
}

// TellPrompt sets in f the truths that the conditions on the prompt alone had in earlier, a frame of the
// run's last turn: the prompt is still the same. Call it after Tell.
func (s *Set) TellPrompt(f, earlier *fact.Frame) {
	for i := range s.told {
		if t := s.told[i]; !slices.ContainsFunc(t.Reads, func(id fact.ID) bool { return id != fact.Prompt }) {
			truth, _ := earlier.Told(t.Key)
			f.SetTold(t.Key, truth)
		}
	}
}

// answer is the truth of a told, and hashes of the texts that it is about.
type answer struct {
	prompt, response uint64
	known            bool
	truth            fact.Truth
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
