package lsp

// word is a word of the rule language with its documentation.
type word struct {
	name   string
	form   string // how the word is used, such as used("TOOL"); "": the name alone
	doc    string // a paragraph or two of Markdown
	insert string // what completion inserts, a snippet with $1 and the like; "": the name
}

func (w *word) written() string {
	if w.form != "" {
		return w.form
	}
	return w.name
}

// find returns the word of a name, nil where there is none.
func find(words []word, name string) *word {
	for i := range words {
		if words[i].name == name {
			return &words[i]
		}
	}
	return nil
}

// factDocs documents the built-in facts in more detail than the one line in package fact.
var factDocs = []word{
	{name: "context_usage", doc: "How full the context window is, as a share of it: `context_tokens` divided by `context_window`. Write limits as `75%` or `0.75`.\n\n" +
		"It falls when the history is compacted. A host that does not know the size of the window leaves it unknown."},
	{name: "context_tokens", doc: "How many tokens the prompt of the previous request took, those read from a cache included and its answer left out: the number that agents themselves show. " +
		"Where a host reports only a total, the total."},
	{name: "context_window", doc: "How many tokens the model's context window takes."},
	{name: "last_response_tokens", doc: "How many tokens the model wrote in its previous answer, reasoning included."},
	{name: "output_tokens", doc: "How many tokens the model has written since the run began. It never falls; `output_tokens_since(\"ID\")` counts from a firing."},
	{name: "message_count", doc: "How many messages the request holds. It falls when the history is compacted."},
	{name: "turn_count", doc: "Which turn this is, from 1: the host's own number where it sends one, else how often the rules were evaluated in this run. A turn is one call of the model, not one message of a person. " +
		"It never falls."},
	{name: "user_turn_count", doc: "How many messages a person has submitted in this run, this turn's included. It never falls and never passes `turn_count`."},
	{name: "tool_used", doc: "The tools that were called in the previous turn; several of them where they ran in parallel. `tool_used == Edit` asks whether one of them is `Edit`, `tool_used in [Edit, Write]` whether one is in the list. " +
		"`*` stands for anything within a name: `mcp__*`.\n\nIt is about one turn alone: `used(\"Edit\")` asks about the whole run."},
	{name: "tool_calls", doc: "How many tool calls there were since the run began, of all tools together. It never falls; `tool_count(\"Bash\")` counts one tool."},
	{name: "last_tool_call_failed", doc: "Whether a tool call of the previous turn failed. `tool_failed:Bash` asks about one tool."},
	{name: "failures_in_row", doc: "How many turns in a row, up to now, had a tool call that failed."},
	{name: "user_message", doc: "Whether this turn answers a message that a person has just submitted, rather than the result of a tool."},
	{name: "prompt", doc: "The text of the latest message that a person submitted. Search it with `prompt matches \"(?i)deploy\"` or `prompt contains \"deploy\"`; in a text it is neutralised, since others wrote it."},
	{name: "response", doc: "The text of the model's previous answer. In a text of a reminder it is neutralised, since others wrote it."},
	{name: "thread_type", doc: "Which kind of conversation this is: `root` for the main one, `learn`, `plan`, `fast`, or whatever name the host gives a subagent."},
	{name: "model", doc: "The model, by the name that the request gives it."},
	{name: "provider", doc: "Whose API the request goes to, by the name that the host gives it."},
	{name: "elapsed", doc: "How long ago the run's first turn was. It never falls."},
	{name: "idle", doc: "How long ago the previous turn was; unknown on the first."},
	{name: "compacted", doc: "Whether the history was compacted since the previous turn. What was said once may be gone then: `when: compacted` says it again."},
	{name: "resumed", doc: "Whether the run was taken up again since the previous turn."},
}

// functionWords are the functions about the past of a run.
var functionWords = []word{
	{"used", `used("TOOL")`, "Whether the tool was ever called in this run. `*` stands for anything within the name.", `used("${1:Bash}")`},
	{"tool_count", `tool_count("TOOL")`, "How often the tool was called in this run. `*` stands for anything within the name.", `tool_count("${1:Bash}") > ${2:5}`},
	{"turns_since_tool", `turns_since_tool("TOOL")`, "How many turns ago the tool was called; 1 on the turn that reports the call.\n\nUnknown until it was called once, and an unknown trigger does not fire: join it with `not used(\"TOOL\")` where never counts too.",
		`turns_since_tool("${1:TodoWrite}") > ${2:15}`},
	{"turns_since", `turns_since("ID")`, "How many turns ago the reminder last fired by itself. Unknown before its first firing; firings by hand, and those of this very turn, do not count.", `turns_since("${1:id}") > ${2:8}`},
	{"output_tokens_since", `output_tokens_since("ID")`, "How many tokens the model has written since the reminder last fired by itself. Unknown before its first firing.", `output_tokens_since("${1:id}") > ${2:4000}`},
	{"tool_chain_repeats", `tool_chain_repeats("A>B")`, "How many times in a row the run's latest tool calls are this chain, read from the end: after `A B A B` it is 2.", `tool_chain_repeats("${1:Read>Edit}") >= ${2:3}`},
}

// shorthandWords are the shorthands.
var shorthandWords = []word{
	{"after_tool", "after_tool:A,B", "One of these tools was called in the previous turn. `*` stands for anything within a name; `after_tool:*` is any tool at all.", "after_tool:${1:Edit,Write}"},
	{"tool_failed", "tool_failed:A,B", "One of these tools was called in the previous turn, and failed. Unknown where the host does not tell which tool it was.", "tool_failed:${1:Bash}"},
	{"turn_gt", "turn_gt:N", "The same as `turn_count > N`.", "turn_gt:${1:20}"},
	{"user_turn_gt", "user_turn_gt:N", "The same as `user_turn_count > N`.", "user_turn_gt:${1:5}"},
	{"thread", "thread:A,B", "The same as `thread_type in [A, B]`.", "thread:${1:root}"},
	{"repeated_tool_chain", "repeated_tool_chain:A>B|N", "The latest tool calls are this chain, at least N times in a row: `tool_chain_repeats(\"A>B\") >= N`.", "repeated_tool_chain:${1:Read>Edit}|${2:3}"},
}

// constantWords are the triggers that are a single word, and every.
var constantWords = []word{
	{"always", "", "True on every turn. As `when` it fires once a run, as `while` on every turn.", ""},
	{"never", "", "True on no turn. The reminder can still be fired by name.", ""},
	{"manual", "", "Never by itself, and said so on purpose: the reminder is fired by name, `aside remind NAME`.", ""},
	{"every", "every N turns", "True on the run's first turn, and then whenever so much has passed since this reminder last fired: `every 10 turns`, `every 3 user turns`, `every 15m`. Turns are counted by this program, whatever number the host sends.",
		"every ${1:10} turns"},
}

// joinWords are the words that join conditions, the operators in words, and the functions of general expressions.
var joinWords = []word{
	{"and", "A and B", "True if both are. If one is false it is false, even where the other is unknown.", ""},
	{"or", "A or B", "True if either is. If one is true it is true, even where the other is unknown.", ""},
	{"not", "not A", "True if A is false. If A is unknown it is unknown, too.", ""},
	{"in", "FACT in [A, B]", "True if the fact is one of the list; of `tool_used`, if one of the tools is.", ""},
	{"matches", `TEXT matches "PATTERN"`, "True if the regular expression is found in the text; `(?i)` at its front lets case count as nothing. The pattern is written out, at most 256 bytes of it.", ""},
	{"contains", `TEXT contains "PART"`, "True if the part stands somewhere in the text.", ""},
	{"startsWith", `TEXT startsWith "PART"`, "True if the text begins with the part.", ""},
	{"endsWith", `TEXT endsWith "PART"`, "True if the text ends with the part.", ""},
	{"len", "len(SET)", "How many members a set has, or characters a text: `len(tool_used) > 3`.", "len(${1:tool_used}) > ${2:3}"},
	{"lower", "lower(TEXT)", "The text in lower case.", "lower(${1:prompt})"},
	{"upper", "upper(TEXT)", "The text in upper case.", "upper(${1:prompt})"},
	{"any", "any(SET, CONDITION)", "True if the condition holds for one member, which is written `#`: `any(tool_used, # startsWith \"mcp__\")`.", `any(${1:tool_used}, # startsWith "${2:mcp__}")`},
	{"all", "all(SET, CONDITION)", "True if the condition holds for every member, which is written `#`.", `all(${1:tool_used}, # startsWith "${2:mcp__}")`},
	{"none", "none(SET, CONDITION)", "True if the condition holds for no member, which is written `#`.", `none(${1:tool_used}, # startsWith "${2:mcp__}")`},
	{"one", "one(SET, CONDITION)", "True if the condition holds for exactly one member, which is written `#`.", `one(${1:tool_used}, # startsWith "${2:mcp__}")`},
	{"count", "count(SET, CONDITION)", "For how many members the condition holds; a member is written `#`.", `count(${1:tool_used}, # startsWith "${2:mcp__}") > ${3:1}`},
}

// templateWords are the words that may stand in {{ }} besides facts.
var templateWords = []word{
	{"now", `now "15:04"`, "The time of the turn: RFC 3339, or by a layout of Go's package time. It differs each time that the text is rendered.", ""},
	{"percent", "FACT | percent", "A share in whole percents: `{{.context_usage | percent}}` is `76%` of 0.756.", ""},
	{"known", `known "FACT"`, "Whether the fact is known. A text that reads an unknown fact is not sent unless this guards it: `{{if known \"context_usage\"}}…{{end}}`.", `known "${1:context_usage}"`},
	{"default", `default "TEXT" FACT`, "The fact, or the text in its place where the fact is unknown or empty.", `default "${1:?}" .${2:model}`},
	{"join", `join SET ", "`, "The members of a set with something between them; a comma and a blank if nothing is given.", `join .${1:tool_used} "${2:, }"`},
	{"lower", "lower TEXT", "The text in lower case.", ""},
	{"upper", "upper TEXT", "The text in upper case.", ""},
	{"printf", `printf "%d" VALUE`, "Values put into a format, as in Go.", `printf "${1:%v}" .${2:turn_count}`},
	{"len", "len SET", "How many members a set has.", ""},
	{"index", "index SET 0", "A member of a set by its number, from 0.", ""},
	{"eq", "eq A B", "Whether two values are equal.", ""},
	{"ne", "ne A B", "Whether two values differ.", ""},
	{"lt", "lt A B", "Whether A is less than B.", ""},
	{"le", "le A B", "Whether A is at most B.", ""},
	{"gt", "gt A B", "Whether A is greater than B.", ""},
	{"ge", "ge A B", "Whether A is at least B.", ""},
	{"and", "and A B", "The first value that is empty or false, else the last.", ""},
	{"or", "or A B", "The first value that is neither empty nor false, else the last.", ""},
	{"not", "not A", "Whether the value is empty or false.", ""},
	{"if", "if CONDITION", "What stands up to `{{else}}` or `{{end}}` is part of the text only if the condition holds.", ""},
	{"else", "", "What stands behind it is part of the text if the condition of `if`, `with` or `range` fails.", ""},
	{"end", "", "Ends `if`, `with` and `range`.", ""},
	{"with", "with FACT", "What stands up to `{{end}}` is part of the text only if the fact is known and not empty; the dot is the fact there.", ""},
	{"range", "range SET", "What stands up to `{{end}}` is repeated for each member of the set; the dot is the member there.", ""},
}
