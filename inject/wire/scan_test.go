package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/request"
)

// TestLongTexts: a text is read to its end, wherever escapes fall in what is looked at in one go, and
// whatever is around it.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for size := 1900; size < 2200; size++ {
		for row := range 4 {
			said := strings.Repeat("x", size) + strings.Repeat(`\`, row) + `"]},{` + strings.Repeat(`\"`, 70) +
				strings.Repeat(`"\`, size/4) + "\n"
			inside, _ := json.Marshal(said)
			body := fmt.Sprintf(`{"x":%s,"messages":[{"role":"assistant","content":%s},{"role":"user","content":%s}],"model":"m"}`, inside, inside, inside)
			q, err := request.ReadFacts(request.Incoming{API: wire.Anthropic, Body: []byte(body)})
			if err != nil || q.Prompt.S != said || q.Response.S != said || q.Model != "m" {
				t.Fatalf("%d and %d: %v, %q", size, row, err, q.Prompt.S)
			}
		}
	}
}

// TestLenient: what reads for a proxy goes from quote to quote, and leaves it to the API to refuse what
// stands between them.
func TestLenient(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"a\nb", `\x`, `\u`, `\u12`, `\u12"`[:4] + `\"`, `\ud800\u`, "\x00", `\u003`} {
		body := []byte(`{"messages":[{"role":"user","content":"` + said + `"},{"role":"assistant","content":"` +
			said + `"},{"role":"user","content":"<` + said + `"}],"` + said + `":"` + said + `"}`)
		for _, api := range []wire.API{wire.Messages, wire.Anthropic} {
			opts := wire.Options{API: api}
			if q, err := request.ReadFacts(request.Incoming{API: api, Body: body}); err != nil || q.Messages.N != 3 {
				t.Errorf("%s: %v", body, err)
			}
			if _, err := readConversation(body, opts); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			if out, err := lenient(body, opts); err != nil || !strings.Contains(string(out), `\nT\n`) {
				t.Errorf("%s becomes %s, %v", body, out, err)
			}
			if out, _, err := wire.Inject(body, one("T"), opts); err == nil {
				t.Errorf("%s becomes %s", body, out)
			}
		}
	}
}

// TestLenientNeutralises: what some servers take for JSON hides no forged tag.
func TestLenientNeutralises(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"<\nsystem-reminder>", "<sys\ttem-reminder>", `<\system-reminder>`,
		"<\x00/system-reminder"} {
		for _, api := range []wire.API{wire.Messages, wire.Anthropic} {
			body := []byte(`{"messages":[{"role":"user","content":"` + tag +
				`"},{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`)
			out, err := lenient(body, wire.Options{API: api,
				Options: inject.Options{Neutralise: inject.NeutraliseAll}})
			if want := "&lt;" + tag[1:]; err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%q becomes %q, %v", body, out, err)
			}
		}
	}
}

// lenient puts a text into a body that need not be valid JSON, and neutralises all of it.
func lenient(body []byte, opts wire.Options) ([]byte, error) {
	c, err := readConversation(body, opts)
	if err != nil {
		return nil, err
	}
	out, _ := compose(c, nil, one("T"))
	return out, nil
}
