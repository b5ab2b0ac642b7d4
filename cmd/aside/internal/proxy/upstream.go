package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/near"
)

// The upstreams, by the names that flags and the prefixes of paths have.
const (
	anthropic = "anthropic"
	openai    = "openai"
	gemini    = "gemini"
	vertex    = "vertex"
	bedrock   = "bedrock"
)

// aliases are other words for an upstream: those that the other commands call its API.
var aliases = map[string]string{"converse": bedrock}

// vendors are the public addresses. Bedrock's has a region in it; that of Vertex is the global one.
var vendors = map[string]string{
	anthropic: "https://api.anthropic.com",
	openai:    "https://api.openai.com",
	gemini:    "https://generativelanguage.googleapis.com",
	vertex:    "https://aiplatform.googleapis.com",
	bedrock:   "https://bedrock-runtime.%s.amazonaws.com",
}

// Upstreams says where requests go: for each of Names an address.
type Upstreams struct {
	at   map[string]*url.URL
	only *url.URL // for what is of no vendor; nil: such requests are refused
	one  bool     // all of at are only
}

// Names returns the names of all upstreams, sorted.
func Names() []string {
	return []string{anthropic, bedrock, gemini, openai, vertex}
}

// ParseUpstreams reads flags, NAME=URL or URL each. A plain URL is where everything goes that no NAME=URL says otherwise of;
// without one that is the vendor's public address, of Bedrock that in region.
func ParseUpstreams(flags []string, region string) (Upstreams, error) {
	u := Upstreams{at: map[string]*url.URL{}}
	for _, f := range flags {
		name, addr, named := strings.Cut(f, "=")
		if !named || strings.Contains(name, "://") {
			name, addr = "", f
		}
		if a, ok := aliases[name]; ok {
			name = a
		}
		if name != "" && !slices.Contains(Names(), name) {
			return u, fmt.Errorf("%q is no upstream%s; there are %s", name, near.Hint("; ", name, Names()), strings.Join(Names(), ", "))
		}
		to, err := address(addr)
		switch {
		case err != nil:
			return u, err
		case name == "" && u.only != nil, u.at[name] != nil:
			return u, fmt.Errorf("%q: it was said before where that goes", f)
		case name == "":
			u.only = to
		default:
			u.at[name] = to
		}
	}
	u.one = u.only != nil && len(u.at) == 0
	for _, name := range Names() {
		if u.at[name] != nil {
			continue
		}
		if u.at[name] = u.only; u.only == nil {
			s := vendors[name]
			if name == bedrock {
				s = fmt.Sprintf(s, region)
			}
			to, err := address(s)
			if err != nil {
				return u, fmt.Errorf("region %q: %w", region, err)
			}
			u.at[name] = to
		}
	}
	return u, nil
}

// address reads the address of an upstream. Its message holds nothing of a password that may stand in it.
func address(s string) (*url.URL, error) {
	a, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("not an address such as https://api.example.com")
	case a.User != nil:
		return nil, fmt.Errorf("%s://%s: a name and a password do not belong in an address; clients send their own keys", a.Scheme, a.Host)
	case a.Scheme != "http" && a.Scheme != "https", a.Host == "":
		return nil, fmt.Errorf("%q is not an address such as https://api.example.com", s)
	case a.RawQuery != "" || a.Fragment != "" || a.ForceQuery:
		return nil, fmt.Errorf("%s://%s: an address has no query and no fragment here", a.Scheme, a.Host)
	}
	return a, nil
}

// Lines tells where requests go, a line for each address: "anthropic https://api.anthropic.com".
func (u Upstreams) Lines() []string {
	if u.one {
		return []string{"all " + u.only.String()}
	}
	var lines []string
	for _, name := range Names() {
		lines = append(lines, name+" "+u.at[name].String())
	}
	return lines
}

// Limits of the way to an upstream.
const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	idlePerHost = 256 // conversations that go on at once at one vendor
	idleTimeout = 90 * time.Second
)

// NewBase returns what requests are sent with. An answer may take as long as it takes, once its headers are there; for those
// it waits at most headers, 0 being for ever. What the client said of compression passes through.
func NewBase(headers time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dial,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   dialTimeout,
		MaxIdleConns:          4 * idlePerHost,
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       idleTimeout,
		ExpectContinueTimeout: time.Second,
		ResponseHeaderTimeout: headers,
		DisableCompression:    true,
		WriteBufferSize:       buffer,
		ReadBufferSize:        buffer,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: keepAlive, PingTimeout: keepAlive / 2},
	}
}

// buffer is how many bytes are copied at once.
const buffer = 32 << 10
