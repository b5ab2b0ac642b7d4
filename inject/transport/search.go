package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/evidence"
)

// find returns the run that a conversation goes on with, and its notes; "" for none. With an error, it is the
// run as this process knows it.
func (x *exchange) find(ctx context.Context) (run string, n notes, err error) {
	x.at = place{reply: x.at.reply}
	if r := x.at.reply; r != nil {
		x.at.turn = r.Turn
		n, err = x.notesOr(ctx, r.Run)
		return r.Run, n, err
	}
	s := search{x: x, ctx: ctx, runs: map[string]notes{}, held: map[uint64][]holder{}}
	if len(x.steps) == 0 {
		return s.summarised(0)
	}
	newest := len(x.steps) - 1
	said := x.saidIn(newest)
	x.at.said = []evidence.Said{said}
	s.add(&said)
	if run := s.continued(&said); run != "" {
		x.at.turn = s.runs[run].Turn
		return run, s.runs[run], s.err
	}
	s.readRows(&said)
	alone := len(s.held[said.Words]) == 1
	for i := newest - 1; i >= max(0, newest+1-evidence.Look); i-- {
		said := x.saidIn(i)
		x.at.said = append(x.at.said, said)
		if s.add(&said); !alone { // then the earlier ones tell
			s.readRows(&said)
		}
	}
	slices.Reverse(x.at.said)
	first := ""
	if !x.named {
		first = x.ofRequest(x.steps[0].Head())
		if n := s.read(first); n.Newer != "" {
			s.read(n.Newer)
		}
	}
	name, f := s.choose(first)
	for !f.Whole && !x.named && s.derive() {
		name, f = s.choose(first)
	}
	if name == "" || f.Turn < s.runs[name].Turn { // the client has gone back, or holds a later summary
		if run, n, err := s.summarised(f.Turn); run != "" || name == "" {
			return run, n, err
		}
	}
	x.at.turn, x.at.unseen, x.at.other = f.Turn, f.Unseen > 0, f.Other
	return name, s.runs[name], s.err
}

// Where a summary is looked for.
const (
	maxOpenings = 3  // messages at the beginning of a conversation
	maxLines    = 32 // the longest lines of these
	maxLooked   = 6  // of these lines, the longest, one of which is the longest of the summary
)

// summarised returns the run whose summary of a later turn stands in the first messages of the conversation,
// and its notes; "" for none. It sets x.at to the last turn of the summary. Only a conversation that holds no
// late answer of its run needs it.
func (s *search) summarised(later int) (run string, n notes, err error) {
	x := s.x
	if x.named || s.err != nil {
		return "", n, s.err
	}
	lines := evidence.Lines(maxLines, x.conv.Openings(maxOpenings)...)
	for _, l := range lines[:min(maxLooked, len(lines))] {
		s.hold(l.Digest, true)
		for _, h := range slices.Backward(s.held[l.Digest]) {
			n := s.runs[h.Run]
			for _, a := range slices.Backward(n.Answers) {
				if a.Words == l.Digest && a.Turn > later && a.Summarises(lines) {
					x.at.turn, x.at.said, x.at.summed = a.Turn, nil, true
					return h.Run, n, s.err
				}
			}
		}
	}
	return "", n, s.err
}

// readRows adds the runs that other processes know to hold an answer.
func (s *search) readRows(said *evidence.Said) {
	if s.x.named {
		return
	}
	for _, d := range append([]uint64{said.Words}, said.IDs...) {
		_, err := s.x.readRow(s.ctx, d)
		s.err = cmp.Or(s.err, err)
	}
	s.add(said)
}

// derive adds the runs that have parted from a candidate with a request of this conversation, and reports
// whether there are any. Nobody needs to have heard an answer to find them. There are at most maxCandidates
// runs, each of which leads to one name, so it is called at most that often and reads at most as many.
func (s *search) derive() (more bool) {
	x := s.x
	for _, from := range slices.Sorted(maps.Keys(s.runs)) {
		n := s.runs[from]
		for i := len(x.steps) - 1; i >= max(0, len(x.steps)-evidence.Look); i-- {
			at := slices.IndexFunc(n.evidence(), func(a evidence.Answer) bool {
				return a.Asked == x.steps[i].Before
			})
			if at < 0 {
				continue
			}
			asked := x.asked
			if i+1 < len(x.steps) {
				asked = x.steps[i+1].Head()
			}
			part := partName(cmp.Or(n.Base, x.base), n.evidence()[at].Turn, asked)
			if _, known := s.runs[part]; !known && s.read(part).Turn > 0 {
				more = true
			}
			break
		}
	}
	return more
}

// choose returns the candidate that the conversation goes on with, "" for none. first is the run that its
// first request names.
func (s *search) choose(first string) (string, evidence.Found) {
	begin, _ := s.x.conv.Ends()
	q := evidence.Request{Answers: s.x.at.said, First: number(begin)}
	names := slices.Sorted(maps.Keys(s.runs))
	runs := make([]evidence.Run, len(names))
	for i, name := range names {
		n := s.runs[name]
		runs[i] = evidence.Run{Answers: n.evidence(), First: number(n.First), Used: n.Used,
			Own:    first != "" && strings.HasPrefix(n.Root, first),
			Latest: first != "" && n.Root == cmp.Or(s.runs[first].Newer, first)}
		if first != "" && name == s.runs[first].Newer {
			runs[i].Used++ // of two at the same time
		}
	}
	f := evidence.Choose(q, runs, s.lone)
	if f.Run < 0 {
		return "", f
	}
	return names[f.Run], f
}

// saidIn returns the answer of a step.
func (x *exchange) saidIn(step int) evidence.Said {
	s := x.conv.Said(x.steps[step])
	s.Asked = x.steps[step].Before
	return s
}

// search collects the candidates for the run of a conversation.
type search struct {
	x    *exchange
	ctx  context.Context
	runs map[string]notes
	held map[uint64][]holder
	err  error // the first of reading the state
}

// maxCandidates is how many runs are read at most to find that of a conversation.
const maxCandidates = 2 * evidence.Look

// add collects the runs that hold an answer, an id of it, or all that stands before it.
// This process knows all of these; the store knows the words, and ids where the words say little.
func (s *search) add(said *evidence.Said) {
	stored := !s.x.named
	if s.hold(said.Words, stored); !s.lone(said.Words) || len(s.held[said.Words]) == 0 {
		for _, id := range said.IDs {
			s.hold(id, stored)
		}
	}
	if said.Asked != 0 {
		s.hold(said.Asked, false)
	}
}

// hold collects the runs that hold a digest.
func (s *search) hold(d uint64, stored bool) {
	list, known := s.x.t.index.held.Get(s.x.indexed(d))
	if !known && stored {
		var err error
		list, err = s.x.readRow(s.ctx, d)
		s.err = cmp.Or(s.err, err)
	}
	s.held[d] = list
	runs := map[string]bool{}
	for _, h := range list {
		runs[h.Run] = true
	}
	if len(runs) > evidence.Common && !s.lone(d) {
		return
	}
	for run := range runs {
		s.read(run)
	}
}

// continued returns the only run whose last turn has got the answer, after all that stands before it here; ""
// where there is none, or it does not tell. Then nothing else needs to be read.
func (s *search) continued(said *evidence.Said) (run string) {
	for name, n := range s.runs {
		switch a := n.lastHeard(); {
		case a.Turn != n.Turn || a.All() != said.All():
		case len(a.IDs) > 0 && len(said.IDs) > 0 && !a.HasCall(said): // perhaps of one that says the same
		case run != "" || len(said.IDs) == 0 && said.Len+said.Before.Len < evidence.Enough:
			return ""
		default:
			run = name
		}
	}
	return run
}

// read returns the notes of a candidate.
func (s *search) read(run string) notes {
	n, known := s.runs[run]
	if known || len(s.runs) >= maxCandidates {
		return n
	}
	n, err := s.x.notesOr(s.ctx, run)
	if s.err = cmp.Or(s.err, err); n.Turn > 0 {
		s.runs[run] = n
	}
	return n
}

// lone is evidence.Lone.
func (s *search) lone(d uint64) bool {
	var one holder
	for _, h := range s.held[d] {
		switch {
		case h.All == 0, h.All == one.All:
		case one.All == 0:
			one = h
		case s.asHeard(h, d) != s.asHeard(one, d):
			return false
		}
	}
	return true
}

// asHeard returns evidence.Said.All of the first form in which a holder's run has the answer with a digest:
// the form that runs which have parted later have in common. Of an answer that the run does not keep it is
// that of the holder.
func (s *search) asHeard(h holder, d uint64) uint64 {
	list := s.runs[h.Run].Answers
	has := func(a completion) bool { return a.Words == d || slices.Contains(a.IDs, d) }
	at := slices.IndexFunc(list, func(a completion) bool { return has(a) && a.All() == h.All })
	if at < 0 {
		return h.All
	}
	turn := list[at].Turn
	at = slices.IndexFunc(list, func(a completion) bool { return has(a) && a.Turn == turn })
	return list[at].All()
}

// readRun returns the notes of a run as they are saved, its mark, and the answers that are not saved yet. The
// request reads each run once, and these before: save writes the notes, and then removes them.
func (x *exchange) readRun(ctx context.Context, run string) (carried json.Marshaler, mark string,
	pending []answer, err error) {
	pending, known := x.unsaved[run]
	if !known {
		pending, _ = x.t.pending.Get(run)
		if x.unsaved == nil {
			x.unsaved = map[string][]answer{}
		}
		x.unsaved[run] = pending
	}
	carried, mark, err = x.t.ev.Notes(ctx, run)
	return carried, mark, pending, err
}

// readAnew has the request read all runs once more.
func (x *exchange) readAnew() {
	x.reads.Reset()
	x.unsaved = nil
}

// notesOr returns the notes of a run, with the answers that are not saved yet; where the state has none, or
// fails, as this process has them in memory.
func (x *exchange) notesOr(ctx context.Context, run string) (notes, error) {
	carried, _, pending, err := x.readRun(ctx, run)
	n := notes{}
	if err == nil {
		n, err = decode(carried)
	}
	if l, ok := x.t.last.Peek(run); ok && n.Turn == 0 {
		n = l.notes
	}
	for _, a := range pending {
		n = n.answered(a)
	}
	return n, err
}
