package document_test

// badKeys are wrong keys, and triggers that are none.
var badKeys = []badFile{
	{"an unknown key", "a.md", "---\nwehn: always\n---\ntext\n", "", []string{
		"2:1-2:5 error[R0410]: unknown key \"wehn\" in a reminder (did you mean `when`?)",
	}},
	{"an unknown key in another case", "a.md", "---\nWhen: always\n---\ntext\n", "", []string{
		"2:1-2:5 error[R0410]: unknown key \"When\" in a reminder (did you mean `when`?)",
	}},
	{"another tool's key", "a.md", "---\nname: a\n---\ntext\n", "", []string{
		"2:1-2:5 error[R0410]: unknown key \"name\" in a reminder (did you mean `id`?)",
	}},
	{"a key that nothing is near to", "a.md", "---\nzzzz: 1\n---\ntext\n", "---\n---\ntext\n", []string{
		"2:1-2:5 error[R0410]: unknown key \"zzzz\" in a reminder (the keys are id, description, when, trigger, " +
			"while, rearm, for, keep, cooldown, max_fires, priority, tier, attach, pause, " +
			"expect, within, holdout, max_ignored, enabled, content, schedule)",
	}},
	{"a key of wide characters", "a.md", "---\ndescription: \"日本\"\nééé: 1\n---\ntext\n",
		"---\n---\ntext\n", []string{
			"3:1-3:4 error[R0410]: unknown key \"ééé\" in a reminder (the keys are id, description, when, trigger, " +
				"while, rearm, for, keep, cooldown, max_fires, priority, tier, attach, pause, " +
				"expect, within, holdout, max_ignored, enabled, content, schedule)",
		}},
	{"a key twice", "a.md", "---\nwhen: compacted\ntier: safety\nwhen: resumed\n---\ntext\n",
		"---\nwhen: compacted\ntier: safety\n---\ntext\n", []string{
			"4:1-4:5 error[R0411]: duplicate key \"when\", given before in line 2 (remove one of the two)",
		}},
	{"an unknown key twice", "a.md", "---\nx: 1\nx: 2\n---\ntext\n", "---\n---\ntext\n", []string{
		"2:1-2:2 error[R0410]: unknown key \"x\" in a reminder (the keys are id, description, when, " +
			"trigger, while, " +
			"rearm, for, keep, cooldown, max_fires, priority, tier, attach, pause, " +
			"expect, within, holdout, max_ignored, enabled, content, schedule)",
		"3:1-3:2 error[R0411]: duplicate key \"x\", given before in line 2 (remove one of the two)",
	}},
	{"a key beside a list", "a.yaml", "tier: safety\nreminders:\n- {id: a, content: x}\n",
		"reminders:\n- {id: a, tier: safety, content: x}\n", []string{
			"1:1-1:5 error[R0410]: unknown key \"tier\" in a file with a list of reminders (the only key is " +
				"`reminders`)",
		}},
	{"when and while", "a.md", "---\nwhile: compacted\nwhen: resumed\n---\ntext\n",
		"---\nwhen: resumed\n---\ntext\n", []string{
			"3:1-3:5 error[R0413]: while and when cannot stand together (keep one of them: `when` fires on edges, " +
				"`while` on every turn)",
		}},
	{"when and trigger", "a.md", "---\nwhen: compacted\ntrigger: resumed\n---\ntext\n",
		"---\nwhen: compacted\n---\ntext\n", []string{
			"3:1-3:8 error[R0413]: when and trigger cannot stand together (keep one of them: `when` fires on edges, " +
				"`while` on every turn)",
		}},
	{"when and schedule", "a.md", "---\nwhen: compacted\nschedule: {kind: always}\n---\ntext\n",
		"---\nwhen: compacted\n---\ntext\n", []string{
			"3:1-3:9 error[R0413]: when and schedule cannot stand together (keep one of them: `when` " +
				"fires on edges, " +
				"`while` on every turn)",
		}},
	{"all four", "a.md", "---\nwhen: compacted\nwhile: resumed\ntrigger: resumed\nschedule: {}\n---\ntext\n",
		"---\nwhen: compacted\n---\ntext\n", []string{
			"3:1-3:6 error[R0413]: when and while cannot stand together (keep one of them: `when` fires on edges, " +
				"`while` on every turn)",
			"4:1-4:8 error[R0413]: when and trigger cannot stand together (keep one of them: `when` fires on edges, " +
				"`while` on every turn)",
			"5:1-5:9 error[R0413]: when and schedule cannot stand together (keep one of them: `when` " +
				"fires on edges, " +
				"`while` on every turn)",
		}},
	{"no trigger behind when", "a.md", "---\nwhen:\n---\ntext\n", "---\nwhen: always\n---\ntext\n", []string{
		"2:1-2:5 error[R0414]: when is empty (write `always`, or remove the key)",
	}},
	{"a blank trigger", "a.md", "---\nwhile: '  '\n---\ntext\n", "---\nwhile: always\n---\ntext\n", []string{
		"2:8-2:12 error[R0414]: while is empty (write `always`, or remove the key)",
	}},
	{"a null trigger", "a.md", "---\ntrigger: ~\n---\ntext\n", "---\ntrigger: always\n---\ntext\n", []string{
		"2:10-2:11 error[R0414]: trigger is empty (write `always`, or remove the key)",
	}},
	{"an empty block as trigger", "a.yaml", "when: |\n\ncontent: x\n", "when: always\ncontent: x\n", []string{
		"1:7-1:8 error[R0414]: when is empty (write `always`, or remove the key)",
	}},
	{"an empty rearm", "a.md", "---\nwhen: compacted\nrearm: ''\n---\ntext\n",
		"---\nwhen: compacted\n---\ntext\n", []string{
			"3:8-3:10 error[R0414]: rearm is empty (write a trigger, or remove the key)",
		}},
}
