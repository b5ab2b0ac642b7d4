package near_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/near"
)

func ExampleNames() {
	fmt.Println(near.Names("turn_cuont", []string{"turn_count", "tool_used", "model"}))
	// Output: [turn_count]
}

func TestNames(t *testing.T) {
	t.Parallel()
	facts := []string{"context_usage", "context_tokens", "context_window", "turn_count", "user_turn_count",
		"tool_used", "tool_calls", "last_tool_call_failed", "model"}
	for _, c := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"turn_cuont", facts, []string{"turn_count"}},
		{"Turn_count", facts, []string{"turn_count"}},
		{"turn-count", facts, []string{"turn_count"}},
		{"LAST_TOOL_CALL_FAILED", facts, []string{"last_tool_call_failed"}},
		{"tool_use", facts, []string{"tool_used"}},
		{"unknown_thing", facts, nil},
		{"", facts, nil},
		{"x", facts, nil},
		{"is", []string{"in"}, nil},
		{"bash", []string{"Bash", "bath", "bash", "BASH"}, []string{"BASH", "Bash", "bath"}},
		{"abcd", []string{"abce", "abcf", "abcg", "abch"}, []string{"abce", "abcf", "abcg"}},
		{"after_tol", []string{"after_tool", "after_tool", "tool_failed"}, []string{"after_tool"}},
		{"abdc", []string{"abcd"}, []string{"abcd"}},
		{strings.Repeat("a", 5000), []string{strings.Repeat("a", 4999) + "b"}, nil},
	} {
		if d := cmp.Diff(c.want, near.Names(c.name, c.candidates)); d != "" {
			t.Errorf("%.40q (-want +got):\n%s", c.name, d)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	facts := []string{"last_response_tokens", "context_tokens", "context_usage", "turn_count",
		"user_turn_count", "model"}
	for name, want := range map[string][]string{
		"context": {"context_tokens", "context_usage"}, "Turn": {"turn_count",
			"user_turn_count"}, "turn-count": nil, "turn_count": nil,
		"count": {"turn_count", "user_turn_count"}, "model": nil, "tok": nil, "": nil, "_": nil,
	} {
		if d := cmp.Diff(want, near.Parts(name, facts)); d != "" {
			t.Errorf("%q (-want +got):\n%s", name, d)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	ids := []string{"run-tests", "no-tests", "commit"}
	for id, want := range map[string][]string{"comit": {"commit"}, "tests": {"run-tests",
		"no-tests"}, "te": nil} {
		if d := cmp.Diff(want, near.IDs(id, ids)); d != "" {
			t.Errorf("%s:\n%s", id, d)
		}
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"":                        nil,
		"did you mean a?":         {"a"},
		"did you mean a or b?":    {"a", "b"},
		"did you mean a, b or c?": {"a", "b", "c"},
	} {
		if got := near.Question(names); got != want {
			t.Errorf("%v: %s", names, got)
		}
	}
	if got := near.Hint("; ", "modle", []string{"model"}); got != "; did you mean model?" {
		t.Error(got)
	}
	if got := near.Hint("; ", "zzz", []string{"model"}); got != "" {
		t.Error(got)
	}
}

func TestSlip(t *testing.T) {
	t.Parallel()
	tools := []string{"Bash", "Edit", "Read", "read", "LS"}
	for name, want := range map[string]string{"Bashh": "Bash", "Eidt": "Edit", "Edits": "Edit", "Bsh": "",
		"LSP": "", "Edition": "", "Bash": "", "Lead": "", "Editt": "Edit", "": ""} {
		if got := near.Slip(name, tools); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
