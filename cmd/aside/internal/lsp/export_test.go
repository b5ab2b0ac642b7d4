package lsp

import (
	"context"
	"encoding/json"

	"github.com/aside-go/aside/cmd/internal/cursor"
)

// Answer teaches the server a question, for tests of how questions are answered.
func (s *Server) Answer(method string, f func(ctx context.Context) (any, error)) {
	s.requests[method] = func(ctx context.Context, _ *Server, _ *view, _ json.RawMessage) (any,
		error) {
		return f(ctx)
	}
}

// Hear teaches the server a notification.
func (s *Server) Hear(method string, f func()) {
	s.notifications[method] = func(context.Context, *Server, *view, json.RawMessage) (any, error) {
		f()
		return nil, nil
	}
}

// The words that are documented.
func Facts() []string      { return namesOf(cursor.Words().Facts) }
func Shorthands() []string { return namesOf(cursor.Words().Shorthands) }

func namesOf(words []cursor.Word) (names []string) {
	for _, w := range words {
		names = append(names, w.Name)
	}
	return names
}

// Keys are the documented keys of a reminder, of a schedule, and the kinds of one.
func Keys() (keys, schedule, kinds []string) {
	for _, k := range cursor.Words().Tables["reminder"] {
		keys = append(keys, k.Name)
	}
	for _, k := range cursor.Words().Tables["schedule"] {
		schedule = append(schedule, k.Name)
		if k.Name == "kind" {
			kinds = namesOf(k.Values)
		}
	}
	return keys, schedule, kinds
}

// Written are the triggers that completion writes.
func Written() (triggers, actions []string) {
	for _, list := range [][]cursor.Word{cursor.Words().Functions, cursor.Words().Shorthands,
		cursor.Words().Constants, cursor.Words().Joins} {
		for _, w := range list {
			if w.Insert != "" {
				triggers = append(triggers, unsnip(w.Insert))
			}
		}
	}
	for _, w := range cursor.Words().Templates {
		if w.Insert != "" {
			actions = append(actions, unsnip(w.Insert))
		}
	}
	return triggers, actions
}
