package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// run50 is the run of WIRE.md §3.3.
var run50 = client.Steady{Tools: 12_000, System: 8_000, First: 2_000, Answer: 600, Result: 2_400}

// reminder is 120 tokens with the tag around it. It says another thing on each turn.
func lintNote(turn string) string {
	s := "Turn " + turn + ". " + strings.Repeat("Most of the context is used. ", 20)
	return s[:480-len(`<system-reminder mark="01234567">`+"\n\n</system-reminder>")-1+len(turn)-2] + "."
}

// bare is how those write it who remember nothing.
func bare(call int) string {
	return "<system-reminder>\n" + lintNote(fmt.Sprintf("%02d", call)) + strings.Repeat(" ",
		len(` mark="01234567"`)) + "\n</system-reminder>"
}

// schedule is when the reminder fires.
type schedule struct {
	name    string
	mode    reminder.Mode
	trigger string
	on      func(call int) bool
	aim     float64 // at most so much more, in percent, where nothing stays
	stays   float64 // and where the text stays
	marked  float64 // and has a cache mark of its own
}

// schedules are when the reminder fires: as a trigger, and by the number of the call. A text that stays is
// paid for as in WIRE.md §3.2 where it gets a mark of its own. Else it is paid for once more: it stands
// behind the client's mark, so the turn on which it fires reads it at the full price, and the next one
// writes it. This holds for system messages, in which a mark is never matched (WIRE.md §3.6), and for
// Converse, where a mark is a block: who takes our texts out could not tell one of ours from the client's.
var schedules = []schedule{
	{"6 fires", reminder.When,
		"turn_count == 8 or turn_count == 16 or turn_count == 24 or turn_count == 32 or turn_count == 40 or " +
			"turn_count == 48",
		func(n int) bool { return n%8 == 0 }, 0.5, 0.6, 0.5},
	{"turns 30 to 50", reminder.While, "turn_count >= 30",
		func(n int) bool { return n >= 30 }, 1, 4.1, 0.9},
	{"every turn", reminder.While, "always",
		func(int) bool { return true }, 1, 4.1, 3.4},
}

// way is how the reminder gets into the request.
type way struct {
	name     string
	delivery wire.Delivery
	naive    func(body []byte, text string) []byte // in place of a Transport
}

// inText is what is often done: the reminder is added to the last text, and in the next request it is not
// there.
func inText(body []byte, text string) []byte {
	all := lastCue.FindAllIndex(body, -1)
	at := all[len(all)-1][1]
	return bytes.Join([][]byte{body[:at], []byte(`\n` + strings.ReplaceAll(text, "\n", `\n`)), body[at:]}, nil)
}

var lastCue = regexp.MustCompile(`\[cue [^\]]*\]`)

// asUser is a message of its own at the end, in a user's name.
func asUser(body []byte, text string) []byte {
	list := client.Messages(body)
	last := list[len(list)-1]
	at := bytes.LastIndex(body, last) + len(last)
	said, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return bytes.Join([][]byte{body[:at], []byte(`,{"role":"user","content":`), said, []byte(`}`),
		body[at:]}, nil)
}

// inFirst adds the reminder to the first prompt, where it is far from the end and everything behind it is
// read anew.
func inFirst(body []byte, text string) []byte {
	at := lastCue.FindIndex(body)[1]
	return bytes.Join([][]byte{body[:at], []byte(`\n` + strings.ReplaceAll(text, "\n", `\n`)), body[at:]}, nil)
}

var (
	native    = way{"native", wire.Native, nil}
	anchored  = way{"anchored", wire.Anchored, nil}
	atTail    = way{"tail", wire.Tail, nil}
	inTheText = way{name: "naive: in the last text, gone next turn", naive: inText}
	inTheUser = way{name: "naive: a user message, gone next turn", naive: asUser}
	inPrompt  = way{name: "naive: in the first prompt, gone next turn", naive: inFirst}
)

// bills are what the run is paid by.
var bills = []struct {
	name  string
	agent client.Options
	// factor of the aims, which are for reads at a tenth: where they cost less, the same tokens are a greater
	// share
	slack float64
	ways  []way
}{
	{"Anthropic, claude-opus-5", client.Options{API: modelapi.Anthropic, Model: "claude-opus-5"}, 1,
		[]way{native, anchored, atTail, inTheText, inPrompt}},
	{"Anthropic, claude-opus-5-5", client.Options{API: modelapi.Anthropic, Model: "claude-opus-5-5"}, 1.5,
		[]way{native, anchored}},
	{"Anthropic, claude-sonnet-4-6", client.Options{API: modelapi.Anthropic, Model: "claude-sonnet-4-6"}, 1,
		[]way{anchored, atTail, inTheText}},
	{"Bedrock, claude-sonnet-4-6", client.Options{API: modelapi.Converse,
		Model: "us.anthropic.claude-sonnet-4-6"}, 1, []way{anchored, atTail, inTheText}},
	{"OpenAI, gpt-5.6", client.Options{API: modelapi.Chat, Model: "gpt-5.6"}, 1, []way{anchored, atTail,
		inTheUser, inPrompt}},
	{"OpenAI, gpt-5.5", client.Options{API: modelapi.Responses, Model: "gpt-5.5"}, 1, []way{anchored, atTail,
		inTheText, inPrompt}},
	{"Gemini, gemini-3.8-flash", client.Options{API: modelapi.Gemini, Model: "gemini-3.8-flash"}, 1,
		[]way{anchored, atTail, inTheText, inPrompt}},
	{"vLLM, tokens of prefill", client.Options{API: modelapi.Chat, Model: "qwen3-coder"}, 1.1,
		[]way{anchored, atTail, inTheUser, inPrompt}},
}

// naive changes requests and remembers nothing.
type naive struct {
	http.RoundTripper
	change func([]byte, string) []byte
	on     func(call int) bool
}

func (n naive) RoundTrip(r *http.Request) (*http.Response, error) {
	s := client.From(r)
	if !n.on(s.Call + 1) {
		return n.RoundTripper.RoundTrip(r)
	}
	c := r.Clone(r.Context())
	body := n.change(s.Body, bare(s.Call+1))
	c.Body, c.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return n.RoundTripper.RoundTrip(c)
}

// price plays the run and returns what its input costs, in tokens at the base price, by the fake's own
// counting.
func price(t *testing.T, o client.Options, through func(http.RoundTripper) http.RoundTripper) float64 {
	t.Helper()
	sum, _ := bill(t, o, through)
	return sum
}

// bill is price, with all that came to the fake.
func bill(t *testing.T, o client.Options, through func(http.RoundTripper) http.RoundTripper) (sum float64,
	rs []modelapi.Record) {
	t.Helper()
	if o.Steady == nil {
		o.Steady = &run50
	}
	f := modelapi.New(modelapi.Options{Script: client.Script()})
	if err := client.New(through(client.Direct(f)), o).Run(context.Background(), 50); err != nil {
		t.Fatal(err)
	}
	var m modelapi.Model
	for _, row := range modelapi.Models() {
		if strings.Contains(o.Model, row.Prefix) && len(row.Prefix) > len(m.Prefix) {
			m = row
		}
	}
	for _, r := range f.Records() {
		if r.Answer.Refusal != nil {
			t.Fatal(r.Answer.Refusal)
		}
		sum += m.Cache.Rates(1e6).Cost(r.Answer.Usage.Tokens())
	}
	return sum, f.Records()
}

// TestCost: what reminders add to the price of a run's input stays within the aims, whoever is paid. Without
// -long only the first bill is looked at; -long -v prints the table of "aside help costs".
func TestCost(t *testing.T) {
	t.Parallel()
	paid := bills
	if !testkit.Long() {
		paid = paid[:1]
		paid[0].ways = paid[0].ways[:testkit.Repeat(1, 3)]
	}
	none := make([]float64, len(paid))
	more := make([][][]float64, len(paid))
	t.Run("runs", func(t *testing.T) {
		for i, b := range paid {
			more[i] = make([][]float64, len(b.ways))
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				none[i] = price(t, b.agent, func(rt http.RoundTripper) http.RoundTripper { return rt })
				for k, w := range b.ways {
					for _, s := range schedules[:testkit.Repeat(1, len(schedules))] {
						added := 100 * (price(t, b.agent, w.through(t, s))/none[i] - 1)
						more[i][k] = append(more[i][k], added)
						aim := s.aim
						if w.delivery == wire.Anchored {
							aim = s.stays
							if b.agent.Model == "claude-sonnet-4-6" {
								aim = s.marked
							}
						}
						if local := b.agent.Model == "qwen3-coder"; local && w.delivery == wire.Tail {
							continue // answers are cached with what stood before them: there a text must stay (WIRE.md §3.4)
						}
						if w.naive == nil && (added <= 0 || added > aim*b.slack) {
							t.Errorf("%s, %s: %+.2f %%, the aim is %g", w.name, s.name, added, aim*b.slack)
						}
					}
				}
			})
		}
	})
	if !testing.Verbose() {
		return
	}
	fmt.Println("| | input, in tokens at the base price | delivery | 6 fires | turns 30 to 50 | every turn " +
		"|\n|---|---|---|---|---|---|")
	for i, b := range paid {
		name, base := b.name, fmt.Sprintf("%.0f", none[i])
		for k, w := range b.ways {
			fmt.Printf("| %s | %s | %s |", name, base, w.name)
			for _, added := range more[i][k] {
				fmt.Printf(" %+.1f %% |", added)
			}
			fmt.Println()
			name, base = "", ""
		}
	}
}

// through returns what stands between the client and the API.
func (w way) through(t *testing.T, s schedule) func(http.RoundTripper) http.RoundTripper {
	return func(rt http.RoundTripper) http.RoundTripper {
		if w.naive != nil {
			return naive{rt, w.naive, s.on}
		}
		set := compiled(t, reminder.Reminder{ID: "r", Mode: s.mode, Trigger: s.trigger,
			Text: lintNote(`{{printf "%02d" .turn_count}}`), Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}})
		return transport.New(eval.New(set, eval.Options{}), transport.Options{Base: rt, Delivery: w.delivery})
	}
}
