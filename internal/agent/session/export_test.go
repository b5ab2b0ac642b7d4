package session

import (
	"context"
	"strings"
)

// ReadFile reads one file from its end, also a subagent's, by the agent that its path names. whole is as in
// File.First.
func ReadFile(ctx context.Context, path string, whole bool) (Facts, error) {
	f, _ := formatNamed("Claude Code session")
	switch {
	case strings.Contains(path, "codex"):
		f, _ = formatNamed("Codex session")
	case strings.Contains(path, "copilot"):
		f, _ = formatNamed("Copilot CLI session")
	case strings.Contains(path, "gemini"):
		f, _ = formatNamed("Gemini CLI session")
	}
	of := File{Path: path, First: whole}
	if strings.Contains(path, "subagents") {
		of.Subagent = "a"
	}
	return f.read(ctx, of, false)
}

// Formats returns the names of all forms of files.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}
