package lsp

// keyWord is a key of a file, with the kind of its value.
type keyWord struct {
	word
	takes  takes
	values []word
}

// takes is the kind of value that a key takes.
type takes uint8

const (
	takesText takes = iota
	takesTrigger
	takesSpan  // turns or time
	takesWords // one of values
	takesID
	takesIDs
	takesKeys // a mapping or a list
)

func findKey(keys []keyWord, name string) *keyWord {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

var spans = []word{
	{"3 turns", "", "So many turns: calls of the model.", "${1:3} turns"},
	{"10m", "", "So much time: `30s`, `10m`, `1h30m`.", "${1:10}m"},
}

// ruleKeys are the keys of a reminder.
var ruleKeys = []keyWord{
	{word{"when", "when: TRIGGER", "Fires **once** each time that the trigger turns from unknown or false to true, and is armed again when it is false (or by `rearm`). True on the very first turn counts as turning.\n\n" +
		"One of `when`, `while` and `schedule` is given; none of them means `when: always`, once a run.", "when: "}, takesTrigger, nil},
	{word{"while", "while: TRIGGER", "Fires on **every turn** on which the trigger is true, as far as `cooldown` and `max_fires` let it.", "while: "}, takesTrigger, nil},
	{word{"trigger", "trigger: TRIGGER", "The same as `when`.", "trigger: "}, takesTrigger, nil},
	{word{"rearm", "rearm: TRIGGER", "When a `when` may fire again: once this is true. Without it, once the trigger is false. A limit a little below the trigger's keeps a value that wavers from firing it over and over:\n\n" +
		"```yaml\nwhen: context_usage > 75%\nrearm: context_usage < 60%\n```", "rearm: "}, takesTrigger, nil},
	{word{"for", "for: 3 turns", "How long the trigger must have been true without a break before the reminder fires, in turns or time; 0 if it is not given. Turns on which it is unknown are no break.", "for: "}, takesSpan, spans},
	{word{"cooldown", "cooldown: 10m", "The least distance between two firings, in turns or time; 0 if it is not given. What the cooldown holds back fires as soon as it is over, if the trigger is still true.", "cooldown: "}, takesSpan, spans},
	{word{"keep", "keep: turn", "How long the text stays before the model once it has fired. Of a `when` that is `turn` by default, of a `while` it is `call`.", "keep: "}, takesWords, []word{
		{"call", "", "For this call of the model alone.", ""},
		{"turn", "", "Until a person next submits a message.", ""},
		{"3 turns", "", "For so many calls of the model.", "${1:3} turns"},
		{"conversation", "", "Until its place in the history is gone, by a compaction for example.", ""},
	}},
	{word{"max_fires", "max_fires: 3", "How often it fires in one run at most; 0, the default, is no limit. A reminder of the tier `safety` has no such limit.", "max_fires: ${1:3}"}, takesText, nil},
	{word{"priority", "priority: 10", "Where it stands among what fires at the same time: higher is later, nearer the end of the context, where models attend most. 0 by default.", "priority: ${1:10}"}, takesText, nil},
	{word{"tier", "tier: guidance", "Who is dropped first where a budget is short: guidance, then correctness, and safety never.", "tier: "}, takesWords, []word{
		{"guidance", "", "The default. Dropped first where a budget is short.", ""},
		{"correctness", "", "Dropped only where no guidance is left to drop.", ""},
		{"safety", "", "Never dropped, and not limited by `max_fires`. A project's rules can neither replace nor outrank your own of this tier.", ""},
	}},
	{word{"attach", "attach: tail", "Where the text is put.", "attach: "}, takesWords, []word{
		{"tail", "", "The default: with the last message, of a person or a tool.", ""},
		{"user_turn", "", "With the last message that a person submitted.", ""},
		{"run_start", "", "With the system prompt.", ""},
	}},
	{word{"enabled", "enabled: false", "`false` switches the reminder off, and with it the one of the same id in a directory of lower precedence.", "enabled: "}, takesWords, []word{
		{"true", "", "The default.", ""},
		{"false", "", "Off, and so is the one of the same id that it overrides.", ""},
	}},
	{word{"id", "id: NAME", "What the reminder is called: letters, digits, `.`, `_` and `-`. By default the file's name without its extension. The same id in a directory of higher precedence overrides; in one directory it may stand once.", "id: "}, takesID, nil},
	{word{"description", "description: TEXT", "One line, for listings.", "description: "}, takesText, nil},
	{word{"content", "content: TEXT", "The text that is put before the model, in YAML files. In Markdown it is the body.", "content: "}, takesText, nil},
	{word{"schedule", "schedule:", "When it fires, as other tools write it; `when` and `while` say the same in fewer words.", "schedule:\n  kind: "}, takesKeys, nil},
}

// scheduleKeys are the keys of a schedule.
var scheduleKeys = []keyWord{
	{word{"kind", "kind: turn", "Which kind of schedule this is; `oneshot` if it is not given.", "kind: "}, takesWords, []word{
		{"always", "", "The same as `while: always`.", ""},
		{"turn", "", "The same as `while: every N turns`, N being `turn_interval`.", ""},
		{"timer", "", "The same as `while: every D`, D being `interval`.", ""},
		{"oneshot", "", "The same as `when: always`: once a run.", ""},
		{"condition", "", "The same as `while: CONDITION`.", ""},
	}},
	{word{"turn_interval", "turn_interval: 5", "Of the kind `turn`: every so many turns; 1 if it is not given.", "turn_interval: ${1:5}"}, takesText, nil},
	{word{"interval", "interval: 5m", "Of the kind `timer`: every so often.", "interval: ${1:5m}"}, takesSpan, []word{{"5m", "", "So much time: `30s`, `10m`, `1h30m`.", "${1:5}m"}}},
	{word{"max_fires", "max_fires: 3", "How often it fires in one run at most; 0 is no limit.", "max_fires: ${1:3}"}, takesText, nil},
	{word{"condition", "condition: TRIGGER", "Of the kind `condition`: the trigger.", "condition: "}, takesTrigger, nil},
}

// listKeys are the keys of a file with several reminders.
var listKeys = []keyWord{{word{"reminders", "reminders:", "A list of reminders, each with its `id`.", "reminders:\n  - id: "}, takesKeys, nil}}

// testFileKeys, testKeys and stepKeys are the keys of a rule test, of a test in it, and of a step.
var testFileKeys = []keyWord{
	{word{"reminders", "reminders: [FILE, …]", "The reminders that are tested: files, relative to this one, patterns among them; and reminders written out.", "reminders: [${1:../reminders/*.md}]"}, takesKeys, nil},
	{word{"options", "options: {order: priority}", "How the engine is set: `order: priority` or `tier`; `budget: {turn: 500, run: 20000}` in tokens.", "options: "}, takesKeys, nil},
	{word{"vars", "vars: {NAME: TYPE}", "Facts of your own: `bool`, `int`, `ratio`, `duration`, `string` or `set`.", "vars: "}, takesKeys, nil},
	{word{"tests", "tests:", "The tests, each with a `name`.", "tests:\n  - name: "}, takesKeys, nil},
}

var testKeys = []keyWord{
	{word{"name", "name: TEXT", "What the test shows.", "name: "}, takesText, nil},
	{word{"reminders", "reminders: [{id: r, …}]", "The test's own reminders, in place of the file's.", "reminders: "}, takesKeys, nil},
	{word{"options", "options: {order: priority}", "How the engine is set, for this test.", "options: "}, takesKeys, nil},
	{word{"vars", "vars: {NAME: TYPE}", "Facts of your own, for this test.", "vars: "}, takesKeys, nil},
	{word{"start", "start: 2026-01-01T00:00:00Z", "The clock at the first step; this is the default.", "start: "}, takesText, nil},
	{word{"steps", "steps:", "The turns, each with its facts and with what must fire.", "steps:\n  - facts: {$1}\n    fires: [$2]"}, takesKeys, nil},
	{word{"series", "series: {FACT: VALUES}", "A long run, one value a turn: `{context_usage: 0.5+0.05x10, tools: [_, Edit]}` counts from 0.5 upwards in ten steps; `_` is none. With `fires_at`, in place of `steps`.", "series: {$1}"}, takesKeys, nil},
	{word{"fires_at", "fires_at: {ID: [TURNS]}", "On which turns of the series each reminder fires, from 1.", "fires_at: {$1}"}, takesIDs, nil},
	{word{"trigger", "trigger: TRIGGER", "A trigger alone that must not compile; `error` says why not.", "trigger: "}, takesTrigger, nil},
	{word{"error", "error: PATTERN", "A regular expression for `line:column: message (hint)` of what is wrong.", "error: "}, takesText, nil},
}

var stepKeys = []keyWord{
	{word{"facts", "facts: {FACT: VALUE}", "What the host tells on this turn. What is not given is unknown. `tools` are those that were called, `failed` those of them that failed.", "facts: {$1}"}, takesKeys, nil},
	{word{"fires", "fires: [ID, …]", "What must fire, exactly and in this order. Not given: nothing.", "fires: [$1]"}, takesIDs, nil},
	{word{"due", "due: [ID, …]", "What fired and what is still kept.", "due: [$1]"}, takesIDs, nil},
	{word{"at", "at: +10m", "Advances the clock, or sets it to a time. Not given: it stands still.", "at: +${1:10m}"}, takesText, nil},
	{word{"key", "key: TEXT", "The turn's key: the same one again is the same turn.", "key: "}, takesText, nil},
	{word{"remind", "remind: [ID, …]", "Fires reminders by hand.", "remind: [$1]"}, takesIDs, nil},
	{word{"text", "text: {ID: TEXT}", "The exact text that a reminder comes to.", "text: {$1}"}, takesIDs, nil},
	{word{"discard", "discard: true", "The turn is prepared and then discarded: nothing is spent.", "discard: true"}, takesWords, []word{{"true", "", "", ""}, {"false", "", "", ""}}},
	{word{"refused", "refused: true", "The turn must be refused, since its key is old.", "refused: true"}, takesWords, []word{{"true", "", "", ""}, {"false", "", "", ""}}},
	{word{"reload", "reload: [{id: r, …}]", "Other rules from here on, instead of a turn.", "reload: "}, takesKeys, nil},
}

var optionKeys = []keyWord{
	{word{"order", "order: priority", "In which order what fires is put.", "order: "}, takesWords, []word{
		{"priority", "", "The default: by priority, then by id.", ""},
		{"tier", "", "By tier, safety first, then by id.", ""},
	}},
	{word{"budget", "budget: {turn: 500, run: 20000}", "How many tokens the texts may take; a budget drops the weakest first.", "budget: {turn: ${1:500}, run: ${2:20000}}"}, takesKeys, nil},
}

var budgetKeys = []keyWord{
	{word{"turn", "turn: 500", "Tokens in one turn.", "turn: "}, takesText, nil},
	{word{"run", "run: 20000", "Tokens in a run.", "run: "}, takesText, nil},
}
