package compile

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"hash/maphash"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
)

// told is a condition that reads nothing but texts that are never kept. Its truth is read where the text is
// told, and stands for the rest of the turn, at later parts and moments (LANGUAGE.md §4).
type told struct {
	key  string // a hash of its canonical text: equal conditions of all sets have the same
	ids  []fact.ID
	eval func(*fact.Frame) fact.Truth // from the texts themselves
	of   *node
}

// toldLeaf makes a told of an operand; ok is false for one that reads anything else.
func toldLeaf(n *node) (t told, ok bool) {
	ids := n.Leaf.Reads
	if n.Leaf.Kind != condition.Text && n.Leaf.Kind != condition.General ||
		slices.ContainsFunc(n.Leaf.Terms, func(t *term) bool { return t.Num != nil }) { // it asks the history
		return t, false
	}
	if len(ids) == 0 || slices.ContainsFunc(ids, func(id fact.ID) bool {
		return id != fact.Prompt && id != fact.Response
	}) {
		return t, false
	}
	sum := sha256.Sum256([]byte(format(n.Expr)))
	return told{base64.RawURLEncoding.EncodeToString(sum[:12]), ids, n.Eval, n}, true
}

// truth is that of the condition: as it was told, else as the texts are.
func (t *told) truth(f *fact.Frame) fact.Truth {
	if truth, ok := f.Told(t.key); ok {
		return truth
	}
	return t.eval(f)
}

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
		t, last := &s.told[i], &truths.told[i]
		truth := fact.Unknown
		switch {
		case slices.ContainsFunc(t.ids, f.Known):
			now := answer{response: response, known: true}
			if slices.Contains(t.ids, fact.Prompt) {
				now.prompt = prompt
			}
			if !slices.Contains(t.ids, fact.Response) {
				now.response = 0
			}
			if now.truth = last.truth; now != *last {
				now.truth = t.eval(f)
				*last = now
			}
			truth = now.truth
		case earlier != nil:
			truth, _ = earlier.Told(t.key)
		}
		f.SetTold(t.key, truth)
	}
}

// TellPrompt sets in f the truths that the conditions on the prompt alone had in earlier, a frame of the
// run's last turn: the prompt is still the same. Call it after Tell.
func (s *Set) TellPrompt(f, earlier *fact.Frame) {
	for i := range s.told {
		if t := &s.told[i]; !slices.ContainsFunc(t.ids, func(id fact.ID) bool { return id != fact.Prompt }) {
			truth, _ := earlier.Told(t.key)
			f.SetTold(t.key, truth)
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

// toldOf returns the conditions of the predicates on texts that are never kept, each once.
func toldOf(predicates ...[]*Predicate) []told {
	var out []told
	for _, list := range predicates {
		for _, p := range list {
			if p != nil {
				out = append(out, p.told...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b told) int { return cmp.Compare(a.key, b.key) })
	return slices.CompactFunc(out, func(a, b told) bool { return a.key == b.key })
}
