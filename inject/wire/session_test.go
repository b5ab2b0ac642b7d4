package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// session is a request as it might have ended a recorded session.
type session struct {
	name string
	body []byte
}

// sessions returns a request for each recorded session of Claude Code: its messages up to the last one of a
// user, with tools behind them.
func sessions(b *testing.B) (all []session) {
	b.Helper()
	for _, path := range testkit.DataGlob(b, "transcripts", "claude-code", "*.jsonl") {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		type message struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
			id      string
		}
		var messages []*message
		lines := bufio.NewScanner(bytes.NewReader(src))
		lines.Buffer(nil, len(src))
		for lines.Scan() {
			var line struct {
				Type        string `json:"type"`
				IsSidechain bool   `json:"isSidechain"`
				Message     struct {
					ID      string `json:"id"`
					Role    string `json:"role"`
					Content any    `json:"content"`
				} `json:"message"`
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				b.Fatal(err)
			}
			m := line.Message
			if line.Type != "user" && line.Type != "assistant" || line.IsSidechain {
				continue
			}
			blocks, many := m.Content.([]any)
			// a line for each block
			if n := len(messages) - 1; n >= 0 && many && m.ID != "" && messages[n].id == m.ID {
				messages[n].Content = append(messages[n].Content.([]any), blocks...)
				continue
			}
			messages = append(messages, &message{m.Role, m.Content, m.ID})
		}
		for n := len(messages); messages[n-1].Role == "assistant"; n-- {
			messages = messages[:n-1]
		}
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(messages); err != nil {
			b.Fatal(err)
		}
		tools := requestOf(64<<10, shape{last: true})
		tools = tools[bytes.Index(tools, []byte(`"tools":`)):]
		body := append([]byte(`{"model":"claude-sonnet-4-6","messages":`), bytes.TrimSpace(buf.Bytes())...)
		all = append(all, session{filepath.Base(path)[:4], append(append(body, ','), tools...)})
	}
	return all
}
