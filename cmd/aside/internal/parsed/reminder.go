package parsed

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// encodeReminders returns reminders in the form that decodeReminders reads, without their places in the file; nil where one of them
// cannot be encoded. TestEveryField checks that no field is left out.
func encodeReminders(rs []compile.Reminder) []byte {
	w := writer{}
	w.number(len(rs))
	for i := range rs {
		r := &rs[i]
		if r.Predicate != nil || r.Faulty {
			return nil
		}
		for _, s := range []string{r.ID, r.Description, r.Trigger, r.Rearm, r.Text} {
			w.text(s)
		}
		disabled := 0
		if r.Disabled {
			disabled = 1
		}
		for _, n := range []int{int(r.Mode), r.For.Turns, int(r.For.Time), r.Cooldown.Turns, int(r.Cooldown.Time), int(r.Keep.Unit), r.Keep.Turns,
			r.MaxFires, r.Priority, int(r.Tier), int(r.Attach), disabled} {
			w.number(n)
		}
	}
	return w.b
}

func decodeReminders(b []byte, path string) ([]compile.Reminder, error) {
	r := reader{b: b}
	var rs []compile.Reminder
	for range r.count() {
		rs = append(rs, compile.Reminder{
			ID: r.text(), Description: r.text(), Trigger: r.text(), Rearm: r.text(), Text: r.text(), File: path,
			Mode:     compile.Mode(r.number()),
			For:      reminder.Span{Turns: r.number(), Time: time.Duration(r.number())},
			Cooldown: reminder.Span{Turns: r.number(), Time: time.Duration(r.number())},
			Keep:     reminder.Keep{Unit: reminder.KeepUnit(r.number()), Turns: r.number()},
			MaxFires: r.number(), Priority: r.number(), Tier: reminder.Tier(r.number()), Attach: reminder.Attach(r.number()),
			Disabled: r.number() == 1,
		})
		if r.bad {
			break
		}
	}
	if r.bad || len(r.b) > 0 {
		return nil, errors.New("not what was written")
	}
	return rs, nil
}

type writer struct{ b []byte }

func (w *writer) number(n int) { w.b = binary.AppendVarint(w.b, int64(n)) }

func (w *writer) text(s string) {
	w.number(len(s))
	w.b = append(w.b, s...)
}

// reader reads what writer has written. After an error bad is true, and all further reads return zero values.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() int {
	n, size := binary.Varint(r.b)
	if size <= 0 || int64(int(n)) != n {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

// count reads a number of bytes, or of things of at least a byte each, that follow.
func (r *reader) count() int {
	n := r.number()
	if n < 0 || n > len(r.b) {
		r.b, r.bad = nil, true
		return 0
	}
	return n
}

func (r *reader) bytes() []byte {
	n := r.count()
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) key() (k key) {
	copy(k[:], r.bytes())
	return k
}

func (r *reader) text() string { return string(r.bytes()) }
