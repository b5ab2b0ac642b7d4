package transport

import (
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aside-go/aside/internal/api"
)

// Coverage is what became of a request that has called a model, in one word.
type Coverage string

// The coverages. The empty one is that of a request that has called no model, as far as is known: it is none
// to a model, or counts tokens, or was not answered with success.
const (
	Injected   Coverage = "injected"    // a text of a reminder stands in it
	NothingDue Coverage = "nothing due" // it was read, and no text belongs in it
	Held       Coverage = "held"        // a text that was due could not be put into it
	Passed     Coverage = "passed"      // it went out without the texts that may have been due
)

// Coverage returns the coverage of the request, and the reason for it: one of the Passed… constants; the
// first Why of Held; the Kind of a request that is not a turn, and so takes no new text; else "".
func (r *Report) Coverage() (c Coverage, reason string) {
	switch {
	case r.Passed == PassedOther, r.Kind == api.KindCount.String(), !succeeded(r.Status):
		return "", ""
	case r.Passed != "":
		return Passed, r.Passed
	case len(r.Held) > 0:
		return Held, r.Held[0].Why
	case len(r.Stands) > 0:
		c = Injected
	default:
		c = NothingDue
	}
	if r.Kind != api.KindTurn.String() {
		reason = r.Kind
	}
	return c, reason
}

func succeeded(status int) bool { return status/100 == 2 || status == http.StatusSwitchingProtocols }

// sight is what is seen of a request that asks no API that is known, as it goes by. By its own words it calls
// a model, or by those of its answer; nobody need know its protocol.
type sight struct {
	io.ReadCloser        // the body
	begin         []byte // of the body, as far as it says nothing
	left          int    // how many bytes more are looked at
	calls         atomic.Bool
	protocol      string // to which the connection has changed; "": it has not
}

// enough is how many bytes of a body are looked at. Clients write the model first or close to it.
const enough = 4 << 10

// Members of a body that names a model, or holds words for one: "endpoint" is that of a batch.
var (
	named = regexp.MustCompile(`"(model|modelId|messages|contents?|prompt|inputs?|endpoint)"\s*:`)
	// wordless are words in the paths of requests that have such members, and make no model say anything
	wordless = regexp.MustCompile(`(?i)embed|rank|moderat|token|image|audio|speech|video|file|upload|fine.?tun`)
)

// look has the request r seen that goes out.
func (x *trip) look(r *http.Request) {
	if upgrades := x.in.Header.Get("Upgrade") != ""; !upgrades && (x.in.Method != http.MethodPost ||
		r.Body == nil || r.Body == http.NoBody || wordless.MatchString(x.in.URL.Path)) {
		return
	}
	x.sight = &sight{ReadCloser: r.Body, left: enough}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = x.sight
	}
}

// Read implements io.Reader.
func (s *sight) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.left > 0 && !s.calls.Load() {
		said := p[:min(n, s.left)]
		if s.left -= len(said); len(s.begin) > 0 {
			said = append(s.begin, said...)
		}
		if named.Match(said) {
			s.calls.Store(true)
		} else if s.left > 0 {
			s.begin = slices.Clone(said)
		}
	}
	return n, err
}

// answered looks at the answer: a stream of events is that of a model.
func (s *sight) answered(resp *http.Response) {
	if s == nil {
		return
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		s.protocol = resp.Header.Get("Upgrade")
	}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "text/event-stream", "application/vnd.amazon.eventstream", "application/x-ndjson":
		s.calls.Store(true)
	}
}

// judge notes in the report of a request that it has called a model.
func (s *sight) judge(r *Report) {
	switch {
	case s == nil, !succeeded(r.Status):
	case s.protocol != "":
		r.Passed, r.Why = PassedUnknown, "the connection has changed to "+s.protocol+", which is not read"
	case s.calls.Load():
		r.Passed, r.Why = PassedUnknown, "no API that is known has this path"
	}
}

// clientOf returns the product that a client names itself, without its version: "claude-cli",
// "OpenAI/Python".
func clientOf(h http.Header) string {
	name, _, _ := strings.Cut(h.Get("User-Agent"), " ")
	at := strings.LastIndexByte(name, '/')
	if at < 0 {
		return "" // it may be anything
	}
	if strings.ContainsAny(name[at:], "0123456789") {
		name = name[:at]
	}
	return name
}
