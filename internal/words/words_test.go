package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/words"
)

func ExampleLines() {
	lines, _ := words.Lines("after a commit")
	fmt.Println(strings.Join(lines, "\n"))
	// Output:
	// after_tool:@shell(git commit*)
	// before_tool:@shell(git commit*) and not called_since("@shell(git diff*)", "@edit")
	// tool_count("@edit") >= 20 and not used("@shell(git commit*)")
}

// TestFile: each word of a kind that is looked up leads to its meaning, and no word stands twice.
func TestFile(t *testing.T) {
	t.Parallel()
	for _, m := range words.All() {
		if m.Text == "" && m.Kind != "stop" {
			t.Errorf("%s %v: no meaning", m.Kind, m.Words)
		}
		want := m.Text
		if m.Kind == words.Fact {
			want = m.Name()
		}
		for _, w := range m.Words {
			whole := []words.Kind{"line", "recipe", "stop", "call", "frame"}
			if got := words.Of(m.Kind, w); got != want && !slices.Contains(whole, m.Kind) {
				t.Errorf("%s %q means %q, want %q", m.Kind, w, got, want)
			}
			if m.Kind == words.Fact && words.Of(words.Fact, strings.ReplaceAll(w, " ", "_")) != want {
				t.Errorf("%q is no name of %s", w, want)
			}
		}
	}
}

// TestForms: a word is known by its stem, however it is written.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"before a commit", "before committing", "before_commit", "beforeCommit",
		"pre-commit", "Before Commits", "before git commit"} {
		lines, sure := words.Lines(text)
		if len(lines) == 0 || lines[0] != "before_tool:@shell(git commit*)" || !sure {
			t.Errorf("%q: %q, %v", text, lines, sure)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, m := range words.All() {
		f.Add(m.Text)
		f.Add("before " + m.Words[0] + " 5m or " + m.Words[len(m.Words)-1])
	}
	for _, text := range []string{
		"", "time > 99:99", "/a/", "calls.some(c => c.failed)", "*/5 * * * *", "[", "'",
		"É"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > words.MaxLine {
			return
		}
		lines, sure := words.Lines(text)
		again, _ := words.Lines(text)
		if len(lines) > 3 || sure && len(lines) == 0 || !slices.Equal(lines, again) {
			t.Errorf("%q: %q, then %q", text, lines, again)
		}
		for at := range len(text) + 1 {
			if from, to := words.Clause(text, at); from < 0 || to < from || to > len(text) {
				t.Errorf("%q at %d: %d to %d", text, at, from, to)
			}
		}
	})
}
