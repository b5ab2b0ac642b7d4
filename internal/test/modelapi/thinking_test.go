package modelapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// thinks is an answer that begins with a thought, as the model would have given it to the messages before it.
func thinks(r modelapi.Request, thought, after string) (block, signature string) {
	p, no := modelapi.Read(r)
	if no != nil {
		panic(no)
	}
	signature = p.Sign(after, thought)
	return `{"type":"thinking","thinking":"` + thought + `","signature":"` + signature + `"}`, signature
}

// conversation of a model that binds: a question, a call, its result, a second thought, and the next
// question.
func conversation() (q, one, res, two, next string) {
	q, next = blocks("user", text("q"), text("note")), say("user", "and?")
	t1, _ := thinks(bound(q), "first", "")
	one = blocks("assistant", t1, text("a"), use("t1"))
	res = blocks("user", result("t1"))
	t2, _ := thinks(bound(q, one, res), "second", "")
	return q, one, res, blocks("assistant", t2, text("b")), next
}

const boundFields = `"system":"be kind","tools":[{"name":"Bash"}]`

func bound(ms ...string) modelapi.Request {
	return beta(messages(fable51, boundFields, ms...), clearAt)
}

func without(answer string) string { // its thought
	i, j := strings.Index(answer, `{"type":"thinking"`), strings.Index(answer, `},`)
	return answer[:i] + answer[j+2:]
}

// thinkingRows: what may be changed of an earlier prompt, and what not (WIRE: thinking binding).
func thinkingRows() []row {
	q, one, res, two, next := conversation()
	full := bound(q, one, res, two, next)
	bad := func(name string, r modelapi.Request) row {
		return row{name, modelapi.ThinkingBound, full, r,
			"Invalid `signature` in `thinking` block. The block is bound to a different conversation."}
	}
	good := func(name string, r modelapi.Request) row {
		return row{name, modelapi.ThinkingBound, r, messages(fable51, "", q, one, res, two, next),
			"bound to a different conversation"}
	}
	q0 := blocks("user", text("q"))
	lone, _ := thinks(bound(q0), "first", "")
	prompt := func(system string, ms ...string) modelapi.Request { return messages(fable51, system, ms...) }
	cleared, _ := thinks(bound(q, scoped("turn")), "hm", "")
	gcall := `{"functionCall":{"id":"1","name":"ls","args":{"a":1,"b":2}}`
	gemini := func(call string) modelapi.Request {
		return generate("gemini-3.8-flash", content("user", part("q")),
			content("model", call+`,"thoughtSignature":"`+geminiSignature()+`"}`), content("user",
				responded("1", "ls")))
	}
	return []row{
		good("nothing changed", full),
		good("appended", bound(q, one, res, two, next, blocks("assistant", text("c")), next)),
		good("cache_control moved", bound(blocks("user", text("q"), mark("note", marked)), one, res, two, next)),
		good("string, not one block", bound(say("user", "q"), blocks("assistant", lone), next)),
		good("parameters changed",
			beta(messages(fable51, boundFields+`,"temperature":1,"thinking":{"type":"adaptive"}`, q, one, res, two,
				next), clearAt)),
		good("thinking removed, oldest first", bound(q, without(one), res, two, next)),
		good("thinking removed, newest first", bound(q, one, res, without(two), next)),
		good("thinking removed, all", bound(q, without(one), res, without(two), next)),
		good("cleared message left in place", bound(q, scoped("turn"), blocks("assistant", cleared,
			text("a")), next)),
		bad("cleared message made to stay", bound(q, strings.Replace(scoped("turn"), "next_user_message", "never",
			1), blocks("assistant", cleared, text("a")), next)),
		bad("cleared message taken out", bound(q, blocks("assistant", cleared, text("a")), next)),
		bad("cleared message reworded", bound(q, scoped("other"), blocks("assistant", cleared, text("a")), next)),
		bad("text edited", bound(blocks("user", text("q"), text("other")), one, res, two, next)),
		bad("block added to an earlier turn", bound(blocks("user", text("q"), text("note"), text("reminder")), one,
			res, two, next)),
		bad("block removed from an earlier turn", bound(blocks("user", text("q")), one, res, two, next)),
		bad("block added behind a result", bound(q, one, blocks("user", result("t1"), text("reminder")), two,
			next)),
		bad("message deleted", bound(q, two, next)),
		bad("reordered", bound(blocks("user", text("note"), text("q")), one, res, two, next)),
		bad("system changed", prompt(`"system":"be strict","tools":[{"name":"Bash"}]`, q, one, res, two, next)),
		bad("tools changed", prompt(`"system":"be kind","tools":[{"name":"Bash"},{"name":"Edit"}]`, q, one,
			res, two, next)),
		bad("foreign signature", bound(q,
			blocks("assistant", `{"type":"thinking","thinking":"x","signature":"c2ln"}`), next)),
		bad("counted", request("/v1/messages/count_tokens", strings.Replace(string(prompt(`"system":"x"`, q, one,
			res, two, next).Body), `"max_tokens":10,`, "", 1))),
		{"old model", modelapi.ThinkingBound, messages("claude-opus-5", "", q, one, res, two, next),
			messages("claude-opus-5-5", "", q, one, res, two, next), "bound"},
		{"error asked for", modelapi.ThinkingBound, beta(messages(fable51,
			boundFields+`,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}`, q, one, res, two, next), clearAt),
			messages(fable51, `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"error"}}`, q,
				one, res, two, next), "messages.1.content.0: Invalid `signature`"},
		{"thought changed", modelapi.ThinkingModified, full, bound(q, one, res, strings.Replace(two, "second",
			"other", 1), next),
			"`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified"},
		{"thought changed, model that does not bind", modelapi.ThinkingModified, messages(opus5, "", q, one, res,
			strings.Replace(two, "q", "q", 1), next),
			messages(opus5, "", q, one, res, strings.Replace(two, "second", "other", 1), next), "cannot be modified"},
		{"gemini: signed part changed", modelapi.SignatureModified,
			gemini(`{"functionCall":{"args":{"b":2,"a":1},"id":"1","name":"ls"}`), gemini(strings.Replace(gcall, "2",
				"3", 1)), "Thought signature"},
	}
}

// geminiSignature is what a fake signs the call ls(a: 1, b: 2) with.
func geminiSignature() string {
	f := modelapi.New(modelapi.Options{Script: modelapi.Turns(modelapi.Reply{Parts: []modelapi.Part{
		modelapi.Use("1", "ls", `{"a":1,"b":2}`)}})})
	body := serve(f, generate("gemini-3.8-flash", content("user", part("q")))).Body.Bytes()
	var reply struct {
		Candidates []struct {
			Content struct {
				Parts []struct{ ThoughtSignature string }
			}
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		panic(err)
	}
	return reply.Candidates[0].Content.Parts[0].ThoughtSignature
}

func TestThinking(t *testing.T) {
	t.Parallel()
	refused(t, thinkingRows())
}

// TestThinkingGap: from the middle nothing may be removed.
func TestThinkingGap(t *testing.T) {
	t.Parallel()
	q, one, res, two, next := conversation()
	third, _ := thinks(bound(q, one, res, two, next), "third", "")
	answer := blocks("assistant", third, text("c"))
	if no := modelapi.Check(bound(q, one, res, two, next, answer, next), nil); no != nil {
		t.Error(no)
	}
	if no := modelapi.Check(bound(q, one, res, without(two), next, answer, next), nil); no == nil ||
		no.Rule != modelapi.ThinkingBound {
		t.Error(no)
	}
}

// TestDropBlock: a block behind another prompt goes, with all later ones; old accounts are only told.
func TestDropBlock(t *testing.T) {
	t.Parallel()
	q, one, res, two, next := conversation()
	changed := []string{q, one, blocks("user", result("t1"), text("reminder")), two, next}
	f := modelapi.New(modelapi.Options{})
	drop := messages(fable51, boundFields+`,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`, changed...)
	a := f.Ask(drop)
	if a.Refusal != nil || len(a.Transformations) != 1 || a.Transformations[0] != (modelapi.Transformation{
		Type: "thinking_block_dropped", Path: "messages.3.content.0"}) {
		t.Errorf("%+v", a)
	}
	old := modelapi.New(modelapi.Options{OldAccount: true})
	b := old.Ask(bound(changed...))
	if b.Refusal != nil || len(b.Transformations) != 1 ||
		b.Transformations[0].Type != "thinking_mismatch_allowed" || b.Usage.Prompt <= a.Usage.Prompt {
		t.Errorf("%+v, want more than %d tokens", b, a.Usage.Prompt)
	}
	if c := old.Ask(bound(q, one, res, two, next)); c.Transformations != nil {
		t.Errorf("%+v", c)
	}
}

// TestInjectedAndDeleted is the mistake that the documentation names: a reminder that is there in one request
// and gone from the next. Sent again as it was, it is not a mistake.
func TestInjectedAndDeleted(t *testing.T) {
	t.Parallel()
	for name, reminder := range map[string][2]string{
		"block":       {blocks("user", text("q"), text("reminder")), say("user", "q")},
		"turn-scoped": {say("user", "q") + "," + scoped("reminder"), say("user", "q")},
		"system":      {say("user", "q") + "," + say("system", "reminder"), say("user", "q")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := modelapi.New(modelapi.Options{Script: modelapi.Turns(modelapi.Reply{Parts: []modelapi.Part{
				{Thinking: "hm"}, modelapi.Use("t1", "Bash", "{}")}})})
			w := serve(f, bound(reminder[0]))
			var reply struct{ Content json.RawMessage }
			if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || w.Code != 200 {
				t.Fatal(w.Body)
			}
			answer := `{"role":"assistant","content":` + string(reply.Content) + `}`
			if a := f.Ask(bound(reminder[0], answer, blocks("user", result("t1")))); a.Refusal != nil {
				t.Error(a.Refusal)
			}
			if a := f.Ask(bound(reminder[1], answer, blocks("user", result("t1")))); a.Refusal == nil ||
				a.Refusal.Rule != modelapi.ThinkingBound {
				t.Errorf("%+v", a)
			}
		})
	}
}
