package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/aside-go/aside/inject/wire"
)

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
