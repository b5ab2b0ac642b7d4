package wiretest_test

import (
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/inject/wire/wiretest"
)

// TestI6: what an API takes without our texts, it takes with them. A value that the beta header must hold for that, the
// report names.
func TestI6(t *testing.T) {
	t.Parallel()
	for _, api := range []wire.API{wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini, wire.Converse} {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			taken, changed := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				for range 5 {
					in := (&talk{T: t, api: api}).request()
					if no := wiretest.Check(in, nil); no != nil {
						continue
					}
					taken++
					if put(t, in, api) {
						changed++
					}
				}
			})
			if taken < 100 || changed < taken/3 {
				t.Errorf("%d requests were taken, into %d something was put: too few to say anything", taken, changed)
			}
		})
	}
}

// put injects into a request that was taken, and reports whether that changed anything.
func put(t *rapid.T, in wiretest.Request, api wire.API) bool {
	opts := options(t, api)
	opts.Model = modelOf(in)
	ds := due(t, opts.Model)
	body, report, err := wire.AppendInject(nil, in.Body, ds, opts)
	if err != nil {
		t.Fatal(err)
	}
	out := wiretest.Request{Path: in.Path, Header: http.Header{}, Body: body}
	if report.Beta != "" {
		out.Header.Set("Anthropic-Beta", report.Beta)
	}
	if no := wiretest.Check(out, nil); no != nil {
		t.Fatalf("%v\n%s\n%s\n%+v %+v", no, in.Body, body, opts.Delivery, ds)
	}
	before, after := wiretest.New(wiretest.Options{}).Ask(in), wiretest.New(wiretest.Options{}).Ask(out)
	if len(before.Reply.Parts) > 0 && len(after.Reply.Parts) == 0 {
		t.Fatalf("the reply is empty:\n%s\n%s", in.Body, body)
	}
	if len(after.Transformations) > 0 {
		t.Fatalf("%v\n%s\n%s", after.Transformations, in.Body, body)
	}
	return string(body) != string(in.Body)
}

func modelOf(r wiretest.Request) string {
	p, no := wiretest.Read(r)
	if no != nil {
		return ""
	}
	return p.Model
}
