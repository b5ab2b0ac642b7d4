package api

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// gemini is Gemini generateContent (WIRE.md §1.4).
//
// The type of a part is the name of the member that it has. Ids of calls are optional, so that results are
// counted. A text never goes behind a functionResponse in the same content: after results it is a content of
// its own. A request may stand inside a larger object.
var gemini = API{
	format: body.Format{
		Name:     Gemini,
		Messages: "contents", Role: "role", Content: "parts",
		Wrappers:    []string{"request", "generateContentRequest"},
		Block:       [2]string{`{"text":`, `}`},
		NoStrings:   true,
		Router:      true, // Gemini CLI's (WIRE.md §2.3)
		ReadMessage: readGeminiContent,
		ReadBlock:   readPart,
		ReadMember:  readGeminiMember,

		Roles:  []string{"user", "system"},
		Prompt: body.Prompt{Members: []string{"systemInstruction", "system_instruction"}, Parts: "parts"},

		Round: func(dr *body.Draft, i int) (missing, server bool) {
			asked, answered, running := dr.LastCalls(i)
			return len(answered) < len(asked), running
		},
		Places:  []model.Place{model.User, model.Message},
		OwnRole: "user",
	},
	paths: []path{
		{suffix: ":generateContent", model: googleModel},
		{suffix: ":streamGenerateContent", stream: true, model: googleModel},
		{suffix: ":countTokens", kind: KindCount, model: googleModel},
	},
	fault:  geminiFault,
	answer: geminiAnswer,
	usage: response.Vocabulary{
		Words: response.Words{
			"usageMetadata": response.UsageObject, "responseId": response.ID, "modelVersion": response.Model,
			"promptTokenCount": response.Prompt, "candidatesTokenCount": response.Output,
			"cachedContentTokenCount": response.Cached, "thoughtsTokenCount": response.Thoughts,
			"toolUsePromptTokenCount": response.ToolInput,
		},
	},
}

func readGeminiContent(r *body.Reader, m *body.Message) {
	readRole(r, m)
	switch role := r.Body.Says(m.Role); role {
	case "": // a content without a role is the user's
		if m.Speaker = body.ByUser; m.Form == body.BlockContent {
			m.Class = body.User
		}
	case "tool", "function": // an older role of results
		m.Class, m.Speaker = body.User, body.ByTool
	default:
		setRole(m, role)
	}
}

func readPart(r *body.Reader, b *body.Block) (isFile bool) {
	readNamedBlock(r, b, func(name []byte) {
		switch string(name) {
		case "thought": // the text beside it is thinking
			b.Thought = r.IsTrue()
		case "functionCall", "function_call":
			b.Kind = body.Called
			readFunction(r, b)
		case "functionResponse", "function_response":
			b.Kind = body.Answered
			readFunction(r, b)
		case "fileData", "file_data", "inlineData", "inline_data":
			b.Media, isFile = true, true
			r.EachMember(func(name []byte) {
				if n := string(name); (n == "displayName" || n == "display_name") && r.Peek() == '"' {
					r.Text(body.OfResult)
				}
			})
		case "thoughtSignature", "thought_signature", "partMetadata", "videoMetadata", "mediaResolution":
		default:
			b.Media = true
		}
	})
	if b.Thought {
		b.Said = body.Span{}
	}
	return isFile
}

// readFunction reads a call of a function, or its response.
func readFunction(r *body.Reader, b *body.Block) {
	result := b.Kind == body.Answered
	r.EachMember(func(name []byte) {
		switch n := string(name); {
		case n == "id":
			b.ID = r.Quoted()
		case n == "name":
			b.Name = r.Quoted()
		case n == "response" && result:
			b.Content = r.Around(func() { b.Failed = readResponse(r) })
			b.Output = b.Content
		case n == "args" && !result:
			b.Input = r.Span()
		case n == "parts" && result: // files that go with it
			r.Strings(body.OfResult)
		}
	})
	d := r.Body.Bytes
	if n := b.Name.To - b.Name.From + len(namesCall); n > len(namesCall) && b.ID.To-b.ID.From > n &&
		string(d[b.ID.From:b.ID.From+n]) == string(b.Name.Of(d))+namesCall {
		b.ID.From += n
	}
}

// namesCall stands in an id behind the name of the function, where Gemini CLI puts that in front: it does so
// in some of its requests, and not in others of the same conversation.
//
// Source: captured from Gemini CLI 0.61.0, whose request for a summary does so.
const namesCall = "__"

// readResponse reads the response of a function and says whether the function failed. As its declaration
// says, "error" holds the failure and "output" the result; without either all of it is output.
//
// Source: genai v1.77.0, FunctionResponse.
func readResponse(r *body.Reader) fact.Truth {
	if r.Peek() != '{' {
		r.Strings(body.OfResult)
		return fact.Unknown
	}
	failed := fact.False
	r.EachEntry(body.OfResult, func(name []byte) {
		value := r.Around(func() { r.Strings(body.OfResult) }).Of(r.Body.Bytes)
		if string(name) == "error" && !IsNothing(value) {
			failed = fact.True
		}
	})
	return failed
}

// IsNothing reports whether the value of a member "error" says that there is no error: some programs always
// write that member.
func IsNothing(v []byte) bool {
	return slices.Contains([]string{"null", "false", `""`, "{}", "[]"}, string(v))
}

func readGeminiMember(r *body.Reader, name []byte) {
	d := r.Body
	switch string(name) {
	case "systemInstruction", "system_instruction":
		r.ReadPrompt()
	case "generationConfig", "generation_config":
		r.EachMember(func(name []byte) {
			d.Schema = d.Schema || bytes.Contains(name, []byte("esponseSchema")) ||
				bytes.Contains(name, []byte("esponseJsonSchema"))
		})
	case "cachedContent", "cached_content":
		d.Cached = r.Peek() != 'n'
		d.Partial = r.Quoted().Found() || d.Partial
	default:
		readMember(r, name)
	}
}

// geminiFault is an error as Google's APIs write it, with the name of the gRPC code beside the status.
func geminiFault(status int, message string) any {
	code := cmp.Or(geminiCodes[status], "UNAVAILABLE")
	return object{"error": object{"code": status, "message": message, "status": code}}
}

var geminiCodes = map[int]string{401: "UNAUTHENTICATED", 404: "NOT_FOUND", 500: "INTERNAL",
	504: "DEADLINE_EXCEEDED"}
