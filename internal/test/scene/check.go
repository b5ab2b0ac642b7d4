package scene

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// Check holds the requests that have reached the fake against those that the client has made: each is the
// client's own but for the texts; the texts are those that a person counts, each new at its turn; and what
// was put stays. told says that the host tells which calls have failed.
func (w *Way) Check(t *testing.T, told bool) {
	t.Helper()
	sent := w.fake.Records()
	if len(sent) != len(w.asked) || len(sent) == 0 {
		t.Fatalf("%d requests have reached the API, the client has made %d", len(sent), len(w.asked))
	}
	runs := map[string][]trip{}
	for i, r := range sent {
		if no := r.Answer.Refusal; no != nil && no.Rule != "" {
			t.Errorf("request %d: %v\n%s", i+1, no, r.Request.Body)
		}
		n, err := strconv.Atoi(r.Request.Header.Get(numbered))
		if err != nil {
			t.Fatalf("request %d: %v", i+1, err)
		}
		if !w.inside {
			sameBut(t, i+1, w.asked[n], r)
		}
		all := runs[w.runs[n]]
		if len(all) > 0 {
			if was := all[len(all)-1]; was.Answer.Refusal != nil && bytes.Equal(w.asked[n].Body, was.asked.Body) &&
				!bytes.Equal(r.Request.Body, was.Request.Body) {
				t.Errorf("request %d is sent again as %s, and was %s", i+1, r.Request.Body, was.Request.Body)
			}
		}
		runs[w.runs[n]] = append(all, trip{r, w.asked[n]})
	}
	if n := max(w.opts.Siblings, 1); len(runs) < n {
		t.Errorf("%d conversations, want %d", len(runs), n)
	}
	for run, trips := range runs {
		w.checkRun(t, run, trips, told)
	}
}

// trip is a request as it has reached the fake, and as the client has made it.
type trip struct {
	modelapi.Record
	asked modelapi.Request
}

// checkRun checks the requests of one run.
func (w *Way) checkRun(t *testing.T, run string, trips []trip, told bool) {
	t.Helper()
	var conversation []asked
	var sent, turns []modelapi.Record
	for _, x := range trips {
		r := x.Record
		if r.Prompt == nil {
			continue
		}
		sent = append(sent, r)
		if r.Answer.Refusal != nil || len(r.Prompt.Tools) == 0 {
			continue
		}
		a := asked{request: x.asked}
		for _, p := range r.Answer.Reply.Parts {
			if p.Call != nil {
				a.calls = append(a.calls, *p.Call)
			}
		}
		conversation, turns = append(conversation, a), append(turns, r)
	}
	if err := (modelapi.Stable{Ours: ours.MatchString}).Check(sent); err != nil {
		t.Errorf("run %q: I4: %v", run, err)
	}
	want, seen := w.opts.count(conversation, told), map[string]bool{}
	stood := map[string]string{} // by a text: the client's block with which it has stood
	for i, r := range turns {
		var now []string
		blocks, with := blocks(r.Prompt)
		for text, block := range stood {
			if blocks[block] == 1 && with[text] == "" {
				t.Errorf("run %q, turn %d holds %q, and no %s, which stood with it", run, i+1, block, text)
			}
		}
		maps.Copy(stood, with)
		here := map[string]bool{}
		for _, m := range ours.FindAllStringSubmatch(strings.Join(texts(r.Prompt), "\n"), -1) {
			id := m[1] + "@" + m[2]
			if here[id] {
				t.Errorf("run %q, turn %d holds %s twice", run, i+1, id)
			}
			if here[id] = true; !seen[id] {
				now, seen[id] = append(now, id), true
			}
		}
		if slices.Sort(now); !slices.Equal(now, want[i]) {
			t.Errorf("run %q, turn %d brings %q, want %q", run, i+1, now, want[i])
		}
	}
}

// blocks returns how often a prompt holds each block of the client's, and with which one each text of ours
// stands.
func blocks(p *modelapi.Prompt) (own map[string]int, with map[string]string) {
	own, with = map[string]int{}, map[string]string{}
	last := ""
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			if s := tag.ReplaceAllString(said(b), ""); s != "" {
				last = m.Role + " " + s
				own[last]++
			}
			for _, f := range ours.FindAllStringSubmatch(b.Text, -1) {
				with[f[1]+"@"+f[2]] = last
			}
		}
	}
	return own, with
}

// texts are the texts of a prompt, that of tool results among them.
func texts(p *modelapi.Prompt) (out []string) {
	for _, b := range p.System {
		out = append(out, b.Text)
	}
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			out = append(out, b.Text)
		}
	}
	return out
}

// tag is a reminder of ours, with its tag and the line ends before it.
var tag = regexp.MustCompile(`\n*<system-reminder[^>]*>\s*rule \w+, turn \d+\s*</system-reminder>`)

// sameBut: without our texts a request says what the client has said, and stripping gives the client's bytes.
func sameBut(t *testing.T, n int, own modelapi.Request, r modelapi.Record) {
	t.Helper()
	if r.Prompt == nil {
		return
	}
	p, no := modelapi.Read(own)
	if no != nil {
		t.Errorf("request %d of the client: %v", n, no)
		return
	}
	q, no := modelapi.Read(r.Request) // without what the server has kept
	if no != nil {
		t.Errorf("request %d on the wire: %v", n, no)
		return
	}
	var want, got []string
	for _, x := range p.Messages {
		for _, b := range x.Blocks {
			want = append(want, x.Role+" "+said(b))
		}
	}
	for _, x := range q.Messages {
		for _, b := range x.Blocks {
			if own := tag.ReplaceAllString(said(b), ""); own != "" || said(b) == "" {
				got = append(got, x.Role+" "+own)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("request %d is not the client's:\n%q\nwant\n%q", n, got, want)
	}
	opts := wire.Options{API: names[q.API]}
	if m := marked.FindSubmatch(r.Request.Body); m != nil {
		opts.Mark = string(m[1])
	}
	back, err := wire.Strip(r.Request.Body, opts)
	if err != nil || !bytes.Equal(back, own.Body) {
		t.Errorf("request %d, stripped (%v):\n%s\nwant\n%s", n, err, back, own.Body)
	}
}

// said is what a block says.
func said(b modelapi.Block) string {
	if b.Kind == modelapi.Text {
		return b.Text
	}
	return b.Raw
}

// marked finds the mark of a run in a body.
var marked = regexp.MustCompile(`<system-reminder mark=\\"(\w+)\\">`)

// names are those of the APIs.
var names = map[modelapi.API]wire.API{modelapi.Anthropic: wire.Anthropic, modelapi.Chat: wire.Chat,
	modelapi.Responses: wire.Responses, modelapi.Gemini: wire.Gemini, modelapi.Interactions: wire.Interactions}
