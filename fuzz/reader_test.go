package fuzz_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/wire"
)

// FuzzReader: whatever a Reader has read before, it reads as Read does: a body, one that begins as it does and goes on
// otherwise, and the first one again.
func FuzzReader(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("..", "inject", "wire", "testdata", "bodies", "*.json"))
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, body[len(body)/2:], uint16(len(body)/2), uint8(i%6))
		f.Add(body, []byte(`,{"role":"user","content":"more"}]}`), uint16(bytes.LastIndexByte(body, ']')), uint8(i%6))
	}
	for _, tail := range []string{`2]}`, `,3]}`, `}]}`, ` ]}`, `]`, ``} {
		f.Add([]byte(`{"messages":[{"role":"user","content":"a"},1]}`), []byte(tail), uint16(len(`{"messages":[{"role":"user","content":"a"},1`)), uint8(0))
	}
	apis := wire.APIs()
	f.Fuzz(func(t *testing.T, body, tail []byte, cut uint16, api uint8) {
		next := slices.Concat(body[:min(len(body), int(cut))], tail)
		var r wire.Reader
		for n, b := range [][]byte{body, next, next, body} {
			in := wire.Incoming{API: apis[int(api)%len(apis)], Body: b}
			if d := cmp.Diff(told(wire.Read(in, wire.Options{})), told(r.Read(in, wire.Options{}))); d != "" {
				t.Fatalf("reading %d, %q: %s", n, b, d)
			}
		}
	})
}

// told is what a reading says, and what comes of it. It releases the Conversation.
func told(q *wire.Request, c *wire.Conversation, err error) string {
	s := fmt.Sprintf("%+v %v", *q, err)
	if c == nil {
		return s
	}
	defer c.Release()
	due := []reminder.Due{{ID: "a", Text: "t"}, {ID: "b", Text: "T", Attach: reminder.RunStart}}
	once, got := c.Compose(nil, nil, due, "")
	again, next := c.Compose(nil, got.Puts, due, got.Since)
	return s + fmt.Sprintf("%v %v %v %s %+v %s %+v", c.Keys(), c.Heads(), slices.Collect(c.Calls()), once, got, again, next)
}
