package modelapi

// Rule names one thing that an API refuses. The comment behind a rule is its source. Where there is none, the
// message of the refusal is not the vendor's wording.
type Rule string

// Rules of all APIs.
const (
	NotJSON    Rule = "not JSON"
	BadShape   Rule = "a member is missing or of the wrong type"
	UnknownKey Rule = "a member that the API does not know"
	NoRoute    Rule = "no such path"
)

// Rules of Anthropic Messages, and of Claude models behind Converse. "handle tool calls", "errors", "prompt
// caching", "preserved thinking" and "mid-conversation system messages" are pages of Anthropic's
// documentation.
const (
	TextBeforeResult Rule = "text before a tool_result"                         // handle tool calls
	ResultMissing    Rule = "a tool_use without its result in the next message" // handle tool calls
	ResultUnexpected Rule = "a tool_result without its tool_use"                // seen
	EmptyText        Rule = "an empty text block"                               // seen
	// LibreChat-AI/agents#124
	BlankText        Rule = "blank text as the only block"
	MarkedEmpty      Rule = "cache_control on an empty text block"                 // seen
	TrailingBlank    Rule = "white space at the end of the final answer"           // seen
	TooManyMarks     Rule = "more than 4 cache breakpoints"                        // prompt caching
	MarkOrder        Rule = "a 1h breakpoint after a 5m one"                       // seen
	Prefill          Rule = "ends with an answer"                                  // errors
	ServerUseOpen    Rule = "not only results after an unresolved server_tool_use" // seen, second-hand
	ThinkingModified Rule = "thinking of the latest answer was changed"            // preserved thinking
	ThinkingBound    Rule = "thinking behind another prompt"                       // preserved thinking
	TooManyMessages  Rule = "more than 100,000 messages"                           // errors
	// mid-conversation system messages
	SystemUnsupported Rule = "a system message to a model that takes none"
	// mid-conversation system messages
	SystemFollows Rule = "a system message that follows nothing it may"
	// anthropics/claude-code#73821
	SystemPrecedes Rule = "a system message before a user message"
	// mid-conversation system messages
	SystemContent Rule = "a system message with something but text"
	// mid-conversation system messages
	ClearAtHeader Rule = "clear_at without its beta header"
	// anthropic-sdk-go v1.84.0
	ClearAtValue Rule = "clear_at with another value"
	// mid-conversation system messages
	ClearAtContent Rule = "a turn-scoped system message with a mark, or not of text"
	// mid-conversation system messages
	ClearAtUser Rule = "a turn-scoped system message before a user message"
	LegacyAuto  Rule = "automatic caching on Bedrock InvokeModel" // prompt caching
)

// Rules of Chat Completions and of servers that speak it.
const (
	CallUnanswered Rule = "something between tool_calls and its " +
		"tool messages" // strands-agents/harness-sdk#4234
	ToolUnexpected Rule = "a tool message without tool_calls"      // seen
	SystemNotFirst Rule = "a system message that is not the first" // ollama/ollama#17774
	// mistralai/mistral-common#169
	UserAfterTool   Rule = "a user message behind a tool message"
	RolesAlternate  Rule = "a user message behind a user message"                  // vllm-project/vllm#6862
	OutputMissing   Rule = "a function_call without its output, by call_id"        // seen; of Responses
	OutputUnmatched Rule = "a function_call_output without its call"               // of Responses
	ReasoningAlone  Rule = "a reasoning item that its item does not follow"        // of Responses
	UnknownItem     Rule = "item_reference to an item that is not stored"          // of Responses
	UnknownResponse Rule = "previous_response_id of a response that is not stored" // of Responses
)

// Rules of Anthropic's message threads.
//
// Source: @anthropic-ai/sdk 1.14.0 lib/internal/threads/ThreadState.ts.
const (
	ThreadHeader    Rule = "thread without its beta header"
	ThreadFields    Rule = "system or tools in a request that continues a thread"
	ThreadNotFound  Rule = "previous_message_id of a message that is not stored"
	ThreadContinued Rule = "previous_message_id of a message that a request has continued"
)

// Rules of Gemini.
const (
	TextAfterResponse Rule = "text after a functionResponse in its Content"           // deepnoodle-ai/dive#287
	EndsWithModel     Rule = "ends with a model turn"                                 // what's new in Gemini 3.5
	ResponseCount     Rule = "not as many functionResponse parts as calls"            // function calling
	ResponseName      Rule = "a functionResponse with the id or name of no call"      // function calling
	ResponseMissing   Rule = "a functionCall without its response in the next turn"   // function calling
	SignatureModified Rule = "a part with a thoughtSignature was changed"             // thought signatures
	EmptyParts        Rule = "a Content without parts, or a part without any content" // seen
)

// Rules of Converse; what a Claude model refuses of a request comes with it.
const (
	Alternation     Rule = "roles that do not alternate"          // seen
	StartsWithUser  Rule = "the first message is not the user's"  // seen
	BlankBlock      Rule = "a blank text block"                   // NousResearch/hermes-agent#55092
	PointInResult   Rule = "a cachePoint inside a toolResult"     // langchain-ai/langchain-aws#499
	PointAfterThink Rule = "a cachePoint after a reasoning block" // 0xPlaygrounds/rig#1673
	ResultMismatch  Rule = "not the toolResults of the toolUses"  // seen
)

// ThreadRules returns the rules of Anthropic's message threads.
func ThreadRules() []Rule { return []Rule{ThreadHeader, ThreadFields, ThreadNotFound, ThreadContinued} }

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{NotJSON, BadShape, UnknownKey, NoRoute,
		TextBeforeResult, ResultMissing, ResultUnexpected, EmptyText, BlankText, MarkedEmpty, TrailingBlank,
		TooManyMarks, MarkOrder, Prefill, ServerUseOpen,
		ThinkingModified, ThinkingBound, TooManyMessages, SystemUnsupported, SystemFollows, SystemPrecedes,
		SystemContent, ClearAtHeader, ClearAtValue,
		ClearAtContent, ClearAtUser, LegacyAuto,
		CallUnanswered, ToolUnexpected, SystemNotFirst, UserAfterTool, RolesAlternate,
		OutputMissing, OutputUnmatched, ReasoningAlone,
		UnknownItem, UnknownResponse, ThreadHeader, ThreadFields, ThreadNotFound, ThreadContinued,
		TextAfterResponse, EndsWithModel, ResponseCount, ResponseName, ResponseMissing, SignatureModified,
		EmptyParts,
		Alternation, StartsWithUser, BlankBlock, PointInResult, PointAfterThink, ResultMismatch}
}
