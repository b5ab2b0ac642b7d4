package bundle

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
)

// TokenVar is the environment variable with the bearer token for the server of bundles.
const TokenVar = "ASIDE_BUNDLE_TOKEN"

// fetchTime is how long one request to the server may take.
const fetchTime = time.Minute

// Server is the place of a bundle.
type Server struct {
	URL       string // http or https
	TokenFile string // holds the bearer token, and is read for each request; "": that of TokenVar, if any
	Client    *http.Client
}

// check returns a usage error for a URL that cannot be asked.
func (s *Server) check() error {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return command.Usage("%q: not a URL such as https://rules.example/team.tar.gz", clip(s.URL))
	case u.User != nil:
		return command.Usage("a URL with a password would stand in logs: give a token in %s", TokenVar)
	}
	return nil
}

// awayError is the error for a server that did not answer, or not with a bundle.
type awayError struct {
	err   error
	after time.Duration // as the server asked; 0: it did not
}

func (x *awayError) Error() string { return x.err.Error() }
func (x *awayError) Unwrap() error { return x.err }

// statusError is the error for a status that is not a success.
type statusError struct{ status int }

func (x *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server answers %d %s", x.status, http.StatusText(x.status)))
}

// fetch gets the bundle, and the ETag of its version; src is nil if that is known. By the date of a file
// nobody is asked: a bundle that was built earlier may be put in its place later. An error that is no
// *awayError is about the bundle itself.
func (s *Server) fetch(ctx context.Context, known string) (src []byte, etag string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	res, err := s.do(ctx, http.MethodGet, nil, map[string]string{"If-None-Match": known})
	if err != nil {
		return nil, known, &awayError{err: err}
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotModified && known != "":
		return nil, known, nil
	case res.StatusCode != http.StatusOK:
		return nil, known, &awayError{&statusError{res.StatusCode}, retryAfter(res.Header)}
	}
	src, err = io.ReadAll(io.LimitReader(res.Body, maxArchive+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, known, ErrTorn
	case err != nil:
		return nil, known, &awayError{err: plain(err)}
	}
	return src, res.Header.Get("ETag"), nil
}

// do sends a request with the token. Headers without a value are left out.
func (s *Server) do(ctx context.Context, method string, body io.Reader,
	header map[string]string) (*http.Response,
	error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "aside/"+command.Version())
	for k, v := range header {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	token := os.Getenv(TokenVar)
	if s.TokenFile != "" {
		b, err := os.ReadFile(s.TokenFile)
		if err != nil {
			return nil, err
		}
		token = strings.TrimSpace(string(b))
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	return res, plain(err)
}

// plain takes the address out of an error of package http: it may hold what nobody should read in a log.
func plain(err error) error {
	var of *url.Error
	switch {
	case errors.As(err, &of) && of.Timeout():
		return errors.New("the server does not answer in time")
	case errors.As(err, &of):
		return of.Err
	}
	return err
}

// maxRetryAfter is the longest wait that a server is allowed to ask for.
const maxRetryAfter = time.Hour

// retryAfter returns how long the server asks to be left alone. A date is compared with the server's own
// clock, since that of this machine may be wrong.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return min(time.Duration(min(n, 1<<20))*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(v)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// Keys are files of public keys. They are read for each bundle, so that a key can be added without a restart.
type Keys []string

func (k Keys) verify(a *Archive) (id string, err error) {
	var keys []ed25519.PublicKey
	if keys, err = PublicKeys(k...); err != nil {
		return "", err
	}
	return a.Verify(keys)
}
