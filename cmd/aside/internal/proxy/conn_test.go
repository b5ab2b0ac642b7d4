package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/proxy"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// TestLongBody: a long body comes to the upstream whole, with what was put in its midst, and so does the next one on the connection.
func TestLongBody(t *testing.T) {
	t.Parallel()
	var got []byte
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var err error
		if got, err = io.ReadAll(r.Body); err != nil || r.ContentLength != int64(len(got)) {
			t.Errorf("%d of %d bytes: %v", len(got), r.ContentLength, err)
		}
	}), proxy.Options{}, reminder.Reminder{ID: "a", Trigger: "always", Text: "Mind the gap."})
	for i, n := range []int{1 << 10, 1 << 20, 8 << 20, 1 << 10} {
		run := fmt.Sprint("s", i)
		body := ask(false, run, strings.Repeat("word ", n/5))
		w.do("POST", "/v1/messages", body)
		_, mark, err := w.ev.Notes(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		stripped, err := wire.Strip(got, wire.Options{API: wire.Anthropic, Options: inject.Options{Mark: mark}})
		if err != nil || string(stripped) != body || !strings.Contains(string(got), "Mind the gap.") {
			t.Errorf("%d bytes: %d, of which %d are the client's, %v", len(body), len(got), len(stripped), err)
		}
		w.do("POST", "/v1/other", body)
		if string(got) != body {
			t.Errorf("%d bytes came as %d", len(body), len(got))
		}
	}
}

// TestUnread: an upstream that does not read a long body is heard all the same.
func TestUnread(t *testing.T) {
	t.Parallel()
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Connection", "close")
		http.Error(rw, "later", http.StatusTooManyRequests)
	}), proxy.Options{}, reminder.Reminder{ID: "a", Trigger: "always", Text: "Mind the gap."})
	for range 5 {
		res, body := w.do("POST", "/v1/messages", ask(false, "s", strings.Repeat("word ", 8<<20/5)))
		if res.StatusCode != http.StatusTooManyRequests || body != "later\n" {
			t.Errorf("%d %q", res.StatusCode, body)
		}
	}
}
