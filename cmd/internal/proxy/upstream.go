package proxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/near"
)

// The names of the upstreams, in flags and as prefixes of paths.
const (
	anthropic = "anthropic"
	openai    = "openai"
	gemini    = "gemini"
	vertex    = "vertex"
	bedrock   = "bedrock"
)

// aliases are other names of an upstream: the other commands call its API so.
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
	only *url.URL // for requests of no known vendor; nil: those are refused
	one  bool     // all requests go to only
}

// Names returns the names of all upstreams, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(vendors))
}

// ParseUpstreams reads flags, NAME=URL or URL each. A plain URL gets all requests of vendors that no NAME=URL
// names; without a plain URL each vendor has its public address, Bedrock the one of region.
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
			return u, fmt.Errorf("%q is not an upstream%s; there are %s", name, near.Hint("; ", name, Names()),
				strings.Join(Names(), ", "))
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

// address reads the address of an upstream. Its errors never quote a password.
func address(s string) (*url.URL, error) {
	a, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("not an address such as https://api.example.com")
	case a.User != nil:
		return nil, fmt.Errorf("%s://%s: a name and a password do not belong in an address; "+
			"clients send their own keys", a.Scheme, a.Host)
	case a.Scheme != "http" && a.Scheme != "https", a.Host == "":
		return nil, fmt.Errorf("%q is not an address such as https://api.example.com", s)
	case a.RawQuery != "" || a.Fragment != "" || a.ForceQuery:
		return nil, fmt.Errorf("%s://%s: an address has no query and no fragment here", a.Scheme, a.Host)
	}
	return a, nil
}

// Lines returns a line for each address: "anthropic https://api.anthropic.com".
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

// route is where a request goes.
type route struct {
	name string
	to   *url.URL
	url  url.URL // of the request, without a prefix that was for the proxy
}

// route returns the route of a request; ok is false where no rule tells it. The first rule that matches wins:
//
//  1. a prefix /anthropic/, /bedrock/, /gemini/, /openai/, /vertex/ names the upstream, and is removed. The
//     plain --upstream URL gets the path with it: gateways, and Azure, have such paths themselves;
//  2. a path that only one vendor has (vendorOfPath);
//  3. headers that only one vendor has, or the client's name (vendorOfHeader);
//  4. the plain --upstream URL, if there is one.
func (u Upstreams) route(r *http.Request) (rt route, ok bool) {
	rt.url = *r.URL
	if rt.name = strip(&rt.url); rt.name == "" {
		rt.name = vendorOfPath(rt.url.EscapedPath())
	}
	if rt.name == "" {
		rt.name = vendorOfHeader(r)
	}
	if rt.to = u.at[rt.name]; rt.name == "" || rt.to == u.only {
		rt.to, rt.url = u.only, *r.URL
	}
	return rt, rt.to != nil
}

// strip removes a prefix that names an upstream from the path, and returns the name; "" where there is none.
func strip(at *url.URL) string {
	first, rest, more := strings.Cut(strings.TrimPrefix(at.Path, "/"), "/")
	for _, name := range Names() {
		if first != name {
			continue
		}
		prefix := "/" + name
		at.Path = "/" + rest
		if !more {
			at.Path = "/"
		}
		if raw, ok := strings.CutPrefix(at.RawPath, prefix); ok {
			at.RawPath = raw
		} else {
			at.RawPath = ""
		}
		return name
	}
	return ""
}

// paths are the beginnings of paths, behind a version, that one vendor alone has and api.EndpointOf does not
// know.
var paths = []struct {
	version, vendor string
	begins          []string
}{
	{"v1", openai, []string{ // threads/…/messages among them is not a request to a model
		"assistants", "audio/", "batches", "chat/", "completions", "containers", "conversations",
		"embeddings", "evals", "fine_tuning/", "images/", "moderations", "realtime", "responses",
		"threads", "uploads", "vector_stores", "videos",
	}},
	{"v1", anthropic, []string{"complete", "messages/", "skills"}},
	{"v1", vertex, []string{"projects/"}},
	{"v1beta1", vertex, []string{""}},
	{"v1beta", gemini, []string{""}},
	{"v1alpha", gemini, []string{""}},
	{"v1internal", gemini, []string{""}},
	{"upload/v1beta", gemini, []string{""}},
	{"model", bedrock, []string{""}},
	{"async-invoke", bedrock, []string{""}},
	{"guardrail", bedrock, []string{""}},
}

// vendorOfPath returns the upstream that alone has an escaped path, "" where none or several have it.
func vendorOfPath(path string) string {
	rest := strings.TrimPrefix(path, "/")
	for _, p := range paths {
		rest, ok := strings.CutPrefix(rest, p.version+"/")
		if ok && slices.ContainsFunc(p.begins, func(s string) bool { return strings.HasPrefix(rest, s) }) {
			return p.vendor
		}
	}
	e := api.EndpointOf(path)
	switch {
	case e.API == wire.Converse, strings.Contains(path, "/model/") && e.API != "":
		return bedrock
	case strings.Contains(path, "/publishers/"):
		return vertex
	case e.API == wire.Anthropic:
		return anthropic
	case e.API == wire.Chat, e.API == wire.Responses:
		return openai
	case e.API == wire.Gemini, e.API == wire.Interactions:
		return gemini
	}
	return ""
}

// vendorOfHeader returns the upstream that the headers name, for paths that several vendors have: /v1/models,
// /v1/files, HEAD /.
func vendorOfHeader(r *http.Request) string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return r.Header.Get(name) != "" })
	}
	agent := strings.ToLower(r.Header.Get("User-Agent"))
	by := func(agents ...string) bool {
		return slices.ContainsFunc(agents, func(a string) bool { return strings.HasPrefix(agent, a) })
	}
	credentials := r.Header.Get("Authorization")
	switch {
	case has("Anthropic-Version", "X-Api-Key"), by("claude-cli/", "anthropic/"):
		return anthropic
	case has("X-Goog-Api-Key"), r.URL.Query().Has("key"), by("geminicli/", "google-genai-sdk/"):
		return gemini
	case strings.HasPrefix(credentials, "AWS4-"):
		return bedrock
	case has("Openai-Organization", "Openai-Project", "Openai-Beta"), by("openai/", "codex"):
		return openai
	case strings.HasPrefix(r.URL.Path, "/v1/") && strings.HasPrefix(credentials, "Bearer "):
		return openai
	}
	return ""
}

// Limits of the way to an upstream.
const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	idlePerHost = 64
	idleTimeout = 90 * time.Second
)

// Base is an http.Transport to the upstreams. It knows its connections, so that the Proxy knows a request
// that comes back to it over one of them.
type Base struct {
	http.Transport
	open sync.Map // both ends of each connection
}

// NewBase returns a Base. It waits at most headers for the header of an answer, 0 being for ever, and any
// time for the answer's body. It compresses nothing by itself.
func NewBase(headers time.Duration) *Base {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	b := &Base{Transport: http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   dialTimeout,
		MaxIdleConns:          4 * idlePerHost,
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       idleTimeout,
		ExpectContinueTimeout: time.Second,
		ResponseHeaderTimeout: headers,
		DisableCompression:    true,
		WriteBufferSize:       32 << 10,
		ReadBufferSize:        8 << 10,

		HTTP2: &http.HTTP2Config{SendPingTimeout: keepAlive,
			PingTimeout: keepAlive / 2},
	}}
	b.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		ends := ends{c.LocalAddr().String(), c.RemoteAddr().String()}
		b.open.Store(ends, true)
		return &connection{c, b, ends}, nil
	}
	return b
}

// ends are the addresses of a connection. One of them alone may belong to others, too: a port serves at once
// for connections to different addresses.
type ends struct{ from, to string }

// connection is a connection of a Base.
type connection struct {
	net.Conn
	of *Base
	ends
}

// Close implements io.Closer.
func (c *connection) Close() error {
	c.of.open.Delete(c.ends)
	return c.Conn.Close()
}

// began reports whether a request came over a connection that the Base has opened: the upstream of the proxy
// is the proxy itself, under whatever address.
func (b *Base) began(r *http.Request) bool {
	here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if ok {
		_, ok = b.open.Load(ends{r.RemoteAddr, here.String()})
	}
	return ok
}
