package hook

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// statusEvent is the name under which decodeClaudeCode gets what Claude Code writes to its status line's command. Claude Code itself
// has no such event.
const statusEvent = "StatusLine"

// Status records, for the hooks of the session, what Claude Code writes to its status line's command: only there does it tell the size
// of the context window. Status returns after limit at the latest; what it has begun may go on then. Errors go to the log.
func Status(stdin []byte, limit time.Duration) {
	h := &Host{Env: os.Getenv, Clock: time.Now}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		h.Home = filepath.Clean(home)
	}
	c := Call{Agent: claudeCode.Agent, Event: statusEvent, Limit: limit}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- errors.Join(err, recovered(recover())) }()
		_, err = h.Run(ctx, c, stdin)
	}()
	select {
	case err := <-done:
		if err != nil {
			h.report(c, err)
		}
	case <-ctx.Done(): // the status line must not wait
	}
}

// StatusText returns a status line from the same stdin: the model, and how full its context is in percent. What is not known is left
// out.
func StatusText(stdin []byte) string {
	o, _ := readObject(stdin)
	var parts []string
	if model := o.object("model").nameOr("display_name", o.object("model").name("id")); model != "" {
		parts = append(parts, plain(model, 60))
	}
	window := o.object("context_window")
	percent := window.number("used_percentage")
	if percent == nil {
		if used, size := statusTokens(window), window.count("context_window_size"); used != nil && size != nil && *size > 0 {
			p := float64(*used) / float64(*size) * 100
			percent = &p
		}
	}
	if percent != nil {
		parts = append(parts, fmt.Sprintf("%.0f%%", math.Floor(*percent)))
	}
	return strings.Join(parts, " · ")
}

// decodeStatus reads what Claude Code writes to its status line's command.
func decodeStatus(e *Event, o object) {
	e.Kind = StatusLine
	e.Model = o.object("model").name("id")
	window := o.object("context_window")
	e.ContextTokens, e.ContextWindow = statusTokens(window), window.count("context_window_size")
	if e.ContextWindow != nil && *e.ContextWindow == 0 {
		e.ContextWindow = nil
	}
}

// statusTokens returns how many tokens the last request had, nil before the first request and after a compaction.
func statusTokens(window object) *int64 {
	usage := window.object("current_usage")
	var sum int64
	for _, part := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if n := usage.count(part); n != nil {
			sum += *n
		}
	}
	if sum == 0 {
		return nil
	}
	return &sum
}

// longWindow is the suffix of the id of a model that is used with a context window of a million tokens.
const longWindow = "[1m]"

// sameModel reports whether two ids may be those of one model: one contains the other, since platforms add to ids, and longWindow does
// not count. An unknown id, "", may be any model.
func sameModel(a, b string) bool {
	a, b = strings.TrimSuffix(a, longWindow), strings.TrimSuffix(b, longWindow)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
