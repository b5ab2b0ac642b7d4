package service_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/service"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

var (
	full = reminder.Reminder{ID: "full", Trigger: "context_usage > 75%",
		Text: "{{.context_usage | percent}} on turn {{.turn_count}}"}
	hand   = reminder.Reminder{ID: "by-hand", Trigger: "manual", Text: "hello"}
	paused = reminder.Reminder{ID: "paused", Trigger: "before_tool:Bash", Pause: true, Text: "wait"}
)

// world is a Service, and the document that all that goes in and out is checked by.
type world struct {
	t       testing.TB
	service *service.Service
	store   state.Store
	check   *described
	failed  int    // how often State was told of an error
	plain   string // what the document holds in place of a body that is compressed; "": the body
}

func open(t testing.TB, o service.Options, rs ...reminder.Reminder) *world {
	t.Helper()
	w := &world{t: t}
	set, ds := compile.New(rs, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	if o.Store == nil {
		o.Store = state.NewMemory()
	}
	if o.Guard == nil {
		o.Guard = access.New(nil, access.Limits{})
	}
	w.store = o.Store
	o.Eval = eval.New(set, eval.Options{Store: o.Store})
	o.State = func(err error) {
		if err != nil {
			w.failed++
		}
	}
	w.service = service.New(o)
	w.check = read(t, w.service)
	return w
}

// ask has a request answered, and holds the answer, and the request if it is answered well, to the document.
func (w *world) ask(method, path, body string, header ...string) (status int, said string, h http.Header) {
	w.t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	rec := httptest.NewRecorder()
	w.service.ServeHTTP(rec, r)
	said, h = rec.Body.String(), rec.Header()
	if err := w.check.exchange(r, cmp.Or(w.plain, body), rec); err != nil {
		w.t.Errorf("%s %s: %v\n%d %s", method, path, err, rec.Code, said)
	}
	return rec.Code, said, h
}
