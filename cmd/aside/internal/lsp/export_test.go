package lsp

import (
	"context"
	"encoding/json"
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
	s.notifications[method] = func(context.Context, *Server, json.RawMessage) error { f(); return nil }
}

// The words that are documented.
func Facts() []string      { return namesOf(words().Facts) }
func Shorthands() []string { return namesOf(words().Shorthands) }

func namesOf(words []word) (names []string) {
	for _, w := range words {
		names = append(names, w.name)
	}
	return names
}

// Keys are the documented keys of a reminder, of a schedule, and the kinds of one.
func Keys() (keys, schedule, kinds []string) {
	for _, k := range words().Reminder {
		keys = append(keys, k.name)
	}
	for _, k := range words().Schedule {
		schedule = append(schedule, k.name)
		if k.name == "kind" {
			kinds = namesOf(k.values)
		}
	}
	return keys, schedule, kinds
}

// Written are the triggers that completion writes.
func Written() (triggers, actions []string) {
	for _, list := range [][]word{words().Functions, words().Shorthands, words().Constants, words().Joins} {
		for _, w := range list {
			if w.insert != "" {
				triggers = append(triggers, unsnip(w.insert))
			}
		}
	}
	for _, w := range words().Templates {
		if w.insert != "" {
			actions = append(actions, unsnip(w.insert))
		}
	}
	return triggers, actions
}
