package service

import (
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/cmd/internal/schema"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
)

// Options say how a Service works. Eval, Store and Guard must be set.
type Options struct {
	Eval  *eval.Evaluator
	Store state.Store // that of Eval
	Guard *access.Guard
	Place fact.Place // where the paths of calls lie
	// State is called after each access to the state of a run, with its error; nil: it is not.
	State func(err error)
}

// Service is the http.Handler of the evaluation API. Create one with New.
type Service struct {
	opts   Options
	decide evaljson.Server
	paths  *http.ServeMux
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{opts: o, decide: evaljson.Server{Eval: o.Eval, Place: o.Place}, paths: http.NewServeMux()}
	of := map[string][]route{}
	for _, at := range routes {
		of[at.path] = append(of[at.path], at)
	}
	for path, methods := range of {
		s.paths.Handle(path, s.serve(methods))
	}
	s.paths.HandleFunc("/", s.unknown)
	return s
}

// The paths that are not about a run.
const (
	runsPath     = "/v1/runs"
	documentPath = "/v1/openapi.json"
)

//go:embed openapi.json
var openAPIText string

// openAPI is the document that is served: the file, with the definitions of the protocol of aside eval in
// place of the member "@eval".
var openAPI = sync.OnceValue(func() []byte {
	text, _ := schema.Named("eval")
	var eval struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(text, &eval); err != nil {
		panic(err) // a file of ours
	}
	delete(eval.Defs, "Line") // whose members the API has paths for
	var members []string
	for _, name := range slices.Sorted(maps.Keys(eval.Defs)) {
		members = append(members, fmt.Sprintf("%q: %s", name, eval.Defs[name]))
	}
	defs := strings.ReplaceAll(strings.Join(members, ",\n"), "#/$defs/", "#/components/schemas/")
	return []byte(strings.Replace(openAPIText, `"@eval": {}`, defs, 1))
})

// route is a method of a path, which is a pattern of http.ServeMux.
type route struct {
	method string
	path   string
	scope  access.Scope // "": anybody may ask
	serve  func(*Service, http.ResponseWriter, *http.Request) error
	params []string // of the query
}

var routes = []route{
	{http.MethodGet, documentPath, "", (*Service).document, nil},
	{http.MethodGet, runsPath, access.Read, (*Service).list, []string{"cursor"}},
	{http.MethodGet, runsPath + "/{run}", access.Read, (*Service).show, nil},
	{http.MethodDelete, runsPath + "/{run}", access.Admin, (*Service).forget, nil},
	{http.MethodPost, runsPath + "/{run}/turns", access.Decide, (*Service).turn, nil},
	{http.MethodGet, runsPath + "/{run}/why", access.Read, (*Service).why, []string{"id"}},
	{http.MethodPost, runsPath + "/{run}/remind/{id}", access.Remind, (*Service).remind, nil},
	{http.MethodPut, runsPath + "/{run}/reminders/{id}", access.Remind, (*Service).add, nil},
	{http.MethodDelete, runsPath + "/{run}/reminders/{id}", access.Remind, (*Service).remove, nil},
}

// Owns reports whether the path of a request is one of the Service's.
func (*Service) Owns(r *http.Request) bool {
	path := r.URL.Path
	return path == documentPath || path == runsPath || strings.HasPrefix(path, runsPath+"/")
}

// Limits of a request.
const (
	maxBody  = 4 << 20          // bytes
	bodyTime = 30 * time.Second // for the client to send it
)

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, part := range strings.Split(r.URL.EscapedPath(), "/")[1:] {
		// Whoever passes a request on may take . and .. for steps, and %2E for . (RFC 3986, 6.2.2).
		if name, _ := url.PathUnescape(part); name == "" || name == "." || name == ".." {
			s.refuse(w, r, newProblem("no-such-path", "a name in the path is %q; those of runs and reminders stand "+
				"there percent-encoded, / as %%2F, and are neither empty nor . or ..", name))
			return
		}
	}
	s.paths.ServeHTTP(w, r)
}

// serve serves a path that takes the methods of some routes.
func (s *Service) serve(of []route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		i := slices.IndexFunc(of, func(at route) bool { return at.method == method })
		if i < 0 {
			s.refuse(w, r, notAllowed(of))
			return
		}
		at := &of[i]
		if at.scope != "" {
			var span *spanned
			span, r = begin(w, r, at)
			defer span.end()
			w = span
		}
		if err := s.answer(w, r, at); err != nil {
			s.refuse(w, r, err)
		}
	}
}

// unknown answers for a path of no route.
func (s *Service) unknown(w http.ResponseWriter, r *http.Request) {
	var all []string
	for _, at := range routes {
		all = append(all, at.method+" "+at.path)
	}
	s.refuse(w, r, newProblem("no-such-path", "there are %s", strings.Join(all, ", ")))
}

func (s *Service) answer(w http.ResponseWriter, r *http.Request, at *route) error {
	if at.scope != "" {
		leave, refused := s.opts.Guard.Admit(r, at.scope)
		if refused != nil {
			return refusedBy(refused)
		}
		defer leave()
	}
	if err := checkQuery(r, at.params); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*evaljson.Patience)
	defer cancel()
	return at.serve(s, w, r.WithContext(ctx))
}

// document is GET /v1/openapi.json.
func (s *Service) document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI()) // an error means that the client is gone
	return nil
}

// write answers with JSON.
func write(w http.ResponseWriter, status int, v any) error {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // an error means that the client is gone
	return nil
}

// body reads the body of a request, which may be in gzip.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a writer without deadlines is not of a network
	from := http.MaxBytesReader(w, r.Body, maxBody)
	var b []byte
	var err error
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		var unzipped *gzip.Reader
		if unzipped, err = gzip.NewReader(from); err == nil {
			from = http.MaxBytesReader(w, unzipped, maxBody)
		}
	default:
		return nil, newProblem("not-understood", "the body is in %q; send it as it is, or in gzip", encoding)
	}
	if err == nil {
		b, err = io.ReadAll(from)
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, newProblem("too-long", "the body is longer than %d bytes", maxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, newProblem("too-slow", "the body did not come within %s", bodyTime)
	case err != nil:
		return nil, newProblem("not-understood", "the body could not be read")
	}
	_ = control.SetReadDeadline(time.Time{})
	return b, nil
}

// checkQuery refuses a query that cannot be read, or has other parameters than those known.
func checkQuery(r *http.Request, known []string) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return newProblem("not-understood", "the query cannot be read")
	}
	for name, values := range q {
		if !slices.Contains(known, name) {
			return newProblem("not-understood", "there is no parameter %q here%s", name, near.Hint("; ", name, known))
		}
		if len(values) > 1 {
			return newProblem("not-understood", "%s is given twice", name)
		}
	}
	return nil
}
