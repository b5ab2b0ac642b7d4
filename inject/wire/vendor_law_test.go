package wire_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/wire"
)

// TestI2Vendors: strip gives back what was there, byte for byte, but for tags that claim the mark; without a
// mark, with all tags harmless. What comes out is JSON.
func TestI2Vendors(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, due []reminder.Due, opts wire.Options) {
		if opts.Mark == "" && bytes.Contains(body, []byte("<system-reminder>")) && slices.ContainsFunc(due,
			func(d reminder.Due) bool { return d.Attach == reminder.UserTurn }) {
			return // whose turn it was, Strip cannot know where bare tags of the client's look like ours
		}
		holdI2(t, body, due, opts)
	})
}

// barePrompt is a system prompt that begins with a bare tag and ends with one and a line end.
var barePrompt = regexp.MustCompile(
	`"(?:instructions|system)"\s*:\s*"<system-reminder>[^"]*</system-reminder>\\n"`)

func holdI2(t rapid.TB, body []byte, due []reminder.Due, opts wire.Options) (changed bool) {
	plain := body
	body, err := wire.Neutralise(body, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain, body) && (opts.Mark == "tok" || opts.Mark == "k" && !bytes.Contains(plain,
		[]byte("k"))) {
		t.Fatalf("nothing claims the mark\nbefore %q\nafter  %q", plain, body)
	}
	if b, err := wire.Strip(body, opts); err != nil || !bytes.Equal(b, body) {
		if body = b; err != nil { // something in it looks like ours: begin without that
			t.Fatal(err)
		}
		if b, err := wire.Strip(body, opts); err != nil || !bytes.Equal(b, body) {
			return false
		}
	}
	if opts.Mark == "" && barePrompt.Match(body) {
		return false // doc.go: with ours behind it, that has our form
	}
	out, _, err := wire.Inject(body, due, opts)
	if err != nil || !json.Valid(out) {
		t.Fatalf("%v: not JSON any more:\n%s\n%s", err, body, out)
	}
	back, err := wire.Strip(out, opts)
	if err != nil || !bytes.Equal(back, body) {
		t.Fatalf("%s %+v: %v\nbefore   %q\ninjected %q\nafter    %q", show(opts), due, err, body, out, back)
	}
	return !bytes.Equal(out, body)
}

// TestI5Vendors: injecting twice is injecting once.
func TestI5Vendors(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, due []reminder.Due, opts wire.Options) {
		holdI5(t, body, due, opts)
	})
}

func holdI5(t rapid.TB, body []byte, due []reminder.Due, opts wire.Options) {
	once, _, err := wire.Inject(body, due, opts)
	if err != nil {
		t.Fatal(err)
	}
	twice, _, err := wire.Inject(once, due, opts)
	if err != nil || !bytes.Equal(twice, once) {
		t.Fatalf("%s %+v: %v\nbody  %q\nonce  %q\ntwice %q", show(opts), due, err, body, once, twice)
	}
}

// TestI3Vendors: nothing due, the very same bytes.
func TestI3Vendors(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, _ []reminder.Due, opts wire.Options) {
		out, _, err := wire.Inject(body, nil, opts)
		if err != nil || &out[0] != &body[0] || len(out) != len(body) {
			t.Fatalf("%q becomes %q, %v", body, out, err)
		}
	})
}

// TestI9Vendors: neutralising once is enough.
func TestI9Vendors(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, _ []reminder.Due, opts wire.Options) {
		once, err := wire.Neutralise(body, opts)
		if err != nil || !json.Valid(once) {
			t.Fatalf("%v: %q", err, once)
		}
		twice, err := wire.Neutralise(once, opts)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\nonce  %q\ntwice %q", err, once, twice)
		}
	})
}
