package document_test

// badYAML is YAML that cannot be read.
var badYAML = []badFile{
	{"two documents", "a.yaml", "id: a\ncontent: x\n---\nid: b\ncontent: y\n",
		"reminders:\n- id: a\n  content: x\n- id: b\n  content: y\n", []string{
			"3:1-3:4 error[R0408]: a second YAML document begins here, and would not be read (write " +
				"several reminders " +
				"as a list under `reminders:`)",
		}},
	{"text behind a flow mapping", "a.yaml", "{id: a, content: x}\n{id: b, content: y}\n",
		"reminders:\n- {id: a, content: x}\n- {id: b, content: y}\n", []string{
			"2:1-2:20 error[R0408]: the YAML ends above, and this would not be read (write several " +
				"reminders as a list " +
				"under `reminders:`)",
		}},
	{"a tab indents", "a.yaml", "schedule:\n\tkind: always\ncontent: x\n", "", []string{
		"2:1-2:2 error[R0405]: a tab cannot indent YAML (indent with blanks)",
	}},
	{"a quote is not closed", "a.md", "---\ndescription: 'it is late\nwhen: always\n---\ntext\n",
		"---\ndescription: 'it is late'\nwhen: always\n---\ntext\n", []string{
			"2:14-2:15 error[R0405]: the quote ' is not closed (close it with the same quote)",
		}},
	{"a double quote is not closed", "a.yaml", "content: \"x\n", "content: \"x\"\n", []string{
		"1:10-1:11 error[R0405]: the quote \" is not closed (close it with the same quote)",
	}},
	{"a bracket is not closed", "a.yaml", "content: x\nschedule: {kind: always\n",
		"content: x\nschedule: {kind: always}\n", []string{
			"2:11-2:12 error[R0405]: the bracket { is not closed (close it, or quote the value if it is text)",
		}},
	{"an unknown escape", "a.yaml", "content: \"a \\d+ b\"\n", "", []string{
		"1:13-1:15 error[R0405]: YAML knows no escape \\d (write `\\\\` for a backslash, or use single quotes)",
	}},
	{"a colon in a value", "a.md", "---\ndescription: note: see below\n---\ntext\n", "", []string{
		"2:18-2:19 error[R0417]: YAML begins another key behind this colon (quote the value)",
	}},
	{"a colon at the end of a value", "a.md", "---\ndescription: note:\n---\ntext\n", "", []string{
		"2:18-2:19 error[R0417]: YAML begins another key behind this colon (quote the value)",
	}},
	{"no blank behind the colon", "a.md", "---\nwhen:always\n---\ntext\n", "", []string{
		"2:1-2:6 error[R0405]: a blank is missing behind \"when:\" (write `when: `)",
	}},
	{"no blank, then another key", "a.md", "---\ntier:safety\nwhen: always\n---\ntext\n", "", []string{
		"2:1-2:6 error[R0405]: a blank is missing behind \"tier:\" (write `tier: `)",
	}},
	{"a key without a colon", "a.md", "---\nwhen always\ntier: safety\n---\ntext\n",
		"---\nwhen: always\ntier: safety\n---\ntext\n", []string{
			"2:1-2:5 error[R0405]: a colon is missing behind \"when\" (write `when: `)",
		}},
	{"a key indented too deep", "a.md", "---\nwhen: always\n  tier: safety\n---\ntext\n",
		"---\nwhen: always\ntier: safety\n---\ntext\n", []string{
			"3:3-3:15 error[R0405]: a key cannot begin here (indent keys alike, and quote a value that holds `: `)",
		}},
	{"a list and keys", "a.yaml", "- id: a\nid: b\n", "id: b\ncontent: x\n", []string{
		"2:1-2:6 error[R0405]: a list and keys cannot be mixed (begin each item of the list with `- `)",
	}},
	{"a template is no mapping", "a.yaml", "content: {{now}} is the time\n", "", []string{
		"1:10-1:17 error[R0417]: YAML ends the value at the closing bracket (quote the value)",
	}},
	{"a template alone", "a.yaml", "content: {{now}}\n", "", []string{
		"1:10-1:17 error[R0417]: YAML reads this as keys (quote the value)",
	}},
	{"a value in a bracket", "a.yaml", "content: [x]\n", "", []string{
		"1:10-1:13 error[R0417]: YAML reads this as a list (quote the value)",
	}},
	{"a comma begins a value", "a.yaml", "content: , x\n", "", []string{
		"1:10-1:11 error[R0417]: a value cannot begin with \",\" in YAML (quote the value)",
	}},
	{"a list behind a key", "a.yaml", "content: - x\n", "", []string{
		"1:10-1:11 error[R0417]: a list cannot begin behind a key (quote the value)",
	}},
	{"a complex key", "a.yaml", "? {a: b}\n: c\ncontent: x\n", "content: x\n", []string{
		"1:3-1:6 error[R0407]: a key must be a word (the keys are id, description, when, trigger, while, rearm, " +
			"for, keep, cooldown, max_fires, priority, tier, attach, pause, " +
			"expect, within, holdout, max_ignored, enabled, content, schedule)",
	}},
	{"a directive", "a.yaml", "%TAG ! x\ncontent: x\n", "content: x\n", []string{
		"1:1-1:9 error[R0405]: YAML directives are not read here (remove the line)",
	}},
}
