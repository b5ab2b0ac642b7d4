package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Trip is a function as an http.RoundTripper.
type Trip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f Trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Direct returns a RoundTripper that calls a handler, without a network. A response is returned when the
// handler has returned, so it cannot test anything that waits for the client. Where the handler resets the
// connection, the round trip fails if nothing was written before, else reading the response's body does.
func Direct(h http.Handler) http.RoundTripper { return direct{h} }

type direct struct{ h http.Handler }

type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	in := r.Clone(r.Context())
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, err
	}
	if r.ContentLength >= 0 && int64(len(body)) != r.ContentLength {
		return nil, &lengthError{r.ContentLength, len(body)}
	}
	in.Body = io.NopCloser(bytes.NewReader(body))
	a := &answer{header: http.Header{}}
	end := d.serve(a, in)
	if end != nil && a.status == 0 {
		return nil, end
	}
	a.WriteHeader(http.StatusOK)
	var out io.Reader = &a.body
	if end != nil {
		out = io.MultiReader(&a.body, failing{end})
	}
	return &http.Response{Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(out), ContentLength: -1, Request: r}, nil
}

// serve calls the handler. It returns io.ErrUnexpectedEOF if that resets the connection.
func (d direct) serve(a *answer, r *http.Request) (end error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			end = io.ErrUnexpectedEOF
		default:
			panic(v)
		}
	}()
	d.h.ServeHTTP(a, r)
	return nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// lengthError is the error of a real transport for a body that has not the length that the request announces.
type lengthError struct {
	said int64
	is   int
}

func (e *lengthError) Error() string {
	return fmt.Sprintf("http: ContentLength=%d with Body length %d", e.said, e.is)
}
