package session

import (
	"path"
	"path/filepath"

	"github.com/aside-go/aside/internal/jsonscan"
)

// kimiFormat is that of Kimi Code's session files, ~/.kimi-code/sessions/PROJECT/SESSION/agents/ID/wire.jsonl
// (runs of 2.1.0), of which the session's own has the id main, and each subagent one.
var kimiFormat = format{
	format: Kimi, name: "Kimi Code session",
	known: func(line []byte, r *row) bool {
		return r.is(cType, "metadata") && len(jsonscan.Member(line, "protocol_version")) > 0 ||
			len(r[cAgent]) > 0 && countOf(r[cTime]).N > 0
	},
	fields: kimiFields, take: takeKimi,
	named: func(r *Run) {
		if session, id := kimiIDs(r.Source); id == "main" {
			r.ID = session
		} else if id != "" {
			r.ID, r.Thread = session+"/agent-"+id, "subagent"
		}
	},
	folder: func(p string, _ func() []byte) string {
		if _, id := kimiIDs(p); id != "main" {
			return ""
		}
		return path.Dir(path.Dir(filepath.ToSlash(p)))
	},
	holds:   func(file string) bool { _, id := kimiIDs(file); return id != "" && id != "main" },
	spawned: func(file string, _ func() []byte) bool { _, id := kimiIDs(file); return id != "" && id != "main" },
}

// kimiIDs returns the ids of the session and of the agent whose file it is, "" where it is none.
func kimiIDs(file string) (session, id string) {
	dir := path.Dir(filepath.ToSlash(file))
	if agents := path.Dir(dir); stem(file) == "wire" && path.Base(agents) == "agents" {
		return path.Base(path.Dir(agents)), path.Base(dir)
	}
	return "", ""
}

var kimiFields = fields{
	"type": {is: cType}, "kind": {is: cSub}, "time": {is: cTime}, "agentId": {is: cAgent},
	"model": {is: cModel}, "turnStep": {is: cStep}, "input": {is: cText},
	"origin": {in: fields{"kind": {is: cWho}}}, "profileName": {is: cParent},
	"environmentDisclosure": {in: fields{"cwd": {is: cDir}}}, "tokensAfter": {is: cAfter},
	"event": {in: fields{
		"type": {is: cSub}, "part": {in: fields{"text": {is: cText}}},
		"toolCallId": {is: cCall}, "name": {is: cName}, "args": {is: cInput},
		"result": {in: fields{"output": {is: cOutput}, "isError": {is: cStatus}}},
		"usage": {in: fields{"inputOther": {is: cFresh}, "inputCacheRead": {is: cRead},
			"inputCacheCreation": {is: cWritten}, "output": {is: cAnswer}}},
	}},
}

func takeKimi(s *journal, t *thread, r *row) {
	switch kind, sub := r.text(cType), r.text(cSub); kind {
	case "profile.bind":
		if t.run.Thread != "root" {
			t.run.Thread = r.text(cParent)
		}
	case "turn.prompt", "turn.steer":
		if r.is(cWho, "user") {
			t.prompt(readContent(r[cText]).text)
		}
	case "llm.request":
		if sub == "loop" {
			t.asked(r.text(cStep))
		}
	case "context.apply_compaction":
		t.compacted(countOf(r[cAfter]))
	case "context.append_loop_event":
		switch sub {
		case "content.part":
			t.says(r.text(cText))
		case "tool.call":
			t.calls(r, "kimi-code")
		case "tool.result":
			t.ended(r, string(r[cStatus]) == "true", asIs)
		case "step.end":
			t.counts(r)
		}
	}
}
