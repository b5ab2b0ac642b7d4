package inspector

// Extend is the part of the page's script that adds turns to a run.
var Extend = extend

// Within is New with limits of its own: of runs, of turns, and of the bytes of words.
func Within(o Options, runs, turns, words int) *Inspector {
	return within(o, limits{runs: runs, turns: turns, words: words, text: 64})
}

// Kept returns how many runs, turns and bytes of words are kept.
func (x *Inspector) Kept() (runs, turns, words int) {
	r := x.record
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs.Len(), r.turns, r.size
}
