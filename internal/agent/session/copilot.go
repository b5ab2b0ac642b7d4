package session

import (
	"strings"

	"github.com/aside-go/aside/internal/jsonscan"
)

// copilotFormat is that of Copilot CLI's session files, ~/.copilot/session-state/SESSION/events.jsonl (runs
// of 1.0.102). A line is an event; those of a subagent stand between those of the session, with "agentId".
var copilotFormat = format{
	format: Copilot, name: "Copilot CLI session", resumes: true,
	known: func(line []byte, r *row) bool {
		group, _, dotted := strings.Cut(r.text(cType), ".")
		data := jsonscan.Member(line, "data")
		if !dotted || len(data) == 0 || data[0] != '{' || len(r[cTime]) == 0 {
			return false
		}
		switch group {
		case "session", "user", "assistant", "tool", "hook", "subagent", "system":
			return true
		}
		return false
	},
	fields: copilotFields, take: takeCopilot,
}

var copilotFields = fields{
	"type": {is: cType}, "timestamp": {is: cTime}, "agentId": {is: cThread}, "data": {in: fields{
		"sessionId": {is: cSession}, "context": {in: fields{"cwd": {is: cDir}}}, "agentType": {is: cName},
		"selectedModel": {is: cModel}, "newModel": {is: cModel}, "model": {is: cModel},
		"content": {is: cText}, "source": {is: cWho}, "interactionId": {is: cKey}, "turnId": {is: cStep},
		"toolRequests": {is: cCalls}, "toolCallId": {is: cCall}, "success": {is: cStatus},
		"result": {in: fields{"content": {is: cOutput}}}, "error": {in: fields{"message": {is: cError}}},
		"shellExecution": {in: fields{"exitCode": {is: cExit}}},
		"usage": {in: fields{"interactionType": {is: cSub}, "inputTokens": {is: cPrompt},
			"cacheReadTokens": {is: cRead}, "cacheWriteTokens": {is: cWritten}, "outputTokens": {is: cAnswer}}},
		"postCompactionTokens": {is: cAfter}, "output": {is: cVerdict},
	}},
}

var copilotCalls = fields{"toolCallId": {is: cCall}, "name": {is: cName}, "arguments": {is: cInput}}

func takeCopilot(s *journal, t *thread, r *row) {
	switch r.text(cType) {
	case "session.resume":
		t.waiting.Resumed = true
	case "session.compaction_complete":
		if string(r[cStatus]) != "false" {
			t.compacted(countOf(r[cAfter]))
		}
	case "hook.end":
		if string(jsonscan.Member(r[cVerdict], "decision")) == `"block"` {
			s.reason = jsonscan.Unquote(jsonscan.Member(r[cVerdict], "reason"))
		}
	case "user.message":
		if text := r.text(cText); t == &s.thread && len(r[cWho]) == 0 && text != s.reason {
			t.prompt(text)
		}
		s.reason = ""
	case "assistant.turn_start":
		t.asked(r.text(cKey) + " " + r.text(cStep))
	case "session.usage_record":
		switch r.text(cSub) { // others are none of the conversation's
		case "conversation-agent", "conversation-user", "conversation-subagent":
			t.counts(r)
		}
	case "assistant.message":
		t.last.model = r.text(cModel)
		t.says(r.text(cText))
		for _, raw := range jsonscan.Elements(r[cCalls]) {
			var c row
			copilotCalls.read(raw, &c)
			t.calls(&c, "copilot")
		}
	case "tool.execution_complete":
		// to Copilot a shell command that exits with another code than 0 is a success
		exit := countOf(r[cExit])
		t.ended(r, string(r[cStatus]) == "false" || len(r[cExit]) > 0 && (!exit.Known || exit.N != 0), unguided)
	}
}

// unguided returns a result without the texts of hooks that Copilot puts behind it.
func unguided(text string) string {
	if i := strings.LastIndex(text, "Additional guidance from postToolUse hooks:\n"); i >= 0 {
		if j := strings.LastIndex(text[:i], "\n\nTool \""); j >= 0 {
			return text[:j]
		}
	}
	return text
}
