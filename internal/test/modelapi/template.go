package modelapi

import "slices"

// Template is the law of a chat template, by which a server makes one text of the messages: the orders of
// roles that it refuses, and the reasoning of earlier answers that it leaves out. What it leaves out the
// model never reads again, and the cached prefix ends there.
type Template struct {
	Source string // of the law
	// a person and the model alternate; calls with their results stand between the two
	Alternates bool
	// only an answer or another result may follow a result
	AnswersTools bool
	// how many messages, from the first, lose their reasoning; nil: all keep it
	Forgets func(ms []Message) int
}

// Templates returns the templates by the prefix of the models' ids.
func Templates() map[string]*Template {
	mistral := &Template{AnswersTools: true, Alternates: true,
		Source: "mistralai/mistral-common validator.py (mistralai/mistral-common#169); chat_template.jinja of " +
			"mistralai/Devstral-Small-2-24B-Instruct-2512"}
	return map[string]*Template{
		"mistral":  mistral,
		"devstral": mistral,
		"gemma": {AnswersTools: true, Alternates: true,
			Source: "chat_template of google/gemma-3-27b-it, a result in a turn of the user's " +
				"(huggingface/text-generation-inference#3198)"},
		"qwen3": {Forgets: lastOf("user"), Source: "tokenizer_config.json of Qwen/Qwen3-8B: last_query_index"},
		"glm-":  {Forgets: lastOf("user"), Source: "chat_template.jinja of zai-org/GLM-4.6: last_user_index"},
		"deepseek-": {Forgets: lastOf("user", "developer"),
			Source: "encoding_dsv32.py of deepseek-ai/DeepSeek-V3.2: find_last_user_index"},
		"kimi-": {Forgets: lastFinal,
			Source: "chat_template.jinja of moonshotai/Kimi-K2-Thinking: last_non_tool_call_assistant_msg"},
		"gpt-oss": {Forgets: lastFinal, Source: "chat_template.jinja of openai/gpt-oss-120b: future_final_message"},
		"llama":   {Source: "raullenchai/Rapid-MLX#1543"},
	}
}

// lastOf returns Template.Forgets of a template that keeps the reasoning behind the last message of a role.
func lastOf(roles ...string) func([]Message) int {
	return func(ms []Message) int {
		for i := len(ms) - 1; i >= 0; i-- {
			if slices.Contains(roles, ms[i].Role) {
				return i
			}
		}
		return 0
	}
}

// lastFinal is Template.Forgets of a template that keeps the reasoning behind the last answer without a call.
func lastFinal(ms []Message) int {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == "assistant" && !ms[i].has(ToolUse) {
			return i + 1
		}
	}
	return 0
}

// Render returns a prompt as the model reads it, without the reasoning that the template leaves out.
func (t *Template) Render(p *Prompt) *Prompt {
	if t == nil || t.Forgets == nil {
		return p
	}
	out := *p
	out.Messages = slices.Clone(p.Messages)
	for i := range t.Forgets(p.Messages) {
		m := &out.Messages[i]
		m.Blocks = slices.DeleteFunc(slices.Clone(m.Blocks), func(b Block) bool { return b.Kind == Thinking })
	}
	return &out
}

// check returns the refusal of a prompt whose roles the template does not take in this order.
func (t *Template) check(p *Prompt) *Refusal {
	if t == nil {
		return nil
	}
	before := ""
	for _, m := range p.Messages {
		switch m.Role {
		case "system", "developer":
			continue
		case "user":
			if before == "tool" && t.AnswersTools {
				return refusals(Chat).bad(UserAfterTool, "Unexpected role 'user' after role 'tool'")
			}
			if before == "user" && t.Alternates {
				return refusals(Chat).bad(RolesAlternate,
					"Conversation roles must alternate user/assistant/user/assistant/...")
			}
		}
		before = m.Role
	}
	return nil
}
