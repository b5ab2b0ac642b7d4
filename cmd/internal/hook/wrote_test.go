package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/request"
)

// TestWroteAlike: hooks, session files from both ends, logs and requests decide alike whether a person
// wrote a message.
func TestWroteAlike(t *testing.T) {
	t.Parallel()
	person := map[string]bool{
		"hello": true,
		"<teammate-message from=x>done</teammate-message>":                    false,
		"<system-reminder>x</system-reminder> and then?":                      true,
		"<task-notification>x</task-notification>\nRead the output.":          false,
		"<local-command-stdout>without an end":                                false,
		"<system-reminder>without an end":                                     true,
		"look: <system-reminder>x</system-reminder>":                          true,
		"<system-reminder>x</system-reminder><command-name>/y</command-name>": false,
		"&lt;system-reminder>x&lt;/system-reminder>":                          false,
		"<b>bold</b>": true,
	}
	for _, tag := range agent.Tags() {
		person["<"+tag.Name+" id=1>done</"+tag.Name+">"] = false
		person[" \n<"+tag.Name+">done</"+tag.Name+">\n"] = false
		person["<"+tag.Name+">done</"+tag.Name+">\n\nand my words"] = tag.Beside
		for _, cut := range []string{"", "/", "/ and a word", " id=1"} {
			person["<"+tag.Name+cut] = true
		}
	}
	for _, a := range agent.All() {
		for _, n := range a.Notes {
			person[n.Words] = false
			if person[n.Words+", x"] = n.Ends; n.Ends {
				person["x\n\n"+n.Words] = false
			}
		}
	}
	for text, want := range person {
		for teller, got := range map[string]bool{
			"hook": byHook(t, text), "session": bySession(t, text), "replay": byReplay(t, text), "log": byLog(t, text),
			"wire": byRequest(t, text),
		} {
			if got != want {
				t.Errorf("%s: %q is a person's: %v", teller, text, got)
			}
		}
	}
}

func byHook(t *testing.T, text string) bool {
	d, _ := agent.Named("claude-code")
	e := d.Decode(agent.Input{
		Stdin: quoted(t, `{"hook_event_name":"UserPromptSubmit","session_id":"s","transcript_path":"/t","prompt":%}`, text),
		Env:   func(string) string { return "" },
	})
	return e.Human == fact.True
}

func bySession(t *testing.T, text string) bool {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, quoted(t, claudeLine, text), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := session.Read(context.Background(), session.File{Agent: "claude-code", Path: path, First: true})
	if err != nil || rec.UserTurns == nil {
		t.Fatal(err, rec)
	}
	return *rec.UserTurns == 1
}

const claudeLine = `{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","uuid":"1",` +
	`"message":{"role":"user","content":%}}` + "\n"

func byReplay(t *testing.T, text string) bool { return prompts(t, quoted(t, claudeLine, text)) == 1 }

func byLog(t *testing.T, text string) bool {
	return prompts(t, quoted(t, `{"messages":[{"role":"user","content":%}]}`, text)) == 1
}

func prompts(t *testing.T, file []byte) int {
	t.Helper()
	r := transcript.NewReader(bytes.NewReader(file), "s", "")
	n := 0
	for {
		turn, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return n + len(r.Pending().Prompts)
		case err != nil:
			t.Fatal(err)
		}
		n += len(turn.Prompts)
	}
}

func byRequest(t *testing.T, text string) bool {
	q, err := request.ReadFacts(request.Incoming{
		API:  wire.Anthropic,
		Body: quoted(t, `{"tools":[{}],"messages":[{"role":"user","content":%}]}`, text),
	})
	if err != nil {
		t.Fatal(err)
	}
	return q.UserMessage == fact.True
}

// quoted puts a text as a JSON string in place of the percent sign of a form.
func quoted(t *testing.T, form, text string) []byte {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace([]byte(form), []byte("%"), raw, 1)
}
