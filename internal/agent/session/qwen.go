package session

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// qwenFormat is that of Qwen Code's session files, ~/.qwen/projects/PROJECT/chats/SESSION.jsonl (runs of
// 0.24.4). A line is a message, whose answer may go on in further ones without a usage; a subagent has a file
// of its own, PROJECT/subagents/SESSION/agent-ID.jsonl.
var qwenFormat = format{
	format: Qwen, name: "Qwen Code session",
	known: func(_ []byte, r *row) bool {
		return len(r[cSession]) > 0 && (len(r[cCalls]) > 0 || len(r[cSub]) > 0 && len(r[cWho]) > 0)
	},
	fields: qwenFields, take: takeQwen,
	subagent: func(p, id string) string {
		if !plainName(id) {
			return ""
		}
		return filepath.FromSlash(qwenSubagents(p) + "/agent-" + id + ".jsonl")
	},
	folder: func(p string, _ func() []byte) string { return qwenSubagents(p) },
	holds:  isClaudeAgent,
}

// qwenSubagents returns the folder of a session's subagents.
func qwenSubagents(file string) string {
	chats := path.Dir(filepath.ToSlash(file))
	if path.Base(chats) != "chats" {
		return ""
	}
	return path.Join(path.Dir(chats), "subagents", stem(file))
}

var qwenFields = fields{
	"type": {is: cType}, "subtype": {is: cSub}, "timestamp": {is: cTime}, "sessionId": {is: cSession},
	"agentId": {is: cAgent}, "agentName": {is: cName}, "cwd": {is: cDir}, "gitBranch": {is: cBranch},
	"model": {is: cModel}, "uuid": {is: cKey}, "provenance": {is: cWho},
	"message": {in: fields{"parts": {is: cCalls}}},
	"usageMetadata": {in: fields{"promptTokenCount": {is: cPrompt}, "cachedContentTokenCount": {is: cRead},
		"candidatesTokenCount": {is: cAnswer}}},
	"contextWindowSize": {is: cWindow},
	"toolCallResult":    {in: fields{"status": {is: cStatus}}},
	"systemPayload": {in: fields{"displayText": {is: cText},
		"info": {in: fields{"newTokenCount": {is: cAfter}}}}},
}

var qwenParts = fields{
	"text": {is: cText}, "thought": {is: cWho},
	"functionCall": {in: fields{"id": {is: cCall}, "name": {is: cName}, "args": {is: cInput}}},
	"functionResponse": {in: fields{"id": {is: cCall}, "response": {in: fields{"output": {is: cOutput},
		"error": {is: cError}}}}},
}

func takeQwen(s *journal, t *thread, r *row) {
	kind := r.text(cType)
	switch kind {
	case "assistant":
		if len(r[cPrompt]) > 0 || !t.open {
			t.asked(r.text(cKey))
		}
		t.counts(r)
		t.open = true
	case "user", "tool_result":
		t.open = false
	}
	typed := r.text(cText)
	for _, raw := range jsonscan.Elements(r[cCalls]) {
		var p row
		qwenParts.read(raw, &p)
		switch text := p.text(cText); {
		case kind == "assistant" && len(p[cName]) > 0:
			t.calls(&p, "qwen")
		case kind == "assistant" && string(p[cWho]) != "true":
			t.says(text)
		case kind == "tool_result":
			failed := len(p[cError]) > 0 || len(r[cStatus]) > 0 && !r.is(cStatus, "success")
			t.ended(&p, failed, unhooked)
		case kind == "user" && agent.Wrote(text) != "":
			t.waiting.Hints = append(t.waiting.Hints, text)
		case kind == "user" && typed == "":
			typed = text
		}
	}
	switch {
	case kind == "user" && (len(r[cWho]) == 0 || r.is(cWho, "real_user")):
		t.prompt(typed)
	case r.is(cSub, "chat_compression"):
		t.compacted(countOf(r[cAfter]))
	}
}

// unhooked returns a result of a command without the texts of hooks that Qwen Code puts behind it.
func unhooked(text string) string {
	const last = "\nProcess Group PGID: "
	if i := strings.Index(text, last); i >= 0 && strings.HasPrefix(text, "Command: ") {
		if end := strings.IndexByte(text[i+1:], '\n'); end >= 0 {
			return text[:i+1+end]
		}
	}
	return text
}
