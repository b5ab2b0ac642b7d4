package session

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

// clineFormat is that of Cline's session files, ~/.cline/data/sessions/SESSION/SESSION.messages.json (runs of
// the command line 3.0.65): an object with the messages, which do not say where the agent works. The file is
// written anew a little after each message, and the last ones of a run may be missing.
var clineFormat = format{
	format: Cline, name: "Cline session",
	known: func(_ []byte, r *row) bool {
		return len(r[cSession]) > 0 && len(r[cItems]) > 0 && len(r[cName]) > 0
	},
	fields: clineFields, items: clineMessages, take: takeCline,
	folder: func(p string, _ func() []byte) string {
		if clineAgent(p) || !strings.HasSuffix(p, ".messages.json") {
			return ""
		}
		return path.Dir(filepath.ToSlash(p))
	},
	holds:   clineAgent,
	spawned: func(file string, _ func() []byte) bool { return clineAgent(file) },
}

// clineAgent reports whether a file has the name of a subagent's, which lies beside that of its session.
func clineAgent(file string) bool {
	name := filepath.Base(file)
	return strings.HasPrefix(name, "agent_") && strings.HasSuffix(name, ".messages.json")
}

var clineFields = fields{"sessionId": {is: cSession}, "agent": {is: cName}, "messages": {is: cItems},
	"origin": {in: fields{"parentThreadId": {is: cParent}, "subagent": {is: cAgent}}}}

var clineMessages = fields{
	"id": {is: cKey}, "role": {is: cType}, "content": {is: cText}, "ts": {is: cTime},
	"modelInfo": {in: fields{"id": {is: cModel}}},
	"metrics": {in: fields{"inputTokens": {is: cPrompt}, "cacheReadTokens": {is: cRead},
		"cacheWriteTokens": {is: cWritten}, "outputTokens": {is: cAnswer}}},
}

func takeCline(s *journal, t *thread, r *row) {
	c := readContent(r[cText])
	switch r.text(cType) {
	case "assistant":
		t.asked(r.text(cKey))
		t.says(c.text)
		for _, call := range c.calls {
			t.last.calls = append(t.last.calls, t.told(call, call.Name, "cline"))
		}
		t.counts(r)
	case "user":
		for _, res := range c.results {
			failed := res.failed == fact.True
			for _, part := range jsonscan.Elements(res.output) { // to Cline a command that fails is a success
				failed = failed || string(jsonscan.Member(part, "success")) == "false"
			}
			t.last.setFailed(res.id, fact.Of(failed))
			t.setOutput(res.id, res.output, asIs)
		}
		t.prompt(inputOf(c.text))
	}
}

// inputOf is the words of a person in the form that Cline gives them.
func inputOf(text string) string {
	_, rest, ok := strings.Cut(text, "<user_input")
	if _, words, tagged := strings.Cut(rest, ">"); ok && tagged {
		words, _, _ = strings.Cut(words, "</user_input>")
		return words
	}
	return ""
}
