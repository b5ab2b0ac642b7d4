package hook

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/agent"
)

// Status records, for the hooks of the session, what Claude Code writes to its status line's command: only
// there does it tell the size of the context window. Status returns after limit at the latest; what it has
// begun may go on then. Errors go to the log.
func Status(stdin []byte, limit time.Duration) {
	h := thisHost(nil)
	c := Call{Agent: agent.StatusAgent, Event: agent.StatusEvent, Limit: limit}
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

// StatusText returns a status line from the same stdin: the model, and how full its context is in percent.
// What is not known is left out.
func StatusText(stdin []byte) string {
	var parts []string
	model, percent := agent.ReadStatusLine(stdin)
	if model != "" {
		parts = append(parts, plain(model, 60))
	}
	if percent != nil {
		parts = append(parts, fmt.Sprintf("%.0f%%", math.Floor(*percent)))
	}
	return strings.Join(parts, " · ")
}

// longWindow is the suffix of the id of a model that is used with a context window of a million tokens.
const longWindow = "[1m]"

// sameModel reports whether two ids may be those of one model: one contains the other, since platforms add to
// ids, and longWindow does not count. An unknown id, "", may be any model.
func sameModel(a, b string) bool {
	a, b = strings.TrimSuffix(a, longWindow), strings.TrimSuffix(b, longWindow)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
