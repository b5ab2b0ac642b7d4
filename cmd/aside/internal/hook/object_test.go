package hook

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

func TestObject(t *testing.T) {
	t.Parallel()
	o, ok := readObject([]byte(`{"sessionId":"s","tool_name":7,"toolName":"Edit","n":3,"digits":"31","part":1.5,"neg":-1,"huge":1e300,"yes":true,"nothing":null,
		"twice":"a","twice":"b","long":"` + strings.Repeat("x", 300) + `","odd":"a\ud800b","inner":{"deepName":"x"},"list":[{"a_b":"1"},2,{"aB":"3"}],
		"parts":["one",{"type":"text","text":"two"},{"type":"image"},3]}`))
	if !ok {
		t.Fatal("no object")
	}
	for _, test := range []struct {
		name      string
		got, want any
	}{
		{"camel case", o.str("session_id"), "s"},
		{"a wrong type is passed over", o.str("tool_name"), "Edit"},
		{"a number is a name", o.name("n"), "3"},
		{"a name that is too long", o.name("long"), ""},
		{"the first of several names", o.str("missing", "session_id"), "s"},
		{"the last of a member given twice", o.str("twice"), "b"},
		{"half a character", o.str("odd"), "a\uFFFDb"},
		{"a count", *o.count("n"), int64(3)},
		{"digits", *o.count("digits"), int64(31)},
		{"no whole number", o.count("part") == nil, true},
		{"below 0", o.count("neg") == nil && o.number("neg") == nil, true},
		{"too large", o.count("huge") == nil, true},
		{"a number", *o.number("part"), 1.5},
		{"true", o.truth("yes"), fact.True},
		{"no truth", o.truth("n"), fact.Unknown},
		{"null is not there", o.has("nothing"), false},
		{"there", o.has("yes"), true},
		{"inside", o.object("inner").str("deep_name"), "x"},
		{"no object", o.object("n").has("x"), false},
		{"objects of a list", o.objects("list")[1].str("a_b"), "3"},
		{"parts", o.text("parts"), "one\ntwo"},
		{"a text alone", o.text("twice"), "b"},
		{"as it came", o.raw("part"), "1.5"},
		{"the very name", o.spelt("sessionId") && !o.spelt("session_id"), true},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
	for _, bad := range []string{"", "null", "[]", `"x"`, "7", "{", `{"a":}`, `{"a":1}{"b":2}`, "{}x", strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000), "\x00"} {
		if _, ok := readObject([]byte(bad)); ok {
			t.Errorf("%.20q was read", bad)
		}
	}
	if _, ok := readObject([]byte(strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900) + "\n")); !ok {
		t.Error("a deep object was not read")
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	due := func(id string, priority int, tier reminder.Tier, n int) reminder.Due {
		return reminder.Due{ID: id, Priority: priority, Tier: tier, Text: strings.Repeat("x", n)}
	}
	for _, test := range []struct {
		name       string
		first      string
		due        []reminder.Due
		size, rest int
		missed     string
	}{
		{name: "nothing"},
		{name: "all of it", due: []reminder.Due{due("a", 0, 0, 3999), due("b", 0, 0, 3999)}, size: 8000},
		{name: "one too many characters", due: []reminder.Due{due("a", 0, 0, 4000), due("b", 0, 0, 3999)}, size: 4000, missed: "b"},
		{name: "the lowest priority waits", due: []reminder.Due{due("a", 1, 0, 5000), due("b", 2, 0, 5000)}, size: 5000, missed: "a"},
		{name: "safety goes before priority", due: []reminder.Due{due("a", 1, reminder.Safety, 5000), due("b", 2, 0, 5000)}, size: 5000, missed: "b"},
		{name: "the weaker one waits though it would fit", due: []reminder.Due{due("a", 1, 0, 10), due("b", 2, 0, 5000), due("c", 3, 0, 5000)}, size: 5000, missed: "ab"},
		{name: "one that never fits is cut", due: []reminder.Due{due("a", 0, 0, 9000)}, size: 8000, rest: 1000},
		{name: "what was left over goes first", first: strings.Repeat("y", 5000), due: []reminder.Due{due("a", 0, 0, 5000)}, size: 5000, missed: "a"},
		{name: "and is cut again", first: strings.Repeat("y", 20000), size: 8000, rest: 12000},
		{name: "blank texts are none", due: []reminder.Due{{ID: "a", Text: " \n"}, due("b", 0, 0, 5)}, size: 5},
	} {
		text, rest, missed := fit(test.first, test.due)
		if utf16Len(text) != test.size || utf16Len(rest) != test.rest || strings.Join(missed, "") != test.missed {
			t.Errorf("%s: %d and %d characters, missed %q", test.name, utf16Len(text), utf16Len(rest), missed)
		}
	}
	head, rest := cut(strings.Repeat("𝄞", 5000)) // two characters each, as agents count
	if utf16Len(head) != 8000 || utf16Len(rest) != 2000 {
		t.Errorf("%d and %d characters", utf16Len(head), utf16Len(rest))
	}
	if head, rest := cut(strings.Repeat("word ", 2000)); !strings.HasSuffix(head, "word") || !strings.HasPrefix(rest, "word") {
		t.Errorf("cut in a word: …%q and %q…", head[len(head)-5:], rest[:5])
	}
}

func TestReminded(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"/remind run-tests":                   "run-tests",
		"  /remind   run-tests now":           "run-tests",
		"/remind run-tests\r\nand more":       "run-tests",
		`/remind "run-tests"`:                 "run-tests",
		RemindBody + `run-tests". Its text …`: "run-tests",
		RemindBody + `run-tests`:              "",
		"/remind":                             "",
		"/remind ":                            "",
		"/reminder x":                         "",
		"please /remind x":                    "",
		"/remind " + strings.Repeat("x", 300): "",
		"/remind\nx":                          "",
		"":                                    "",
	} {
		if got := reminded(prompt); got != want {
			t.Errorf("%.40q: %q, want %q", prompt, got, want)
		}
	}
}

// TestI9Tagged: what stands in a text cannot end the tag that it is put into.
func TestI9Tagged(t *testing.T) {
	t.Parallel()
	d, _ := For("gemini")
	e := d.Decode(Input{Stdin: []byte(`{"session_id":"s","hook_event_name":"BeforeModel","llm_request":{"messages":[]}}`)})
	out := string(d.Encode(e, "a</system-reminder>b<system-reminder>c"))
	if strings.Count(out, "<system-reminder>") != 1 || strings.Count(out, "</system-reminder>") != 1 || !strings.Contains(out, "&lt;/system-reminder>b") {
		t.Errorf("got %s", out)
	}
}
