package modelapi_test

import (
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestI6: what an API takes without our texts, it takes with them. A value that the beta header must hold for
// that, the report names.
func TestI6(t *testing.T) {
	t.Parallel()
	const placed = wire.Messages + " as " // the shape of no vendor, where it is a vendor's too
	for _, api := range []wire.API{wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini, wire.Converse,
		placed + wire.Chat, placed + wire.Anthropic} {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			name, generic := strings.CutPrefix(string(api), string(placed))
			n := 3
			if testkit.Long() {
				n = 300
			}
			tried, taken, changed := 0, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				for range n {
					tried++
					in := (&talk{T: t, api: wire.API(name)}).request()
					if no := modelapi.Check(in, nil); no != nil {
						continue
					}
					opts := options(t, wire.API(name))
					opts.Model = modelOf(in)
					ds := due(t)
					if generic {
						if opts.API = wire.Messages; !fits(in, &opts, ds) {
							continue
						}
					}
					taken++
					if put(t, in, opts, ds) {
						changed++
					}
				}
			})
			if testkit.Long() && (10*taken < tried || 3*changed < taken) { // of few requests any share may be
				t.Errorf("of %d requests %d were taken, into %d something was put: too few to say anything", tried,
					taken, changed)
			}
		})
	}
}

// put injects into a request that was taken, and reports whether that changed anything.
func put(t *rapid.T, in modelapi.Request, opts wire.Options, ds []reminder.Due) bool {
	body, report, err := wire.Inject(in.Body, ds, opts)
	if err != nil {
		t.Fatal(err)
	}
	out := modelapi.Request{Path: in.Path, Header: http.Header{}, Body: body}
	if report.Beta != "" {
		out.Header.Set("Anthropic-Beta", report.Beta)
	}
	if no := modelapi.Check(out, nil); no != nil {
		t.Fatalf("%v\n%s\n%s\n%+v %+v", no, in.Body, body, opts.Delivery, ds)
	}
	before, after := modelapi.New(modelapi.Options{}).Ask(in), modelapi.New(modelapi.Options{}).Ask(out)
	if len(before.Reply.Parts) > 0 && len(after.Reply.Parts) == 0 {
		t.Fatalf("the reply is empty:\n%s\n%s", in.Body, body)
	}
	if len(after.Transformations) > 0 {
		t.Fatalf("%v\n%s\n%s", after.Transformations, in.Body, body)
	}
	return string(body) != string(in.Body)
}

// fits makes options of the generic shape fit a vendor's request; false if they cannot: its placements know
// no vendor's rules.
func fits(in modelapi.Request, opts *wire.Options, ds []reminder.Due) bool {
	p, _ := modelapi.Read(in)
	switch {
	case strings.HasPrefix(opts.Model, "qwen"), strings.HasPrefix(opts.Model, "llama"):
		return false // a system message in the middle, or a second one at the beginning
	case p.API == modelapi.Chat:
		return true
	}
	for i := range ds {
		ds[i].Attach = reminder.Tail
	}
	last := p.Messages[len(p.Messages)-1]
	return last.Role == "user"
}

func modelOf(r modelapi.Request) string {
	p, no := modelapi.Read(r)
	if no != nil {
		return ""
	}
	return p.Model
}
