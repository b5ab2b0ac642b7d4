package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/testkit"
)

// request bodies as clients write them, by name: the API's short name, a hyphen, what is special.
func corpus(t *testing.T) (names []string, bodies map[string][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "bodies", "*.json"))
	if err != nil || len(files) < 60 {
		t.Fatal(len(files), "bodies", err)
	}
	bodies = map[string][]byte{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		names, bodies[name] = append(names, name), b
	}
	return names, bodies
}

func apiOf(name string) wire.API {
	if strings.HasPrefix(name, string(wire.Interactions)) {
		return wire.Interactions
	}
	short, _, _ := strings.Cut(name, "-")
	switch short {
	case "chat":
		return wire.Chat
	case "responses":
		return wire.Responses
	}
	return wire.API(short)
}

// TestLawsOnCorpus holds I1, I2, I3, I5 and I8, and that both ways of reading agree, on every body of the
// corpus, with every delivery, place and mark.
func TestLawsOnCorpus(t *testing.T) {
	t.Parallel()
	names, bodies := corpus(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := bodies[name]
			kept := bytes.Clone(body)
			for delivery := wire.Auto; delivery <= wire.Tail; delivery++ {
				for _, attach := range [][]reminder.Attach{{reminder.Tail}, {reminder.UserTurn}, {reminder.RunStart},
					{reminder.Tail, reminder.UserTurn, reminder.RunStart, reminder.Tail}} {
					for _, mark := range []string{"", "k"} {
						opts := wire.Options{API: apiOf(name), Delivery: delivery, Options: inject.Options{Mark: mark}}
						var due []reminder.Due
						for i, a := range attach {
							due = append(due, reminder.Due{Text: fmt.Sprintf("Text %d.", i), Attach: a})
						}
						if !holdI2(t, body, due, opts) && delivery == wire.Auto && !strings.Contains(name, "forged") {
							if out, _, err := wire.Inject(body, due, opts); err != nil || !bytes.Equal(out, body) {
								t.Errorf("%s %v: I2 does not say anything", show(opts), attach)
							}
						}
						holdI5(t, body, due, opts)
						holdI8(t, body, due, opts)
						if mark == "" {
							holdSegments(t, body, due, opts)
						}
						if out, _, err := wire.Inject(body, nil, opts); err != nil || !bytes.Equal(out, body) {
							t.Errorf("I3: %s, %v", out, err)
						}
					}
				}
			}
			if !bytes.Equal(body, kept) {
				t.Error("I1: the body was written to")
			}
		})
	}
}

// holdI8: each text that is due is in the result once, or it is reported as held; nothing else is.
func holdI8(t *testing.T, body []byte, due []reminder.Due, opts wire.Options) {
	t.Helper()
	out, report, err := wire.Inject(body, due, opts)
	if err != nil {
		t.Fatal(err)
	}
	put := len(due)
	for _, h := range report.Held {
		if put -= h.Texts; h.Why == "" {
			t.Error("held, and no reason why")
		}
	}
	n := 0
	for _, d := range due {
		switch c := strings.Count(saying(t, out), d.Text); c {
		case 0, 1:
			n += c
		default:
			t.Errorf("I8: %q is there %d times in %s", d.Text, c, out)
		}
	}
	if n != put {
		t.Errorf("I8: %d of %d texts, %d should be: %s", n, len(due), put, out)
	}
	if put == 0 && !bytes.Equal(out, body) {
		t.Errorf("held, but not the same bytes: %s", out)
	}
}

func saying(t *testing.T, body []byte) string {
	t.Helper()
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\x00")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	walk(v)
	return b.String()
}

// TestPlaces: where a text goes in each body of the corpus, or why it does not. The golden file is to be
// read.
func TestPlaces(t *testing.T) {
	t.Parallel()
	names, bodies := corpus(t)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s\n", name)
		was := ""
		for _, how := range []struct {
			name     string
			delivery wire.Delivery
			attach   reminder.Attach
		}{{"auto", wire.Auto, reminder.Tail}, {"native", wire.Native, reminder.Tail}, {"anchored", wire.Anchored,
			reminder.Tail}, {"tail", wire.Tail, reminder.Tail},
			{"user_turn", wire.Auto, reminder.UserTurn}, {"run_start", wire.Auto, reminder.RunStart}} {
			opts := wire.Options{API: apiOf(name), Delivery: how.delivery,
				Options: inject.Options{Neutralise: inject.NeutraliseNothing}}
			out, report, err := wire.Inject(bodies[name], []reminder.Due{{Text: "T", Attach: how.attach}}, opts)
			if err != nil {
				t.Fatal(name, err)
			}
			is := change(bodies[name], out)
			for _, h := range report.Held {
				is = "held: " + h.Why
			}
			if how.attach == reminder.Tail && is == was {
				is = "the same"
			} else {
				was = is
			}
			if report.Beta != "" {
				is += " +beta"
			}
			fmt.Fprintf(&b, "  %-9s %s\n", how.name, is)
		}
	}
	testkit.Golden(t, filepath.Join("testdata", "places.txt"), b.String())
}

// change tells what was put into a body, and behind and before what.
func change(was, is []byte) string {
	from := 0
	for from < len(was) && was[from] == is[from] {
		from++
	}
	end := 0
	for end < len(was)-from && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	s := fmt.Sprintf("…%s >>%s<< %s…", was[max(0, from-16):from], is[from:len(is)-end],
		was[len(was)-end:min(len(was), len(was)-end+8)])
	return strings.ReplaceAll(s, "\n", "↵")
}
