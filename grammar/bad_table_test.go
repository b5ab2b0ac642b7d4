package grammar_test

// This file is long because it is one table: whoever words a diagnostic reads here how all others are worded.

// want is one diagnostic: its code, its range as line:column-line:column, what it says, and the source with
// its fix applied, "" where it has none.
type want struct{ code, at, message, hint, fixed string }

// bad are sources with everything that is wrong with them.
var bad = []struct {
	src  string
	want []want
}{
	{"", []want{
		{"R0101", "1:1-1:1", "the trigger is empty", "write a condition, such as turn_count > 10, or always", ""},
	}},
	{"   ", []want{
		{"R0101", "1:1-1:4", "the trigger is empty", "write a condition, such as turn_count > 10, or always", ""},
	}},
	{"turn_count = 10", []want{
		{"R0110", "1:12-1:13", `"=" is not an operator`, "write ==", "turn_count == 10"},
	}},
	{"turn_count === 10", []want{
		{"R0110", "1:12-1:15", `"===" is not an operator`, "write ==", "turn_count == 10"},
	}},
	{"turn_count !== 10", []want{
		{"R0110", "1:12-1:15", `"!==" is not an operator`, "write !=", "turn_count != 10"},
	}},
	{"turn_count => 10", []want{
		{"R0110", "1:12-1:14", `"=>" is not an operator`, "write >=", "turn_count >= 10"},
	}},
	{"turn_count =< 10", []want{
		{"R0110", "1:12-1:14", `"=<" is not an operator`, "write <=", "turn_count <= 10"},
	}},
	{"turn_count <> 10", []want{
		{"R0110", "1:12-1:14", `"<>" is not an operator`, "write !=", "turn_count != 10"},
	}},
	{"turn_count > = 10", []want{
		{"R0110", "1:12-1:15", `">=" has no blank inside`, "write >=", "turn_count >= 10"},
	}},
	{"turn_count = = 10", []want{
		{"R0110", "1:12-1:15", `"==" has no blank inside`, "write ==", "turn_count == 10"},
	}},
	{"turn_count ! = 10", []want{
		{"R0110", "1:12-1:15", `"!=" has no blank inside`, "write !=", "turn_count != 10"},
	}},
	{"a & b", []want{
		{"R0110", "1:3-1:4", `"&" is not an operator`, "write and", "a and b"},
	}},
	{"a|b", []want{
		{"R0110", "1:2-1:3", `"|" is not an operator`, "write or", "a or b"},
	}},
	{"a AND b", []want{
		{"R0111", "1:3-1:6", `"AND" is written in lower case`, "write and", "a and b"},
	}},
	{"Not a", []want{
		{"R0111", "1:1-1:4", `"Not" is written in lower case`, "write not", "not a"},
	}},
	{"tool_used IN [bash]", []want{
		{"R0111", "1:11-1:13", `"IN" is written in lower case`, "write in", "tool_used in [bash]"},
	}},
	{"Every 5 turns", []want{
		{"R0111", "1:1-1:6", `"Every" is written in lower case`, "write every", "every 5 turns"},
	}},
	{"elapsed > 10S", []want{
		{"R0109", "1:11-1:14", `"10S" is not how a number is written`, "write 10s: units of time are written small",
			"elapsed > 10s"},
	}},
	{"every 1H30M", []want{
		{"R0109", "1:7-1:12", `"1H30M" is not how a number is written`,
			"write 1h30m: units of time are written small", "every 1h30m"},
	}},
	{"every 10M", []want{
		{"R0123", "1:7-1:10", `"10M" is not a whole number`, "write 10m for minutes", "every 10m"},
	}},
	{"turn_count > 9007199254740993", []want{
		{"R0109", "1:14-1:30", "the number is too large", "write at most 9007199254740992", ""},
	}},
	{"turn_count > +5", []want{
		{"R0109", "1:14-1:16", `"+5" is not how a number is written`, "write 5: a number has no + before it",
			"turn_count > 5"},
	}},
	{"let x = turn_count; x > 3", []want{
		{"R0129", "1:1-1:4", "let is not allowed in a trigger", "write the expression out", ""},
		{"R0110", "1:7-1:8", `"=" is not an operator`, "write ==", "let x == turn_count; x > 3"},
		{"R0106", "1:19-1:20", `";" means nothing here`,
			"quote text that has other characters than letters, digits and _ . : / * -", ""},
	}},
	{"if a {b} else {c}", []want{
		{"R0129", "1:1-1:3", "if is not allowed in a trigger", "write it with and, or, not", ""},
	}},
	{"If compacted", []want{{"R0129", "1:1-1:3", `"If" is not part of a condition`, "leave it out",
		"compacted"}}},
	{"on not compacted or when after_tool:Bash", []want{
		{"R0129", "1:1-1:3", `"on" is not part of a condition`, "leave it out",
			"not compacted or when after_tool:Bash"},
		{"R0129", "1:21-1:25", `"when" is not part of a condition`, "leave it out",
			"on not compacted or after_tool:Bash"},
	}},
	{"turn_count between 3 and turn_count < 5", []want{
		{"R0114", "1:12-1:19", `"between" is not an operator`,
			"join two comparisons with and, as in turn_count >= 3 and turn_count <= 5", ""},
	}},
	{"if (a) {b} else {c}", []want{
		{"R0129", "1:1-1:3", "if is not allowed in a trigger", "write it with and, or, not", ""},
	}},
	{`$env["HOME"] == "x"`, []want{
		{"R0106", "1:1-1:5", `"$env" means nothing here`,
			"quote text that has other characters than letters, digits and _ . : / * -", ""},
	}},
	{"tool_used == *_x", []want{
		{"R0116", "1:14-1:17", "a name that begins with * is quoted", `write "*_x"`, `tool_used == "*_x"`},
	}},
	{"tool_used in [Edit, *]", []want{
		{"R0116", "1:21-1:22", "a name that begins with * is quoted", `write "*"`, `tool_used in [Edit, "*"]`},
	}},
	{"turn_count >", []want{
		{"R0113", "1:12-1:13", `a value is missing after ">"`, "write what is compared, as in turn_count > 10", ""},
	}},
	{"turn_count > and a", []want{
		{"R0113", "1:12-1:13", `a value is missing after ">"`, "write what is compared, as in turn_count > 10", ""},
	}},
	{"> 10", []want{
		{"R0113", "1:1-1:2", `a value is missing before ">"`, "write a fact before it, as in turn_count > 10", ""},
	}},
	{"turn_count > > 10", []want{
		{"R0113", "1:14-1:15", `a value is missing between ">" and ">"`, "write one, or delete one of the two", ""},
	}},
	{"turn_count + > 10", []want{
		{"R0113", "1:14-1:15", `a value is missing between "+" and ">"`, "write one, or delete one of the two", ""},
	}},
	{"tool_used bash", []want{
		{"R0114", "1:11-1:15", `an operator is missing between "tool_used" and "bash"`, "write tool_used == bash",
			"tool_used == bash"},
	}},
	{"tool_used is bash", []want{
		{"R0114", "1:11-1:13", `"is" is not an operator`, "did you mean ==?", "tool_used == bash"},
	}},
	{`prompt startswith "x"`, []want{
		{"R0114", "1:8-1:18", `"startswith" is not an operator`, "did you mean startsWith?",
			`prompt startsWith "x"`},
	}},
	{"tool_used foo bar", []want{
		{"R0114", "1:11-1:14", `an operator is missing between "tool_used" and "foo"`,
			"write one of == != < <= > >= in, not in; quote text that has blanks", ""},
	}},
	{"context_usage > 0.5 extra", []want{
		{"R0115", "1:21-1:26", `"and" or "or" is missing before "extra"`,
			"join conditions with and / or; quote text that has blanks", ""},
	}},
	{"turn_count > 5 turns", []want{
		{"R0109", "1:14-1:21", `"5 turns" is not how a number is written`, "write 5: what is counted has no unit",
			"turn_count > 5"},
	}},
	{"user_turn_count >= 3 user turns and resumed", []want{
		{"R0109", "1:20-1:32", `"3 user turns" is not how a number is written`,
			"write 3: what is counted has no unit", "user_turn_count >= 3 and resumed"},
	}},
	{`turns_since_tool("Bash") > 5 turns`, []want{
		{"R0109", "1:28-1:35", `"5 turns" is not how a number is written`, "write 5: what is counted has no unit",
			`turns_since_tool("Bash") > 5`},
	}},
	{"context_tokens > 150k tokens", []want{
		{"R0109", "1:18-1:29", `"150k tokens" is not how a number is written`,
			"write 150k: what is counted has no unit", "context_tokens > 150k"},
	}},
	{"idle > 5 minutes or resumed", []want{
		{"R0109", "1:8-1:17", `"5 minutes" is not how a number is written`,
			"write 5m: a duration has no blanks", "idle > 5m or resumed"},
	}},
	{"context_usage > 75 percent", []want{
		{"R0109", "1:17-1:27", `"75 percent" is not how a number is written`,
			"write 75%: a share is written with %", "context_usage > 75%"},
	}},
	{"turn_count > 5 turns == 3", []want{
		{"R0115", "1:16-1:21", `"and" or "or" is missing before "turns"`,
			"join conditions with and / or; quote text that has blanks", ""},
	}},
	{`tool_used == "Bash" or "Edit"`, []want{
		{"R0119", "1:24-1:30", "a value alone is not a condition", `write tool_used == "Edit"`,
			`tool_used == "Bash" or tool_used == "Edit"`},
	}},
	{`tool_used != Bash and "Edit" and "Write"`, []want{
		{"R0119", "1:23-1:29", "a value alone is not a condition", `write tool_used != "Edit"`,
			`tool_used != Bash and tool_used != "Edit" and "Write"`},
		{"R0119", "1:34-1:41", "a value alone is not a condition", `write tool_used != "Write"`,
			`tool_used != Bash and "Edit" and tool_used != "Write"`},
	}},
	{`tool_used != "Bash" or "Edit"`, []want{
		{"R0119", "1:24-1:30", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{`thread_type == plan and "root"`, []want{
		{"R0119", "1:25-1:31", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"context_tokens > 1,000,000", []want{
		{"R0124", "1:18-1:27", "a number has no comma", "write 1000000", "context_tokens > 1000000"},
	}},
	{"cost > $1,000", []want{
		{"R0124", "1:8-1:14", "a number has no comma", "write $1000", "cost > $1000"},
	}},
	{"cost >= $1,000,000.50 and resumed", []want{
		{"R0124", "1:9-1:22", "a number has no comma", "write $1000000.50", "cost >= $1000000.50 and resumed"},
	}},
	{"cost > $ 5", []want{
		{"R0106", "1:8-1:9", `"$" means nothing here`, "write $5, without a blank", "cost > $5"},
	}},
	{"turn_count > 1,000", []want{
		{"R0124", "1:14-1:19", "a number has no comma", "write 1000", "turn_count > 1000"},
	}},
	{"context_usage > 0,75 and resumed", []want{
		{"R0124", "1:17-1:21", "a number has no comma", "write 0.75", "context_usage > 0.75 and resumed"},
	}},
	{"context_usage > 7,5%", []want{
		{"R0124", "1:17-1:21", "a number has no comma", "write 7.5%", "context_usage > 7.5%"},
	}},
	{"turn_count > 5 tool_used == bash", []want{
		{"R0115", "1:16-1:25", `"and" or "or" is missing before "tool_used"`,
			"join conditions with and / or; quote text that has blanks", ""},
	}},
	{"a not b", []want{
		{"R0115", "1:3-1:6", `"and" or "or" is missing before "not"`,
			"join conditions with and / or; quote text that has blanks", ""},
	}},
	{"(a) b", []want{
		{"R0115", "1:5-1:6", `"and" or "or" is missing before "b"`,
			"join conditions with and / or; quote text that has blanks", ""},
	}},
	{"thread_type == big plan", []want{
		{"R0116", "1:16-1:24", "text with blanks is quoted", `write "big plan"`, `thread_type == "big plan"`},
	}},
	{"thread_type in [big plan, learn]", []want{
		{"R0116", "1:17-1:25", "text with blanks is quoted", `write "big plan"`,
			`thread_type in ["big plan", learn]`},
	}},
	{"len(tool_used 3) > 1", []want{
		{"R0114", "1:15-1:16", `an operator or a comma is missing before "3"`,
			"write what joins it with the value before it", ""},
	}},
	{"and a", []want{
		{"R0112", "1:1-1:4", `a condition is missing before "and"`, "write a condition, such as turn_count > 10",
			""},
	}},
	{"a and", []want{
		{"R0112", "1:3-1:6", `a condition is missing after "and"`, "write a condition, such as turn_count > 10",
			""},
	}},
	{"a and and b", []want{
		{"R0112", "1:7-1:10", `a condition is missing between "and" and "and"`,
			"delete one of the two, or write a condition", "a and b"},
	}},
	{"a or and b", []want{
		{"R0112", "1:6-1:9", `a condition is missing between "or" and "and"`,
			"write a condition, such as turn_count > 10", ""},
	}},
	{"not", []want{
		{"R0112", "1:1-1:4", `a condition is missing after "not"`, "write a condition, such as turn_count > 10",
			""},
	}},
	{"not and a", []want{
		{"R0112", "1:5-1:8", `a condition is missing between "not" and "and"`,
			"write a condition, such as turn_count > 10", ""},
	}},
	{"()", []want{
		{"R0112", "1:1-1:3", "there is nothing between the parentheses",
			"write a condition, such as turn_count > 10", ""},
	}},
	{"(a and )", []want{
		{"R0112", "1:4-1:7", `a condition is missing after "and"`, "write a condition, such as turn_count > 10",
			""},
	}},
	{"a and (b or c", []want{
		{"R0117", "1:7-1:8", "the parenthesis is not closed", "put ) where it ends", "a and (b or c)"},
	}},
	{"((a", []want{
		{"R0117", "1:1-1:2", "2 parentheses are not closed, this is the first",
			"put a ) where each of them ends", "((a))"},
	}},
	{"(f(a", []want{
		{"R0117", "1:1-1:2", "the parenthesis is not closed", "put ) where it ends", ""},
		{"R0117", "1:3-1:4", `"(" is not closed`, "put ) where it ends", "(f(a)"},
	}},
	{"(a == \"b", []want{
		{"R0117", "1:1-1:2", "the parenthesis is not closed", "put ) where it ends", ""},
		{"R0107", "1:7-1:9", "the quoted text is not closed", "put a \" at its end", "(a == \"b\""},
	}},
	{"a) and b", []want{
		{"R0118", "1:2-1:3", "this parenthesis closes nothing", "delete it", "a and b"},
	}},
	{"a))", []want{
		{"R0118", "1:2-1:4", "this parenthesis closes nothing", "delete it", "a"},
	}},
	{"len(tool_used > 3", []want{
		{"R0117", "1:4-1:5", `"(" is not closed`, "put ) where it ends", "len(tool_used > 3)"},
	}},
	{"tool_used in [Edit, Write", []want{
		{"R0117", "1:14-1:15", `"[" is not closed`, "put ] where it ends", "tool_used in [Edit, Write]"},
	}},
	{"tool_used in [Edit, Write and a", []want{
		{"R0117", "1:14-1:15", `"[" is not closed`, "put ] where it ends", "tool_used in [Edit, Write] and a"},
	}},
	{"(x in [a, b)", []want{
		{"R0117", "1:7-1:8", `"[" is not closed`, "put ] where it ends", "(x in [a, b])"},
	}},
	{"a ] b", []want{
		{"R0118", "1:3-1:4", `"]" closes nothing`, "delete it", "a  b"},
	}},
	{"tool_used in []", []want{
		{"R0124", "1:14-1:16", "the list is empty", "write at least one value", ""},
	}},
	{"tool_used in [Edit,]", []want{
		{"R0124", "1:19-1:20", "nothing follows the comma", "delete it", "tool_used in [Edit]"},
	}},
	{"tool_used in [Edit,,Write]", []want{
		{"R0113", "1:20-1:21", `a value is missing between "," and ","`, "delete one of the two, or write a value",
			"tool_used in [Edit,Write]"},
	}},
	{"tool_used in Edit, Write", []want{
		{"R0124", "1:18-1:19", "only lists and calls have commas", "write in [Edit, Write]",
			"tool_used in [Edit, Write]"},
	}},
	{"a, b", []want{
		{"R0124", "1:2-1:3", "only lists and calls have commas",
			"write in [a, b] for one of several; conditions are joined with and, or", ""},
	}},
	{"5", []want{
		{"R0119", "1:1-1:2", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{`"text"`, []want{
		{"R0119", "1:1-1:7", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"75%", []want{
		{"R0119", "1:1-1:4", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"[a, b]", []want{
		{"R0119", "1:1-1:7", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"50% > 10%", []want{
		{"R0119", "1:1-1:10", "the comparison reads no fact", "write a fact on one side, as in turn_count > 10",
			""},
	}},
	{"1 < x < 5", []want{
		{"R0120", "1:7-1:8", "comparisons cannot be chained", "write 1 < x and x < 5", "1 < x and x < 5"},
	}},
	{"-5", []want{
		{"R0119", "1:1-1:3", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"vars.n > -1e3", []want{
		{"R0109", "1:10-1:14", `"-1e3" is not how a number is written`,
			"write -1000: powers and other bases are spelt out", "vars.n > -1000"},
	}},
	{"vars.n in [1, - .5]", []want{
		{"R0109", "1:15-1:19", `"- .5" is not how a number is written`, "write -0.5: a number begins with a digit",
			"vars.n in [1, -0.5]"},
	}},
	{"vars.wait < -5 minutes", []want{
		{"R0109", "1:13-1:23", `"-5 minutes" is not how a number is written`,
			"write -5m: a duration has no blanks", "vars.wait < -5m"},
	}},
	{"-9007199254740993 < vars.n", []want{
		{"R0109", "1:1-1:18", "the number is too small", "write at least -9007199254740992", ""},
	}},
	{"turn_count > .5", []want{
		{"R0109", "1:14-1:16", `".5" is not how a number is written`, "write 0.5: a number begins with a digit",
			"turn_count > 0.5"},
	}},
	{"turn_count > 5.", []want{
		{"R0109", "1:14-1:16", `"5." is not how a number is written`,
			"write 5: a decimal point has digits behind it", "turn_count > 5"},
	}},
	{"turn_count > 1e3", []want{
		{"R0109", "1:14-1:17", `"1e3" is not how a number is written`,
			"write 1000: powers and other bases are spelt out", "turn_count > 1000"},
	}},
	{"turn_count > 1_000", []want{
		{"R0109", "1:14-1:19", `"1_000" is not how a number is written`, "write 1000: digits are not grouped",
			"turn_count > 1000"},
	}},
	{"turn_count > 0x10", []want{
		{"R0109", "1:14-1:18", `"0x10" is not how a number is written`,
			"write 16: powers and other bases are spelt out", "turn_count > 16"},
	}},
	{"turn_count > 10K", []want{
		{"R0109", "1:14-1:17", `"10K" is not how a number is written`, "write 10k: a thousand is a small k",
			"turn_count > 10k"},
	}},
	{"elapsed > 3h30", []want{
		{"R0109", "1:11-1:15", `"3h30" is not how a number is written`,
			"write 3h30m: the units are ns, us, ms, s, m, h and d", "elapsed > 3h30m"},
	}},
	{"elapsed > 3h30x", []want{
		{"R0109", "1:11-1:16", `"3h30x" is not a number`, "write a number as 10, 4k, 0.5, 75%, $5 or 1h30m", ""},
	}},
	{"elapsed > 1hr30min or idle > 2Hours", []want{
		{"R0109", "1:11-1:19", `"1hr30min" is not how a number is written`,
			"write 1h30m: the units are ns, us, ms, s, m, h and d", "elapsed > 1h30m or idle > 2Hours"},
		{"R0109", "1:30-1:36", `"2Hours" is not how a number is written`,
			"write 2h: the units are ns, us, ms, s, m, h and d", "elapsed > 1hr30min or idle > 2h"},
	}},
	{"elapsed > 2w", []want{
		{"R0109", "1:11-1:13", `"2w" is not how a number is written`,
			"write 14d: the units are ns, us, ms, s, m, h and d", "elapsed > 14d"},
	}},
	{"elapsed > 1h 30m 5s and user_message", []want{
		{"R0109", "1:11-1:20", `"1h 30m 5s" is not how a number is written`,
			"write 1h30m5s: a duration has no blanks", "elapsed > 1h30m5s and user_message"},
	}},
	{"every 1h 30m", []want{
		{"R0109", "1:7-1:13", `"1h 30m" is not how a number is written`, "write 1h30m: a duration has no blanks",
			"every 1h30m"},
	}},
	{"every 30min", []want{
		{"R0109", "1:7-1:12", `"30min" is not how a number is written`,
			"write 30m: the units are ns, us, ms, s, m, h and d", "every 30m"},
	}},
	{"context_tokens > 4 k", []want{
		{"R0109", "1:18-1:21", `"4 k" is not how a number is written`, "write 4k: k stands right behind its number",
			"context_tokens > 4k"},
	}},
	{"context_tokens > 1 M", []want{
		{"R0109", "1:18-1:21", `"1 M" is not how a number is written`, "write 1M: M stands right behind its number",
			"context_tokens > 1M"},
	}},
	{"turn_gt 5 and user_message", []want{
		{"R0122", "1:1-1:10", `a colon is missing behind "turn_gt"`, "write turn_gt:5",
			"turn_gt:5 and user_message"},
	}},
	{"after_tool:[Edit, Bash] and user_message", []want{
		{"R0122", "1:12-1:24", "the arguments of a shorthand have no brackets", "write after_tool:Edit, Bash",
			"after_tool:Edit, Bash and user_message"},
	}},
	{"thread:{plan}", []want{
		{"R0122", "1:8-1:14", "the arguments of a shorthand have no brackets", "write thread:plan", "thread:plan"},
	}},
	{"after_tool:[Edit", []want{
		{"R0122", "1:12-1:17", "the arguments of a shorthand have no brackets",
			"write them with commas between, as in after_tool:Edit,Write", ""},
	}},
	{"after_tool:[]", []want{
		{"R0122", "1:12-1:14", "the arguments of a shorthand have no brackets",
			"write them with commas between, as in after_tool:Edit,Write", ""},
	}},
	{"turn_count > 3 == true", []want{
		{"R0120", "1:16-1:18", "comparisons cannot be chained", "put the first in parentheses",
			"(turn_count > 3) == true"},
	}},
	{"user_message == compacted != false and resumed", []want{
		{"R0120", "1:27-1:29", "comparisons cannot be chained", "put the first in parentheses",
			"(user_message == compacted) != false and resumed"},
	}},
	{"1 == turn_count == 1", []want{
		{"R0120", "1:17-1:19", "comparisons cannot be chained", "write 1 == turn_count and turn_count == 1",
			"1 == turn_count and turn_count == 1"},
	}},
	{"turn_count != 3 != 4", []want{
		{"R0120", "1:17-1:19", "comparisons cannot be chained", "write turn_count != 3 and turn_count != 4",
			"turn_count != 3 and turn_count != 4"},
	}},
	{"after_tool Edit", []want{
		{"R0122", "1:1-1:16", `a colon is missing behind "after_tool"`, "write after_tool:Edit", "after_tool:Edit"},
	}},
	{"tool_used in (Edit, Bash) and user_message", []want{
		{"R0124", "1:14-1:26", "a list stands in square brackets", "write in [Edit, Bash]",
			"tool_used in [Edit, Bash] and user_message"},
	}},
	{"tool_used == {Edit}", []want{
		{"R0124", "1:14-1:20", "a list stands in square brackets", "write in [Edit]", "tool_used in [Edit]"},
	}},
	{"turn_count in (3)", []want{
		{"R0124", "1:15-1:18", "a list stands in square brackets", "write in [3]", "turn_count in [3]"},
	}},
	{`prompt =~ "x"`, []want{
		{"R0110", "1:8-1:10", `"=~" is not an operator`, "write matches", `prompt matches "x"`},
	}},
	{`prompt!~"x"`, []want{
		{"R0110", "1:7-1:9", `"!~" is not an operator`, "write not matches", `prompt not matches "x"`},
	}},
	{`prompt starts with "x"`, []want{
		{"R0114", "1:8-1:19", `"starts with" is not an operator`, "did you mean startsWith?",
			`prompt startsWith "x"`},
	}},
	{`repeated_tool_chain:"Read"|x`, []want{
		{"R0110", "1:27-1:28", `"|" is not an operator`, "write or", `repeated_tool_chain:"Read" or x`},
	}},
	{`after_tool:"Read"|3`, []want{
		{"R0110", "1:18-1:19", `"|" is not an operator`, "write or", `after_tool:"Read" or 3`},
		{"R0119", "1:19-1:20", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"model == 4o-mini", []want{
		{"R0109", "1:10-1:17", `"4o-mini" is not a number`, `quote text that begins with a digit: "4o-mini"`,
			`model == "4o-mini"`},
	}},
	{"turn_count > 99999999999999999999", []want{
		{"R0109", "1:14-1:34", "the number is too large", "write at most 9007199254740992", ""},
	}},
	{"elapsed > 9999999999h", []want{
		{"R0109", "1:11-1:22", `"9999999999h" is longer than a duration can be`, "write a shorter one", ""},
	}},
	{"context_usage > 75 %", []want{
		{"R0113", "1:20-1:21", `a value is missing after "%"`, "a percentage is written without a blank",
			"context_usage > 75%"},
	}},
	{"after_tool:", []want{
		{"R0122", "1:1-1:12", `an argument is missing after "after_tool:"`,
			"write it behind the colon, as in after_tool:Edit or turn_gt:20", ""},
	}},
	{"after_tool:Edit,", []want{
		{"R0122", "1:16-1:17", `an argument is missing after ","`, "delete the comma, or write another argument",
			"after_tool:Edit"},
	}},
	{"after_tool:Edit,,Write", []want{
		{"R0122", "1:16-1:17", `an argument is missing after ","`, "delete the comma, or write another argument",
			"after_tool:Edit,Write"},
	}},
	{"after_tool:,Edit", []want{
		{"R0122", "1:1-1:12", `an argument is missing after "after_tool:"`,
			"write it behind the colon, as in after_tool:Edit or turn_gt:20", ""},
	}},
	{"after_tool: and a", []want{
		{"R0122", "1:1-1:12", `an argument is missing after "after_tool:"`,
			"write it behind the colon, as in after_tool:Edit or turn_gt:20", ""},
	}},
	{"turn_gt:", []want{
		{"R0122", "1:1-1:9", `an argument is missing after "turn_gt:"`,
			"write it behind the colon, as in after_tool:Edit or turn_gt:20", ""},
	}},
	{"not:always", []want{
		{"R0122", "1:1-1:5", `"not" is an operator, not a shorthand`, "write a blank in place of the colon",
			"not always"},
	}},
	{"Not:always", []want{
		{"R0122", "1:1-1:5", `"not" is an operator, not a shorthand`, "write a blank in place of the colon",
			"not always"},
	}},
	{"every:5 turns", []want{
		{"R0122", "1:1-1:7", `"every" has no colon`, "write a blank in place of the colon", "every 5 turns"},
	}},
	{"always:x", []want{
		{"R0122", "1:1-1:8", `"always" is a whole condition`, "leave out the colon and what follows it", ""},
	}},
	{"after_tool:Edit == true", []want{
		{"R0122", "1:17-1:19", `"after_tool:Edit" is a whole condition`,
			"join it with others by and / or; quote an argument that has other characters", ""},
	}},
	{"(after_tool:Edit) == true", []want{
		{"R0122", "1:2-1:13", "a shorthand is a whole condition", "join it with others by and / or", ""},
	}},
	{"every", []want{
		{"R0123", "1:1-1:6", `"every" needs a count or a time`,
			"write one of `every 5 turns`, `every 5 user turns` or `every 5m`", ""},
	}},
	{"every turns", []want{
		{"R0123", "1:7-1:12", `"every" needs a count`, "write every 1 turn", "every 1 turn"},
	}},
	{"every 5", []want{
		{"R0123", "1:7-1:8", `the unit of "every 5" is missing`, "write 5 turns, 5 user turns or 5m",
			"every 5 turns"},
	}},
	{"every five turns", []want{
		{"R0123", "1:7-1:11", `"five" is not a count`, "write 5", "every 5 turns"},
	}},
	{"every 0 turns", []want{
		{"R0123", "1:7-1:8", `"every 0" would never come`, "write at least 1", "every 1 turns"},
	}},
	{"every 0s", []want{
		{"R0123", "1:7-1:9", `"every 0s" would never come`, "write at least 1", ""},
	}},
	{"every -5 turns", []want{
		{"R0121", "1:7-1:9", "a cadence counts from 1",
			"write one of `every 5 turns`, `every 5 user turns` or `every 5m`", ""},
	}},
	{"every 1.5 turns", []want{
		{"R0123", "1:7-1:10", `"1.5" is not a whole number`, "write one of `every 5 turns`, `every 5 user turns` or `every 5m`",
			""},
	}},
	{"every 10k turns", []want{
		{"R0123", "1:7-1:10", `"10k" is not a whole number`, "write 10000", "every 10000 turns"},
	}},
	{"every 5 minutes", []want{
		{"R0109", "1:7-1:16", `"5 minutes" is not how a number is written`, "write 5m: a duration has no blanks", "every 5m"},
	}},
	{"every 5 Turns", []want{
		{"R0123", "1:9-1:14", `"Turns" is not a unit`, "write turns", "every 5 turns"},
	}},
	{"every 5turns", []want{
		{"R0109", "1:7-1:13", `"5turns" is not how a number is written`,
			"write 5 turns: a blank stands before the unit", "every 5 turns"},
	}},
	{"every 5 user", []want{
		{"R0123", "1:9-1:13", `"user" is not a unit`, "write user turns", "every 5 user turns"},
	}},
	{"elapsed > 1 hour 30 minutes", []want{
		{"R0109", "1:11-1:28", `"1 hour 30 minutes" is not how a number is written`,
			"write 1h30m: a duration has no blanks", "elapsed > 1h30m"},
	}},
	{"turn_gt:20 turns", []want{
		{"R0109", "1:9-1:17", `"20 turns" is not how a number is written`, "write 20: what is counted has no unit",
			"turn_gt:20"},
	}},
	{"compacted but not resumed", []want{
		{"R0115", "1:11-1:14", `"but" does not join conditions`, "write and", "compacted and not resumed"},
	}},
	{"hour >= 22 or < 6", []want{
		{"R0113", "1:15-1:16", `a value is missing before "<"`, "write hour < 6", "hour >= 22 or hour < 6"},
	}},
	{`prompt contains "a" or "b"`, []want{
		{"R0119", "1:24-1:27", "a value alone is not a condition", `write prompt contains "b"`,
			`prompt contains "a" or prompt contains "b"`},
	}},
	{`prompt not contains "a" or "b"`, []want{
		{"R0119", "1:28-1:31", "a value alone is not a condition",
			"compare it with a fact, as in turn_count > 10", ""},
	}},
	{"every 2 days", []want{
		{"R0109", "1:7-1:13", `"2 days" is not how a number is written`, "write 2d: a duration has no blanks", "every 2d"},
	}},
	{"every 5 weeks", []want{
		{"R0109", "1:7-1:14", `"5 weeks" is not how a number is written`, "write 35d: a duration has no blanks", "every 35d"},
	}},
	{"every == 5", []want{
		{"R0123", "1:7-1:9", `"==" is not a count`, "write one of `every 5 turns`, `every 5 user turns` or `every 5m`", ""},
	}},
	{`prompt == "abc`, []want{
		{"R0107", "1:11-1:15", "the quoted text is not closed", `put a " at its end`, `prompt == "abc"`},
	}},
	{"prompt == 'abc", []want{
		{"R0107", "1:11-1:15", "the quoted text is not closed", "put a ' at its end", "prompt == 'abc'"},
	}},
	{"prompt matches `abc", []want{
		{"R0107", "1:16-1:20", "the quoted text is not closed", "put a ` at its end", "prompt matches `abc`"},
	}},
	{`prompt == "abc\`, []want{
		{"R0107", "1:11-1:16", "the quoted text is not closed", `put a " at its end`, ""},
	}},
	{"turn_count > 5;", []want{
		{"R0106", "1:15-1:16", "nothing ends a trigger", "delete it", "turn_count > 5"},
	}},
	{"model == a@b", []want{
		{"R0106", "1:11-1:12", `"@" means nothing here`,
			"quote text that has other characters than letters, digits and _ . : / * -", ""},
	}},
	{"A(0*@A)", []want{
		{"R0106", "1:5-1:7", `"@A" is a class of tools, and no tool is named here`,
			"a class stands where a tool does, as in after_tool:@edit", ""},
	}},
	{"turn_count*@edit > 1 and resumed", []want{
		{"R0106", "1:12-1:17", `"@edit" is a class of tools, and no tool is named here`,
			"a class stands where a tool does, as in after_tool:@edit", ""},
	}},
	{"größe > 5", []want{
		{"R0106", "1:1-1:6", `names are written with A to Z, digits and _: "größe" is not`,
			"quote it if it is a text", ""},
	}},
	{"thread_type == größe", []want{
		{"R0106", "1:16-1:21", `text with other letters than A to Z is quoted: "größe" is not`, `write "größe"`,
			`thread_type == "größe"`},
	}},
	{"tаol_used == bash", []want{
		{"R0105", "1:1-1:10", `"tаol_used" has letters that only look like taol_used`, "write taol_used",
			"taol_used == bash"},
	}},
	{"a → b", []want{
		{"R0106", "1:3-1:4", `"→" means nothing here`, "quote it if it is part of a text", ""},
	}},
	{"prompt == “big plan”", []want{
		{"R0105", "1:11-1:21", `the quotes around "big plan" are not plain quotes`, `write "big plan"`,
			`prompt == "big plan"`},
	}},
	{"prompt == “big plan", []want{
		{"R0105", "1:11-1:12", `"“" is not a plain quote`, `write "`, `prompt == "big plan`},
	}},
	{"turn_count ≥ 10", []want{
		{"R0105", "1:12-1:13", `"≥" only looks like >=`, "write >=", "turn_count >= 10"},
	}},
	{"turn_count ＝ 10", []want{
		{"R0105", "1:12-1:13", `"＝" only looks like ==`, "write ==", "turn_count == 10"},
	}},
	{"（a）", []want{
		{"R0105", "1:1-1:2", `"（" only looks like (`, "write (", "(a）"},
		{"R0105", "1:3-1:4", `"）" only looks like )`, "write )", "（a)"},
	}},
	{"a ∧ b", []want{
		{"R0105", "1:3-1:4", `"∧" only looks like and`, "write and", "a and b"},
	}},
	{"turn_count\u00a0> 5", []want{
		{"R0105", "1:11-1:12", "U+00A0 is not the blank of the keyboard", "write a plain blank", "turn_count > 5"},
	}},
	{"turn_count\u200b > 5", []want{
		{"R0105", "1:11-1:12", "there is an invisible character here, U+200B", "delete it", "turn_count > 5"},
	}},
	{"turn_count \x00> 5", []want{
		{"R0104", "1:12-1:13", `"\x00" is not text`, "delete it, and save the file as UTF-8", "turn_count > 5"},
	}},
	{"turn_count \xff\xff> 5", []want{
		{"R0104", "1:12-1:14", `"\xff\xff" is not text`, "delete it, and save the file as UTF-8", "turn_count > 5"},
	}},
	{"prompt == \"a\xffb\"", []want{
		{"R0104", "1:13-1:14", `"\xff" is not text`, "delete it, and save the file as UTF-8", `prompt == "ab"`},
	}},
	{"turn_count > 5 // soon", []want{
		{"R0127", "1:16-1:18", "a trigger has no comments", "put it into the description", "turn_count > 5 "},
	}},
	{"turn_count /* x */ > 5", []want{
		{"R0127", "1:12-1:14", "a trigger has no comments", "put it into the description", "turn_count  > 5"},
	}},
	{"after_tool:Bash(git *", []want{
		{"R0117", "1:16-1:17", "the parenthesis of the call pattern is not closed",
			"put ) where it ends, as in after_tool:Bash(git push*)", ""},
	}},
	{"after_tool:Bash (git push*) and compacted", []want{
		{"R0122", "1:16-1:28", "no blank stands before the parenthesis of a call pattern", "delete it",
			"after_tool:Bash(git push*) and compacted"},
	}},
	{"after_tool:Bash(git *)x", []want{
		{"R0122", "1:23-1:24", "a call pattern ends with its closing parenthesis",
			"write a comma before the next one, or a blank and and, or or", ""},
	}},
	{"tool_used == Bash(git push*)", []want{
		{"R0116", "1:14-1:29", "a call pattern with parentheses is quoted here", `write "Bash(git push*)"`,
			`tool_used == "Bash(git push*)"`},
	}},
	{"tool_used in [@edit(*.env)]", []want{
		{"R0116", "1:15-1:27", "a call pattern with parentheses is quoted here", `write "@edit(*.env)"`,
			`tool_used in ["@edit(*.env)"]`},
	}},
	{"cost > 5$", []want{
		{"R0109", "1:8-1:10", `"5$" is not how a number is written`, "write $5: the sign stands before the amount",
			"cost > $5"},
	}},
	{"cost > 5 dollars", []want{
		{"R0109", "1:8-1:17", `"5 dollars" is not how a number is written`,
			"write $5: the sign stands before the amount",
			"cost > $5"},
	}},
	{"cost > 5usd", []want{
		{"R0109", "1:8-1:12", `"5usd" is not how a number is written`,
			"write $5: the sign stands before the amount",
			"cost > $5"},
	}},
	{"cost > $5k", []want{
		{"R0109", "1:8-1:11", `"$5k" is not how a number is written`,
			"write $5000: the sign stands before the amount",
			"cost > $5000"},
	}},
	{"cost > $.5", []want{
		{"R0109", "1:8-1:11", `"$.5" is not how a number is written`,
			"write $0.5: the sign stands before the amount",
			"cost > $0.5"},
	}},
	{`prompt contains "\d+"`, []want{
		{"R0108", "1:18-1:20", `"\\d" is not an escape`, `write \\ for a backslash`, `prompt contains "\\d+"`},
	}},
	{"x == a:and + 1", []want{
		{"R0113", "1:7-1:8", `a value is missing after ":"`,
			"write what is compared, as in turn_count > 10", ""},
		{"R0119", "1:12-1:15", "a value alone is not a condition", "compare it with a fact, as in turn_count > 10",
			""},
	}},
	{"thread_type is not root", []want{
		{"R0114", "1:13-1:19", `"is not" is not an operator`, "did you mean !=?", "thread_type != root"},
	}},
	{"turn_count greater than 10", []want{
		{"R0114", "1:12-1:24", `"greater than" is not an operator`, "did you mean >?", "turn_count > 10"},
	}},
	{"context_usage > 75percent", []want{
		{"R0109", "1:17-1:26", `"75percent" is not how a number is written`, "write 75%: a share is written with %",
			"context_usage > 75%"},
	}},
	{"a and @b", []want{
		{"R0106", "1:7-1:8", `"@" means nothing here`, "delete it: names have no sign before them", "a and b"},
	}},
	{"$a > 1", []want{
		{"R0106", "1:1-1:3", `"$a" means nothing here`, "write a: names have no sign before them", "a > 1"},
	}},
	{"model in [\"plan, learn]", []want{
		{"R0107", "1:11-1:24", "the quoted text is not closed", `put a " at its end`, ""},
	}},
	{"turn_count = 10 and tool_used bash or every 0 turns", []want{
		{"R0110", "1:12-1:13", `"=" is not an operator`, "write ==",
			"turn_count == 10 and tool_used bash or every 0 turns"},
		{"R0114", "1:31-1:35", `an operator is missing between "tool_used" and "bash"`, "write tool_used == bash",
			"turn_count = 10 and tool_used == bash or every 0 turns"},
		{"R0123", "1:45-1:46", `"every 0" would never come`, "write at least 1",
			"turn_count = 10 and tool_used bash or every 1 turns"},
	}},
}
