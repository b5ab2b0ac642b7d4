package session

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// gemini is the source for Gemini CLI's session files (HOOKS.md §6; runs of 0.61.0 and its source). A record
// is a message, and of several with the same id the last counts: a message of the model is first recorded
// without its calls, and then with them. {"$set":{"messages":[…]}} replaces all messages so far.
type gemini struct {
	journal
	seen    map[string]bool // ids of the model's messages
	history []geminiMessage // the messages that the next request holds
	lost    bool            // the history was rewound to a message that was not read
	dir     string          // the name of the file's folder; that of a subagent's file is the id of its session
}

func newGemini(source string, out *Sink) *gemini {
	s := &gemini{seen: map[string]bool{}, dir: filepath.Base(filepath.Dir(source))}
	f := &format{fields: geminiFields, items: geminiFields, take: s.record}
	s.journal = *newJournal(f, source, "", out)
	return s
}

// An older file is one object, with the messages.
var geminiFields = fields{"sessionId": {is: cSession}, "kind": {is: cWho}, "messages": {is: cItems},
	"$set": {is: cSub}, "$rewindTo": {is: cStep},
	"id": {is: cKey}, "timestamp": {is: cTime}, "type": {is: cType}, "model": {is: cModel},
	"content": {is: cText}, "toolCalls": {is: cCalls}, "tokens": {is: cUsage}}

// geminiMessage is a message of the history.
type geminiMessage struct {
	id      string
	context Count // for a message of the model: the tokens of the prompt that it answers
}

// isGemini reports whether a line can only be of a Gemini CLI session file.
func isGemini(line []byte, r *row) bool {
	return len(r[cSession]) > 0 && len(jsonscan.Member(line, "projectHash")) > 0 || len(r[cSub]) > 0 ||
		len(r[cStep]) > 0
}

// record reads a record: format.take.
func (s *gemini) record(_ *journal, _ *thread, r *row) {
	switch {
	case len(r[cSession]) > 0:
		if r.is(cWho, "subagent") {
			s.run.Thread = "subagent"
			if id := r.text(cSession); id != "" && s.dir != "chats" && s.dir != "." {
				s.run.ID = s.dir + "/agent-" + id
			}
		}
	case len(r[cSub]) > 0:
		s.set(r[cSub])
	case len(r[cStep]) > 0:
		s.rewound(r.text(cStep))
	case r.is(cType, "user"):
		s.appendHistory(r.text(cKey), Count{})
		if c := readContent(r[cText]); s.run.Thread == "root" && (c.text != "" || c.media) &&
			agent.Wrote(c.text) == "" {
			s.waiting.Prompts = append(s.waiting.Prompts, s.without(c.text, untagged))
		}
	case r.is(cType, "gemini"):
		s.response(r)
	}
}

// set reads a change of the session. That the session's id is set again means that the session was resumed.
func (s *gemini) set(raw []byte) {
	for key, value := range jsonscan.Of(raw).Members() {
		switch string(key) {
		case "sessionId":
			s.waiting.Resumed = true
		case "messages":
			s.replace(value)
		}
	}
}

// replace replaces the history by a list of messages. Where the model's latest message is not among them the
// history was compacted, else something in the messages has changed.
func (s *gemini) replace(list []byte) {
	kept := s.last.key == ""
	for _, raw := range jsonscan.Elements(list) {
		var m row
		if ok := geminiFields.read(raw, &m); ok && s.seen[m.text(cKey)] {
			s.take(&m, s.line)
			kept = kept || m.is(cKey, s.last.key)
		}
	}
	if !kept {
		s.compacted(Count{})
		s.history = nil
	}
}

// rewound removes a message and all after it from the history. The context then is that of the model's last
// message before it.
func (s *gemini) rewound(id string) {
	i := slices.IndexFunc(s.history, func(m geminiMessage) bool { return m.id == id })
	if s.lost = i < 0; s.lost {
		return
	}
	s.history = s.history[:i]
	s.last.shortened, s.last.after, s.at = true, Count{}, s.line
	for _, m := range s.history {
		if m.context.Known {
			s.last.after = m.context
		}
	}
}

// appendHistory appends a message to the history, or sets its context if it is the last one there.
func (s *gemini) appendHistory(id string, context Count) {
	if last := len(s.history) - 1; last >= 0 && s.history[last].id == id {
		s.history[last].context = context
	} else if id != "" {
		s.history = append(s.history, geminiMessage{id, context})
	}
}

// response reads a message of the model. It begins a turn where the message's id is new.
func (s *gemini) response(r *row) {
	id := r.text(cKey)
	if id == "" || id != s.last.key && s.seen[id] {
		return // an earlier message again: a later turn has already told what it says
	}
	if id != s.last.key {
		s.seen[id] = true
		s.out.Turn(s.begin(id, r.text(cModel)))
	}
	m := &s.last
	if text := readContent(r[cText]).text; text != "" {
		m.texts = []string{text}
	}
	if calls := geminiCallsOf(r[cCalls]); len(calls) > 0 {
		m.calls = nil
		for _, c := range calls {
			result := c.Output
			c.Output = nil
			m.calls = append(m.calls, s.told(c, c.Name, "gemini"))
			s.setOutput(c.ID, geminiOutput(result), untagged)
		}
	}
	if tokens := r[cUsage]; len(tokens) > 0 {
		var t row
		geminiTokens.read(tokens, &t)
		s.used(t.usage())
	}
	s.appendHistory(id, m.usage.context)
}

var geminiCalls = fields{"id": {is: cCall}, "name": {is: cName}, "status": {is: cStatus},
	"args": {is: cInput}, "result": {is: cOutput}}

// geminiCallsOf reads the calls of a message. To Gemini CLI a shell command that exits with another code than
// 0 is a success; its output has the code (HOOKS.md §6).
func geminiCallsOf(list []byte) (calls []Call) {
	for _, raw := range jsonscan.Elements(list) {
		var r row
		if !geminiCalls.read(raw, &r) {
			continue
		}
		call := Call{ID: r.text(cCall), Name: r.text(cName), Failed: fact.Unknown, Input: r[cInput],
			Output: r[cOutput]}
		switch r.text(cStatus) {
		case "success":
			call.Failed = fact.Of(call.Name == "run_shell_command" && exitFailed(call.Output))
		case "error", "cancelled":
			call.Failed = fact.True
		}
		calls = append(calls, call)
	}
	return calls
}

// exitFailed reports whether the result of a shell command names an exit code other than 0.
func exitFailed(result []byte) bool {
	_, rest, ok := bytes.Cut(result, []byte(`\nExit Code: `))
	return ok && !bytes.HasPrefix(rest, []byte("0")) && !bytes.HasPrefix(rest, []byte("(none)"))
}

var geminiTokens = fields{"input": {is: cPrompt}, "cached": {is: cRead}, "output": {is: cAnswer},
	"thoughts": {is: cThoughts}}

// past implements rereader.
func (s *gemini) past() (f Facts, enough bool) {
	f, enough = s.thread.past()
	return f, enough && !s.lost
}

// geminiFolder returns the folder of a session's subagents, which has the name of the session.
func geminiFolder(file string, first func() []byte) string {
	if !strings.HasPrefix(filepath.Base(file), "session-") {
		return ""
	}
	var r row
	line := first()
	if !geminiFields.read(line, &r) || !isGemini(line, &r) || !plainName(r.text(cSession)) {
		return ""
	}
	return path.Join(path.Dir(filepath.ToSlash(file)), r.text(cSession))
}
