//go:build ignore

package main

import "time"

func read(path, result string) call {
	return call{tool: "Read", input: fields{"file_path": "/home/noor/tidewatch/" + path}, result: result}
}

func edit(path, from, to string) call {
	p := "/home/noor/tidewatch/" + path
	return call{tool: "Edit", input: fields{"file_path": p, "old_string": from, "new_string": to},
		result: "The file " + p + " has been updated."}
}

func bash(command, result string) call {
	return call{tool: "Bash", input: fields{"command": command}, result: result}
}

func fails(command, result string) call {
	return call{tool: "Bash", input: fields{"command": command}, result: "Exit code 1\n" + result, failed: true}
}

func grep(pattern, result string) call {
	return call{tool: "Grep", input: fields{"pattern": pattern}, result: result}
}

func todos(items ...string) call {
	list := []any{}
	for i, it := range items {
		status := "pending"
		if i == 0 {
			status = "in_progress"
		}
		list = append(list, fields{"content": it, "status": status})
	}
	return call{tool: "TodoWrite", input: fields{"todos": list}, result: "Todos have been modified."}
}

// session is a morning's work on a service that warns harbours of high water. What the starter rules say
// about it stands behind the turns, with the number of the turn that carries it.
var session = []turn{
	{you: "Since the clocks changed our high-water alerts reach the harbour of Varn an hour late. Please find " +
		"out why and fix it. The HTTP API has to stay as it is.",
		say: "I'll note the steps first, then look at how an alert gets its time.", calls: []call{
			todos("find where alert times are computed", "reproduce the shift in a test", "fix it",
				"check the weekly digest for the same mistake")}, out: 310, add: 900},
	{calls: []call{grep("LoadLocation", "alert/when.go:31\nstation/station.go:88\ndigest/week.go:54"),
		read("alert/when.go", "// When returns the moment at which harbour h has to be warned of tide t.\nfunc "+
			"When(h Harbour, t Tide) time.Time { … }"),
		read("station/station.go",
			"type Station struct {\n\tName string\n\tOffset time.Duration // to UTC\n}")}, out: 260, add: 5200},
	{say: "`Station.Offset` is a fixed distance to UTC. A station in a country with summer time needs a zone, " +
		"not an offset. I want to know every place that relies on it.",
		calls: []call{{tool: "Task", input: fields{"subagent_type": "Explore",
			"description": "find conversions to local time", "prompt": "List every place that converts a time with " +
				"Station.Offset."},
			result: "Four places use Station.Offset: alert/when.go:40, digest/week.go:61, api/tides.go:112 (formats " +
				"only), cmd/backfill/main.go:77."}}, out: 340, add: 2600},
	{calls: []call{read("digest/week.go", "func (w Week) Rows(s station.Station) []Row { … Add(s.Offset) … }"),
		read("api/tides.go", "// The offset is part of the response and has to stay.")}, out: 190, add: 6400},
	{say: "The API shows the offset, so it stays; computing with it has to go.",
		calls: []call{edit("station/station.go", "Offset time.Duration // to UTC",
			"Offset time.Duration // to UTC in winter, shown by the API\n\tZone   "+
				"*time.Location")}, out: 420, add: 1300},
	{calls: []call{fails("go test ./...",
		"--- FAIL: TestWhen/varn_in_july (0.00s)\n    when_test.go:52: got 07:10, want "+
			"06:10\nFAIL\ttidewatch/alert")}, out: 120, add: 3900}, // 6
	{calls: []call{read("alert/when_test.go", "func TestWhen(t *testing.T) { … }")}, out: 90, add: 4100},
	{calls: []call{edit("alert/when.go", "t.At.Add(h.Station.Offset)", "t.At.In(h.Station.Zone)")},
		out: 380, add: 1200},
	{calls: []call{fails("go test ./alert",
		"panic: time: missing Location in call to Time.In\ngoroutine 18 [running]: …")}, out: 110, add: 5600},
	{say: "The stations in the tests have no zone. Perhaps the fixture loader can set it.",
		calls: []call{fails("go test ./alert -run TestWhen -v",
			"panic: time: missing Location in call to Time.In")}, out: 150, add: 4800},
	{calls: []call{fails("TZ=Europe/Oslo go test ./alert", "panic: time: missing Location in call to Time.In")},
		out: 130, add: 4300},
	{say: "Running it once more will not help: the zone is missing where stations are decoded, whatever the " +
		"environment says.", calls: []call{read("station/decode.go",
		"func decode(r row) Station { return Station{Name: r.name, Offset: r.offset} "+
			"}")}, out: 270, add: 5100}, // 12: repeated-failures
	{calls: []call{grep("station.decode|decode\\(", "station/load.go:29\nstation/load_test.go:14"),
		read("station/load.go", "rows, err := db.Query(\"select name, offset_minutes, tz from "+
			"station\")")}, out: 160, add: 4700},
	{say: "The column `tz` is read from the database and thrown away. That is the cause.",
		calls: []call{edit("station/decode.go", "Station{Name: r.name, Offset: r.offset}",
			"Station{Name: r.name, Offset: r.offset, Zone: zone(r.tz)}")}, out: 460, add: 1500},
	{calls: []call{bash("go test ./alert ./station",
		"ok  \ttidewatch/alert\t0.41s\nok  "+
			"\ttidewatch/station\t0.12s")}, out: 100, add: 3300}, // 15
	{calls: []call{bash("git diff --stat",
		" alert/when.go      | 2 +-\n station/decode.go  | 9 ++++++++-\n station/station.go | 3 "+
			"++-")}, out: 90, add: 2900},
	{say: "Alerts for Varn now use the station's time zone. The cause was that the zone was read from the " +
		"database and dropped on the way. Tests of alert and station pass; I have not touched the digest " +
		"yet.", out: 240, add: 200}, // 17
	{wait: 4 * time.Minute, you: "Great. Do the digest too, and when that is done delete the branch " +
		"summer-hack " +
		"on the server, nobody needs it any more.",
		say: "First the digest. The branch I'll look at before anything is removed.", calls: []call{
			todos("use zones in the weekly digest", "look at what summer-hack still holds",
				"ask, then remove it")}, out: 280, add: 1100}, // 18
	{calls: []call{read("digest/week_test.go", "var golden = \"testdata/week-27.txt\""),
		bash("git log --oneline main..origin/summer-hack",
			"91c07de shift Varn by hand until September")}, out: 170, add: 6900},
	{calls: []call{edit("digest/week.go", "Add(s.Offset)", "In(s.Zone)")}, out: 330, add: 1400},
	{calls: []call{bash("go test ./digest", "want: Mon 06:10 high\n got: Mon 6:10 high\n1 golden file differs")},
		out: 110, add: 6200}, // 21
	{calls: []call{edit("digest/week.go", "t.Format(\"3:04\")", "t.Format(\"03:04\")")}, out: 210, add: 1300},
	{calls: []call{bash("go test ./digest",
		"want: Tue 19:22 high\n got: Tue 07:22 high\n1 golden file differs")}, out: 100, add: 6600},
	{calls: []call{edit("digest/week.go", "t.Format(\"03:04\")", "t.Format(\"15:04 \")")}, out: 190, add: 1300},
	{calls: []call{bash("go test ./digest",
		"want: Tue 19:22 high\n got: Tue 19:22  high\n1 golden file differs")}, out: 100, add: 6400},
	{calls: []call{edit("digest/week.go", "t.Format(\"15:04 \")", "t.Format(\"15:04\")")}, out: 180, add: 1300},
	{calls: []call{bash("go test ./digest",
		"want: Sun 00:05 high\n got: Sat 00:05 high\n1 golden file differs")}, out: 100, add: 6800},
	{say: "I have been turning one knob. The last difference is not the format: the day is taken " +
		"before the zone " +
		"is applied. A test of one row around midnight shows it best.",
		calls: []call{todos("one row around midnight", "take the day in the station's zone",
			"summer-hack: ask")}, out: 390, add: 1200}, // 28
	{calls: []call{{tool: "Write", input: fields{"file_path": "/home/noor/tidewatch/digest/midnight_test.go",
		"content": "package digest\n\nfunc TestMidnight(t *testing.T) {\n\trow := Week{…}.Rows(varn)[0]\n\tif " +
			"row.Day != time.Sunday { t.Errorf(\"got %v\", row.Day) " +
			"}\n}\n"}, result: "File created."}}, out: 520, add: 1400},
	{calls: []call{fails("go test ./digest -run TestMidnight",
		"--- FAIL: TestMidnight\n    midnight_test.go:6: got Saturday")}, out: 110, add: 4400},
	{say: "Reproduced in one row.", calls: []call{edit("digest/week.go",
		"day := t.Weekday()\n\tlocal := t.In(s.Zone)", "local := t.In(s.Zone)\n\tday := "+
			"local.Weekday()")}, out: 260, add: 1300},
	{calls: []call{bash("go test ./...",
		"ok  \ttidewatch/alert\nok  \ttidewatch/digest\nok  \ttidewatch/station\nok  "+
			"\ttidewatch/api")}, out: 90, add: 7100}, // 32
	{calls: []call{read("cmd/backfill/main.go", "// backfill computes the alerts of past seasons again."),
		read("logs/varn-2026-06.log", "06:10 sent 07:10\n18:31 sent 19:31\n… 2,400 lines")}, out: 150, add: 21000},
	{calls: []call{read("logs/varn-2026-05.log", "05:44 sent 06:44\n… 2,200 lines"),
		grep("sent 0[67]", "… 310 matches")}, out: 150, add: 9800},
	{say: "The logs show the shift from the last Sunday of March on, which fits. I'll write down where things " +
		"stand: digest and alerts fixed and tested; backfill not changed; summer-hack still on the " +
		"server.", calls: []call{read("docs/notes.md", "# Notes")}, out: 480, add: 5200}, // 35: context-nearly-full
	{calls: []call{edit("docs/notes.md", "# Notes",
		"# Notes\n\n2026-06-09: zones instead of offsets; backfill still to do")}, out: 310, add: 3600},
	{calls: []call{bash("git commit -am 'use time zones for alerts and digest'",
		"[main 5d2f1ab] use time zones for alerts and digest\n 6 files changed")}, out: 140, add: 900},
	{compact: 21_600, machine: "This session is being continued from a previous conversation that ran out of " +
		"context. Summary: alerts and digest of tidewatch compute with time zones now, committed as " +
		"5d2f1ab. Open: " +
		"cmd/backfill still adds Station.Offset; branch summer-hack on the server, ask before it is removed.",
		say: "Next is the backfill, which still adds the offset.", calls: []call{read("cmd/backfill/main.go",
			"at := tide.At.Add(st.Offset)")}, out: 220, add: 4200}, // 38: after-compaction
	{calls: []call{edit("cmd/backfill/main.go", "tide.At.Add(st.Offset)", "tide.At.In(st.Zone)")},
		out: 240, add: 1200},
	{calls: []call{bash("go vet ./... && go test ./...",
		"ok  \ttidewatch/alert\nok  \ttidewatch/cmd/backfill\nok  \ttidewatch/digest")}, out: 100, add: 3100},
	{say: "Backfill uses zones too, and everything passes. Before I remove summer-hack from the " +
		"server: it holds " +
		"one commit that main does not have, the shift by hand of 91c07de. May it go?", out: 310, add: 150},
	{wait: 82 * time.Minute, you: "Sorry, lunch. Yes, it can go.",
		calls: []call{bash("git fetch && git log --oneline main..origin/summer-hack",
			"91c07de shift Varn by hand until September")}, out: 150, add: 1900}, // 42: long-silence
	{say: "Nothing new was pushed to it in the meantime.", calls: []call{
		bash("git push origin --delete summer-hack",
			"To git.example.org:harbour/tidewatch.git\n - [deleted]         summer-hack")}, out: 130, add: 800},
	{machine: "<task-notification>\n<task-id>b31</task-id>\n<status>completed</status>\n<summary>Background " +
		"command \"make image\" finished</summary>\n</task-notification>",
		calls: []call{bash("make image-check",
			"image tidewatch:5d2f1ab, 14 MB, zones included")}, out: 120, add: 700},
	{say: "All done: alerts, digest and backfill compute with the station's time zone, the API is unchanged, " +
		"summer-hack is gone, and the image contains the zone data.", out: 260, add: 100},
}

// explore is the subagent's search.
var explore = []turn{
	{you: "List every place that converts a time with Station.Offset.",
		calls: []call{grep("\\.Offset",
			"alert/when.go:40\ndigest/week.go:61\napi/tides.go:112\ncmd/backfill/main.go:77\nstation/station.go:88"), {
			tool: "Glob", input: fields{
				"pattern": "**/*_test.go"}, result: "alert/when_test.go\ndigest/week_test.go"}}, out: 140, add: 1800},
	{calls: []call{read("cmd/backfill/main.go", "at := tide.At.Add(st.Offset)"),
		{tool: "Read", input: fields{"file_path": "/home/noor/tidewatch/api/tide.go"},
			result: "<tool_use_error>File does not exist.</tool_use_error>", failed: true}}, out: 120, add: 3500},
	{calls: []call{read("api/tides.go", "\"utc_offset\": s.Offset.Minutes()")}, out: 80, add: 3100},
	{say: "Four places use Station.Offset: alert/when.go:40, digest/week.go:61, api/tides.go:112 " +
		"(formats only), " +
		"cmd/backfill/main.go:77.", out: 170, add: 0},
}

// morning is the next day's session, which was resumed and then stopped in the middle of a line.
var morning = []turn{
	{you: "Did the alert of this morning go out in time?", calls: []call{
		bash("grep Varn logs/varn-2026-06.log | tail -1", "06:48 sent 06:48")}, out: 120, add: 1500},
	{say: "Yes: high water at 06:48, sent at 06:48.", out: 60, add: 50},
	{wait: 26 * time.Hour, resume: true, you: "One more thing: the digest writes Varn in lower case.",
		calls: []call{grep("varn", "digest/week.go:19: const varn = \"varn\"")}, out: 110, add: 1300},
	{calls: []call{edit("digest/week.go", "\"varn\"", "\"Varn\"")}, out: 140, add: 600},
}
