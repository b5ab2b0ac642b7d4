package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/inject/wire"
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

// route is where a request goes.
type route struct {
	name string
	to   *url.URL
	url  url.URL // the request's own, without a prefix that was for us
}

// route tells where a request goes; ok is false where nothing tells. The rules, first match wins:
//
//  1. a prefix /anthropic/, /bedrock/, /gemini/, /openai/, /vertex/ names the upstream, and is taken off, but for the plain
//     --upstream URL, which gets everything as it is: gateways, and Azure, have such paths themselves;
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

// strip removes from the path a prefix that names an upstream, and returns that; "" where there is none.
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

// paths are the beginnings of paths, without a version, that one vendor alone has and wire.EndpointOf does not know.
var paths = []struct{ version, begins, vendor string }{
	{"v1", "threads/", openai}, // …/messages among them is no request to a model
	{"v1", "assistants", openai}, {"v1", "audio/", openai}, {"v1", "batches", openai}, {"v1", "chat/", openai}, {"v1", "completions", openai},
	{"v1", "containers", openai}, {"v1", "conversations", openai}, {"v1", "embeddings", openai}, {"v1", "evals", openai},
	{"v1", "fine_tuning/", openai}, {"v1", "images/", openai}, {"v1", "moderations", openai}, {"v1", "realtime", openai},
	{"v1", "responses", openai}, {"v1", "threads", openai}, {"v1", "uploads", openai}, {"v1", "vector_stores", openai}, {"v1", "videos", openai},
	{"v1", "complete", anthropic}, {"v1", "messages/", anthropic}, {"v1", "skills", anthropic},
	{"v1beta", "", gemini}, {"v1alpha", "", gemini}, {"v1internal", "", gemini}, {"upload/v1beta", "", gemini},
	{"v1", "projects/", vertex}, {"v1beta1", "", vertex},
	{"model", "", bedrock}, {"async-invoke", "", bedrock}, {"guardrail", "", bedrock},
}

// vendorOfPath returns the upstream that alone has an escaped path, "" where none or several have it.
func vendorOfPath(path string) string {
	rest := strings.TrimPrefix(path, "/")
	for _, p := range paths {
		after, ok := strings.CutPrefix(rest, p.version)
		if !ok {
			continue
		}
		if after, ok = strings.CutPrefix(after, "/"); ok && strings.HasPrefix(after, p.begins) {
			return p.vendor
		}
	}
	e := wire.EndpointOf(path)
	switch {
	case e.API == wire.Converse, strings.Contains(path, "/model/") && e.API != "":
		return bedrock
	case strings.Contains(path, "/publishers/"):
		return vertex
	case e.API == wire.Anthropic:
		return anthropic
	case e.API == wire.Chat, e.API == wire.Responses:
		return openai
	case e.API == wire.Gemini:
		return gemini
	}
	return ""
}

// vendorOfHeader returns the upstream that the headers tell of, for paths that several vendors have: /v1/models, /v1/files, HEAD /.
func vendorOfHeader(r *http.Request) string {
	h := r.Header
	agent := strings.ToLower(h.Get("User-Agent"))
	switch {
	case h.Get("Anthropic-Version") != "", h.Get("X-Api-Key") != "", strings.HasPrefix(agent, "claude-cli/"), strings.HasPrefix(agent, "anthropic/"):
		return anthropic
	case h.Get("X-Goog-Api-Key") != "", r.URL.Query().Has("key"), strings.HasPrefix(agent, "geminicli/"), strings.HasPrefix(agent, "google-genai-sdk/"):
		return gemini
	case strings.HasPrefix(h.Get("Authorization"), "AWS4-"):
		return bedrock
	case h.Get("Openai-Organization") != "", h.Get("Openai-Project") != "", h.Get("Openai-Beta") != "", strings.HasPrefix(agent, "openai/"), strings.HasPrefix(agent, "codex"):
		return openai
	case strings.HasPrefix(r.URL.Path, "/v1/") && strings.HasPrefix(h.Get("Authorization"), "Bearer "):
		return openai
	}
	return ""
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
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   dialTimeout,
		MaxIdleConns:          4 * idlePerHost,
		MaxIdleConnsPerHost:   idlePerHost,
		IdleConnTimeout:       idleTimeout,
		ExpectContinueTimeout: time.Second,
		ResponseHeaderTimeout: headers,
		DisableCompression:    true,
		WriteBufferSize:       32 << 10,
		ReadBufferSize:        32 << 10,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: keepAlive, PingTimeout: keepAlive / 2},
	}
}
