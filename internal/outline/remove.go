package outline

import (
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/mark"
)

// Removal is a change that takes out something of ours.
type Removal struct {
	Kind    RemovalKind
	Message int
	Block   int // of RemoveBlock, CutHead and CutTail; 0 for string content
	At      int // in bytes of the text: of CutHead the beginning of the rest, of CutTail its end
}

// RemovalKind is the part that a Removal takes out.
type RemovalKind uint8

const (
	RemoveMessage RemovalKind = iota // the message
	RemoveBlock                      // a block
	CutHead                          // the beginning of a text
	CutTail                          // the end of a text
)

// Clear returns what to take out before Plan's edits are made, so that a text that is put twice stands there
// once: what stands already at the places to which due goes. The Ours of the pieces must be that of
// w, which must be Wrapper.Only(due). The result is nil if there is nothing.
func Clear(ms []Message, due []reminder.Due, at Placement, w mark.Wrapper) []Removal {
	r := remover{ms: ms, to: locate(ms, w.Marked())}
	var start, turn, tail bool
	for _, d := range due {
		switch {
		case mark.Blank(d.Text):
		case d.Attach == reminder.RunStart:
			start = true
		case d.Attach == reminder.UserTurn && at != AsMessage:
			turn = true
		default:
			tail = true
		}
	}
	if start {
		r.start()
	}
	if tail && at == AsMessage {
		r.system()
	} else {
		if turn {
			r.attached(r.to.turn)
		}
		if tail && !(turn && r.to.turn == r.to.tail) {
			r.attached(r.to.tail)
		}
	}
	return r.list
}

// Remove returns what to take out so that nothing of ours is left. With a mark that is everything that
// carries the mark, where texts are ever put; without one, the bare form at the places to which texts would
// go now, with any placement. The result is nil if there is nothing.
func Remove(ms []Message, w mark.Wrapper) []Removal {
	r := remover{ms: ms, to: locate(ms, w.Marked())}
	if !w.Marked() {
		r.start()
		r.system()
		if r.to.turn != r.to.tail {
			r.attached(r.to.turn)
		}
		r.attached(r.to.tail)
		return r.list
	}
	for i := range ms {
		switch m := &ms[i]; {
		case r.to.added[i]:
			r.message(i)
		case prompts(m.Role) && m.Form == StringContent:
			r.prompt(i)
			r.cut(i, 0)
		case prompts(m.Role), m.Role == roleFunction, m.carrier():
			r.pieces(i)
		}
	}
	return r.list
}

// remover collects removals, each once.
type remover struct {
	ms   []Message
	to   targets
	list []Removal
}

func (r *remover) message(i int) {
	for _, x := range r.list {
		if x.Kind == RemoveMessage && x.Message == i {
			return
		}
	}
	r.list = append(r.list, Removal{Kind: RemoveMessage, Message: i})
}

// addedAt removes message i if it has this role and all of it is ours.
func (r *remover) addedAt(i int, role string) {
	if i >= 0 && i < len(r.ms) && r.ms[i].Role == role && r.to.added[i] {
		r.message(i)
	}
}

// start removes our texts from the system prompt.
func (r *remover) start() {
	if r.to.first < 0 {
		r.addedAt(0, roleSystem)
		return
	}
	r.prompt(r.to.first)
}

// prompt removes the texts of ours that begin a system message.
func (r *remover) prompt(i int) {
	m := &r.ms[i]
	if m.Form == StringContent {
		if at := m.Pieces[0].Ours.Head; at > 0 {
			r.list = append(r.list, Removal{Kind: CutHead, Message: i, At: at})
		}
		return
	}
	for j := range m.leading() {
		r.list = append(r.list, Removal{Kind: RemoveBlock, Message: i, Block: j})
	}
}

// system removes the message that AsMessage adds.
func (r *remover) system() {
	switch u := r.to.user; {
	case u < 0:
		r.addedAt(len(r.ms)-1, roleSystem)
	case r.ms[u].ToolResult:
		r.addedAt(u+1, roleSystem)
	default:
		r.addedAt(u-1, roleSystem)
	}
}

// attached removes what AsBlock and AsText have put with message i; if i is -1, the message that they have
// added because there was none.
func (r *remover) attached(i int) {
	if i < 0 {
		r.addedAt(len(r.ms)-1, roleUser)
		return
	}
	m := &r.ms[i]
	if m.Form == StringContent {
		r.cut(i, 0)
		return
	}
	n := m.trailing()
	if n == len(m.Pieces) && n > 0 && m.Pieces[n-1].Ours.Added {
		n--
	}
	for j := n; j < len(m.Pieces); j++ {
		r.list = append(r.list, Removal{Kind: RemoveBlock, Message: i, Block: j})
	}
	for j := n - 1; j >= 0; j-- {
		if p := m.Pieces[j]; p.Text && !p.Empty {
			r.cut(i, j)
			return
		}
	}
}

// pieces removes all that is ours from a user or tool message.
func (r *remover) pieces(i int) {
	m := &r.ms[i]
	for j, p := range m.Pieces {
		if m.Form == BlockContent && (p.Ours.Block || p.Ours.Added) {
			r.list = append(r.list, Removal{Kind: RemoveBlock, Message: i, Block: j})
		} else {
			r.cut(i, j)
		}
	}
}

// cut removes our texts from the end of a text.
func (r *remover) cut(i, j int) {
	if p := r.ms[i].Pieces[j]; p.Text && !p.Ours.Whole && p.Ours.Tail >= 0 {
		r.list = append(r.list, Removal{Kind: CutTail, Message: i, Block: j, At: p.Ours.Tail})
	}
}
