package agent

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

func TestObject(t *testing.T) {
	t.Parallel()
	o, ok := readObject([]byte(
		`{"sessionId":"s","tool_name":7,"toolName":"Edit","n":3,"digits":"31","part":1.5,"neg":-1,"huge":1e300,"yes":true,"nothing":null,
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
	for _, bad := range []string{"", "null", "[]", `"x"`, "7", "{", `{"a":}`, `{"a":1}{"b":2}`, "{}x",
		strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000), "\x00"} {
		if _, ok := readObject([]byte(bad)); ok {
			t.Errorf("%.20q was read", bad)
		}
	}
	if _, ok := readObject([]byte(strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900) + "\n")); !ok {
		t.Error("a deep object was not read")
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
		"/remind":                             RemindList,
		"/remind ":                            RemindList,
		"/reminder x":                         "",
		"please /remind x":                    "",
		"/remind " + strings.Repeat("x", 300): "",
		"/remind\nx":                          "",
		"":                                    "",
	} {
		if got := Reminded(prompt); got != want {
			t.Errorf("%.40q: %q, want %q", prompt, got, want)
		}
	}
}
