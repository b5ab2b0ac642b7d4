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

// statusEvent names what Claude Code writes to the command of its status line, which is no event of its own.
const statusEvent = "StatusLine"

// Status notes for the hooks of a session what Claude Code tells its status line, in no more time than limit. It is the only place
// where the size of the context window is told. What goes wrong is a line in the log.
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
	case <-ctx.Done(): // the person waits for the line
	}
}

// StatusText is a short line about what Claude Code tells: the model, and how full its context is. It is "" where that is not known.
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

// decodeStatus reads what Claude Code writes to its status line.
func decodeStatus(e *Event, o object) {
	e.Kind = StatusLine
	e.Model = o.object("model").name("id")
	window := o.object("context_window")
	e.ContextTokens, e.ContextWindow = statusTokens(window), window.count("context_window_size")
	if e.ContextWindow != nil && *e.ContextWindow == 0 {
		e.ContextWindow = nil
	}
}

// statusTokens is what the last prompt took; nil before the first one, and after a compaction.
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

// longWindow ends the ids of models that are used with a window of a million tokens.
const longWindow = "[1m]"

// sameModel reports whether two ids may be those of one model: platforms add to them, and so does a long window.
func sameModel(a, b string) bool {
	a, b = strings.TrimSuffix(a, longWindow), strings.TrimSuffix(b, longWindow)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
