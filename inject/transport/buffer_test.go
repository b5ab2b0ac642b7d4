package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/transport"
)

// TestMemory: the memory of a request's body is another request's when the first is over and its body was written, and not before,
// whatever a Base does with it.
func TestMemory(t *testing.T) {
	t.Parallel()
	wrote := func(r *http.Request, err error) {
		httptrace.ContextClientTrace(r.Context()).WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
	read := func(t *testing.T, r io.Reader) string {
		t.Helper()
		b, err := io.ReadAll(r)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	for name, base := range map[string]func(t *testing.T, r *http.Request, others func()) (early, late func() string){
		"it sends what it has read, again and again": func(t *testing.T, r *http.Request, others func()) (early, late func() string) {
			early = func() string {
				got := read(t, r.Body)
				for range 4 {
					wrote(r, nil)
				}
				others()
				again, err := r.GetBody()
				if err != nil {
					t.Fatal(err)
				}
				if b := read(t, again); b != got {
					t.Errorf("again %q", b)
				}
				return got
			}
			return early, nil
		},
		"it tries again": func(t *testing.T, r *http.Request, others func()) (early, late func() string) {
			early = func() string {
				_, _ = io.CopyN(io.Discard, r.Body, 5)
				wrote(r, io.ErrUnexpectedEOF)
				others()
				again, err := r.GetBody()
				if err != nil {
					t.Fatal(err)
				}
				got := read(t, again)
				wrote(r, nil)
				others()
				return got
			}
			return early, nil
		},
		"it tries again, and is still writing when the answer is over": func(t *testing.T, r *http.Request, others func()) (early, late func() string) {
			wrote(r, io.ErrClosedPipe)
			return nil, func() string {
				others()
				got := read(t, r.Body)
				wrote(r, nil)
				others()
				return got
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			var late func() string
			n := 0
			others := func() {
				for range 8 {
					n++
					w.post(messages, chat{}.user(strings.Repeat("other ", 20)).of(plainly), func(r *http.Request) { r.Header.Set(transport.RunHeader, fmt.Sprint("other-", n)) })
				}
			}
			want, got := int64(0), ""
			w = newWorld(t, rules(t, "a: always"), setting{base: func(next http.RoundTripper) http.RoundTripper {
				return trip(func(r *http.Request) (*http.Response, error) {
					if !strings.HasPrefix(r.Header.Get("X-Case"), "this") {
						return next.RoundTrip(r)
					}
					want = r.ContentLength
					var early func() string
					if early, late = base(t, r, others); early != nil {
						got = early()
					}
					body := `{"type":"message"}`
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
				})
			}})
			w.post(messages, chat{}.user("do it").of(plainly), func(r *http.Request) { r.Header.Set("X-Case", "this") })
			if late != nil {
				got = late()
			}
			if int64(len(got)) != want || !strings.Contains(got, `"do it"`) || !strings.Contains(got, ">\\nA\\n<") {
				t.Errorf("got %q, want %d bytes", got, want)
			}
		})
	}
}

// TestSource: a long body goes out as one piece, from where it lies, also when some of it was read before; and none of it when it is
// closed.
func TestSource(t *testing.T) {
	t.Parallel()
	type source interface {
		io.ReadCloser
		io.WriterTo
		Len() int
	}
	w := newWorld(t, rules(t, "a: always"), setting{base: func(next http.RoundTripper) http.RoundTripper {
		return trip(func(r *http.Request) (*http.Response, error) {
			for _, first := range []int64{0, 7, r.ContentLength} {
				body, err := r.GetBody()
				if err != nil {
					t.Fatal(err)
				}
				var got bytes.Buffer
				_, _ = io.CopyN(&got, struct{ io.Reader }{body}, first)
				s := body.(source)
				if s.Len() != int(r.ContentLength-first) {
					t.Errorf("%d are left of %d", s.Len(), r.ContentLength)
				}
				if n, err := s.WriteTo(&got); err != nil || n != r.ContentLength-first || s.Len() != 0 {
					t.Error(n, err, s.Len())
				}
				if !strings.Contains(got.String(), ">\\nA\\n<") || int64(got.Len()) != r.ContentLength {
					t.Errorf("%d bytes: %.100q", got.Len(), got.String())
				}
				s.Close()
				if n, err := s.WriteTo(&got); err == nil {
					t.Errorf("%d bytes of a closed body", n)
				}
			}
			return next.RoundTrip(r)
		})
	}})
	w.post(messages, chat{}.user(strings.Repeat("do it ", 10_000)).of(plainly))
}
