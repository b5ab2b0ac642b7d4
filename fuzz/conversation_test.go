package fuzz_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/mark"
)

// FuzzI2Compose: whatever the bytes, no panic. What is JSON stays JSON, nothing to put gives the same bytes
// (I3), the same again gives the same again (I5), strip gives back what was there (I2), and what was put is
// repeated where it was put: the next request for the same conversation is the same.
func FuzzI2Compose(f *testing.F) {
	addBodies(f)
	apis := wire.APIs()
	f.Fuzz(func(t *testing.T, b []byte, text string, which, how uint8) {
		name := apis[int(which)%len(apis)]
		opts := body.Options{
			Options:  mark.Options{Mark: "k"},
			Delivery: body.Delivery(how % 4), Takes: api.Takes(nil),
		}
		bare := wire.Options{API: name, Options: inject.Options{Mark: "k"},
			Delivery: opts.Delivery}
		kept := bytes.Clone(b)
		d, err := api.Read(name, b)
		if err != nil {
			return
		}
		c := body.NewConversation(d, opts)
		valid := json.Valid(b)
		if keys := c.Keys(); slices.Contains(keys, "") || c.Head() == "" {
			t.Fatal(keys)
		}
		want, nothing := compose(c, nil, nil) // without ours, but for tags that claim the mark
		if claims := bytes.Contains(b, []byte("mark")) || bytes.Contains(b, []byte(`\u00`)); nothing.Put != nil ||
			!claims && !bytes.Equal(want, b) {
			t.Fatalf("I3: %q becomes %q", b, want)
		}
		due := []reminder.Due{{ID: "a", Text: text, Attach: reminder.Attach(how / 4 % 3)}, {ID: "b", Text: "T"}}
		once, got := compose(c, nil, due)
		if valid && !json.Valid(once) {
			t.Fatalf("not JSON: %q becomes %q", b, once)
		}
		again, next := compose(c, got.Put, nil)
		if len(got.Put) > 0 && (!bytes.Equal(again, once) || len(next.Gone) > 0) {
			t.Fatalf("I4: %+v, gone %v\nbody  %q\nonce  %q\nagain %q", got.Put, next.Gone, b, once, again)
		}
		twice, _ := compose(c, got.Put, due)
		if valid && !json.Valid(twice) {
			t.Fatalf("not JSON: %q becomes %q", b, twice)
		}
		if !bytes.Equal(b, kept) {
			t.Fatal("I1: the b was written to")
		}
		for _, out := range [][]byte{once, twice} {
			if stripped, err := wire.Strip(want, bare); !valid || err != nil || !bytes.Equal(stripped, want) {
				return // something in it looks like ours
			}
			if back, err := wire.Strip(out, bare); err != nil || !bytes.Equal(back, want) {
				t.Fatalf("I2: %v\nbefore %q\nout    %q\nback   %q", err, want, out, back)
			}
		}
	})
}

// compose returns the body that Edit makes.
func compose(c *body.Conversation, past []body.Insertion, due []reminder.Due) ([]byte, body.Copy) {
	e, out := c.Edit(past, due)
	return e.AppendTo(nil), out
}
