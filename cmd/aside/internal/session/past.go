package session

import (
	"context"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/hook"
)

// share says how much of a hook's remaining time reading may take: a third.
const share = 3

// Past is the hook.Reader for the agents whose files this package reads. When its time is up, it returns what was found so far.
func Past(ctx context.Context, of hook.PastOf) (hook.Past, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/share)
		defer cancel()
	}
	o := Options{Subagent: of.Subagent != "", Whole: of.First, TurnKey: of.TurnKey}
	path := of.Transcript
	var rec Record
	var err error
	switch of.Agent {
	case "claude-code":
		if o.Subagent {
			path = Subagent(path, of.Subagent)
		}
		if path != "" {
			rec, err = ClaudeCode(ctx, path, o)
		}
	case "gemini":
		if !o.Subagent {
			rec, err = Gemini(ctx, path, o)
		}
	case "codex":
		if !o.Subagent || ownRollout(path, of.Subagent) {
			rec, err = Codex(ctx, path, o)
		}
	}
	return hook.Past{
		ContextTokens: rec.ContextTokens, ContextWindow: rec.ContextWindow, At: rec.At, Compacted: rec.Compacted,
		ResponseTokens: rec.ResponseTokens, Response: rec.Response, Model: rec.Model, Failed: rec.Failed, UserTurns: rec.HumanTurns,
	}, err
}
