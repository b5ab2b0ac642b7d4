package wiretest_test

import (
	"net/http/httptest"
	"strings"

	"github.com/aside-go/aside/inject/wire/wiretest"
)

// serve sends a request to a fake, without a network.
func serve(f *wiretest.Fake, r wiretest.Request) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "http://fake"+r.Path, strings.NewReader(string(r.Body)))
	for k, v := range r.Header {
		req.Header[k] = v
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, req)
	return w
}
