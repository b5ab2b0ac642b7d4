package document_test

// badIDs are wrong ids and texts.
var badIDs = []badFile{
	{"an id with a blank", "a.md", "---\nid: my rule\n---\ntext\n", "", []string{
		"2:5-2:12 error[R0420]: the id \"my rule\" holds what an id cannot hold (an id is letters, " +
			"digits, `.`, `_` " +
			"and `-`, and begins with a letter or digit: write `id: my-rule`)",
	}},
	{"an id that begins with a dash", "a.md", "---\nid: -x\n---\ntext\n", "", []string{
		"2:5-2:7 error[R0420]: the id \"-x\" holds what an id cannot hold (an id is letters, digits, " +
			"`.`, `_` and " +
			"`-`, and begins with a letter or digit: write `id: x`)",
	}},
	{"an id with nothing left", "a.md", "---\nid: äöü\n---\ntext\n", "", []string{
		"2:5-2:8 error[R0420]: the id \"äöü\" holds what an id cannot hold (an id is letters, digits, " +
			"`.`, `_` and " +
			"`-`, and begins with a letter or digit: write `id: reminder`)",
	}},
	{"an empty id", "a.md", "---\nid:\n---\ntext\n", "---\nid: a\n---\ntext\n", []string{
		"2:1-2:3 error[R0420]: the id is empty (write `id: NAME`, or leave the key out)",
	}},
	{"a file name that is not an id", "my rule.md", "---\nwhen: compacted\n---\ntext\n", "", []string{
		"2:1-2:5 error[R0420]: the file's name gives no id: \"my rule\" holds what an id cannot hold (an id is " +
			"letters, digits, `.`, `_` and `-`, and begins with a letter or digit: write `id: my-rule`)",
	}},
	{"a file name that is not an id, no front matter", "rules/my rule.md", "text\n", "", []string{
		"1:1-1:1 error[R0420]: the file's name gives no id: \"my rule\" holds what an id cannot hold (an id is " +
			"letters, digits, `.`, `_` and `-`, and begins with a letter or digit: write `id: my-rule`)",
	}},
	{"a file name that is not an id, empty front matter", "_x.md", "---\n---\ntext\n", "", []string{
		"1:1-1:4 error[R0420]: the file's name gives no id: \"_x\" holds what an id cannot hold (an id " +
			"is letters, " +
			"digits, `.`, `_` and `-`, and begins with a letter or digit: write `id: x`)",
	}},
	{"a file name that is not an id, flow mapping", "my rule.yaml", "{content: x}\n", "", []string{
		"1:2-1:9 error[R0420]: the file's name gives no id: \"my rule\" holds what an id cannot hold (an id is " +
			"letters, digits, `.`, `_` and `-`, and begins with a letter or digit: write `id: my-rule`)",
	}},
	{"no id in a list", "a.yaml", "reminders:\n- content: x\n", "reminders:\n- id: a\n  content: x\n", []string{
		"2:3-2:10 error[R0420]: a reminder in a list needs an id (write `id: NAME`)",
	}},
	{"an id twice in a list", "a.yaml",
		"reminders:\n- {id: a, content: x}\n- {id: b, content: y}\n- {id: a, content: " +
			"z}\n", "reminders:\n- {id: a, " +
			"content: x}\n- {id: b, content: y}\n- {id: c, content: z}\n", []string{
			"4:8-4:9 error[R0421]: duplicate id \"a\": it is taken by the reminder in line 2 (give it another id)",
		}},
	{"a list that is none", "a.yaml", "reminders: {id: a, content: x}\n",
		"reminders:\n- {id: a, content: x}\n", []string{
			"1:12-1:16 error[R0407]: `reminders` must be a list (begin each reminder with `- id: NAME`)",
		}},
	{"an empty list item", "a.yaml", "reminders:\n-\n- {id: a, content: x}\n",
		"reminders:\n- {id: a, content: x}\n", []string{
			"2:2-2:2 error[R0407]: a reminder is written as keys and values (write `when: TRIGGER` and the " +
				"like, each " +
				"key on a line of its own)",
		}},
	{"a word as list item", "a.yaml", "reminders:\n- a\n", "reminders:\n- {id: a, content: x}\n", []string{
		"2:3-2:4 error[R0407]: a reminder is written as keys and values (write `when: TRIGGER` and the " +
			"like, each " +
			"key on a line of its own)",
	}},
	{"no body", "a.md", "---\nwhen: compacted\n---\n", "---\nwhen: compacted\n---\ntext\n", []string{
		"4:1-4:1 error[R0422]: the reminder has no text (write it below the front matter)",
	}},
	{"a blank body", "a.md", "---\nwhen: compacted\n---\n\n   \n\t\n",
		"---\nwhen: compacted\n---\ntext\n", []string{
			"7:1-7:1 error[R0422]: the reminder has no text (write it below the front matter)",
		}},
	{"an empty file", "a.md", "", "text\n", []string{
		"1:1-1:1 error[R0422]: the reminder has no text (write it below the front matter)",
	}},
	{"an empty YAML file", "a.yaml", "# nothing yet\n", "content: x\n", []string{
		"1:1-1:1 error[R0422]: the reminder has no text (write it as `content: TEXT`)",
	}},
	{"no content", "a.yaml", "when: compacted\n", "when: compacted\ncontent: x\n", []string{
		"1:1-1:5 error[R0422]: the reminder has no text (write it as `content: TEXT`)",
	}},
	{"empty content", "a.yaml", "when: compacted\ncontent:\n", "when: compacted\ncontent: x\n", []string{
		"2:1-2:8 error[R0422]: the reminder has no text (write it as `content: TEXT`)",
	}},
	{"blank content", "a.yaml", "when: compacted\ncontent: \"\\n \"\n",
		"when: compacted\ncontent: x\n", []string{
			"2:10-2:15 error[R0422]: the reminder has no text (write it as `content: TEXT`)",
		}},
	{"content beside a body", "a.md", "---\ncontent: x\n---\ntext\n", "---\n---\ntext\n", []string{
		"2:1-2:8 warning[R0423]: content is not read: the file has a body (remove the key)",
	}},
}
