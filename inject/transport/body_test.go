package transport_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
)

// TestPassed: what is none of ours, or in doubt, goes out byte for byte, and the report says why.
func TestPassed(t *testing.T) {
	t.Parallel()
	turn := chat{}.user("do it").of(plainly)
	header := func(k, v string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(k, v) } }
	tests := map[string]struct {
		path, body string
		edit       func(*http.Request)
		opts       transport.Options
		want       string
	}{
		"another path": {path: "/v1/models", body: turn, want: transport.PassedOther},
		"another method": {path: messages, body: turn, edit: func(r *http.Request) { r.Method = http.MethodPut },
			want: transport.PassedOther},
		"no JSON":    {path: messages, body: "hello", want: transport.PassedShape},
		"half of it": {path: messages, body: turn[:len(turn)/2], want: transport.PassedShape},
		"long, and no JSON": {path: messages, body: turn + strings.Repeat("x", 100<<10),
			want: transport.PassedShape},
		"empty":       {path: messages, body: " ", want: transport.PassedShape},
		"no messages": {path: messages, body: `{"model":"m"}`, want: transport.PassedShape},
		"signed": {path: messages, body: turn, edit: header("Authorization",
			"AWS4-HMAC-SHA256 Credential=x"), want: transport.PassedSigned},
		"with a digest": {path: messages, body: turn, edit: header("Content-Digest", "sha-256=:x:"),
			want: transport.PassedSigned},
		"unknown encoding": {path: messages, body: turn, edit: header("Content-Encoding", "compress"),
			want: transport.PassedEncoding},
		"no gzip": {path: messages, body: turn, edit: header("Content-Encoding", "gzip"),
			want: transport.PassedEncoding},
		"too long": {path: messages, body: turn, opts: transport.Options{MaxBody: 20},
			want: transport.PassedLarge},
		"too long, of a length that is not told": {path: messages, body: turn,
			edit: func(r *http.Request) { r.ContentLength = -1; r.GetBody = nil },
			opts: transport.Options{MaxBody: 20}, want: transport.PassedLarge},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, rules(t, "a: always"), setting{Options: tt.opts})
			edit := tt.edit
			if edit == nil {
				edit = func(*http.Request) {}
			}
			w.post(tt.path, tt.body, edit, header(transport.RunHeader, "r"), header(transport.TurnHeader, "user"))
			body, r := w.last()
			if body != tt.body || r.Passed != tt.want {
				t.Errorf("passed %q, want %q; sent %q", r.Passed, tt.want, body)
			}
			for _, k := range []string{transport.RunHeader, transport.TurnHeader} {
				if w.sent[0].Header.Get(k) != "" {
					t.Errorf("%s was sent on", k)
				}
			}
			if tt.edit == nil && w.sent[0].ContentLength != int64(len(tt.body)) {
				t.Errorf("length %d", w.sent[0].ContentLength)
			}
		})
	}
}

// TestCompressed: a compressed body is read, and goes out as it came where nothing is put into it.
func TestCompressed(t *testing.T) {
	t.Parallel()
	turn := chat{}.user("do it").of(plainly)
	for _, form := range encodings {
		encoding, body := coding(form), encoded(form, turn)
		for rule, want := range map[string][]string{"a: always": {"A"}, "a: manual": nil} {
			t.Run(form+" "+rule, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, rules(t, rule), setting{})
				w.post(messages, body, func(r *http.Request) { r.Header.Set("Content-Encoding", encoding) })
				sent, r := w.last()
				got := w.sent[0].Header.Get("Content-Encoding")
				if want == nil {
					if sent != body || got != encoding || r.Passed != "" {
						t.Errorf("%q in %q, %+v", sent, got, r)
					}
					return
				}
				if diff := cmp.Diff(want, w.texts()); diff != "" || got != "" {
					t.Errorf("in %q (-want +got):\n%s", got, diff)
				}
			})
		}
	}
}

// encodings are the content encodings that are read. "deflate, bare" is the deflate of those who leave out
// zlib's frame.
var encodings = []string{"gzip", "zstd", "br", "deflate", "deflate, bare"}

// coding returns an encoding as a header names it.
func coding(encoding string) string { return strings.TrimSuffix(encoding, ", bare") }

// encoded returns text in an encoding.
func encoded(encoding, text string) string {
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "":
		return text
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zstd":
		w, _ = zstd.NewWriter(&out)
	case "br":
		w = brotli.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	default:
		w, _ = flate.NewWriter(&out, flate.BestSpeed)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

// TestBomb: a small body that becomes a large one is passed through, and no more than the limit is ever held.
func TestBomb(t *testing.T) {
	t.Parallel()
	for _, form := range encodings {
		zipped := encoded(form, strings.Repeat("\x00", 4<<20))
		w := newWorld(t, rules(t, "a: always"), setting{Options: transport.Options{MaxBody: 1 << 20}})
		w.post(messages, zipped, func(r *http.Request) { r.Header.Set("Content-Encoding", coding(form)) })
		if body, r := w.last(); body != zipped || r.Passed != transport.PassedLarge {
			t.Errorf("%s: %d bytes, passed %q", form, len(body), r.Passed)
		}
	}
}

// TestGetBody: the body that goes out can be had again, for redirects and lost connections, and the client's
// request is as it was.
func TestGetBody(t *testing.T) {
	t.Parallel()
	var sent *http.Request
	var again []byte
	w := newWorld(t, rules(t, "a: always"), setting{base: func(next http.RoundTripper) http.RoundTripper {
		return client.Trip(func(r *http.Request) (*http.Response, error) {
			sent = r
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			again, _ = io.ReadAll(body)
			_ = body.Close()
			return next.RoundTrip(r)
		})
	}})
	var given *http.Request
	w.post(messages, chat{}.user("do it").of(plainly), func(r *http.Request) { given = r })
	body, _ := w.last()
	if string(again) != body || sent.ContentLength != int64(len(body)) {
		t.Errorf("%d bytes again, length %d, sent %d", len(again), sent.ContentLength, len(body))
	}
	if again, err := sent.GetBody(); err != nil {
		t.Error(err)
	} else if b, _ := io.ReadAll(again); string(b) != body {
		t.Errorf("after the exchange %q", b)
	}
	if given == sent || given.ContentLength == sent.ContentLength {
		t.Error("the client's request was changed")
	}
}

// TestBodyFails: an error of reading the client's body comes back, and nothing is sent.
func TestBodyFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{})
	closed := false
	_, got := w.post(messages, "", func(r *http.Request) {
		r.Body = closer{iotest.ErrReader(errors.New("the client is gone")), &closed}
		r.ContentLength = -1
	})
	if !strings.Contains(got, "the client is gone") || !closed || len(w.sent) != 0 {
		t.Errorf("%q, closed %v, %d sent", got, closed, len(w.sent))
	}
}

type closer struct {
	io.Reader
	closed *bool
}

func (c closer) Close() error { *c.closed = true; return nil }

// TestClaimedLength: a client that says it will send much, and does not, gets little memory for it.
func TestClaimedLength(t *testing.T) {
	for _, claimed := range []int64{60 << 20, 1 << 40} {
		w := newWorld(t, rules(t, "a: always"), setting{})
		r, err := http.NewRequest(http.MethodPost, "http://api.test"+messages,
			io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF)))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = claimed
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res, err := w.rt.RoundTrip(r)
		runtime.ReadMemStats(&after)
		if err == nil {
			res.Body.Close()
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 10<<20 {
			t.Errorf("%d bytes for a claim of %d", got, claimed)
		}
	}
}
