package fuzz_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// FuzzI2Compose: whatever the bytes, no panic. What is JSON stays JSON, nothing to put gives the same bytes (I3), the same
// again gives the same again (I5), strip gives back what was there (I2), and what was put is repeated where it was put: the
// next request for the same conversation is the same.
func FuzzI2Compose(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("..", "inject", "wire", "testdata", "bodies", "*.json"))
	if len(files) < 60 {
		f.Fatal(len(files), "bodies")
	}
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, "a text", uint8(i%6), uint8(i*37))
	}
	apis := wire.APIs()
	f.Fuzz(func(t *testing.T, body []byte, text string, api, how uint8) {
		opts := wire.Options{API: apis[int(api)%len(apis)], Delivery: wire.Delivery(how % 4), Options: inject.Options{Mark: "k", Prefix: how/4%8 == 0}}
		kept := bytes.Clone(body)
		c, err := wire.ReadConversation(body, opts)
		if err != nil {
			return
		}
		valid := json.Valid(body)
		if keys := c.Keys(); slices.Contains(keys, "") || c.Head() == "" {
			t.Fatal(keys)
		}
		if out, got := c.Compose(nil, nil, nil, ""); !bytes.Equal(out, body) || got.Puts != nil {
			t.Fatalf("I3: %q becomes %q", body, out)
		}
		due := []reminder.Due{{ID: "a", Text: text, Attach: reminder.Attach(how / 4 % 3)}, {ID: "b", Text: "T"}}
		once, got := c.Compose(nil, nil, due, "")
		if valid && !json.Valid(once) {
			t.Fatalf("not JSON: %q becomes %q", body, once)
		}
		again, next := c.Compose(nil, got.Puts, nil, got.Since)
		if len(got.Puts) > 0 && (!bytes.Equal(again, once) || len(next.Gone) > 0) {
			t.Fatalf("I4: %+v, gone %v\nbody  %q\nonce  %q\nagain %q", got.Puts, next.Gone, body, once, again)
		}
		twice, _ := c.Compose(nil, got.Puts, due, got.Since)
		if valid && !json.Valid(twice) {
			t.Fatalf("not JSON: %q becomes %q", body, twice)
		}
		if !bytes.Equal(body, kept) {
			t.Fatal("I1: the body was written to")
		}
		want, _ := c.Compose(nil, nil, nil, got.Since) // without ours, but for what was forged
		for _, out := range [][]byte{once, twice} {
			if stripped, err := wire.Strip(want, opts); !valid || err != nil || !bytes.Equal(stripped, want) {
				return // something in it looks like ours
			}
			if back, err := wire.Strip(out, opts); err != nil || !bytes.Equal(back, want) {
				t.Fatalf("I2: %v\nbefore %q\nout    %q\nback   %q", err, want, out, back)
			}
		}
	})
}
