// Package vocabulary is the table of the functions and the shorthands of triggers, for all who name them: the
// parser's hints, the compiler, editors, the manual. It guesses which name of the language was meant by one
// that the language does not have. It is pure.
package vocabulary

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// Word is a function or a shorthand.
type Word struct {
	Name    string
	Takes   Argument
	Texts   int    // how many texts a function takes, each quoted; 0 of a shorthand
	Asks    bool   // the answer of a function is true or false, and no number
	Example string // of its use
	Help    string // a sentence about it
}

// Argument is the kind of text that a word takes.
type Argument uint8

// The kinds of arguments.
const (
	CallPattern Argument = iota
	Chain                // of tools
	Reminder             // the id of one
	Other                // a number, the type of a thread
)

// String describes the argument, for people.
func (a Argument) String() string {
	return [...]string{"a call pattern", "a chain such as \"Read>Edit\"", "the id of a reminder", "a word"}[a]
}

// Functions are the functions over the past of a run (LANGUAGE.md §1), by name.
func Functions() []Word { return functions[:] }

// Shorthands are those of LANGUAGE.md §2, by name.
func Shorthands() []Word { return shorthands[:] }

// Find returns the word of a name in a list; nil where there is none.
func Find(list []Word, name string) *Word {
	if i := slices.IndexFunc(list, func(w Word) bool { return w.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Meant asks whether one of the candidates was meant by a name that is none of them, "" if none is near.
// instead is the one to put in its place, "" where that is too far a guess.
func Meant(name string, candidates []string) (question, instead string) {
	found := near.Names(name, candidates)
	if to := words.Of(words.Fact, name); to != "" && slices.Contains(candidates, to) {
		found = []string{to}
	}
	if len(found) > 0 {
		return near.Question(found), found[0]
	}
	cut := near.Parts(name, candidates)
	if one, plural := strings.CutSuffix(name, "s"); plural && len(cut) == 0 {
		cut = near.Parts(one, candidates)
	}
	return near.Question(cut), ""
}

var functions = [...]Word{
	{"called_since", CallPattern, 2, true, `called_since("Bash(go test*)", "@edit")`,
		"a call of the first pattern came after the latest of the second"},
	{"output_tokens_since", Reminder, 1, false, `output_tokens_since("my-reminder") > 4000`,
		"tokens written since that reminder last fired; unknown before"},
	{"tool_chain_repeats", Chain, 1, false, `tool_chain_repeats("Read>Edit") >= 3`,
		"how often in a row the calls end with this chain"},
	{"tool_count", CallPattern, 1, false, `tool_count("Bash") >= 3`, "the number of matching calls"},
	{"turns_since", Reminder, 1, false, `turns_since("my-reminder") > 8`,
		"turns since that reminder last fired; unknown before"},
	{"turns_since_tool", CallPattern, 1, false, `turns_since_tool("@todo") > 15`,
		"turns since the latest matching call; unknown before the first"},
	{"used", CallPattern, 1, true, `used("Bash")`, "a matching call was made in this run"},
}

var shorthands = [...]Word{
	{"after_tool", CallPattern, 0, true, "after_tool:Edit,Write",
		"one of these tools was called in the previous turn"},
	{"before_tool", CallPattern, 0, true, "before_tool:Bash(git push*)", "such a call is about to be executed"},
	{"repeated_tool_chain", Chain, 0, true, "repeated_tool_chain:Read>Edit|3",
		"the last calls are Read, Edit three times in a row"},
	{"thread", Other, 0, true, "thread:plan,learn", "the same as thread_type in [plan, learn]"},
	{"tool_failed", CallPattern, 0, true, "tool_failed:Bash", "such a call was made, and failed"},
	{"turn_gt", Other, 0, true, "turn_gt:20", "the same as turn_count > 20"},
	{"user_turn_gt", Other, 0, true, "user_turn_gt:5", "the same as user_turn_count > 5"},
}
