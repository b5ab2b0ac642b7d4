package modelapi

import (
	"fmt"
	"strings"
)

const (
	geminiKeys = "model contents systemInstruction system_instruction tools toolConfig tool_config " +
		"safetySettings safety_settings generationConfig generation_config cachedContent cached_content labels " +
		"store serviceTier generateContentRequest"
	contentKeys = "role parts"
	partKeys    = "text thought thoughtSignature thought_signature inlineData inline_data fileData file_data " +
		"functionCall function_call functionResponse function_response executableCode executable_code " +
		"codeExecutionResult code_execution_result videoMetadata video_metadata mediaResolution media_resolution " +
		"partMetadata part_metadata mediaProcessing media_processing audioTranscription audio_transcription " +
		"speechMetadata speech_metadata toolCall tool_call toolResponse tool_response"
)

func unknownName(name, at string) *Refusal {
	if at != "" {
		at = fmt.Sprintf(" at '%s'", at)
	}
	return refusals(Gemini).bad(UnknownKey,
		"Invalid JSON payload received. Unknown name \"%s\"%s: Cannot find field.", name, at)
}

func readGemini(p *Prompt, body *node) *Refusal {
	if k := body.unknown(geminiKeys); k != "" {
		return unknownName(k, "")
	}
	if p.Count && body.get("generateContentRequest") != nil {
		body = body.get("generateContentRequest")
	}
	readTools(p, body)
	if s := body.get("systemInstruction", "system_instruction"); s != nil {
		m, no := geminiContent(s, "system_instruction")
		if no != nil {
			return no
		}
		p.System = m.Blocks
	}
	contents := body.list("contents")
	if len(contents) == 0 {
		return refusals(Gemini).bad(BadShape, "* GenerateContentRequest.contents: contents is not specified\n")
	}
	for i, c := range contents {
		m, no := geminiContent(c, fmt.Sprintf("contents[%d]", i))
		if no != nil {
			return no
		}
		switch m.Role {
		case "user", "model", "function":
		case "":
			m.Role = "user"
		default:
			return refusals(Gemini).bad(BadShape, "Please use a valid role: user, model.")
		}
		p.Messages = append(p.Messages, m)
	}
	return nil
}

func geminiContent(c *node, path string) (Message, *Refusal) {
	m := Message{Role: c.str("role"), Path: path}
	if !c.is('{') {
		return m, refusals(Gemini).bad(BadShape,
			"Invalid value at '%s' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)", path)
	}
	if k := c.unknown(contentKeys); k != "" {
		return m, unknownName(k, path)
	}
	for i, part := range c.list("parts") {
		at := fmt.Sprintf("%s.parts[%d]", path, i)
		if k := part.unknown(partKeys); k != "" {
			return m, unknownName(k, at)
		}
		b := Block{Raw: part.compact("thoughtSignature", "thought_signature"),
			Signature: part.str("thoughtSignature", "thought_signature"), Path: at}
		b.Bytes, b.signed = len(b.Raw), signedPart(part)
		fc, fr := part.get("functionCall", "function_call"), part.get("functionResponse", "function_response")
		switch {
		case fc != nil:
			b.Kind, b.ID, b.Name, b.Bytes = ToolUse, fc.str("id"), fc.str("name"), len(fc.str("name"))+len(
				fc.get("args").compact())
		case fr != nil:
			if r := fr.get("response"); r != nil && !r.is('{') {
				return m, refusals(Gemini).bad(BadShape,
					"Invalid value at '%s.function_response.response' (type.googleapis.com/google.protobuf.Struct)", at)
			}
			b.Kind, b.ID, b.Name, b.Text = ToolResult, fr.str("id"), fr.str("name"), texts(fr.get("response"))
			b.Bytes = len(b.Name) + len(fr.get("response").compact())
		case part.get("text").is('"'):
			b.Kind, b.Text, b.Bytes = Text, part.str("text"), len(part.str("text"))
			if part.yes("thought") {
				b.Kind = Thinking
			}
		case len(part.members) == 0:
			return m, refusals(Gemini).bad(EmptyParts,
				"* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field\n", at)
		}
		m.Blocks = append(m.Blocks, b)
	}
	if len(m.Blocks) == 0 {
		return m, refusals(Gemini).bad(EmptyParts,
			"* GenerateContentRequest.%s.parts: contents.parts must not be empty.\n", path)
	}
	return m, nil
}

// texts returns all strings in a value, joined.
func texts(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind == '"' {
		return n.text
	}
	var b strings.Builder
	for _, m := range n.members {
		b.WriteString(texts(m.value))
	}
	for _, v := range n.items {
		b.WriteString(texts(v))
	}
	return b.String()
}

func checkGemini(p *Prompt, m Model) *Refusal {
	bad := refusals(Gemini).bad
	for i, msg := range p.Messages {
		for _, b := range msg.Blocks {
			if s, ok := readSignature(b.Signature); ok && s.text != digest(b.signed) {
				return bad(SignatureModified, "Thought signature is not valid.")
			}
		}
		calls := of(msg, ToolUse)
		if msg.Role == "model" && len(calls) > 0 && i < len(p.Messages)-1 {
			if no := matchResponses(calls, of(p.Messages[i+1], ToolResult)); no != nil {
				return no
			}
		}
		if results := of(msg, ToolResult); len(results) > 0 {
			if i == 0 || len(of(p.Messages[i-1], ToolUse)) == 0 {
				return bad(ResponseCount, "Please ensure that function response turn comes immediately after a "+
					"function call turn.")
			}
			if m.AfterResponse == Refused && textAfter(msg) {
				return bad(TextAfterResponse, "Requests ending with a model turn are not supported.")
			}
		}
	}
	if p.Messages[len(p.Messages)-1].Role == "model" && m.NoModelEnd {
		return bad(EndsWithModel, "Requests ending with a model turn are not supported.")
	}
	return nil
}

// emptied reports whether the model answers with nothing, because text stands behind a functionResponse in
// the last Content.
func (p *Prompt) emptied(m Model) bool {
	return p.API == Gemini && m.AfterResponse == Emptied && len(p.Messages) > 0 &&
		textAfter(p.Messages[len(p.Messages)-1])
}

// textAfter reports whether text stands behind a functionResponse in m.
func textAfter(m Message) bool {
	seen := false
	for _, b := range m.Blocks {
		if seen && b.Kind == Text {
			return true
		}
		seen = seen || b.Kind == ToolResult
	}
	return false
}

func of(m Message, k Kind) []Block {
	var out []Block
	for _, b := range m.Blocks {
		if b.Kind == k {
			out = append(out, b)
		}
	}
	return out
}

// matchResponses refuses responses that do not match the calls one to one: by name, and by id where both have
// one.
func matchResponses(calls, responses []Block) *Refusal {
	bad := refusals(Gemini).bad
	if len(responses) == 0 {
		return bad(ResponseMissing,
			"Please ensure that function call turn comes immediately after a user turn or after a function "+
				"response turn.")
	}
	if len(calls) != len(responses) {
		return bad(ResponseCount, "Please ensure that the number of function response parts is equal "+
			"to the number "+
			"of function call parts of the function call turn.")
	}
	used := make([]bool, len(calls))
next:
	for _, r := range responses {
		for i, c := range calls {
			if !used[i] && c.Name == r.Name && (c.ID == r.ID || c.ID == "" || r.ID == "") {
				used[i] = true
				continue next
			}
		}
		return bad(ResponseName, "Function response %q with id %q does not match any function call of "+
			"the previous "+
			"turn.", r.Name, r.ID)
	}
	return nil
}
