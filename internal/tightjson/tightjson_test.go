package tightjson_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/tightjson"
)

// marshal is what encoding/json writes without escaping for HTML.
func marshal(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var texts = []string{
	"", "a", "a\"b\\c/d", "\b\f\n\r\t\x00\x1f\x7f", "<&>", "ü\u2028\u2029\U0001f600", "\xff a\xc3", "\\", `\\"`, `\u0041`, "\ufffd", strings.Repeat("long ", 100),
}

// TestText: a text is written as encoding/json writes it, and read as it reads it.
func TestText(t *testing.T) {
	t.Parallel()
	for _, s := range texts {
		checkText(t, s)
	}
}

func checkText(t *testing.T, s string) {
	t.Helper()
	want := marshal(t, s)
	got := string(tightjson.Text(nil, s))
	if got != want {
		t.Errorf("%q is written as %s, and by encoding/json as %s", s, got, want)
	}
	r := tightjson.NewReader(got)
	if back := r.Text(); !r.End() || back != strings.ToValidUTF8(s, "\ufffd") && !strings.Contains(s, "\xff") {
		t.Errorf("%s is read as %q", got, back)
	}
}

func TestFloat(t *testing.T) {
	t.Parallel()
	for _, n := range []float64{0, 1, -1, 0.5, 1e-6, 9.9e-7, 1e-9, 1e-10, 1e20, 1e21, 1e22, 123456789.125, math.MaxFloat64, math.SmallestNonzeroFloat64, -1e-7} {
		want := marshal(t, n)
		if got := string(tightjson.Float(nil, n)); got != want {
			t.Errorf("%v is written as %s, and by encoding/json as %s", n, got, want)
		}
		r := tightjson.NewReader(want)
		if back := r.Float(); !r.End() || back != n {
			t.Errorf("%s is read as %v", want, back)
		}
	}
}

// shape is a struct that is read by hand.
type shape struct {
	A int64           `json:"a,omitempty"`
	B []string        `json:"b,omitempty"`
	C bool            `json:"c,omitempty"`
	D float64         `json:"d"`
	E *shape          `json:"e,omitempty"`
	F json.RawMessage `json:"f,omitempty"`
}

func (s *shape) read(r *tightjson.Reader) {
	r.Open('{')
	if r.Member("a") {
		s.A = r.Int()
	}
	if r.Member("b") {
		for r.Open('['); r.More(); {
			s.B = append(s.B, r.Text())
		}
		r.Close(']')
	}
	if r.Member("c") {
		s.C = r.Bool()
	}
	if r.Member("d") {
		s.D = r.Float()
	}
	if r.Member("e") {
		s.E = &shape{}
		s.E.read(r)
	}
	if r.Member("f") {
		s.F = json.RawMessage(r.Raw())
	}
	r.Close('}')
}

var shapes = []string{
	`{"d":0}`, `{"a":-7,"d":0.5}`, `{"a":9223372036854775807,"b":["x","y\n"],"c":true,"d":1e-9,"e":{"d":-1},"f":{"x":[1,2,{"y":null}],"z":"\u00e9"}}`,
	`{"d":0,"f":[]}`, `{"d":0,"f":{}}`, `{"d":0,"f":-0.5e+3}`, `{"d":0,"f":"a\u12AB"}`, `{"d":1,"f":null}`,
}

// unlike are values that are not in the form, or no JSON at all.
var unlike = []string{
	``, ` `, `{`, `}`, `{}x`, `{"a":1,}`, `{,"a":1}`, `{"a":01}`, `{"a":-}`, `{"a":-0}`, `{"a":1.0}`, `{"a":1e3}`, `{"a":9223372036854775808}`, `{"b":["x",]}`, `{"b":[,"x"]}`,
	`{"b":["x" "y"]}`, `{"b":["x"}`, `{"b":["\x"]}`, `{"b":["\u12"]}`, `{"b":["\ud800"]}`, "{\"b\":[\"\n\"]}", "{\"b\":[\"\xff\"]}", `{"b":["`, `{"c":tru}`, `{"c":null}`, `{"d":.5}`,
	`{"d":1.}`, `{"d":1e}`, `{"d":1e999}`, `{"d":+1}`, `{"d":"1"}`, `{"d":0,"a":1}`, `{"a":1,"a":2}`, `{"A":1}`, `{ "a":1}`, `{"a": 1}`, `{"x":1}`, `{"f":}`, `{"f":{"x"}}`, `{"f":{"x":}}`,
	`{"f":{"x":1,}}`, `{"f":{,"x":1}}`, `{"f":[1,]}`, `{"f":[,1]}`, `{"f":[1 ]}`, `{"f":01}`, `{"f":nul}`, `{"f":{x:1}}`, `{"f":"a`, `{"f":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	`[]`, `null`, `{"e":{}`, `{"e":null}`,
}

// same reads by hand and by encoding/json: what is read by hand is what encoding/json reads, and is written as it was.
func same(t *testing.T, src string) (read bool) {
	t.Helper()
	var got, want shape
	r := tightjson.NewReader(src)
	if got.read(r); !r.End() {
		return false
	}
	dec := json.NewDecoder(strings.NewReader(src))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&want); err != nil {
		t.Errorf("%q is read, but not by encoding/json: %v", src, err)
		return true
	}
	if a, b := marshal(t, got), marshal(t, want); a != b {
		t.Errorf("%q is read as %s, and by encoding/json as %s", src, a, b)
	}
	return true
}

func TestReader(t *testing.T) {
	t.Parallel()
	for _, src := range shapes {
		if !same(t, src) {
			t.Errorf("%s is not read", src)
		}
		for n := range src {
			if same(t, src[:n]) {
				t.Errorf("%s is read, and is cut off", src[:n])
			}
		}
	}
	for _, src := range unlike {
		if same(t, src) {
			t.Errorf("%q is read", src)
		}
	}
	var zero tightjson.Reader
	if zero.End() {
		t.Error("nothing is a value")
	}
}

// FuzzReader: whatever is read, encoding/json reads it alike.
func FuzzReader(f *testing.F) {
	for _, src := range append(append([]string{}, shapes...), unlike...) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) { same(t, src) })
}

// FuzzText: every text is written as encoding/json writes it.
func FuzzText(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(tightjson.Text(nil, s)), marshal(t, s); got != want {
			t.Errorf("%q is written as %s, and by encoding/json as %s", s, got, want)
		}
	})
}
