package document_test

// badValues are wrong values.
var badValues = []badFile{
	{"a word as priority", "a.md", "---\npriority: high\n---\ntext\n", "---\npriority: 1\n---\ntext\n", []string{
		"2:11-2:15 error[R0412]: priority takes a whole number, not \"high\" " +
			"(write a whole number, as in `priority: 1`)",
	}},
	{"a quoted priority", "a.md", "---\npriority: \"5\"\n---\ntext\n", "", []string{
		"2:11-2:14 error[R0412]: priority takes a number, and this is quoted text (write `priority: 5`)",
	}},
	{"a fraction as priority", "a.md", "---\npriority: 1.5\n---\ntext\n",
		"---\npriority: 1\n---\ntext\n", []string{
			"2:11-2:14 error[R0412]: priority takes a whole number, not \"1.5\" (write `priority: 1`)",
		}},
	{"an octal priority", "a.md", "---\npriority: 010\n---\ntext\n", "---\npriority: 10\n---\ntext\n", []string{
		"2:11-2:14 error[R0412]: priority takes a whole number, not \"010\" " +
			"(write a whole number, as in `priority: 1`)",
	}},
	{"no priority", "a.md", "---\npriority:\n---\ntext\n", "---\npriority: 1\n---\ntext\n", []string{
		"2:1-2:9 error[R0412]: priority is empty (write `priority: 1`, or remove the key)",
	}},
	{"a list as priority", "a.md", "---\npriority:\n- 1\n---\ntext\n", "---\npriority: 1\n---\ntext\n", []string{
		"3:1-3:2 error[R0412]: priority takes one value, not a list (write the value behind the colon)",
	}},
	{"keys as priority", "a.md", "---\npriority:\n  a: 1\n---\ntext\n",
		"---\npriority: 1\n---\ntext\n", []string{
			"3:3-3:5 error[R0412]: priority takes one value, not keys (write the value behind the colon)",
		}},
	{"a huge priority", "a.md", "---\npriority: 99999999999999999999\n---\ntext\n",
		"---\npriority: 2147483647\n---\ntext\n", []string{
			"2:11-2:31 error[R0425]: priority is out of range: 99999999999999999999 (write at most 2147483647)",
		}},
	{"negative max_fires", "a.md", "---\nmax_fires: -1\n---\ntext\n", "", []string{
		"2:12-2:14 error[R0425]: max_fires must be at least 0, not -1 (write `max_fires: 0`)",
	}},
	{"enabled yes", "a.md", "---\nenabled: yes\n---\ntext\n", "", []string{
		"2:10-2:13 error[R0412]: enabled takes true or false, not \"yes\" (write `enabled: true`)",
	}},
	{"enabled off", "a.md", "---\nenabled: off\n---\ntext\n", "", []string{
		"2:10-2:13 error[R0412]: enabled takes true or false, not \"off\" (write `enabled: false`)",
	}},
	{"enabled in quotes", "a.md", "---\nenabled: 'false'\n---\ntext\n", "", []string{
		"2:10-2:17 error[R0412]: enabled takes true or false, not \"false\" (write `enabled: false`)",
	}},
	{"enabled with a capital", "a.md", "---\nenabled: True\n---\ntext\n", "", []string{
		"2:10-2:14 error[R0412]: enabled takes true or false, not \"True\" (write `enabled: true`)",
	}},
	{"enabled maybe", "a.md", "---\nenabled: maybe\n---\ntext\n", "---\nenabled: true\n---\ntext\n", []string{
		"2:10-2:15 error[R0412]: enabled takes true or false, not \"maybe\" (write `enabled: true` or " +
			"`enabled: false`)",
	}},
	{"a wrong tier", "a.md", "---\ntier: saftey\n---\ntext\n", "", []string{
		"2:7-2:13 error[R0426]: tier cannot be \"saftey\" (did you mean `safety`?)",
	}},
	{"a tier in capitals", "a.md", "---\ntier: Safety\n---\ntext\n", "", []string{
		"2:7-2:13 error[R0426]: tier cannot be \"Safety\" (did you mean `safety`?)",
	}},
	{"no such tier", "a.md", "---\ntier: urgent\n---\ntext\n", "---\ntier: safety\n---\ntext\n", []string{
		"2:7-2:13 error[R0426]: tier cannot be \"urgent\" (write one of guidance, correctness, safety)",
	}},
	{"a wrong attach", "a.md", "---\nattach: user-turn\n---\ntext\n", "", []string{
		"2:9-2:18 error[R0426]: attach cannot be \"user-turn\" (did you mean `user_turn`?)",
	}},
	{"for without unit", "a.md", "---\nfor: 5\n---\ntext\n", "---\nfor: 5 turns\n---\ntext\n", []string{
		"2:6-2:7 error[R0424]: for has no unit: \"5\" (write `5 turns`, or a time such as `5m`)",
	}},
	{"a negative for", "a.md", "---\nfor: -2m\n---\ntext\n", "---\nfor: 2m\n---\ntext\n", []string{
		"2:6-2:9 error[R0424]: for cannot be negative: \"-2m\" (write `0` or more)",
	}},
	{"negative turns", "a.md", "---\ncooldown: -3 turns\n---\ntext\n",
		"---\ncooldown: 3 turns\n---\ntext\n", []string{
			"2:11-2:19 error[R0424]: cooldown cannot be negative: \"-3 turns\" (write `0` or more)",
		}},
	{"half a turn", "a.md", "---\ncooldown: 0.5 turns\n---\ntext\n",
		"---\ncooldown: 1 turn\n---\ntext\n", []string{
			"2:11-2:20 error[R0424]: cooldown takes whole turns, not \"0.5 turns\" (write a number of turns such " +
				"as `3 turns`)",
		}},
	{"words as cooldown", "a.md", "---\ncooldown: a while\n---\ntext\n",
		"---\ncooldown: 3 turns\n---\ntext\n", []string{
			"2:11-2:18 error[R0424]: cooldown cannot be \"a while\" (write a number of turns such as `3 " +
				"turns`, or a " +
				"time such as `2m`)",
		}},
	{"an unknown unit", "a.md", "---\ncooldown: 3 parsecs\n---\ntext\n",
		"---\ncooldown: 3 turns\n---\ntext\n", []string{
			"2:11-2:20 error[R0424]: cooldown cannot be \"3 parsecs\" (write a number of turns such as `3 " +
				"turns`, or a " +
				"time such as `2m` or `1h30m`)",
		}},
	{"days", "a.md", "---\ncooldown: 2 days\n---\ntext\n", "---\ncooldown: 2d\n---\ntext\n", []string{
		"2:11-2:17 error[R0424]: cooldown cannot be \"2 days\" (write `2d`)",
	}},
	{"minutes in words", "a.md", "---\nfor: 5 minutes\n---\ntext\n", "---\nfor: 5m\n---\ntext\n", []string{
		"2:6-2:15 error[R0424]: for cannot be \"5 minutes\" (write `5m`)",
	}},
	{"for in user turns", "a.md", "---\nfor: 3 user turns\n---\ntext\n",
		"---\nfor: 3 turns\n---\ntext\n", []string{
			"2:6-2:18 error[R0424]: for counts turns or time, not user turns (write a number of turns such as " +
				"`3 turns`, or a time such as `2m`)",
		}},
	{"keep call", "a.md", "---\nkeep: call\n---\ntext\n", "---\nkeep: 1 turn\n---\ntext\n", []string{
		"2:7-2:11 error[R0424]: keep cannot be \"call\" (write `1 turn`)",
	}},
	{"keep turn", "a.md", "---\nkeep: turn\n---\ntext\n", "---\nkeep: user turn\n---\ntext\n", []string{
		"2:7-2:11 error[R0424]: keep cannot be \"turn\" (write `user turn`)",
	}},
	{"keep misspelt", "a.md", "---\nkeep: conversaton\n---\ntext\n",
		"---\nkeep: conversation\n---\ntext\n", []string{
			"2:7-2:18 error[R0424]: keep cannot be \"conversaton\" (write `conversation`)",
		}},
	{"keep users", "a.md", "---\nkeep: 2 user\n---\ntext\n", "---\nkeep: 2 user turns\n---\ntext\n", []string{
		"2:7-2:13 error[R0424]: keep cannot be \"2 user\" (write `2 user turns`)",
	}},
	{"within in time", "a.md", "---\nexpect: compacted\nwithin: 5m\n---\ntext\n",
		"---\nexpect: compacted\nwithin: 5 turns\n---\ntext\n", []string{
			"3:9-3:11 error[R0424]: within counts turns, not time: \"5m\" (write a number of turns such as " +
				"`5 turns`)",
		}},
	{"within user turns", "a.md", "---\nexpect: compacted\nwithin: 2 user turns\n---\ntext\n",
		"---\nexpect: compacted\nwithin: 5 turns\n---\ntext\n", []string{
			"3:9-3:21 error[R0424]: within counts turns, not user turns: \"2 user turns\" (write a number of " +
				"turns such as `5 turns`)",
		}},
	{"within no turns", "a.md", "---\nexpect: compacted\nwithin: 0 turns\n---\ntext\n",
		"---\nexpect: compacted\nwithin: 1 turn\n---\ntext\n", []string{
			"3:9-3:16 error[R0424]: within must be at least 1 turn, not \"0 turns\" (write `1 turn`)",
		}},
	{"within without unit", "a.md", "---\nexpect: compacted\nwithin: 5\n---\ntext\n",
		"---\nexpect: compacted\nwithin: 5 turns\n---\ntext\n", []string{
			"3:9-3:10 error[R0424]: within has no unit: \"5\" (write `5 turns`)",
		}},
	{"an empty expect", "a.md", "---\nexpect:\n---\ntext\n", "---\nexpect: compacted\n---\ntext\n", []string{
		"2:1-2:7 error[R0414]: expect is empty (write a trigger, or remove the key)",
	}},
	{"a holdout above half", "a.md", "---\nholdout: 60%\n---\ntext\n",
		"---\nholdout: 50%\n---\ntext\n", []string{
			"2:10-2:13 error[R0427]: holdout cannot be \"60%\": at most half of the runs are held out (write a " +
				"percentage from `0%` to `50%`, or `100%` for a trial)",
		}},
	{"a holdout without percent", "a.md", "---\nholdout: 20\n---\ntext\n", "---\nholdout: 20%\n---\ntext\n",
		[]string{
			"2:10-2:12 error[R0427]: holdout cannot be \"20\" (write `20%`)",
		}},
	{"a negative holdout", "a.md", "---\nholdout: -1%\n---\ntext\n", "---\nholdout: 0%\n---\ntext\n", []string{
		"2:10-2:13 error[R0427]: holdout cannot be \"-1%\": at most half of the runs are held out (write a " +
			"percentage from `0%` to `50%`, or `100%` for a trial)",
	}},
	{"a holdout in words", "a.md", "---\nholdout: half\n---\ntext\n", "---\nholdout: 50%\n---\ntext\n", []string{
		"2:10-2:14 error[R0427]: holdout takes a percentage, not \"half\" (write a percentage from `0%` to " +
			"`50%`, or `100%` for a trial)",
	}},
	{"a pause in words", "a.md", "---\nwhen: before_tool:Bash\npause: yes\n---\ntext\n",
		"---\nwhen: before_tool:Bash\npause: true\n---\ntext\n", []string{
			"3:8-3:11 error[R0412]: pause takes true or false, not \"yes\" (write `pause: true`)",
		}},
	{"max_ignored in words", "a.md", "---\nmax_ignored: twice\n---\ntext\n",
		"---\nmax_ignored: 2\n---\ntext\n", []string{
			"2:14-2:19 error[R0412]: max_ignored takes a whole number, not \"twice\" (write `max_ignored: 2`)",
		}},
	{"a time without leading digit", "a.md", "---\ncooldown: .5h\n---\ntext\n",
		"---\ncooldown: 30m\n---\ntext\n", []string{
			"2:11-2:14 error[R0424]: cooldown cannot be \".5h\" (write a number of turns such as `3 " +
				"turns`, or a time " +
				"such as `2m` or `1h30m`)",
		}},
	{"a time that does not fit", "a.md", "---\ncooldown: 99999999h\n---\ntext\n",
		"---\ncooldown: 1h\n---\ntext\n", []string{
			"2:11-2:20 error[R0424]: cooldown is too long: \"99999999h\" (write at most `100000d`)",
		}},
	{"a unit that there is not", "a.md", "---\ncooldown: 5mm\n---\ntext\n", "---\ncooldown: 5m\n---\ntext\n",
		[]string{
			"2:11-2:14 error[R0424]: cooldown cannot be \"5mm\" (write a number of turns such as `3 turns`, " +
				"or a time such as `2m` or `1h30m`)",
		}},
	{"a unit misspelt", "a.md", "---\ncooldown: 5 minuts\n---\ntext\n", "---\ncooldown: 5m\n---\ntext\n",
		[]string{
			"2:11-2:19 error[R0424]: cooldown cannot be \"5 minuts\" (write `5m`)",
		}},
	{"too many turns", "a.md", "---\ncooldown: 99999999999 turns\n---\ntext\n",
		"---\ncooldown: 3 turns\n---\ntext\n", []string{
			"2:11-2:28 error[R0424]: cooldown is too long: \"99999999999 turns\" (write at most `2147483647 turns`)",
		}},
	{"no cooldown", "a.md", "---\ncooldown:\n---\ntext\n", "---\ncooldown: 0\n---\ntext\n", []string{
		"2:1-2:9 error[R0424]: cooldown is empty (write a number of turns such as `3 turns`, or a time " +
			"such as `2m`)",
	}},
	{"keep in time", "a.md", "---\nkeep: 2m\n---\ntext\n", "---\nkeep: 2 turns\n---\ntext\n", []string{
		"2:7-2:9 error[R0424]: keep counts turns, not time: \"2m\" (write a number of turns " +
			"such as `3 turns`, `user turn`, `2 user turns` or `conversation`)",
	}},
	{"keep for no turns", "a.md", "---\nkeep: 0 turns\n---\ntext\n", "---\nkeep: 3 turns\n---\ntext\n", []string{
		"2:7-2:14 error[R0424]: keep must be at least 1 turn, not \"0 turns\" (write a number of turns such as " +
			"`3 turns`, " +
			"`user turn`, `2 user turns` or `conversation`)",
	}},
	{"keep forever", "a.md", "---\nkeep: forever\n---\ntext\n", "---\nkeep: conversation\n---\ntext\n", []string{
		"2:7-2:14 error[R0424]: keep cannot be \"forever\" (write `conversation`)",
	}},
	{"keep without unit", "a.md", "---\nkeep: 3\n---\ntext\n", "---\nkeep: 3 turns\n---\ntext\n", []string{
		"2:7-2:8 error[R0424]: keep has no unit: \"3\" (write `3 turns`)",
	}},
}
