package wire

import (
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// removal collects what is ours in a body and is to be removed.
type removal struct {
	v        *view
	messages map[int]bool
	s        splices
}

// removeAll removes everything that is ours: with a mark wherever it stands, without a mark where texts would be put now, with
// any delivery.
func (v *view) removeAll() splices {
	r := removal{v: v, messages: map[int]bool{}}
	for i := range v.messages {
		switch {
		case v.ours[i]:
			r.messages[i] = true
		case !v.bare || i == v.turn || i == v.anchor():
			r.fromMessage(&v.messages[i])
		}
	}
	r.prompt()
	return r.done()
}

// removeStanding removes what stands already at the places to which texts go now: with the system prompt (start), with the
// person's last message (turn), at the end (tail).
func (v *view) removeStanding(start, turn, tail bool) splices {
	r := removal{v: v, messages: map[int]bool{}}
	if last := v.anchor(); last >= 0 && (tail || turn && v.turn < 0) || v.turn == last && turn {
		r.around(last)
	}
	if turn && v.turn >= 0 && v.turn != v.anchor() {
		r.around(v.turn)
	}
	if start {
		r.prompt()
	}
	return r.done()
}

// around removes what stands with message i: in its content, and the messages of ours behind it.
func (r *removal) around(i int) {
	if i < 0 {
		return
	}
	r.fromMessage(&r.v.messages[i])
	for j := r.v.behind(i); j < len(r.v.messages) && r.v.ours[j]; j++ {
		r.messages[j] = true
	}
}

// fromMessage removes what is ours in a message of the client's.
func (r *removal) fromMessage(m *message) {
	v := r.v
	if m.class != classUser || v.anyRole() {
		return
	}
	r.blocks(m)
	if v.opts.Mark == "" && !v.intoResults() { // with a mark, ours are known even if the run had another model when they were put
		return
	}
	if c := v.result(m); c != nil {
		r.end(c)
	}
}

// end removes what is ours at the end of a content whose form is kept (view.end).
func (r *removal) end(m *message) {
	v := r.v
	if m.form != outline.StringContent {
		r.blocks(m)
		return
	}
	said := v.of(m)[0].text
	if !mayContainWrapped(said.of(v.b)) {
		return
	}
	t := decode(v.b, said)
	if at := v.seal.Ours(t.s, mark.InTool).Tail; at >= 0 {
		r.s.cut(t.offset(at), said.to)
	}
}

// blocks removes our blocks at the end of a content. A content of nothing but such blocks stays.
func (r *removal) blocks(m *message) {
	n := r.v.trailing(m)
	gone := map[int]bool{}
	for j := n; j < len(r.v.of(m)); j++ {
		gone[j] = true
	}
	if len(gone) > 0 && n > 0 {
		r.v.removeBlocks(&r.s, m, gone)
	}
}

// prompt removes what is ours from the system prompt, and the whole prompt if we added it.
func (r *removal) prompt() {
	v := r.v
	if v.f.promptKeys == nil {
		for i := range v.messages {
			m := &v.messages[i]
			if v.ours[i] {
				if i == 0 {
					r.messages[0] = true
				}
				continue
			}
			if m.class != classSystem {
				return
			}
			if m.form != outline.NoContent {
				r.end(m)
			}
		}
		return
	}
	m := v.promptContent()
	if m == nil {
		return
	}
	at := v.head.prompt
	if v.list.to+1 == v.head.promptKey && v.b[v.list.to] == ',' && v.promptIsOurs(m) {
		r.s.cut(v.list.to, at.to)
		return
	}
	r.end(m)
}

// promptIsOurs reports whether a system prompt is nothing but ours, as member writes it.
func (v *view) promptIsOurs(m *message) bool {
	var texts []string
	for _, b := range v.of(m) {
		own := v.seal.Ours(v.says(b.text), mark.InPrompt)
		if !b.isText || !own.Whole {
			return false
		}
		texts = append(texts, v.says(b.text))
	}
	as := v.member(append(quote(nil, v.f.promptKeys[0]), ':'), texts[0], texts)
	return string(as) == string(v.b[v.head.promptKey:v.head.prompt.to])
}

// done returns the splices. Where only the one message stays that insertMessages made of a string, the list becomes that string
// again.
func (r *removal) done() splices {
	v := r.v
	n := len(v.messages)
	if v.f.items && len(r.messages) > 0 && r.messages[n-1] {
		kept := n - len(r.messages)
		switch next := v.b[v.messages[n-1].to]; {
		case !v.likeString(n-kept) || kept != 1 || r.messages[0]:
		case next == ' ':
			r.s.cut(v.messages[n-1].to, v.messages[n-1].to+1)
		case next == ']' && compact(v.messages):
			first := v.messages[0]
			r.s.cut(v.list.from, first.content.from)
			r.s.cut(first.content.to, v.list.to)
			return r.s
		}
	}
	removeElements(&r.s, v.messages, r.messages)
	return r.s
}
