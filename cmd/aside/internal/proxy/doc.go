// Package proxy is what "aside serve" runs: a reverse proxy in front of the model APIs that puts reminders into requests on
// their way.
//
// The way of a request:
//
//	Proxy.ServeHTTP (proxy.go) → whose it is: ours (own.go) or a vendor's (route.go)
//	→ sent on (forward.go) → transport.Transport, which injects → http.Transport (upstream.go) → the vendor
//	→ the answer, sent back; then it is saved, counted and logged, while nobody waits (background.go)
//
// It owns the choice of the upstream, what goes from one connection to the other, the paths of its own (own.go, evaluate.go,
// runs.go), what is measured (metrics.go) and logged (log.go), the rules while it runs (rules.go), and its beginning and end
// (serve.go). It knows nothing of bodies: what is put where is package transport's, and what the client and the vendor say to each
// other goes by as it comes, to the byte.
//
// It keeps no prompt and no key, neither in logs nor in errors: of a request only what a Report holds is written down, of an
// address neither query nor credentials, of an upstream's failure only its kind (fault.go).
//
// A Proxy and its Rules may be used concurrently.
package proxy
