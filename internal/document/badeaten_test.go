package document_test

// badEaten is what YAML makes something else of.
var badEaten = []badFile{
	{"an exclamation mark", "a.md", "---\nwhen: !last_tool_call_failed\n---\ntext\n", "", []string{
		"2:7-2:29 error[R0415]: YAML reads \"!last_tool_call_failed\" as a tag and drops it (quote it, or " +
			"write `not`)",
	}},
	{"an exclamation mark and a blank", "a.md", "---\nwhen: ! last_tool_call_failed\n---\ntext\n", "", []string{
		"2:7-2:8 error[R0415]: YAML reads \"!\" as a tag and drops it (quote it, or write `not`)",
	}},
	{"an exclamation mark and more", "a.md", "---\nwhen: !compacted and resumed\n---\ntext\n", "", []string{
		"2:7-2:17 error[R0415]: YAML reads \"!compacted\" as a tag and drops it (quote it, or write `not`)",
	}},
	{"two exclamation marks", "a.md", "---\nwhen: !!compacted\n---\ntext\n", "", []string{
		"2:7-2:18 error[R0415]: YAML reads \"!!compacted\" as a tag and drops it (quote it, or write `not`)",
	}},
	{"an exclamation mark before a parenthesis", "a.md", "---\nwhen: !(compacted or resumed)\n---\ntext\n",
		"", []string{
			"2:7-2:18 error[R0415]: YAML reads \"!(compacted\" as a tag and drops it (quote it, or write `not`)",
		}},
	{"an exclamation mark in a list", "a.yaml", "reminders:\n- {id: a, when: !compacted, content: x}\n",
		"", []string{
			"2:17-2:27 error[R0415]: YAML reads \"!compacted\" as a tag and drops it (quote it, or write `not`)",
		}},
	{"a tagged text", "a.yaml", "content: !!str 5\n", "content: '5'\n", []string{
		"1:10-1:15 error[R0415]: YAML reads \"!!str\" as a tag and drops it (remove the tag)",
	}},
	{"a tagged key", "a.yaml", "!!str content: x\n", "content: x\n", []string{
		"1:1-1:6 error[R0415]: YAML reads \"!!str\" as a tag and drops it (remove the tag)",
	}},
	{"a percent sign", "a.md", "---\nwhen: %context_usage > 5\n---\ntext\n", "", []string{
		"2:7-2:8 error[R0417]: a value cannot begin with \"%\" in YAML (write context_usage > 5%)",
	}},
	{"an at sign", "a.md", "---\ndescription: @alice wrote this\n---\ntext\n", "", []string{
		"2:14-2:15 error[R0417]: a value cannot begin with \"@\" in YAML (quote the value)",
	}},
	{"a backquote", "a.md", "---\nwhen: `always`\n---\ntext\n", "", []string{
		"2:7-2:8 error[R0417]: a value cannot begin with \"`\" in YAML (write always)",
	}},
	{"a greater sign", "a.md", "---\nwhen: > 75%\n---\ntext\n", "", []string{
		"2:7-2:8 error[R0417]: a value cannot begin with \">\" in YAML (write context_usage > 75%)",
	}},
	{"a pipe", "a.md", "---\nwhen: || compacted\n---\ntext\n", "", []string{
		"2:7-2:8 error[R0417]: a value cannot begin with \"|\" in YAML (quote the value; then " +
			"a condition is missing before \"||\": write a condition, such as turn_count > 10)",
	}},
	{"an asterisk", "a.md", "---\nwhen: *bash in tool_used\n---\ntext\n", "", []string{
		"2:7-2:12 error[R0416]: YAML reads this as an alias (quote the value; then a value is " +
			"missing before \"*\": the nearest are `tool_used == Bash`, `after_tool:@edit(*bash)` or " +
			"`before_tool:@edit(*bash)`; each says a part)",
	}},
	{"an asterisk alone", "a.md", "---\ndescription: *\n---\ntext\n", "", []string{
		"2:14-2:15 error[R0416]: YAML reads this as an alias (quote the value)",
	}},
	{"an ampersand", "a.md", "---\nwhen: &compacted\n---\ntext\n", "", []string{
		"2:7-2:17 error[R0416]: anchors are not read in rule files (remove the anchor, or quote the value " +
			"if it is text)",
	}},
	{"a list is compared", "a.md", "---\nwhen: [plan, learn] == x\n---\ntext\n", "", []string{
		"2:7-2:20 error[R0417]: YAML ends the value at the closing bracket (quote the value; " +
			"then there is no fact \"x\": perhaps thread:plan, without \"learn\")",
	}},
	{"a list is a trigger", "a.md", "---\nwhen: [compacted, resumed]\n---\ntext\n",
		"---\nwhen: compacted or resumed\n---\ntext\n", []string{
			"2:7-2:27 error[R0417]: YAML reads this as a list (join the conditions with `and` or `or`: write " +
				"compacted or resumed)",
		}},
	{"a quoted beginning", "a.md", "---\nwhen: \"Bash\" in tool_used\n---\ntext\n", "", []string{
		"2:7-2:13 error[R0417]: YAML ends the value at the closing quote (quote the whole value: " +
			"'\"Bash\" in tool_used')",
	}},
	{"a single-quoted beginning", "a.md", "---\nwhen: 'Bash' in tool_used # tools\n---\ntext\n", "", []string{
		"2:7-2:13 error[R0417]: YAML ends the value at the closing quote (quote the value)",
	}},
	{"a comment behind a trigger", "a.md", "---\nwhen: context_usage > 75% # nearly full\n---\ntext\n",
		"", []string{
			"2:27-2:40 warning[R0418]: YAML takes this for a comment, not for a part of the trigger (quote " +
				"the trigger)",
		}},
	{"a comment in a trigger", "a.md", "---\nwhen: any(tool_used, # startsWith \"mcp__\")\n---\ntext\n",
		"", []string{
			"2:22-2:43 error[R0418]: YAML takes this for a comment, not for a part of the trigger (quote " +
				"the trigger)",
		}},
	{"an alias", "a.yaml", "reminders:\n- id: a\n  when: &t compacted\n  content: x\n- id: b\n  when: *t\n  " +
		"content: y\n", "reminders:\n- id: a\n  when: compacted\n  content: x\n- id: b\n  when: compacted\n  " +
		"content: y\n", []string{
		"3:9-3:11 error[R0416]: anchors are not read in rule files (remove the anchor, or quote the value " +
			"if it is text)",
		"6:9-6:11 error[R0416]: aliases are not read in rule files (write the value out, or quote it " +
			"if it is text)",
	}},
	{"an alias to nothing", "a.yaml", "content: *x\n", "", []string{
		"1:10-1:12 error[R0416]: YAML reads this as an alias (quote the value)",
	}},
	{"a merge key", "a.yaml", "<<: {id: a}\ncontent: x\n", "id: a\ncontent: x\n", []string{
		"1:1-1:3 error[R0416]: merge keys and aliases are not read in rule files (write the keys out)",
	}},
	{"an anchored reminder", "a.yaml", "reminders:\n- &a {id: a, content: x}\n- *a\n",
		"reminders:\n- {id: a, content: x}\n", []string{
			"2:3-2:5 error[R0416]: anchors are not read in rule files (remove the anchor, or quote the value " +
				"if it is text)",
			"3:3-3:5 error[R0416]: aliases are not read in rule files (write the value out, or quote it " +
				"if it is text)",
		}},
}
