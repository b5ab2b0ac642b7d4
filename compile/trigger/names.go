package trigger

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/vocabulary"
	"github.com/aside-go/aside/internal/words"
)

// constants are the conditions that read no fact, stoppingWord the one that holds before the agent ends its
// work.
var constants = []string{"always", "never", "manual"}

const stoppingWord = "stopping"

// findFunction returns the function of that name, nil if a schema has none: without tool_used nobody tells of
// calls.
func findFunction(s *fact.Schema, name string) *vocabulary.Word {
	fn := vocabulary.Find(vocabulary.Functions(), name)
	if fn == nil || fn.Takes != vocabulary.Reminder && !s.Has(fact.ToolUsed) {
		return nil
	}
	return fn
}

// findShorthand returns the shorthand of that name, nil if a schema has none.
func findShorthand(s *fact.Schema, name string) *vocabulary.Word {
	w := vocabulary.Find(vocabulary.Shorthands(), name)
	if w == nil || !s.Has(shorthandFact(name)) {
		return nil
	}
	return w
}

// shorthandFact returns the fact without which a schema has no such shorthand.
func shorthandFact(name string) fact.ID {
	switch name {
	case "thread":
		return fact.ThreadType
	case "turn_gt":
		return fact.TurnCount
	case "user_turn_gt":
		return fact.UserTurnCount
	}
	return fact.ToolUsed
}

// shorthandNames returns the names of the shorthands that a schema has.
func shorthandNames(s *fact.Schema) (names []string) {
	for _, w := range vocabulary.Shorthands() {
		if findShorthand(s, w.Name) != nil {
			names = append(names, w.Name)
		}
	}
	return names
}

// takes says for people which texts a function takes.
func takes(fn *vocabulary.Word) string {
	if fn.Texts == 2 {
		return "two call patterns, each quoted"
	}
	return "a quoted text, " + fn.Takes.String()
}

// example is a comparison in which a fact may stand: that of the index of words, where it has one.
func example(ft fact.Fact) string {
	if ft.ID == fact.CallList {
		return `any(calls, .tool == "Bash" and .failed)`
	}
	for _, m := range words.All() {
		if m.Kind == words.Fact && m.Name() == ft.Name && m.Text != ft.Name {
			return m.Text
		}
	}
	return ft.Name + [...]string{fact.Bool: " == true", fact.Int: " > 10", fact.Number: " > 10",
		fact.Ratio: " > 75%", fact.Dollars: " > $5", fact.Duration: " > 5m", fact.String: " == plan",
		fact.Set: " == Bash"}[ft.Type]
}

func listExample(ft fact.Fact) string {
	return ft.Name + " in " + [...]string{fact.Bool: "[true]", fact.Int: "[1, 2]", fact.Number: "[1, 2]",
		fact.Ratio: "[50%, 75%]", fact.Dollars: "[$1, $5]", fact.Duration: "[5m, 10m]",
		fact.String: "[plan, learn]", fact.Set: "[Edit, Write]"}[ft.Type]
}

// allowedBuiltins returns the functions that ask nothing of the past: first those that take a value, then
// those that take a set and a condition.
func allowedBuiltins() []string {
	return []string{"len", "lower", "upper", "any", "all", "none", "one", "count"}
}

// conditionBuiltins returns those of allowedBuiltins that take a set and a condition.
func conditionBuiltins() []string { return allowedBuiltins()[3:] }

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

func wholeText(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func isWhole(s string) bool {
	return s != "" && len(s) < 16 && strings.Trim(s, "0123456789") == ""
}
