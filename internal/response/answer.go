package response

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Answer is a model's answer, as far as it must be told from other answers to the same request. It is read
// off a response that passes, or off a later request that holds the answer, and Said is the same for both.
// The zero Answer is empty. Of the words it keeps a hash only, unless KeepText was called.
type Answer struct {
	// in the order in which the model made them; of tools that the API itself runs, none; and compactions
	Calls   []Call
	Cleared int64  // tool results that the API hid from the model
	Items   []Item // of OpenAI's Responses: all that the response holds, as it came
	Ended   bool   // Items are all of them
	text    []byte // the words, where they are kept
	keeps   bool
	words   xxhash.Digest
	some    bool // words has been reset
	bytes   int  // of the words
	held    int  // bytes of Items
}

// Item is an item of a response.
type Item struct {
	ID   string
	JSON json.RawMessage
}

// MaxItems is how many bytes of items are kept. Of a response with more, none is, and it has not Ended.
const MaxItems = 16 << 20

// Keep adds an item.
func (a *Answer) Keep(i Item) {
	if a.held += len(i.JSON); a.held <= MaxItems {
		a.Items = append(a.Items, i)
	} else {
		a.Items = nil
	}
}

// End says that no further item comes.
func (a *Answer) End() { a.Ended = a.held <= MaxItems }

// Call is a call of a tool in an Answer.
type Call struct {
	ID, Name string
	Input    []byte // JSON, or a text of the tool's own; as far as it has come
	Index    int    // of the part of the response that it is, where its input comes in pieces; else -1
}

// KeepText has the words be kept that are said from now on, as many as a summary has.
func (a *Answer) KeepText() { a.keeps = true }

// Text returns the words that were kept.
func (a *Answer) Text() []byte { return a.text }

// Say adds words of the answer, in UTF-8. How they are cut, and white space, plays no part: clients join
// texts, and trim them.
func (a *Answer) Say(words []byte) {
	if a.keeps && len(a.text)+len(words) <= evidence.MaxSummary {
		a.text = append(a.text, words...)
	}
	for word := range bytes.FieldsSeq(words) {
		if !a.some {
			a.words.Reset()
			a.some = true
		}
		_, _ = a.words.Write(word)
		a.bytes += len(word)
	}
}

// Part returns the call that is the part of the response with this index, which is new if there is none. It
// is valid until the next call of Part.
func (a *Answer) Part(index int) *Call {
	i := slices.IndexFunc(a.Calls, func(c Call) bool { return c.Index == index })
	if i < 0 {
		i = len(a.Calls)
		a.Calls = append(a.Calls, Call{Index: index})
	}
	return &a.Calls[i]
}

// Append adds a piece to the input of the call that is the part with this index; nothing where none is.
func (a *Answer) Append(index int, input string) {
	if i := slices.IndexFunc(a.Calls, func(c Call) bool { return c.Index == index }); i >= 0 {
		a.Calls[i].Input = append(a.Calls[i].Input, input...)
	}
}

// Add adds a call that is there as a whole. A call without id and name is one that the API runs itself.
func (a *Answer) Add(id, name string, input []byte) {
	if id != "" || name != "" {
		a.Calls = append(a.Calls, Call{ID: id, Name: name, Input: input, Index: -1})
	}
}

// compaction stands for the name of a tool in a Call that is a compaction. No tool can have it.
const compaction = "(compaction)"

// Compact adds a compaction, which stands for all that was said before it: what it holds, in words or
// encrypted. It tells an answer from others as an id does. One that holds nothing has failed, and is none.
// index is the Index of the part that it is, where it comes in pieces; else -1.
func (a *Answer) Compact(holds string, index int) {
	if holds == "" {
		return
	}
	c := &Call{}
	if index >= 0 {
		c = a.Part(index)
	}
	c.ID, c.Name, c.Input, c.Index = c.ID+holds, compaction, append(c.Input, holds...), index
	if index < 0 {
		a.Calls = append(a.Calls, *c)
	}
}

// Compactions returns how many compactions the answer holds.
func (a *Answer) Compactions() (n int64) {
	for _, c := range a.Calls {
		if c.Name == compaction {
			n++
		}
	}
	return n
}

// Tools returns the calls of tools.
func (a *Answer) Tools() []Call {
	return slices.DeleteFunc(slices.Clone(a.Calls), func(c Call) bool { return c.Name == compaction })
}

// Said returns how the answer is told from others: by its words without white space and the names and
// arguments of its calls, in the normalisation of WIRE.md §2.2, and by the ids of its calls that are long
// enough to be random. Thinking and signatures do not count, since clients leave them out: answers that only
// differ in these are one. What stands before the answer is not said.
func (a *Answer) Said() (s evidence.Said) {
	d := xxhash.New()
	if s.Len = a.bytes; a.some {
		var words [8]byte
		_, _ = d.Write(a.words.Sum(words[:0]))
	}
	for _, c := range a.Calls {
		_, _ = d.WriteString("\x00" + c.Name + "\x00")
		input := Canonical(c.Input)
		_, _ = d.Write(input)
		s.Len += len(c.Name) + len(input)
		if Minted(c.ID) {
			s.IDs = append(s.IDs, xxhash.Sum64String("call\x00"+c.ID))
		}
	}
	s.Words = d.Sum64()
	return s
}

// Minted reports whether the id of a call is long enough to be random. Shorter ids are counters that every
// conversation has.
func Minted(id string) bool { return len(id) >= minID }

const minID = 16

// Canonical returns the input of a call in the one form that does not depend on who has written it: members
// sorted, without null members. An input that is not JSON stays as it is.
func Canonical(input []byte) []byte {
	if len(bytes.TrimSpace(input)) == 0 {
		return []byte("{}")
	}
	if input := bytes.TrimSpace(input); input[0] == '"' { // arguments are JSON in a string, or a text
		var text string
		if json.Unmarshal(input, &text) == nil {
			return Canonical([]byte(text))
		}
	}
	if out, ok := jsonscan.AppendCanonical(nil, input, ""); ok {
		return out
	}
	return input
}
