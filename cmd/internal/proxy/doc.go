// Package proxy is the reverse proxy of "aside serve": it stands in front of the model APIs and puts
// reminders into requests on their way.
//
//	Proxy.ServeHTTP (proxy.go) → a path of our own (health.go), or a vendor's (upstream.go)
//	→ httputil.ReverseProxy (forward.go) → transport.Transport, which injects → http.Transport → the vendor
//	→ the answer, sent back; the run's state is saved behind it
//
// The package owns the choice of the upstream, the paths of the proxy's own, the answers for upstreams that
// fail (fault.go), metrics and logs (telemetry.go), and the reloading of rules (rules.go). It knows nothing
// of bodies: package transport puts texts into them, and everything else that client and vendor say to each
// other goes by as it comes, to the byte.
//
// The proxy keeps no prompt and no key, neither in logs nor in errors: it writes down the fields of a
// transport.Report, an address without query and credentials, and the kind of an upstream's failure.
//
// A Proxy and its Rules may be used concurrently.
package proxy
