package session

import "github.com/aside-go/aside/internal/jsonscan"

// piFormat is that of pi's session files, ~/.pi/agent/sessions/--PROJECT--/TIME_SESSION.jsonl (its
// docs/session-format.md, and runs of 1.6.0). Its records form a tree, whose branches were all model calls.
// A fork has the path of the file that it copies.
var piFormat = format{
	format: Pi, name: "pi session",
	known: func(_ []byte, r *row) bool {
		return r.is(cType, "session") && countOf(r[cStep]).Known && len(r[cDir]) > 0
	},
	fields: piFields, take: takePi,
}

var piFields = fields{"type": {is: cType}, "version": {is: cStep}, "id": {is: cKey}, "timestamp": {is: cTime},
	"cwd": {is: cDir}, "parentSession": {is: cParent}, "modelId": {is: cModel}, "message": {in: fields{
		"role": {is: cSub}, "content": {is: cOutput}, "model": {is: cModel}, "toolCallId": {is: cCall},
		"isError": {is: cStatus}, "usage": {in: fields{"input": {is: cFresh}, "cacheRead": {is: cRead},
			"cacheWrite": {is: cWritten}, "output": {is: cAnswer}}}}}}

var piParts = fields{"type": {is: cType}, "text": {is: cText}, "id": {is: cCall}, "name": {is: cName},
	"arguments": {is: cInput}}

func takePi(s *journal, t *thread, r *row) {
	switch key := r.text(cKey); r.text(cType) {
	case "session":
		s.run.ID = key
		if from := r.text(cParent); from != "" {
			t.forked(Named(from), true)
		}
	case "compaction":
		t.compacted(Count{})
	case "message":
		switch r.text(cSub) {
		case "user":
			t.prompt(readContent(r[cOutput]).text)
		case "assistant":
			copied := t.answer(r[cKey], r[cOutput])
			turn := t.begin(key, t.model)
			turn.Copied = copied
			t.out.Turn(turn)
			t.counts(r)
			for _, raw := range jsonscan.Elements(r[cOutput]) {
				var p row
				switch piParts.read(raw, &p); p.text(cType) {
				case "text":
					t.says(p.text(cText))
				case "toolCall":
					t.calls(&p, "pi")
				}
			}
		case "toolResult":
			t.ended(r, string(r[cStatus]) == "true", asIs)
		}
	}
}
