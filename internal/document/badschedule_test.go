package document_test

// badSchedules are wrong schedules, and places behind characters of several bytes.
var badSchedules = []badFile{
	{"an unknown kind", "a.yaml", "schedule: {kind: weird}\ncontent: x\n",
		"schedule: {kind: turn}\ncontent: x\n", []string{
			"1:18-1:23 error[R0430]: kind cannot be \"weird\" (write one of always, turn, timer, oneshot, condition)",
		}},
	{"a kind that is nearly right", "a.yaml", "schedule: {kind: alway}\ncontent: x\n", "", []string{
		"1:18-1:23 error[R0430]: kind cannot be \"alway\" (did you mean `always`?)",
	}},
	{"no kind at all", "a.yaml", "schedule: {kind: }\ncontent: x\n",
		"schedule: {kind: always}\ncontent: x\n", []string{
			"1:12-1:16 error[R0430]: kind is empty (write one of always, turn, timer, oneshot, condition)",
		}},
	{"a schedule that is a word", "a.yaml", "schedule: always\ncontent: x\n", "", []string{
		"1:11-1:17 error[R0407]: schedule takes keys, not a value (write `schedule: {kind: always}`, or the like)",
	}},
	{"an empty schedule", "a.yaml", "schedule:\ncontent: x\n", "schedule: {}\ncontent: x\n", []string{
		"1:1-1:9 error[R0407]: schedule takes keys, not a value (write `schedule: {kind: always}`, or the like)",
	}},
	{"an unknown key of a schedule", "a.yaml", "schedule:\n  kind: turn\n  turn_intervall: 3\ncontent: x\n",
		"", []string{
			"3:3-3:17 error[R0410]: unknown key \"turn_intervall\" in schedule (did you mean `turn_interval`?)",
		}},
	{"a turn interval of 0", "a.yaml", "schedule: {kind: turn, turn_interval: 0}\ncontent: x\n", "", []string{
		"1:39-1:40 error[R0431]: turn_interval must be at least 1, not 0 (write `turn_interval: 1`)",
	}},
	{"a negative turn interval", "a.yaml", "schedule: {kind: turn, turn_interval: -3}\ncontent: x\n",
		"", []string{
			"1:39-1:41 error[R0431]: turn_interval must be at least 1, not -3 (write `turn_interval: 1`)",
		}},
	{"a turn interval in words", "a.yaml", "schedule: {kind: turn, turn_interval: three}\ncontent: x\n",
		"schedule: {kind: turn, turn_interval: 3}\ncontent: x\n", []string{
			"1:39-1:44 error[R0431]: turn_interval takes a whole number, not \"three\" (write `turn_interval: 3`)",
		}},
	{"an interval without unit", "a.yaml", "schedule: {kind: timer, interval: 30}\ncontent: x\n",
		"schedule: {kind: timer, interval: 30s}\ncontent: x\n", []string{
			"1:35-1:37 error[R0431]: interval has no unit: \"30\" (write `30s` for seconds, `30m` for minutes)",
		}},
	{"an interval of nothing", "a.yaml", "schedule: {kind: timer, interval: 0s}\ncontent: x\n",
		"schedule: {kind: timer, interval: 30s}\ncontent: x\n", []string{
			"1:35-1:37 error[R0431]: interval must be longer than 0, not \"0s\" (write a time such as " +
				"`5m` or `1h30m`)",
		}},
	{"a negative interval", "a.yaml", "schedule: {kind: timer, interval: -5m}\ncontent: x\n",
		"schedule: {kind: timer, interval: 5m}\ncontent: x\n", []string{
			"1:35-1:38 error[R0431]: interval must be longer than 0, not \"-5m\" (write a time such as " +
				"`5m` or `1h30m`)",
		}},
	{"an interval in turns", "a.yaml", "schedule: {kind: timer, interval: 5 turns}\ncontent: x\n",
		"schedule: {kind: turn, turn_interval: 5}\ncontent: x\n", []string{
			"1:35-1:42 error[R0431]: interval is a time, not \"5 turns\" (use `kind: turn` with `turn_interval`)",
		}},
	{"an interval in words", "a.yaml", "schedule: {kind: timer, interval: often}\ncontent: x\n",
		"schedule: {kind: timer, interval: 5m}\ncontent: x\n", []string{
			"1:35-1:40 error[R0431]: interval cannot be \"often\" (write a time such as `5m` or `1h30m`)",
		}},
	{"an interval of another kind", "a.yaml", "schedule: {kind: turn, interval: 5m}\ncontent: x\n",
		"schedule: {kind: timer, interval: 5m}\ncontent: x\n", []string{
			"1:24-1:32 warning[R0432]: interval is read with `kind: timer` alone, and this is turn (remove it, or " +
				"change the kind)",
		}},
	{"max_fires twice", "a.yaml", "max_fires: 1\nschedule: {kind: turn, max_fires: 2}\ncontent: x\n",
		"schedule: {kind: turn, max_fires: 2}\ncontent: x\n", []string{
			"2:24-2:33 error[R0411]: duplicate key \"max_fires\", given before in line 1 (remove one of the two)",
		}},
	{"two wrong reminders of three", "a.yaml",
		"reminders:\n- {id: a, tier: x, content: a}\n- {id: b, content: b}\n- {id: c, keep: x, content: " +
			"c}\n", "reminders:\n- {id: a, content: a}\n- {id: b, content: b}\n- {id: c, content: c}\n", []string{
			"2:17-2:18 error[R0426]: tier cannot be \"x\" (write one of guidance, correctness, safety)",
			"4:17-4:18 error[R0424]: keep cannot be \"x\" (write a number of turns such as " +
				"`3 turns`, `user turn`, `2 user turns` or `conversation`)",
		}},
	{"behind a byte order mark and CRLF", "a.md", "\ufeff---\r\nwhen: always\r\ntier: x\r\n---\r\ntext\r\n",
		"---\r\nwhen: always\r\n---\r\ntext\r\n", []string{
			"3:7-3:8 error[R0426]: tier cannot be \"x\" (write one of guidance, correctness, safety)",
		}},
	{"on the first line behind a byte order mark", "a.yaml", "\ufefftier: x\ncontent: x\n",
		"\ufeffcontent: x\n", []string{
			"1:8-1:9 error[R0426]: tier cannot be \"x\" (write one of guidance, correctness, safety)",
		}},
	{"behind wide characters", "a.yaml", "{description: \"日本語 🎉\", tier: x, content: é}\n",
		"{content: x}\n", []string{
			"1:30-1:31 error[R0426]: tier cannot be \"x\" (write one of guidance, correctness, safety)",
		}},
}
