package jsonscan

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// anyJSON writes a value at random, with strings of all lengths that hold whatever could be taken for
// structure.
func anyJSON(r *rand.Rand, b *strings.Builder, depth int) {
	pieces := []string{`\"`, `\\`, `{`, `}`, `[`, `]`, `,`, `:`, `\u0022`, `x`,
		`long enough to fill some of a block, and more `, `\\\"`, `ä`}
	text := func() {
		b.WriteByte('"')
		for range r.IntN(1 + r.IntN(60)) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		b.WriteByte('"')
	}
	blank := func() { b.WriteString([]string{"", "", "", " ", "\t", "\r\n"}[r.IntN(6)]) }
	kind := r.IntN(7)
	if depth == 0 {
		kind = r.IntN(5)
	}
	switch kind {
	case 0, 1, 2:
		text()
	case 3:
		b.WriteString([]string{"0", "-1.5e+3", "12345678901234567890"}[r.IntN(3)])
	case 4:
		b.WriteString([]string{"true", "false", "null", "{}", "[]"}[r.IntN(5)])
	default:
		open, shut := "[", "]"
		if kind == 6 {
			open, shut = "{", "}"
		}
		b.WriteString(open)
		for i := range r.IntN(8) {
			if i > 0 {
				b.WriteByte(',')
			}
			blank()
			if kind == 6 {
				text()
				blank()
				b.WriteByte(':')
				blank()
			}
			anyJSON(r, b, depth-1)
			blank()
		}
		b.WriteString(shut)
	}
}

// TestCursor: the cursor ends a value where encoding/json does, whatever stands behind it, and sees where one
// is cut off.
func TestCursor(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var b strings.Builder
		anyJSON(r, &b, 5)
		value := b.String()
		if !json.Valid([]byte(value)) {
			t.Fatalf("not JSON: %s", value)
		}
		for _, behind := range []string{"", ",", "}", "]", ` ,"x":1}`, "\n{"} {
			c := Cursor{b: []byte(value + behind)}
			if got := c.Raw(); c.Bad() || string(got) != value {
				t.Fatalf("%q is taken out of\n%s", got, value+behind)
			}
		}
		if strings.ContainsAny(value[:1], `"[{`) {
			cut := r.IntN(len(value))
			if c := (Cursor{b: []byte(value[:cut])}); c.Raw() != nil || !c.Bad() {
				t.Fatalf("nothing is wrong with %q", value[:cut])
			}
		}
		if value[0] == '[' {
			var want []json.RawMessage
			if err := json.Unmarshal([]byte(value), &want); err != nil {
				t.Fatal(err)
			}
			n := 0
			for i, got := range Elements([]byte(value)) {
				if n++; !bytes.Equal(got, want[i]) {
					t.Fatalf("element %d is %q, want %q", i, got, want[i])
				}
			}
			if n != len(want) {
				t.Fatalf("%d elements, want %d", n, len(want))
			}
		}
	}
}

// TestCursorAtBlocks: a string with many quotes inside of it ends where it ends, wherever its backslashes
// fall on the blocks it is looked at in.
func TestCursorAtBlocks(t *testing.T) {
	t.Parallel()
	for n := range 1300 {
		for slashes := range 4 {
			value := `"` + strings.Repeat(`\"`, 6) + strings.Repeat("x", n) + strings.Repeat(`\\`,
				slashes) + `\"` + `"`
			c := Cursor{b: []byte(value + `,"more"`)}
			if got := c.Raw(); c.Bad() || string(got) != value {
				t.Fatalf("%d and %d backslashes: %q", n, slashes, got)
			}
		}
	}
}

// TestMistakes: the cursor says which byte is wrong, and why.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const levels = 3
	for _, c := range []struct {
		text string
		at   int // -1: nothing is wrong
		deep bool
	}{
		{`{"a": [1, {"b": 2}], "c": {}}`, -1, false},
		{`{"a": 1 "b": 2}`, 8, false},
		{`{"a": 1,}`, 8, false},
		{`{"a" 1}`, 5, false},
		{`{a: 1}`, 1, false},
		{`{"a": }`, 6, false},
		{`{"a": [1,,2]}`, -1, false}, // skipped
		{`{"c": [1,,2]}`, 9, false},
		{`{"c": [1 2]}`, 9, false},
		{`{"c": [,1]}`, 7, false},
		{`{"a": "`, 7, false},
		{`{"c": [1`, 8, false},
		{`{"a": [[1]]}`, -1, false},
		{`{"a": [[[1]]]}`, 8, true},
		{`{"c": [[[1]]]}`, 8, true},
		{`[]`, 0, false},
	} {
		cursor := At([]byte(c.text), 0, levels)
		for key := range cursor.Keys() {
			if string(key) == "c" && cursor.Peek() == '[' {
				for cursor.Open('['); cursor.Element(); {
					cursor.Skip()
				}
			}
		}
		switch err := cursor.Err(); {
		case (err == nil) != (c.at < 0):
			t.Errorf("%s: %v", c.text, err)
		case err != nil && (err.Offset != c.at || err.Deep != c.deep || err.Reason == ""):
			t.Errorf("%s: byte %d, too deep %t: %s", c.text, err.Offset, err.Deep, err.Reason)
		}
	}
}
