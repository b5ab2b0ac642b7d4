package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/api"
)

// fault answers for an upstream that gave no answer. It names the kind of failure in its own words, since err
// may quote the upstream.
func (p *Proxy) fault(w *response, r *http.Request, err error) {
	if w.body != nil && w.body.slow.Load() { // the server has then canceled the context
		w.Header().Set("Connection", "close")
		p.fail(w, r, http.StatusRequestTimeout, errSlow.Error())
		return
	}
	if r.Context().Err() != nil && !errors.Is(context.Cause(r.Context()), errStopped) {
		p.log.Debug("client gone", "path", clip(w.url.Path))
		w.status = statusGone
		panic(http.ErrAbortHandler) // nobody reads an answer
	}
	if errors.Is(err, transport.ErrState) {
		w.Header().Set("Retry-After", "1")
		p.fail(w, r, http.StatusServiceUnavailable, transport.ErrState.Error())
		return
	}
	status, why := kindOf(err)
	host := w.to.Scheme + "://" + w.to.Host
	p.log.Warn("upstream failed", "upstream", w.name, "host", host, "path", clip(w.url.Path), "why", why)
	p.fail(w, r, status, "upstream "+host+": "+why)
}

// errStopped is the cause with which a stop cancels the requests that have not ended in time.
var errStopped = errors.New("the proxy was stopped")

// statusGone is the status that is counted for a client that left before the answer: nginx's 499.
const statusGone = 499

// kindOf returns the status and the words for a failure.
func kindOf(err error) (status int, why string) {
	var dns *net.DNSError
	var op *net.OpError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var n net.Error
	switch {
	case errors.Is(err, errStopped), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable, "the proxy was stopped"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return http.StatusServiceUnavailable, "no connection can be opened here: too many files are open"
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "connection refused"
	case errors.As(err, &dns):
		return http.StatusBadGateway, "its name cannot be resolved"
	case errors.As(err, &record):
		return http.StatusBadGateway, "it does not speak TLS"
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		return http.StatusBadGateway, "its certificate is not valid here"
	case errors.As(err, &alert):
		return http.StatusBadGateway, "TLS failed"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &n) && n.Timeout():
		return http.StatusGatewayTimeout, "it did not answer in time"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadGateway, "it closed the connection without an answer"
	case errors.As(err, &op) && op.Op == "dial":
		return http.StatusBadGateway, "it cannot be reached"
	}
	return http.StatusBadGateway, "what it sent is not an answer"
}

// fail answers with an error in the shape of the API that was asked, so that its SDKs show the message.
func (p *Proxy) fail(w *response, r *http.Request, status int, message string) {
	w.failed = true
	write(w, status, api.Fault(api.EndpointOf(r.URL.EscapedPath()).API, status, "aside: "+message))
}

// write answers with JSON.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // an error means that the client is gone
}

// unknownPath answers for a path that no upstream is known to have.
func (p *Proxy) unknownPath(w *response, r *http.Request) {
	p.fail(w, r, http.StatusNotFound, "nothing says which API "+r.Method+" "+clip(r.URL.Path)+" is for: put /"+
		strings.Join(Names(), "/, /")+"/ in front of it, or start aside serve with one --upstream URL")
}
