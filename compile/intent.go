package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// This file is the table of intents: the words of other tools and of everyday speech, each with the trigger
// that says the same. It makes hints better and finds no mistakes: intended looks at diagnostics that are
// there, and a rewrite that does not compile is never shown.

// rewrite turns words that people write into a trigger. The replacement has the form of regexp.Expand.
type rewrite struct{ pattern, text string }

// keyed are words for which a reminder has a key. The rewrite is what remains of the trigger, and the hint
// says the rest.
var keyed = []struct{ pattern, text, hint string }{
	{`^(.+?) for (?:at least )?(\d+ (?:user )?turns?|\d+[smhd])$`, `${1}`,
		"how long it must hold is a key: `for: ${2}`"},
	{`^(.+?),? (?:only |at most )?once$`, `${1}`, "how often it may fire is a key: `max_fires: 1`"},
	{`^(.+?),? (?:at most |only )?(\d+) times$`, `${1}`, "how often it may fire is a key: `max_fires: ${2}`"},
	{`\bevery (?:\$\d[\d.]*|\d+k? tokens|\d+%.*)$`, `every 20 turns`,
		"a cadence counts turns or time, as in every 20 turns; or compare cost, output_tokens or context_usage"},
}

// exact are words that can mean one thing alone: their rewrite stands before any other hint.
var exact = []rewrite{
	{`\btool_(?:called|use)[:=] ?([A-Z@][\w*,]*(?:\([^()]*\))?)`, `after_tool:${1}`},
	{`\b(after_tool|before_tool|tool_failed) ?(?:==?|\() ?"?([A-Z@][\w*,]*)"?\)?`, `${1}:${2}`},
	{`\b(after_tool|before_tool|tool_failed) ([A-Z@][\w*]*\([^()]*\))`, `${1}:${2}`},
	{`\bcalls\.(?:any|some)\(\(?\w+\)? *=> *\w+\.(\w+)([^()]*)\)`, `any(calls, .${1}${2})`},
	{`\btool_used\.(?:includes|contains|has)\("([^"]*)"\)`, `tool_used == "${1}"`},
	{`\b([a-z_]+) (?:isn't|isnt) (\S+)$`, `${1} != ${2}`},
	{`^(.+?),? then$`, `${1}`},
	{`\bpath (?:under|below|inside|within|in) "?([\w.-]+(?:/[\w.-]+)*)/?"?$`, `after_tool:@edit(${1}/**)`},
	{`\bevery (?:other|second|2nd) turn\b`, `every 2 turns`},
	{`\b(elapsed|idle) *([<>]=?) *(\d+):(\d\d)\b`, `${1} ${2} ${3}h${4}m`},
	{`\b(elapsed|idle) *([<>]=?) *(?:1|a|one) weeks?\b`, `${1} ${2} 7d`},
	{`\bcost *([<>]=?) *(\d+)(\d\d) cents?\b`, `cost ${1} $$${2}.${3}`},
	{`\b(prompt|response|branch) (?:is|==) (?:empty|blank)\b`, `${1} == ""`},
	{`\b(?:edited|changed|wrote)\("([^"]+)"\)`, `after_tool:@edit(${1})`},
	{`\b(prompt|response|path|command|output)\.(?:length|size|len)\b(?:\(\))?`, `len(${1})`},
	{`\b(prompt|response|path|command|output) contains ("[^"]*") and not contains ("[^"]*")`,
		`${1} contains ${2} and not ${1} contains ${3}`},
	{`\b(prompt|response|path|command|output) contains (\w+) or (\w+)$`,
		`${1} contains "${2}" or ${1} contains "${3}"`},
	{`\bcalled_since\((@?[\w*]+(?:\([^()"]*\))?), *(@?[\w*]+(?:\([^()"]*\))?)\)`,
		`called_since("${1}", "${2}")`},
	{`\b(used|tool_count|turns_since_tool)\((@?[\w*]+\([^()"]*\))\)`, `${1}("${2}")`},
	{`\bany\((path|command|output), *(?:\.|it|x)? ?(endsWith|startsWith|contains|matches) ("[^"]*")\)`,
		`${1} ${2} ${3}`},
	{`\b(any|all|none|one|count)\(calls, (?:call|c|it|x)\.(\w+)([^()]*)\)`, `${1}(calls, .${2}${3})`},
	{`\bafter_tool: ?not ([A-Z@][\w*]*)`, `not after_tool:${1}`},
	{`\bafter_tool:([A-Z@][\w*]*(?:\([^()]*\))?) and (Bash|Edit|Write|Read|Grep|Glob|Task|TodoWrite|WebFetch)$`,
		`after_tool:${1} and after_tool:${2}`},
	{`\bafter_tool:([A-Z@][\w*]*(?:\([^()]*\))?) within (\d+) turns?$`, `turns_since_tool("${1}") <= ${2}`},
	{`\bnever used\(("[^"]*")\)`, `not used(${1})`},
	{`\b(prompt|response|path|command|output) matches "([^"]*)" i$`, `${1} matches "(?i)${2}"`},
	{`\bbefore:tool:([\w@*]+)`, `before_tool:${1}`},
	{`\bweekday in sat(?:urday)?-sun(?:day)?\b`, `weekday in [sat, sun]`},
	{`\bweekday in mon(?:day)?-fri(?:day)?\b`, `weekday not in [sat, sun]`},
	{`^(every \d.+?) while (.+)$`, `${1} and ${2}`},
	{`\b([a-z_]+) > (\d+%?) or more$`, `${1} >= ${2}`},
	{`^([<>]=? *\d+(?:\.\d+)?%)$`, `context_usage ${1}`},
	{`^user message$`, `user_message`},
	{`^manual only$`, `manual`},
	{`\b(any|all|none|one|count)\(calls, (tool|class|command|path|output|failed)\b([^()]*)\)`,
		`${1}(calls, .${2}${3})`},
	{`\bcontext[ -]usage( *[<>]=? *[\d.]+%?)`, `context_usage${1}`},
	{`\bcount\(calls\)`, `len(calls)`},
	{`\b(prompt|response|command|path|output) does not contain ("[^"]*")`, `not ${1} contains ${2}`},
	{`\b(prompt|response|command|path|output) like "%([^%"]*)%"`, `${1} contains "${2}"`},
	{`\b(prompt|response|command|path|output)\.(?:includes|contains)\(("[^"]*")\)`, `${1} contains ${2}`},
	{`\b(prompt|response|command|path|output)\.starts_?[wW]ith\(("[^"]*")\)`, `${1} startsWith ${2}`},
	{`\b(prompt|response|command|path|output)\.ends_?[wW]ith\(("[^"]*")\)`, `${1} endsWith ${2}`},
	{`\bcalls\.(?:length|size|count)\b`, `len(calls)`},
	{`\b(?:window|context_window|context|percentage) *> *(\d+%)`, `context_usage > ${1}`},
	{`\bcontext[ -](window|tokens)\b`, `context_${1}`},
	{`\bthread *={1,3} *"?([a-z]\w*)"?`, `thread:${1}`},
	{`\b([a-z]+_(?:count|in_row|usage|tokens|calls)|hour|cost|elapsed|idle) between ` +
		`(\$?\d[\w.%]*) and (\$?\d[\w.%]*)`,
		`${1} >= ${2} and ${1} <= ${3}`},
	{`\b(context_usage|cost|elapsed|idle) (\d+%|\$\d+|\d+[smhd])$`, `${1} > ${2}`},
	{`\buser_message (?:==|is) ("[^"]*")`, `prompt contains ${1}`},
	{`\b(prompt|response) icontains ("[^"]*")`, `lower(${1}) contains ${2}`},
	{`\b(prompt|response)\.(?:lower|toLower|toLowerCase)\(\)`, `lower(${1})`},
	{`\bused\("([^"]+)", *"([^"]+)"\)`, `(used("${1}") or used("${2}"))`},
	{`\btool_count\("([^"]+)", *"([^"]+)"\)`, `(tool_count("${1}") + tool_count("${2}"))`},
	{`\btool_failed:(\S+) *>=? *(\d+)`, `tool_failed:${1} and failures_in_row >= ${2}`},
	{`\b(prompt|response|command|path|output) contains \["([\w ]*)", *"([\w ]*)"\]`, `${1} matches "${2}|${3}"`},
	{`\bcalls\[\d+\]\.(tool|class|command|path|output) *== *("[^"]*")`, `any(calls, .${1} == ${2})`},
	{`\bpath (?:==|contains|endsWith) \*?(\.[\w.-]+)`, `path endsWith "${1}"`},
	{`\b(?:context_left|tokens_left|tokens left|remaining tokens) *< *(\d+)k`,
		`context_window - context_tokens < ${1}000`},
	{`\bturns_since\(([A-Za-z][\w.-]*)\)`, `turns_since("${1}")`},
	{`\bhour *(>=?|==|<=?) *(1[0-2]|[1-9]) ?am\b`, `hour ${1} ${2}`},
}

// phrases are several words, or a word with its arguments.
var phrases = []rewrite{
	// hookify, Claude Code, and permission rules
	{`\bPreToolUse[:=] ?([\w@*|,-]+(?:\([^()]*\))?)`, `before_tool:${1}`},
	{`\b(?:PostToolUse|tools?|on|used|called|after|ran)[:=] ?([A-Z@][\w*,]*(?:\([^()]*\))?)`,
		`after_tool:${1}`},
	{`\bbefore[:=] ?([\w@*,]+(?:\([^()]*\))?)`, `before_tool:${1}`},
	{`\b(?:file_changed|file_edited|edited|changed|on_edit)[:=] ?([^\s,()]+)`, `after_tool:@edit(${1})`},
	{`\b(?:bash|shell|command|cmd|run)[:=] ?"?([^"]+?)"?$`, `after_tool:@shell(${1}*)`},
	{`^([A-Z]\w*|@[a-z]+)\(([^()"]+?):\*\)$`, `after_tool:${1}(${2}*)`},
	{`^((?:[A-Z]\w*|mcp__\w+|@[a-z]+)(?:\([^()"]+\))?)$`, `after_tool:${1}`},
	{`^([A-Z]\w+) (?:or|\|\|) ([A-Z]\w+)$`, `after_tool:${1},${2}`},
	{`\b(?:event|hook_event_name|hook_event) *==? *"?(?:Stop|stop)"?`, `stopping`},
	{`\b(?:event|hook_event_name|hook_event) *==? *"?(?:PreToolUse|bash)"?`, `before_tool:Bash`},
	{`\b(?:event|hook_event_name|hook_event) *==? *"?(?:UserPromptSubmit|prompt)"?`, `user_message`},
	{`\b(?:bash|shell|shell_command|bash_command|cmd) +(contains|matches|startsWith|endsWith) +("[^"]*")`,
		`command ${1} ${2}`},
	{`\b(?:cost_total|total_cost|session_cost) *([<>]=?) *\$?(\d)`, `cost ${1} $$${2}`},
	{`\bturns_since_edit\b`, `turns_since_tool("@edit")`},
	// tools
	{`\b(?:bash|shell|exec)\("([^"]+)"\)`, `used("@shell(${1}*)")`},
	{`\b(?:ran|has_run|did_run|executed)\("([^"]*[ /][^"]*)"\)`, `used("@shell(${1}*)")`},
	{`\b(?:ran|called|has_used|was_used|use|has_run|did_run)\("([^"]+)"\)`, `used("${1}")`},
	{`\b(?:since|turns_since_call|since_tool)\("([^"]+)"\)`, `turns_since_tool("${1}")`},
	{`\b(?:count_tool|calls_of|times_used|tool_calls)\("([^"]+)"\)`, `tool_count("${1}")`},
	{`\btool_calls\.(\w+)`, `tool_count("${1}")`},
	{`\b(?:not|never)_(?:called|used|run|ran)\("([^"]*[ /][^"]*)"\)`, `not used("@shell(${1}*)")`},
	{`\b(?:not|never)_(?:called|used|run|ran)\("([^"]+)"\)`, `not used("${1}")`},
	{`\bnot used +"?([\w@*]+)"?`, `not used("${1}")`},
	{`\bnever used +"?([\w@*]+)"?`, `not used("${1}")`},
	{`\bused +"?([\w@*]+)"?`, `used("${1}")`},
	{`\b(?:ran|run) (?:the )?tests?\b`, `used("@shell(*test*)")`},
	{`\b(?:the )?tests? (?:have )?fail(?:ed|s)?\b`, `tool_failed:@shell(*test*)`},
	{`\b([A-Z]\w*) (?:has )?fail(?:ed|s)\b`, `tool_failed:${1}`},
	{`\bafter (?:tool |every |each |an? )?([A-Z]\w*)\b`, `after_tool:${1}`},
	{`\bbefore (?:tool |every |each |an? )?([A-Z]\w*)\b`, `before_tool:${1}`},
	{`\b(?:tool|last_tool|tool_name|tool_used) (?:is|was) "?([A-Z]\w*)"?`, `tool_used == ${1}`},
	{`^(?:(?:on|before|at) )?(?:the )?(?:git )?(commit|push|merge|rebase)$`, `before_tool:@shell(git ${1}*)`},
	{`^"?(git|npm|make|docker|cargo|rm|kubectl|terraform) ([\w -]+?)"?$`, `before_tool:@shell(${1} ${2}*)`},
	{`^(?:the )?agent (?:stops|ends|finishes|is done)$|^(?:at|on|before) (?:stopping|stop|end|the end)$`,
		`stopping`},
	{`^([A-Z]\w*) ?(?:>|then) ?([A-Z]\w*)$`, `repeated_tool_chain:${1}>${2}|3`},
	// time and count
	{`\b([a-z_]+) (?:rises|goes|gets|climbs|grows|crosses|passes|reaches|hits)(?: (?:above|over|past|to))? ` +
		`(\$?\d[\w.%]*)`, `${1} > ${2}`},
	{`\b([a-z_]+) (?:falls|drops|sinks|goes) (?:below|under|to) (\$?\d[\w.%]*)`, `${1} < ${2}`},
	{`^(?:each|every) (user_message|compacted|resumed|last_tool_call_failed|after_tool:\S+)$`, `${1}`},
	{`\bevery (\d+) (?:edits|changes)\b`, `after_tool:@edit and tool_count("@edit") % ${1} == 0`},
	{`\bevery (\d+) (?:tools|tool calls|tool uses)\b`, `every ${1} turns`},
	{`\beach (\d+) (?:turns?|calls?|steps?|requests?)\b`, `every ${1} turns`},
	{`\b(?:each|every) (?:turn|call|step|request)\b`, `every 1 turn`},
	{`\b(?:each|every) (\d+) (?:calls?|steps?|requests?|times?)\b`, `every ${1} turns`},
	{`\b(?:each|every) (\d+) (?:messages?|prompts?|questions?)\b`, `every ${1} user turns`},
	{`\b(?:each|every) (?:user turn|message|prompt|user message)\b`, `user_message`},
	{`\b(?:each|every) minute\b`, `every 1m`},
	{`\b(?:each|every) hour\b`, `every 1h`},
	{`\b(?:each|every) day\b`, `every 1d`},
	{`\bevery (\d+) turns? or (\d+[smhd])$`, `every ${1} turns or every ${2}`},
	{`^(?:turn )?(\d+) turns?$`, `every ${1} turns`},
	{`^(?:after|more than|over) (\d+) turns?\b`, `turn_count > ${1}`},
	{`^(?:after|more than|over) (\d+) (?:failures|errors)\b`, `failures_in_row > ${1}`},
	{`^(\d+) (?:failures?|errors?)(?: in a row)?$`, `failures_in_row >= ${1}`},
	{`^(?:turn|turn_count) (\d+)$`, `turn_count >= ${1}`},
	{`\bfirst (?:turn|message|request|prompt)\b`, `started`},
	{`^(?:after|hour >=?|time >=?) (\d\d?):\d\d$`, `hour >= ${1}`},
	{`^(?:before|hour <=?|time <=?) (\d\d?):\d\d$`, `hour < ${1}`},
	{`^at (\d\d?):\d\d$`, `hour == ${1}`},
	{`^once per (?:session|run)$`, `always`},
	{`\bcontext_(?:left|remaining|free) *< *10%`, `context_usage > 90%`},
	{`\bcontext_(?:left|remaining|free) *< *20%`, `context_usage > 80%`},
	{`\bcontext_(?:left|remaining|free) *< *25%`, `context_usage > 75%`},
	{`\bcontext_(?:left|remaining|free) *< *\d+%`, `context_usage > 80%`},
	{`\b(?:minutes|mins) *> *(\d+)`, `elapsed > ${1}m`},
	{`\bhours *> *(\d+)`, `elapsed > ${1}h`},
	{`\b(?:percent|context_percent) *> *(\d+)%?$`, `context_usage > ${1}%`},
	{`\$(\d{1,3}),(\d{3})\b`, `$$${1}${2}`},
	{`€(\d+)|(\d+)€`, `$$${1}${2}`},
	{`\b(?:cost_usd|usd|dollars|money|price|budget|spent) *> *\$?(\d+)`, `cost > $$${1}`},
	{`\bcalls *(>=?) *(\d+)`, `len(calls) ${1} ${2}`},
	{`\b(?:exit_code|status|exit_status) *(?:!= *"?0"?|== *"?(?:1|failed|failure|error)"?)`,
		`last_tool_call_failed`},
	// texts
	{`\b(prompt|response|command|path|output) +(?:matches|=~) */(.+)/i`, `${1} matches "(?i)${2}"`},
	{`\b(prompt|response|command|path|output) +(?:matches|=~) */(.+)/`, `${1} matches "${2}"`},
	{`\b(prompt|response|command|path|output) +matches +(\(\?i\)[\w|-]+|\w+(?:\|\w+)+)$`, `${1} matches "${2}"`},
	{`\b(prompt|response|command|path|output) +~=? *"?([\w -]+)"?`, `${1} contains "${2}"`},
	{`(\.?\b[a-z][\w.]*|#) matches "\*+([\w./ -]+)\*+"`, `${1} contains "${2}"`},
	{`(\.?\b[a-z][\w.]*|#) matches "(?:\*\*/)?\*+([\w./ -]+)"`, `${1} endsWith "${2}"`},
	{`\b(?:prompt|user_message|message) +(?:==|=|is|contains) +([\w]+(?: \w+)+)$`, `prompt contains "${1}"`},
	{`\b(?:user |person )?(?:user_)?says? ("[^"]*")`, `prompt contains ${1}`},
	{`\buser_message (contains|matches|startsWith|endsWith)`, `prompt ${1}`},
	{`\b(?:tool_input\.)(command|cmd)\b`, `command`},
	{`\b(?:tool_input\.)(?:file_path|path|notebook_path)\b`, `path`},
	{`\bgit\.branch\b`, `branch`},
	{`^("[^"]+")$`, `prompt contains ${1}`},
	{`^(prompt|response|command|path|output) contains ("[^"]*") (?:or|\|\|) ("[^"]*")$`,
		`${1} contains ${2} or ${1} contains ${3}`},
	{`\b(prompt|response) contains ("[^"]*") (?:ignoring case|case.insensitive\w*)`,
		`lower(${1}) contains ${2}`},
	{`^(prompt|response|command|path|output) (contains|startsWith|endsWith) ([\w./-]+(?: [\w./-]+)?)$`,
		`${1} ${2} "${3}"`},
	{`\b(?:regex|regexp|match|matches|search)\((prompt|response|command|path|output), *("[^"]*")\)`,
		`${1} matches ${2}`},
	// joins
	{`^unless (\w+)$`, `not ${1}`},
	{`^unless (.+)$`, `not (${1})`},
	{`^(.+?) (?:unless|except) (\w+)$`, `${1} and not ${2}`},
	{`^(.+?) (?:unless|except) (.+)$`, `${1} and not (${2})`},
	{`^(.+?) then (?:remind|say|send|fire|warn|tell|show)\b.*$`, `${1}`},
}

// conditions are single words that stand for a condition, in lower case.
var conditions = map[string]string{
	"pretooluse": "before_tool:Bash", "pre_tool_use": "before_tool:Bash", "before_tool_use": "before_tool:Bash",
	"posttooluse": "after_tool:*", "post_tool_use": "after_tool:*", "after_tool_use": "after_tool:*",
	"stop": "stopping", "before_stop": "stopping", "on_stop": "stopping",
	"end": "stopping", "on_end": "stopping",
	"sessionend": "stopping", "session_end": "stopping", "done": "stopping", "finished": "stopping",
	"subagentstop": "stopping and thread_type != root", "subagent_done": "stopping and thread_type != root",
	"subagent_stop":    "stopping and thread_type != root",
	"userpromptsubmit": "user_message", "user_prompt_submit": "user_message", "on_prompt": "user_message",
	"sessionstart": "started",
	"precompact":   "compacted", "pre_compact": "compacted", "after_compact": "compacted",
	"after_compaction": "compacted", "on_compact": "compacted", "post_compact": "compacted",
	"first_message": "started", "is_first_turn": "started", "first_turn": "started", "on_start": "started",
	"after_edit": "after_tool:@edit", "on_edit": "after_tool:@edit", "file_changed": "after_tool:@edit",
	"edited": "after_tool:@edit", "after_bash": "after_tool:@shell", "before_bash": "before_tool:@shell",
	"subagent": "thread_type != root", "is_subagent": "thread_type != root", "plan_mode": "thread:plan",
	"todo_list_empty": `not used("@todo")`, "no_todos": `not used("@todo")`, "todos": `used("@todo")`,
	"hourly": "every 1h", "daily": "every 1d",
	"once": "always", "tests_failed": "tool_failed:@shell(*test*)", "test_failed": "tool_failed:@shell(*test*)",
	"tests_run": `used("@shell(*test*)")`, "tests_ran": `used("@shell(*test*)")`,
	"failure": "last_tool_call_failed", "tool_error": "last_tool_call_failed",
	"before_commit": "before_tool:@shell(git commit*)", "pre_commit": "before_tool:@shell(git commit*)",
	"on_commit": "after_tool:@shell(git commit*)", "after_commit": "after_tool:@shell(git commit*)",
	"before_push": "before_tool:@shell(git push*)", "pre_push": "before_tool:@shell(git push*)",
	"on_push": "after_tool:@shell(git push*)", "git_push": "after_tool:@shell(git push*)",
	"monday": "weekday == mon", "tuesday": "weekday == tue", "wednesday": "weekday == wed",
	"thursday": "weekday == thu", "friday": "weekday == fri", "saturday": "weekday == sat",
	"sunday":  "weekday == sun",
	"weekend": "weekday in [sat, sun]", "night": "hour >= 22 or hour < 6", "late": "hour >= 22 or hour < " +
		"6", "context_full": "context_usage > 80%",
}

// unseen are words for which no fact stands, in lower case, with the way out.
var unseen = map[string]string{
	"new_text":    `the text that a tool writes is no fact: look at what it did, as in path endsWith ".js"`,
	"old_text":    `the text that a tool replaces is no fact: look at what it did, as in path endsWith ".js"`,
	"content":     `the text that a tool writes is no fact: look at what it did, as in path endsWith ".js"`,
	"code":        `the text that a tool writes is no fact: look at what it did, as in path endsWith ".js"`,
	"exit_code":   "an exit code is no fact: write tool_failed:Bash, or last_tool_call_failed",
	"exit_status": "an exit code is no fact: write tool_failed:Bash, or last_tool_call_failed",
	"disabled":    "a reminder is switched off by a key: `enabled: false`",
	"status":      "write tool_failed:Bash, or last_tool_call_failed",
	"transcript": "the transcript is no fact: prompt is the latest message, response the previous answer, " +
		"output what the tools returned",
	"conversation": "the conversation is no fact: prompt is the latest message, response the previous answer",
	"history":      `the history is no fact: used("Bash") and tool_count("Bash") look back`,
	"env":          "the environment is no fact: a host may declare a fact of its own, vars.NAME",
	"os":           "the system is no fact: a host may declare a fact of its own, vars.NAME",
	"user":         "the person is no fact: a host may declare a fact of its own, vars.NAME",
	"date":         "the date is no fact: weekday and hour are",
	"now":          "the time is a fact: write hour >= 22, weekday == fri or elapsed > 1h",
	"random":       "nothing is left to chance: holdout: 20% holds a text back in a fifth of the runs",
	"notification": "notifications are no fact: stopping holds before the agent ends its work",
	"tool_input": "the input of a tool is seen by call patterns, as in after_tool:Bash(git push*) or " +
		"after_tool:@edit(*.env)",
	"todos":           `the number of tasks is no fact: turns_since_tool("@todo") > 15 says how old the list is`,
	"permissions":     "permissions are no fact: before_tool:Bash with pause: true holds a call back once",
	"permission_mode": "the mode is no fact: thread:plan is a planning thread",
	"errors":          "failures_in_row counts turns in a row with a failed call",
	"files_changed":   `tool_count("@edit") counts edits`,
	"context_left":    "context_usage is the share that is used: write context_usage > 80%",
	"tests":           `write tool_failed:@shell(*test*), or used("@shell(*test*)")`,
	"lines":           "lines are no fact: a call pattern sees the command and the files of a call",
	"notifications":   "notifications are no fact: stopping holds before the agent ends its work",
	"hook_event_name": "a trigger names the event itself: before_tool:Bash, after_tool:Bash, stopping, " +
		"user_message",
	"event": "a trigger names the event itself: before_tool:Bash, after_tool:Bash, stopping, " +
		"user_message",
	"matcher":          "the tool stands behind the event: before_tool:Bash, after_tool:Edit,Write",
	"session_id":       "the session is no fact: each run is counted by itself",
	"input":            "the input of a tool is seen by call patterns, as in after_tool:Bash(git push*)",
	"tool_calls_count": `tool_calls counts all, tool_count("Bash") those of one tool`,
}

// vague matches hints that lead nowhere by themselves. Any other hint stands before the table of phrases.
var vague = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:$|write one[ ,]|join conditions|there are |if a text|write what|write every 5|` +
			`compare it with a fact|leave it out|write a regular|write it out|quote |write it by itself|only lists|` +
			`write in \[|write a number|the only names|there is no look|\* alone|write not$)`)
})

// missing reports a hint that writes X == Y although X is no fact that is compared with a word.
func missing(d *grammar.Diagnostic, schema *fact.Schema) bool {
	given, writes := strings.CutPrefix(d.Hint, "write ")
	x, _, compares := strings.Cut(given, " == ")
	f, is := schema.Lookup(x)
	return writes && compares && (!is || f.Type == fact.Bool) && !strings.ContainsAny(x, "#(. ")
}

// maxIntent is the longest trigger, in bytes, of which the intent is looked for.
const maxIntent = 300

// rewrites are those of exact and of phrases, with their patterns.
var rewrites = sync.OnceValue(func() (list []compiledRewrite) {
	for i, r := range slices.Concat(exact, phrases) {
		list = append(list, compiledRewrite{regexp.MustCompile(r.pattern), r.text, "", i < len(exact)})
	}
	for _, k := range keyed {
		list = append(list, compiledRewrite{regexp.MustCompile(k.pattern), k.text, k.hint, true})
	}
	for h := 1; h < 12; h++ {
		p := regexp.MustCompile(fmt.Sprintf(`\bhour *(>=?|==|<=?) *%d ?pm\b`, h))
		list = append(list, compiledRewrite{p, fmt.Sprintf("hour ${1} %d", h+12), "", true})
	}
	return list
})

type compiledRewrite struct {
	pattern *regexp.Regexp
	text    string
	hint    string // "" says to write the text
	exact   bool
}

// intended returns the diagnostics of a trigger that has errors, with better hints where the author's intent
// is in the tables above.
func intended(ds grammar.Diagnostics, src string, schema *fact.Schema) grammar.Diagnostics {
	if len(src) <= maxIntent {
		if out := rewritten(ds, src, schema); out != nil {
			return out
		}
	}
	for i := range ds {
		if ds[i].Severity == grammar.Error {
			explain(&ds[i], src, schema)
		}
	}
	return ds
}

// rewritten looks for a phrase that overlaps an error, and of which the rewrite leaves no error. It returns
// the diagnostics with one about the phrase in place of those within it; nil if there is none.
func rewritten(ds grammar.Diagnostics, src string, schema *fact.Schema) grammar.Diagnostics {
	for _, d := range ds {
		from, to := d.Range.Start.Offset, d.Range.End.Offset
		if from < 0 || from >= to || to > len(src) || !alone(src, from, to) {
			continue
		}
		if text := conditions[strings.ToLower(src[from:to])]; text != "" {
			if strings.Contains(text, " ") && strings.TrimSpace(src) != src[from:to] {
				text = "(" + text + ")"
			}
			other := func(d *grammar.Diagnostic) bool { return d.Fix == nil || d.Fix.Text != text }
			if out := (&mending{ds, src, schema, other}).replace(from, to, text); out != nil {
				return out
			}
		}
	}
	for _, r := range rewrites() {
		m := r.pattern.FindStringSubmatchIndex(src)
		if m == nil || unseen[strings.ToLower(src)] != "" {
			continue
		}
		text := string(r.pattern.ExpandString(nil, r.text, src, m))
		weak := func(d *grammar.Diagnostic) bool {
			return r.exact || (d.Fix == nil || d.Hint == "leave it out" || d.Hint == "write not") &&
				vague().MatchString(d.Hint) || missing(d, schema)
		}
		if out := (&mending{ds, src, schema, weak}).replace(m[0], m[1], text); out != nil {
			if r.hint != "" {
				i := slices.IndexFunc(out, func(d grammar.Diagnostic) bool { return d.Hint == "write "+text })
				out[i].Hint, out[i].Fix = string(r.pattern.ExpandString(nil, r.hint, src, m)), nil
			}
			return out
		}
	}
	return nil
}

// alone reports whether a word of a trigger is a condition by itself: nothing is compared with it.
func alone(src string, from, to int) bool {
	before, after := strings.TrimSpace(src[:from]), strings.TrimSpace(src[to:])
	joins := func(s string, has func(s, word string) bool) bool {
		return s == "" || slices.ContainsFunc([]string{"and", "or", "not", "&&", "||", "!", "(", ")"},
			func(word string) bool { return has(s, word) })
	}
	called := strings.HasPrefix(after, "(")
	return !called && joins(before, strings.HasSuffix) && joins(after, strings.HasPrefix)
}

// mending is a trigger with errors, of which a part may be rewritten.
type mending struct {
	diags  grammar.Diagnostics
	src    string
	schema *fact.Schema
	weak   func(d *grammar.Diagnostic) bool // whether the rewrite says more than the hint of d
}

// replace returns the diagnostics with one that rewrites src[from:to] in place of those within it; nil if no
// weak error is there, or if errors remain.
func (m *mending) replace(from, to int, text string) grammar.Diagnostics {
	within := func(d grammar.Diagnostic) bool {
		return d.Severity == grammar.Error && d.Range.Start.Offset <= to && d.Range.End.Offset >= from
	}
	first := slices.IndexFunc(m.diags, within)
	if first < 0 || !m.weak(&m.diags[first]) {
		return nil
	}
	mended := m.src[:from] + text + m.src[to:]
	tree, found := grammar.Parse(mended)
	c := checker{schema: m.schema, src: mended, diags: found}
	root := c.lower(tree.Root)
	if root != nil {
		c.moments(root)
	}
	if root == nil || c.diags.HasErrors() {
		return nil
	}
	d := m.diags[first]
	start := grammar.Position{Line: 1, Column: 1}.After(m.src[:from])
	at := grammar.Range{Start: start, End: start.After(m.src[from:to])}
	d.Hint, d.Fix = "write "+text, &grammar.Edit{Range: at, Text: text, Unsafe: true}
	out := grammar.Diagnostics{}
	for i, x := range m.diags {
		switch {
		case i == first:
			out = append(out, d)
		case !within(x) && x.Severity == grammar.Error:
			out = append(out, x)
		}
	}
	return out
}

// explain betters the hint of an error that gives none, or one about a name that is no fact.
func explain(d *grammar.Diagnostic, src string, schema *fact.Schema) {
	from, to := d.Range.Start.Offset, d.Range.End.Offset
	if from < 0 || from >= to || to > len(src) {
		return
	}
	if missing(d, schema) || strings.HasPrefix(d.Hint, "write one of ==") {
		d.Hint, d.Fix = "a trigger is a condition over facts, such as context_usage > 75%: aside help triggers", nil
		return
	}
	name := src[from:to]
	word, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch d.Code {
	case code.UnknownName, code.UnknownNameInExpression, code.UnknownFunction:
		text, known := unseen[word]
		switch {
		case strings.HasPrefix(name, "vars."), strings.HasPrefix(src[to:], "-"): // a name with a hyphen
		case known && name[0] != '.' && src[max(from-1, 0)] != '.' && !strings.HasPrefix(d.Hint, "write "):
			d.Hint, d.Fix = text, nil
		case d.Hint == "":
			d.Hint = "aside help facts lists all facts"
		case strings.HasPrefix(d.Hint, "if a text is meant") && compared(src[to:]):
			d.Hint = "aside help facts lists all facts"
		}
	case code.NotAllowed:
		if text := unseen[word]; text != "" {
			d.Hint, d.Fix = text, nil
		}
	}
}

// patternHint says how a regular expression that cannot be read may be meant.
func patternHint(pattern string) string {
	switch {
	case strings.Contains(pattern, "(?=") || strings.Contains(pattern, "(?!") ||
		strings.Contains(pattern, "(?<=") || strings.Contains(pattern, "(?<!"):
		return "there is no lookahead and no lookbehind: use two conditions, joined by and not"
	case strings.HasPrefix(pattern, "*"):
		return `* alone is a glob: contains and endsWith compare plain texts, and any text is .*`
	case strings.ContainsAny(pattern, "()[]{}+?*"):
		return `write a regular expression of RE2; a sign that is meant as it stands has a backslash, as in \(`
	}
	return "write a regular expression of RE2"
}

// compared reports whether an operator follows.
func compared(rest string) bool {
	rest = strings.TrimSpace(rest)
	return slices.ContainsFunc([]string{"==", "!=", "<", ">", "contains", "matches", "startsWith",
		"endsWith", "in "},
		func(op string) bool { return strings.HasPrefix(rest, op) })
}
