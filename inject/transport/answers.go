package transport

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/aside-go/aside/internal/evidence"
)

// completion is an answer of a run, and what it took.
type completion struct {
	evidence.Answer
	Usage usage // of the last turns
}

// completions are the latest answers of a run, oldest first. As text they are a list of numbers in base64: a
// run has up to evidence.Kept of them.
type completions []completion

// with returns the answers with another one, in the order of their turns: as the last to its turn while the
// run is there, but for one that nobody has heard.
func (n notes) with(a completion) completions {
	list := append(make(completions, 0, len(n.Answers)+1), n.Answers...) // of its length: a run keeps it
	if i := n.indexOf(a); i >= 0 {
		if a.Usage != (usage{}) {
			list[i].Usage = a.Usage
		}
		return list
	}
	at := len(list)
	for at > 0 && (list[at-1].Turn > a.Turn || list[at-1].Turn == a.Turn && (a.Turn < n.Turn || a.Words == 0)) {
		at--
	}
	list = slices.Insert(list, at, a)
	for i := range list { // by turns: many conversations may have an answer of their own to one
		if list[i].Turn <= n.Turn-maxCheckpoints {
			list[i].Usage = usage{}
		}
	}
	return list[max(0, len(list)-evidence.Kept):]
}

// indexOf returns where among the answers the same one to the same turn is, -1 for nowhere.
func (n notes) indexOf(a completion) int {
	return slices.IndexFunc(n.Answers, func(b completion) bool {
		return b.Turn == a.Turn && b.Words == a.Words && b.Asked == a.Asked && slices.Equal(b.IDs, a.IDs)
	})
}

// goingOn returns the answers with the one that the run goes on from as the last.
func (l completions) goingOn(from completion) completions {
	if last := &l[len(l)-1]; last.Words == from.Words {
		return l
	}
	list := slices.DeleteFunc(slices.Clone(l), func(a completion) bool {
		return a.Turn == from.Turn && a.Words == from.Words && slices.Equal(a.IDs, from.IDs)
	})
	return append(list, from)
}

// lastHeard returns the answer to the latest turn that has one.
func (n notes) lastHeard() (a evidence.Answer) {
	if k := len(n.Answers); k > 0 {
		a = n.Answers[k-1].Answer
	}
	return a
}

// evidence returns the answers of the run, and in place of one that nobody has heard, what was asked.
func (n notes) evidence() []evidence.Answer {
	list := n.heardOnly()
	if n.lastHeard().Turn < n.Turn {
		said := evidence.Said{Asked: number(n.Head), Before: n.Before}
		list = append(list, evidence.Answer{Said: said, Turn: n.Turn})
	}
	return list
}

func (n notes) heardOnly() (list []evidence.Answer) {
	for _, a := range n.Answers {
		list = append(list, a.Answer)
	}
	return list
}

// overdue returns the digests by which the store need not find the run any more once it has another turn:
// those of the answers to one turn, which the run has not got again since.
func (n notes) overdue() (list []uint64) {
	last := n.Turn + 1 - maxCheckpoints
	for _, a := range n.Answers {
		if a.Turn == last {
			list = append(append(list, a.Words), a.IDs...)
		}
	}
	return slices.DeleteFunc(list, func(d uint64) bool {
		return slices.ContainsFunc(n.Answers, func(a completion) bool {
			return a.Turn > last && (a.Words == d || slices.Contains(a.IDs, d))
		})
	})
}

// MarshalText implements encoding.TextMarshaler.
func (l completions) MarshalText() ([]byte, error) {
	var b []byte
	digests := func(list ...uint64) {
		for _, d := range list {
			b = binary.BigEndian.AppendUint64(b, d)
		}
	}
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	for _, a := range l {
		number(int64(a.Turn))
		number(int64(a.Len))
		number(int64(a.Before.Len))
		number(int64(len(a.IDs)))
		flags := int64(0)
		u := a.Usage
		known := []bool{u.Context.Known, u.Response.Known, u.Cost.Known, u.Compactions.Known, u.Cleared.Known}
		for i, set := range known {
			if set {
				flags |= 1 << i
			}
		}
		number(flags)
		digests(a.Words, a.Before.Words, a.Asked)
		digests(a.IDs...)
		if u != (usage{}) {
			number(u.Context.N)
			number(u.Response.N)
			digests(math.Float64bits(u.Cost.N))
			if u.Compactions.Known || u.Cleared.Known {
				number(u.Compactions.N)
				number(u.Cleared.N)
			}
		}
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *completions) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	bad := false
	number := func() int64 {
		n, k := binary.Varint(b)
		bad = bad || k <= 0
		b = b[max(k, 0):]
		return n
	}
	digests := func(n int64) (list []uint64) {
		if bad = bad || n < 0 || n > int64(len(b)/8); bad {
			return nil
		}
		for range n {
			list, b = append(list, binary.BigEndian.Uint64(b)), b[8:]
		}
		return list
	}
	for *l = nil; len(b) > 0 && !bad; {
		var a completion
		a.Turn, a.Len, a.Before.Len = int(number()), int(number()), int(number())
		ids, flags := number(), number()
		if list := digests(3); !bad {
			a.Words, a.Before.Words, a.Asked = list[0], list[1], list[2]
		}
		a.IDs = digests(ids)
		u := &a.Usage
		u.Context.Known, u.Response.Known, u.Cost.Known = flags&1 != 0, flags&2 != 0, flags&4 != 0
		if flags != 0 {
			u.Context.N, u.Response.N = number(), number()
			if list := digests(1); !bad {
				u.Cost.N = math.Float64frombits(list[0])
			}
			u.Compactions.Known, u.Cleared.Known = flags&8 != 0, flags&16 != 0
			if flags&(8|16) != 0 {
				u.Compactions.N, u.Cleared.N = number(), number()
			}
		}
		*l = append(*l, a)
	}
	if bad {
		return errAnswers
	}
	return nil
}

// errAnswers says that the answers in a run's notes are damaged.
var errAnswers = errors.New("the run's answers cannot be read")
