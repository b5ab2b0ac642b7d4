package agent_test

import (
	"testing"

	"github.com/aside-go/aside/internal/agent"
)

// TestRooms asks each room for all of its parts: each is there, or the room says why it is not.
func TestRooms(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		parts := map[agent.Part]bool{
			agent.PartBinary:   a.Binary != "",
			agent.PartHooks:    a.Read != nil && a.Encode != nil,
			agent.PartConfig:   a.Config.Why != "" || len(a.Config.Files) > 0 && len(a.Config.After) > 0,
			agent.PartProject:  a.Config.Project != "",
			agent.PartSession:  a.Session != nil,
			agent.PartTools:    len(a.Tools) > 0,
			agent.PartNever:    len(a.Never) > 0,
			agent.PartWords:    len(a.Tags)+len(a.Notes) > 0,
			agent.PartRequests: a.Identify != nil || len(a.Signs)+len(a.Openings) > 0,
		}
		for part, there := range parts {
			if why := a.Lacks[part]; there == (why != "") {
				t.Errorf("%s: %s: there: %v; lacking because %q", a.Name, part, there, why)
			}
		}
		for part := range a.Lacks {
			if _, known := parts[part]; !known {
				t.Errorf("%s lacks %q, which no room has", a.Name, part)
			}
		}
		if got, ok := agent.Named(a.Name); a.Title == "" || !ok || got != a {
			t.Errorf("%q, titled %q, is not found by its name", a.Name, a.Title)
		}
	}
}

// TestWroteNote: the words of notes are found in a JSON string as it is written, without decoding and
// without memory.
func TestWroteNote(t *testing.T) {
	for _, a := range agent.All() {
		for _, n := range a.Notes {
			if yes, summary := agent.WroteNote([]byte("  " + n.Words)); !yes || summary != n.Summary ||
				agent.Wrote(n.Words) == "" {
				t.Errorf("%s: %q is not known", a.Name, n.Words)
			}
			for _, c := range n.Words {
				if c == '"' || c == '\\' || c == '<' || c == '&' || c < ' ' || c > '~' || len(n.Words) > 256 {
					t.Errorf("%s: %q: %q may be written otherwise in JSON", a.Name, n.Words, c)
				}
			}
		}
	}
	text := []byte("Write a function that adds two numbers.")
	if n := testing.AllocsPerRun(10, func() { agent.WroteNote(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
