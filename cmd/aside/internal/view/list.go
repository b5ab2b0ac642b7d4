package view

import (
	"cmp"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
)

// list is the part of the screen with the session. It lays out the items that are on the screen and those
// that it has to pass on its way there, so that its speed does not depend on the length of the session.
type list struct {
	items  []lens.Item
	blocks []block // of items, as far as they were laid out
	unfold bool    // reminders are open unless somebody has closed them

	width, height int // columns and rows of the list on the screen
	top           place
	cursor        int // the item that is selected
}

// place is a row of an item.
type place struct{ item, row int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.item, q.item), cmp.Compare(p.row, q.row))
}

// block is how an item lies on the screen: perhaps an empty row, a row that names it, the rows of its text,
// and perhaps a row that says that there are more.
type block struct {
	width int // for which it was laid out; 0: it was not
	gap   int // rows before it: an empty one, or two with the name of the run that begins or goes on
	text  rows
	shown int // rows of text
	more  bool
	fold  fold
}

// fold says whether an item shows all of its text.
type fold uint8

const (
	asUsual fold = iota
	open
	closed
)

// margin is how many columns stand before the text of an item.
const margin = 4

// folded returns how many rows of its text an item shows while it is closed.
func folded(kind lens.Kind) int {
	switch kind {
	case lens.Aside:
		return 0
	case lens.Prompt, lens.Answer:
		return 12
	}
	return 3
}

// words returns the text of an item, as far as the row with its name has no room for it, without empty rows
// before it, with which some models begin.
func (l *list) words(it *lens.Item) string { return strings.TrimLeft(l.recorded(it), "\r\n") }

func (l *list) recorded(it *lens.Item) string {
	switch {
	case it.Reminder != nil:
		return it.Reminder.Text
	case it.Kind == lens.Note:
		return ""
	case it.Kind != lens.Call:
		return it.Text
	case strings.Contains(it.Text, "\n") || len(it.Text)+len(it.Title) > l.width-margin-2:
		return it.Text + "\n\n" + it.Output
	}
	return it.Output
}

// isOpen reports whether an item shows all of its text.
func (l *list) isOpen(i int) bool {
	s := l.blocks[i].fold
	return s == open || s == asUsual && l.unfold && l.items[i].Reminder != nil
}

// block returns the block of an item.
func (l *list) block(i int) *block {
	b, it := &l.blocks[i], &l.items[i]
	if b.width == l.width {
		return b
	}
	*b = block{width: l.width, fold: b.fold, text: newRows(l.words(it), l.width-margin)}
	if i > 0 && (it.Kind == lens.Prompt || it.Kind == lens.Answer) {
		b.gap = 1
	}
	if l.isOpen(i) {
		b.shown = b.text.all()
	} else {
		b.shown = b.text.find(folded(it.Kind))
		b.more = b.shown > 0 && b.text.find(b.shown+1) > b.shown
	}
	return b
}

// rows returns how many rows an item takes.
func (l *list) rows(i int) int {
	b := l.block(i)
	n := b.gap + 1 + b.shown
	if b.more {
		n++
	}
	return n
}

// foldable reports whether an item can be opened or closed.
func (l *list) foldable(i int) bool {
	b := l.block(i)
	return b.more || l.isOpen(i) || l.items[i].Reminder != nil
}

// toggle opens or closes an item.
func (l *list) toggle(i int) {
	if !l.foldable(i) {
		return
	}
	if b := &l.blocks[i]; l.isOpen(i) {
		b.fold = closed
	} else {
		b.fold = open
	}
	l.again(i)
	l.reveal()
}

// again lays out an item again when it is shown next.
func (l *list) again(i int) {
	l.blocks[i].width = 0
	if l.top.item == i {
		l.top.row = min(l.top.row, l.rows(i)-1)
	}
}

// toggleAll opens all reminders, or closes them.
func (l *list) toggleAll() {
	l.unfold = !l.unfold
	for i := range l.items {
		if l.items[i].Reminder != nil {
			l.blocks[i].fold, l.blocks[i].width = asUsual, 0
		}
	}
	if len(l.items) > 0 {
		l.top.row = min(l.top.row, l.rows(l.top.item)-1)
	}
	l.reveal()
}

// resize sets the size of the list. The text at its top stays there as far as that shows what is selected.
func (l *list) resize(width, height int) {
	offset := l.offset()
	l.width, l.height = max(width, margin+tab), max(height, 1)
	if len(l.items) == 0 {
		return
	}
	if b := l.block(l.top.item); offset >= 0 {
		l.top.row = b.gap + 1 + b.text.at(offset)
	}
	l.top.row = min(l.top.row, l.rows(l.top.item)-1)
	l.move(0)
	l.reveal()
}

// offset returns where the top row begins in the text of its item; -1 where it is not a row of that.
func (l *list) offset() int {
	if len(l.items) == 0 {
		return -1
	}
	b := &l.blocks[l.top.item]
	if k := l.top.row - b.gap - 1; k >= 0 && k < b.shown {
		return b.text.starts[k]
	}
	return -1
}

// replace shows other items in place of those of the list. The person keeps their place by what is not a
// reminder, since reminders may have moved; at the end of the list they stay at its end.
func (l *list) replace(items []lens.Item) {
	atEnd := l.atEnd()
	same := anchor(items, l.items, l.cursor)
	top := anchor(items, l.items, l.top.item)
	old := map[firing]fold{}
	for i := range l.items {
		if s := l.blocks[i].fold; s != asUsual && l.items[i].Reminder != nil {
			old[key(l.items[i].Reminder)] = s
		}
	}
	blocks := make([]block, len(items))
	kept := 0 // of the items without reminders
	for i := range items {
		if items[i].Reminder != nil {
			blocks[i].fold = old[key(items[i].Reminder)]
			continue
		}
		for kept < len(l.items) && l.items[kept].Reminder != nil {
			kept++
		}
		if kept < len(l.items) {
			blocks[i].fold = l.blocks[kept].fold
			kept++
		}
	}
	l.items, l.blocks = items, blocks
	l.cursor, l.top.item = same, top
	if len(items) == 0 {
		l.top = place{}
		return
	}
	l.top.row = min(l.top.row, l.rows(l.top.item)-1)
	if atEnd {
		l.toEnd()
	}
	l.move(0)
}

// firing names a reminder so that it can be found again when rules have changed.
type firing struct {
	id   string
	turn int
}

func key(r *lens.Reminder) firing { return firing{r.ID, r.Turn} }

// anchor returns the index in now of the item that was at i: of a reminder that is still there, or else by
// how many items that are no reminders stand before it.
func anchor(now, was []lens.Item, i int) int {
	if len(now) == 0 || i >= len(was) {
		return 0
	}
	before := 0
	for k := range was[:i] {
		if was[k].Reminder == nil {
			before++
		}
	}
	k := 0
	for ; k < len(now)-1 && before > 0; k++ {
		if now[k].Reminder == nil {
			before--
		}
	}
	if was[i].Reminder == nil {
		for k < len(now)-1 && now[k].Reminder != nil {
			k++
		}
		return k
	}
	for j := k; j < len(now) && now[j].Reminder != nil; j++ {
		if now[j].Reminder.ID == was[i].Reminder.ID {
			return j
		}
	}
	return k
}

// over returns the place of the top row with which the last row of an item is the last one on the screen.
func (l *list) over(item int) place {
	left := l.height
	for i := item; i >= 0; i-- {
		n := l.rows(i)
		if n >= left {
			return place{i, n - left}
		}
		left -= n
	}
	return place{}
}

// end returns the place of the top row at the end of the list.
func (l *list) end() place { return l.over(len(l.items) - 1) }

// atEnd reports whether the end of the list is on the screen.
func (l *list) atEnd() bool { return len(l.items) == 0 || l.top.compare(l.end()) >= 0 }

// toEnd shows the end of the list.
func (l *list) toEnd() { l.top, l.cursor = l.end(), max(len(l.items)-1, 0) }

// move moves the top by n rows, at most so far that the screen stays full.
func (l *list) move(n int) {
	if len(l.items) == 0 {
		l.top = place{}
		return
	}
	l.top.row += n
	for l.top.row < 0 && l.top.item > 0 {
		l.top.item--
		l.top.row += l.rows(l.top.item)
	}
	l.top.row = max(l.top.row, 0)
	for l.top.row >= l.rows(l.top.item) && l.top.item < len(l.items)-1 {
		l.top.row -= l.rows(l.top.item)
		l.top.item++
	}
	if end := l.end(); l.top.compare(end) > 0 {
		l.top = end
	}
}

// scroll moves the list by n rows, and the cursor where it would leave the screen.
func (l *list) scroll(n int) {
	l.move(n)
	first, last := l.top.item, l.top.item
	y := -l.top.row
	for i := l.top.item; i < len(l.items) && y+l.block(i).gap < l.height; i++ {
		if last = i; y < 0 && y+l.rows(i) < l.height {
			first = i + 1 // its name is not on the screen, and there is another item
		}
		y += l.rows(i)
	}
	l.cursor = min(max(l.cursor, min(first, last)), last)
}

// y returns the row on the screen at which an item begins, which is negative where it begins above the
// screen. ok is false where nothing of it is on the screen.
func (l *list) y(item int) (y int, ok bool) {
	y = -l.top.row
	for i := l.top.item; i < len(l.items) && y < l.height; i++ {
		if i == item {
			return y, true
		}
		y += l.rows(i)
	}
	return 0, false
}

// reveal scrolls as little as possible to have the selected item on the screen, as a whole where it fits.
func (l *list) reveal() {
	if len(l.items) == 0 {
		return
	}
	y, ok := l.y(l.cursor)
	n := l.rows(l.cursor)
	switch {
	case ok && (y >= 0 && y+n <= l.height || n > l.height):
	case y < 0, !ok && l.cursor <= l.top.item, n > l.height:
		l.top = place{l.cursor, 0}
	default:
		l.top = l.over(l.cursor)
	}
	l.move(0)
}

// step moves the cursor by one item, or within an item that is longer than the screen by a row.
func (l *list) step(by int) {
	if len(l.items) == 0 {
		return
	}
	y, _ := l.y(l.cursor)
	within := by > 0 && y+l.rows(l.cursor) > l.height || by < 0 && y < 0
	if !within {
		l.cursor = min(max(l.cursor+by, 0), len(l.items)-1)
	}
	if within || l.rows(l.cursor) > l.height {
		l.move(by)
		return
	}
	l.reveal()
}

// show selects an item, and where it is not on the screen as a whole, it shows it with some rows before it.
func (l *list) show(item int) {
	l.cursor = item
	if y, ok := l.y(item); ok && y >= 0 && y+l.rows(item) <= l.height {
		return
	}
	l.top = place{item, 0}
	l.move(-min(l.height/3, max(l.height-l.rows(item), 0)))
}

// reach shows the row of an item in which the byte at offset of its text stands; -1: the row with its name.
func (l *list) reach(item, offset int) {
	l.show(item)
	if offset < 0 {
		return
	}
	b := l.block(item)
	row := b.text.at(offset)
	if row >= b.shown {
		b.fold = open
		l.again(item)
		b = l.block(item)
	}
	row += b.gap + 1
	if y, ok := l.y(item); !ok || y+row < 0 || y+row >= l.height {
		l.top = place{item, row}
		l.move(-l.height / 3)
	}
}

// at returns the item in a row of the screen, and the row of the item; false where there is none.
func (l *list) at(y int) (item, row int, ok bool) {
	row = l.top.row + y
	for i := l.top.item; i < len(l.items); i++ {
		n := l.rows(i)
		if row < n {
			return i, row, true
		}
		row -= n
	}
	return 0, 0, false
}
