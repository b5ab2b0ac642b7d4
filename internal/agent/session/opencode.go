package session

import "github.com/aside-go/aside/internal/jsonscan"

// opencodeFormat is that of "opencode export SESSION" (runs of 1.18.33): an object with the session and its
// messages. opencode itself keeps a database. A subagent is a session of its own, with the parent's id.
var opencodeFormat = format{
	format: Opencode, name: "opencode export",
	known: func(_ []byte, r *row) bool {
		return len(r[cSession]) > 0 && len(r[cDir]) > 0 && len(r[cItems]) > 0
	},
	fields: opencodeFields, items: opencodeMessages, take: takeOpencode,
}

var opencodeFields = fields{"messages": {is: cItems}, "info": {in: fields{
	"id": {is: cSession}, "parentID": {is: cParent}, "directory": {is: cDir}, "agent": {is: cName}}}}

var opencodeMessages = fields{"parts": {is: cCalls}, "info": {in: fields{
	"id": {is: cKey}, "role": {is: cType}, "modelID": {is: cModel}, "summary": {is: cSub},
	"time": {in: fields{"created": {is: cTime}}}, "path": {in: fields{"cwd": {is: cDir}}},
	"tokens": {in: fields{"input": {is: cFresh}, "output": {is: cAnswer}, "reasoning": {is: cThoughts},
		"cache": {in: fields{"read": {is: cRead}, "write": {is: cWritten}}}}}}}}

var opencodeParts = fields{
	"type": {is: cType}, "text": {is: cText}, "synthetic": {is: cWho}, "callID": {
		is: cCall}, "tool": {is: cName},
	"state": {in: fields{"status": {is: cStatus}, "input": {is: cInput}, "output": {is: cOutput},
		"error": {is: cError}, "metadata": {in: fields{"exit": {is: cExit}}}}},
}

func takeOpencode(s *journal, t *thread, r *row) {
	role := r.text(cType)
	switch {
	case role == "assistant" && string(r[cSub]) == "true": // the answer that summarises the history
		t.compacted(Count{})
		return
	case role == "assistant":
		t.asked(r.text(cKey))
		t.counts(r)
	}
	for _, raw := range jsonscan.Elements(r[cCalls]) {
		var p row
		opencodeParts.read(raw, &p)
		switch kind := p.text(cType); {
		case role == "user" && kind == "text" && string(p[cWho]) != "true":
			t.prompt(p.text(cText))
		case role == "assistant" && kind == "text":
			t.says(p.text(cText))
		case kind == "tool":
			t.calls(&p, "opencode")
			// to opencode a command that exits with another code than 0 is completed
			t.ended(&p, p.is(cStatus, "error") || countOf(p[cExit]).N != 0, asIs)
		}
	}
}
